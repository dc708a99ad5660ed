"""Recall: from one question to annotated hits, in one way down."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from uuid import uuid4

from app.domain.artifact import Artifact, Passage
from app.domain.entity import Caller
from app.domain.recall import FusedCandidate, Hit, LegName, Ranking, RecallRequest, RecallResult
from app.embedding import Embedder, Vector
from app.services.analysis import query_terms
from app.services.parsing import clean_text
from app.services.recall.anchors import QueryAnchors, anchor_query
from app.services.recall.annotation import annotate
from app.services.recall.confidence import confidence
from app.services.recall.fusion import RecencyRule, fuse, led_by
from app.services.recall.legs.base import Leg, Question, rank
from app.services.recall.legs.dense import DenseLeg
from app.services.recall.legs.graph import CooccurrenceLeg, ReferenceLeg
from app.services.recall.legs.lexical import LexicalLeg
from app.services.recall.legs.recency import rank_by_recency
from app.services.recall.name_lookup import find_name
from app.services.recall.scope import check_request, scope_of
from app.services.recall.selection import hit_pool, literal_name_winners, needs_more_candidates, select_hits
from app.services.recall.standing import Standings, load_standings
from app.services.recall.token_budget import advise, pack
from app.stores.graph_reader import GraphReader
from app.stores.postgres import artifacts
from app.stores.postgres.pool import Database
from app.stores.postgres.recall import read_hits
from app.stores.postgres.scope import Scope


@dataclass(frozen=True, slots=True)
class ResolvedRequest:
    """A request with everything it was resolved to."""

    request: RecallRequest
    scope: Scope
    anchored: QueryAnchors
    vector: asyncio.Task[Vector]


class LegRunner:
    """The four legs over one ledger; each has `deadline` seconds."""

    def __init__(self, database: Database, embedder: Embedder, graph: GraphReader, deadline: float) -> None:
        self._database = database
        self._embedder = embedder
        self._graph = graph
        self._deadline = deadline

    async def rankings(self, asked: ResolvedRequest, limit: int) -> list[Ranking]:
        """Return what each leg proposes, at most `limit` artifacts, and the ages of all of them."""
        rankings = await self._proposing(asked, limit)
        born = await self._births(asked.scope, rankings)
        return [*rankings, rank_by_recency(born, asked.scope.moment.valid)]

    async def _proposing(self, asked: ResolvedRequest, limit: int) -> list[Ranking]:
        """Ask the legs side by side; the co-occurrence of mentions needs another's best first."""
        question = _question(asked, limit)
        dense = self._rank(DenseLeg(self._embedder), question)
        if question.anchors:
            beside = ReferenceLeg(self._graph, named_exactly=bool(asked.anchored.leading))
            legs = (dense, self._rank(LexicalLeg(), question), self._rank(beside, question))
            return list(await asyncio.gather(*legs))
        nearest, (lexical, across) = await asyncio.gather(dense, self._lexical_and_across(question))
        if not lexical.candidates:
            across = await self._rank(CooccurrenceLeg(self._graph, nearest), question)
        return [nearest, lexical, across]

    async def _lexical_and_across(self, question: Question) -> tuple[Ranking, Ranking]:
        """Ask which documents have the words and what the best of them mention, while the encoder works."""
        lexical = await self._rank(LexicalLeg(), question)
        return lexical, await self._rank(CooccurrenceLeg(self._graph, lexical), question)

    async def _rank(self, leg: Leg, question: Question) -> Ranking:
        return await rank(leg, self._database, question, self._deadline)

    async def _births(self, scope: Scope, rankings: Sequence[Ranking]) -> dict[int, datetime]:
        """Return since when the candidates are there; those of which no leg told are looked up."""
        born = {number: moment for ranking in rankings for number, moment in ranking.born.items()}
        proposed = {candidate.artifact for ranking in rankings for candidate in ranking.candidates}
        if unknown := list(proposed - born.keys()):
            async with self._database.reading(scope.tenant) as connection:
                born |= await artifacts.creation_times(connection, scope.tenant, unknown)
        return born


def _question(asked: ResolvedRequest, limit: int) -> Question:
    searched = [asked.request.query, *asked.anchored.other_forms]
    terms = dict.fromkeys(term for text in searched for term in query_terms(text))
    return Question(
        scope=asked.scope,
        limit=limit,
        terms=tuple(terms),
        vector=asked.vector,
        anchors=tuple(anchor.entity.id for anchor in asked.anchored.anchors),
    )


