"""Recall: from one question to annotated hits, in one way down."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace
from uuid import uuid4

from app.domain.artifact import Artifact, Passage
from app.domain.entity import Caller
from app.domain.recall import FusedCandidate, Hit, LegName, Ranking, RecallRequest, RecallResult
from app.embedding import Embedder, Vector
from app.services.annotation import annotate
from app.services.fusion import RecencyRule, fuse, led_by
from app.services.parsing import clean_text
from app.services.recall.advising import advise
from app.services.recall.anchoring import anchor_query
from app.services.recall.asking import Asked, Legs
from app.services.recall.choosing import as_written, choose, pool_of, runs_short
from app.services.recall.confidence import confidence
from app.services.recall.names import find_name
from app.services.recall.packing import pack
from app.services.recall.scoping import check_request, scope_of
from app.services.recall.standings import Standings, load_standings
from app.stores.graph_reader import GraphReader
from app.stores.postgres.hits import read_hits
from app.stores.postgres.pool import Database

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
        self._legs = Legs(database, embedder, graph, leg_deadline)
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

    async def _answer(self, asked: Asked, limit: int) -> RecallResult:
        """Answer from so many candidates of each leg, or from more where a flag leaves too few of them."""
        request, scope = asked.request, asked.scope
        rankings = await self._legs.rankings(asked, limit)
        leading = asked.anchored.leading or as_written(request, rankings)
        fusion = fuse(rankings, self._recency)
        pool = pool_of(request, rankings, led_by(fusion.order, leading))
        vector = await _served_vector(asked, rankings)
        standings, found = await asyncio.gather(
            load_standings(self._database, scope, pool, asked.anchored.anchors),
            # Most of the pool become hits; where flags decide few of it do.
            self._read(asked, () if request.flags else pool, vector),
        )
        candidates = [fusion.candidate(artifact) for artifact in pool]
        chosen = choose(request, asked.anchored.leading, rankings, candidates, standings)
        if limit < DEEPEST and runs_short(request, rankings, len(chosen), limit):
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
        self, asked: Asked, numbers: Sequence[int], vector: Vector | None
    ) -> dict[int, tuple[Artifact, Passage]]:
        """Answer artifacts by number, each with the passage that speaks for it."""
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
