"""Recall: from one question to annotated hits, in one way down."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace
from uuid import uuid4

from app.domain.entity import Caller
from app.domain.recall import FusedCandidate, Hit, LegName, Ranking, RecallRequest, RecallResult
from app.embedding import Embedder, Vector
from app.services.analysis import query_terms
from app.services.annotation import annotate
from app.services.fusion import RecencyRule, fuse, led_by
from app.services.legs.dense import DenseLeg
from app.services.legs.graph import CooccurrenceLeg, ReferenceLeg
from app.services.legs.leg import Leg, Question, rank
from app.services.legs.lexical import LexicalLeg
from app.services.legs.recency import rank_by_recency
from app.services.parsing import clean_text
from app.services.recall.advising import advise
from app.services.recall.anchoring import Anchored, anchor_query
from app.services.recall.choosing import as_written, choose, pool_of, runs_short
from app.services.recall.confidence import confidence
from app.services.recall.packing import pack
from app.services.recall.scoping import check_request, scope_of
from app.services.recall.standings import Standings, load_standings
from app.stores.graph_reader import GraphReader
from app.stores.postgres import artifacts
from app.stores.postgres.hits import read_hits
from app.stores.postgres.pool import Database
from app.stores.postgres.scope import Scope

CANDIDATES_PER_LEG = 100
DEEPEST = 2_000


@dataclass(frozen=True, slots=True)
class Asked:
    """A request with everything it was resolved to."""

    request: RecallRequest
    scope: Scope
    anchored: Anchored
    vector: asyncio.Task[Vector]


class RecallService:
    """Answers questions from four legs at once."""

    def __init__(
        self,
        database: Database,
        embedder: Embedder,
        graph: GraphReader,
        leg_deadline: float,
        recency: RecencyRule = "bounded",
    ) -> None:
        self._database = database
        self._embedder = embedder
        self._graph = graph
        self._leg_deadline = leg_deadline
        self._recency = recency

    async def recall(self, caller: Caller, request: RecallRequest) -> RecallResult:
        """Answer the artifacts that fit a question best, each with its standing at the asked time.

        Raises Invalid for a request that cannot be answered and NotFound for an unknown project. A leg
        that fails or is late leaves a reason in the result and the others answer.
        """
        check_request(request)
        request = replace(request, query=clean_text(request.query))
        vector = asyncio.create_task(self._embedder.embed_query(request.query))
        try:
            async with self._database.reading(caller.tenant) as connection:
                scope = await scope_of(connection, caller, request)
                anchored = await anchor_query(
                    connection, scope, request.query, with_drafts=request.prefer_wip
                )
            asked = Asked(request, scope, anchored, vector)
            return await self._answer(asked, max(CANDIDATES_PER_LEG, request.first))
        finally:
            _forget(vector)

    async def _rankings(self, asked: Asked, limit: int) -> list[Ranking]:
        """Ask the legs side by side; the co-occurrence of mentions needs the others' best first."""
        question = _question(asked, limit)
        legs: list[Leg] = [DenseLeg(self._embedder), LexicalLeg()]
        if question.anchors:
            legs.append(ReferenceLeg(self._graph, named_exactly=bool(asked.anchored.leading)))
        rankings = await asyncio.gather(
            *(rank(leg, self._database, question, self._leg_deadline) for leg in legs)
        )
        if question.anchors:
            return list(rankings)
        across = CooccurrenceLeg(self._graph, rankings)
        return [*rankings, await rank(across, self._database, question, self._leg_deadline)]

    async def _answer(self, asked: Asked, limit: int) -> RecallResult:
        """Answer from so many candidates of each leg, or from more where a flag leaves too few of them."""
        rankings = await self._rankings(asked, limit)
        scope = asked.scope
        proposed = {candidate.artifact for ranking in rankings for candidate in ranking.candidates}
        async with self._database.reading(scope.tenant) as connection:
            looked_at = list(proposed.union(asked.anchored.leading))
            known = await artifacts.outlines(connection, scope.tenant, looked_at)
            born = {number: known[number].created_at for number in proposed}
            rankings.append(rank_by_recency(born, scope.moment.valid))
            leading = asked.anchored.leading or as_written(asked.request, rankings)
            ordered = led_by(fuse(rankings, self._recency), leading)
            pool = pool_of(asked.request, rankings, ordered)
            outlines = {candidate.artifact: known[candidate.artifact] for candidate in pool}
            standings = await load_standings(connection, scope, outlines, asked.anchored.anchors)
        chosen = choose(asked.request, asked.anchored.leading, rankings, pool, standings)
        if limit < DEEPEST and runs_short(asked.request, rankings, len(chosen), limit):
            return await self._answer(asked, DEEPEST)
        hits = await self._hits(asked, chosen, standings, await _served_vector(asked, rankings))
        packed = pack(hits, asked.request.token_budget)
        sureness = confidence(rankings, is_named=bool(leading))
        return RecallResult(
            id=uuid4(),
            hits=packed.hits,
            anchors=asked.anchored.anchors,
            legs=tuple(rankings),
            as_of=scope.moment.valid,
            known_at=scope.moment.known,
            tokens_used=packed.tokens,
            confidence=sureness,
            advisories=advise(asked.request, rankings, sureness, packed),
        )

    async def _hits(
        self,
        asked: Asked,
        chosen: Sequence[FusedCandidate],
        standings: Standings,
        vector: Vector | None,
    ) -> list[Hit]:
        numbers = [candidate.artifact for candidate in chosen]
        async with self._database.reading(asked.scope.tenant) as connection:
            # An identifier means nothing to the encoder: its document then speaks from its beginning.
            speaks = None if asked.anchored.is_bare_identifier else vector
            found = await read_hits(connection, asked.scope.tenant, numbers, speaks)
        return [
            Hit(
                artifact=found[candidate.artifact][0],
                passage=found[candidate.artifact][1],
                score=candidate.score,
                rank=place,
                annotation=annotate(
                    standings.by_artifact[candidate.artifact], prefer_wip=asked.request.prefer_wip
                ),
                contributions=candidate.contributions,
            )
            for place, candidate in enumerate(chosen, start=1)
        ]


def _question(asked: Asked, limit: int) -> Question:
    searched = [asked.request.query, *asked.anchored.other_forms]
    terms = dict.fromkeys(term for text in searched for term in query_terms(text))
    return Question(
        scope=asked.scope,
        limit=limit,
        terms=tuple(terms),
        vector=asked.vector,
        anchors=tuple(anchor.entity.id for anchor in asked.anchored.anchors),
    )


async def _served_vector(asked: Asked, rankings: Sequence[Ranking]) -> Vector | None:
    """Answer the query's vector, or None when the dense leg did not answer: it says why."""
    if any(ranking.problem for ranking in rankings if ranking.leg is LegName.DENSE):
        return None
    return await asked.vector


def _forget(vector: asyncio.Task[Vector]) -> None:
    """Leave no task behind and no exception unread."""
    if not vector.done():
        vector.cancel()
    elif not vector.cancelled():
        vector.exception()