CANDIDATES_PER_LEG = 100
DEEPEST = 2_000


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
        self._legs = LegRunner(database, embedder, graph, leg_deadline)
        self._recency = recency

    async def recall(self, caller: Caller, request: RecallRequest) -> RecallResult:
        """Return the artifacts that fit a question best, each with its standing at the asked time.

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
            asked = ResolvedRequest(request, scope, anchored, vector)
            return await self._answer(asked, max(CANDIDATES_PER_LEG, request.first))
        finally:
            _forget(vector)

    async def _answer(self, asked: ResolvedRequest, limit: int) -> RecallResult:
        """Return from so many candidates of each leg, or from more where a flag leaves too few of them."""
        request, scope = asked.request, asked.scope
        rankings = await self._legs.rankings(asked, limit)
        leading = asked.anchored.leading or literal_name_winners(request, rankings)
        fusion = fuse(rankings, self._recency)
        pool = hit_pool(request, rankings, led_by(fusion.order, leading))
        vector = await _served_vector(asked, rankings)
        standings, found = await asyncio.gather(
            load_standings(self._database, scope, pool, asked.anchored.anchors),
            # Most of the pool become hits; where flags decide few of it do.
            self._read(asked, () if request.flags else pool, vector),
        )
        candidates = [fusion.candidate(artifact) for artifact in pool]
        chosen = select_hits(request, asked.anchored.leading, rankings, candidates, standings)
        if limit < DEEPEST and needs_more_candidates(request, rankings, len(chosen), limit):
            return await self._answer(asked, DEEPEST)
        joined = [candidate.artifact for candidate in chosen if candidate.artifact not in found]
        found |= await self._read(asked, joined, vector)
        hits = _hits(request, chosen, found, standings)
        packed = pack(hits, request.token_budget)
        is_named = bool(asked.anchored.leading)
        numbers = [candidate.artifact for candidate in chosen]
        has_name = None if is_named else await find_name(self._database, scope, request.query, hits, numbers)
        sureness = confidence(request.query, rankings, hits, is_named=is_named, has_name=has_name)
        if request.flags and not hits:
            sureness = 0.0
        return RecallResult(
            id=uuid4(),
            hits=packed.hits,
            anchors=asked.anchored.anchors,
            legs=tuple(rankings),
            as_of=scope.moment.valid,
            known_at=scope.moment.known,
            tokens_used=packed.tokens,
            confidence=sureness,
            advisories=advise(request, rankings, sureness, packed),
        )

    async def _read(
        self, asked: ResolvedRequest, numbers: Sequence[int], vector: Vector | None
    ) -> dict[int, tuple[Artifact, Passage]]:
        """Return artifacts by number, each with the passage that speaks for it."""
        if not numbers:
            return {}
        # An identifier means nothing to the encoder: its document then speaks from its beginning.
        speaks = None if asked.anchored.is_bare_identifier else vector
        async with self._database.reading(asked.scope.tenant) as connection:
            return await read_hits(connection, asked.scope.tenant, numbers, speaks)


def _hits(
    request: RecallRequest,
    chosen: Sequence[FusedCandidate],
    found: Mapping[int, tuple[Artifact, Passage]],
    standings: Standings,
) -> list[Hit]:
    return [
        Hit(
            artifact=found[candidate.artifact][0],
            passage=found[candidate.artifact][1],
            score=candidate.score,
            rank=place,
            annotation=annotate(standings.by_artifact[candidate.artifact], prefer_wip=request.prefer_wip),
            contributions=candidate.contributions,
        )
        for place, candidate in enumerate(chosen, start=1)
    ]


async def _served_vector(asked: ResolvedRequest, rankings: Sequence[Ranking]) -> Vector | None:
    """Return the query's vector, or None when the dense leg did not answer: it says why."""
    if any(ranking.problem for ranking in rankings if ranking.leg is LegName.DENSE):
        return None
    return await asked.vector


def _forget(vector: asyncio.Task[Vector]) -> None:
    """Leave no task behind and no exception unread."""
    if not vector.done():
        vector.cancel()
    elif not vector.cancelled():
        vector.exception()
