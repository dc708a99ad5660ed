"""The recall pipeline: resolve a request, run the legs, fuse, select, annotate and pack the hits."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TypeAlias
from uuid import UUID, uuid4

from app.domain.artifact import Artifact, Passage
from app.domain.entity import Caller
from app.domain.numbers import ArtifactNumber
from app.domain.recall import (
    Annotation,
    FusedCandidate,
    Hit,
    LegName,
    Ranking,
    RecallRequest,
    RecallResult,
    StateFlag,
)
from app.embedding import Embedder, Vector
from app.services.analysis import is_one_name, query_terms
from app.services.parsing import clean_text
from app.services.recall.anchors import QueryAnchors, anchor_query
from app.services.recall.annotation import Standings, annotate
from app.services.recall.annotation_inputs import load_flags, load_standings
from app.services.recall.confidence import EVEN, confidence, nearest_likelihood
from app.services.recall.fusion import RecencyRule, fuse, put_first, rank_by_recency
from app.services.recall.legs.base import Leg, Question, rank
from app.services.recall.legs.dense import DenseLeg
from app.services.recall.legs.graph import CooccurrenceLeg, ReferenceLeg
from app.services.recall.legs.lexical import LexicalLeg
from app.services.recall.name_lookup import find_name, says_every_word
from app.services.recall.scope import absent_then, check_request, scope_of
from app.services.recall.selection import (
    LEG_WINNERS_WITHIN,
    Selection,
    advise,
    hit_order,
    literal_name_winners,
    needs_more_candidates,
    pack,
    select_hits,
    with_inherited_scores,
)
from app.stores.graph_reader import GraphReader
from app.stores.postgres import artifacts
from app.stores.postgres.ledger_clock import RequestedMoment, read_extent
from app.stores.postgres.pool import Database
from app.stores.postgres.recall import read_hits
from app.stores.postgres.scope import Scope


@dataclass(frozen=True, slots=True)
class ResolvedRequest:
    """A request with its scope, its anchors and the vector of its query."""

    request: RecallRequest
    scope: Scope
    anchored: QueryAnchors
    vector: asyncio.Task[Vector]


class LegRunner:
    """Runs the four legs over one ledger; each has `deadline` seconds."""

    def __init__(self, database: Database, embedder: Embedder, graph: GraphReader, deadline: float) -> None:
        self._database = database
        self._embedder = embedder
        self._graph = graph
        self._deadline = deadline

    async def rankings(self, resolved: ResolvedRequest, limit: int) -> list[Ranking]:
        """Return the ranking of each leg, at most `limit` artifacts, and the recency ranking of all."""
        rankings = await self._proposing(resolved, limit)
        born = await self._creation_times(resolved.scope, rankings)
        return [*rankings, rank_by_recency(born, resolved.scope.moment.valid)]

    async def _proposing(self, resolved: ResolvedRequest, limit: int) -> list[Ranking]:
        """Run the legs concurrently; the co-occurrence leg needs the best of another leg first."""
        question = _question(resolved, limit)
        dense = self._rank(DenseLeg(self._embedder), question)
        if question.anchors:
            beside = ReferenceLeg(self._graph, named_exactly=bool(resolved.anchored.leading))
            legs = (dense, self._rank(LexicalLeg(), question), self._rank(beside, question))
            return list(await asyncio.gather(*legs))
        nearest, (lexical, across) = await asyncio.gather(dense, self._lexical_and_across(question))
        if not lexical.candidates:
            across = await self._rank(CooccurrenceLeg(self._graph, nearest), question)
        return [nearest, lexical, across]

    async def _lexical_and_across(self, question: Question) -> tuple[Ranking, Ranking]:
        """Run the lexical leg and then the co-occurrence leg, while the encoder works."""
        lexical = await self._rank(LexicalLeg(), question)
        return lexical, await self._rank(CooccurrenceLeg(self._graph, lexical), question)

    async def _rank(self, leg: Leg, question: Question) -> Ranking:
        return await rank(leg, self._database, question, self._deadline)

    async def _creation_times(
        self, scope: Scope, rankings: Sequence[Ranking]
    ) -> dict[ArtifactNumber, datetime | None]:
        """Return the creation times of the candidates; those that no leg reported are looked up."""
        born = {number: moment for ranking in rankings for number, moment in ranking.born.items()}
        proposed = {candidate.artifact for ranking in rankings for candidate in ranking.candidates}
        if unknown := list(proposed - born.keys()):
            async with self._database.reading(scope.tenant) as connection:
                born |= await artifacts.creation_times(connection, scope.tenant, unknown)
        return born


def _question(resolved: ResolvedRequest, limit: int) -> Question:
    searched = [resolved.request.query, *resolved.anchored.other_forms]
    terms = dict.fromkeys(term for text in searched for term in query_terms(text))
    return Question(
        scope=resolved.scope,
        limit=limit,
        terms=tuple(terms),
        vector=resolved.vector,
        anchors=tuple(anchor.entity.id for anchor in resolved.anchored.anchors),
    )


CANDIDATES_PER_LEG = 100
MAX_CANDIDATES_PER_LEG = 2_000
WIDER = 4
"""How many times more candidates are looked at when versions of one document took the places of others."""

_Found: TypeAlias = dict[ArtifactNumber, tuple[Artifact, Passage]]


class RecallService:
    """Answers questions by searching with four legs at once."""

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
        """Return the artifacts that fit a question best, each annotated at the requested time.

        Raises Invalid for an unfit request and NotFound for an unknown project. If a leg fails or is late,
        the result names the reason, and the other legs answer.
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
            resolved = ResolvedRequest(request, scope, anchored, vector)
            return await self._answer(resolved, max(CANDIDATES_PER_LEG, request.first))
        finally:
            _forget(vector)

    async def own_flags(
        self, caller: Caller, subjects: Collection[ArtifactNumber | UUID], asked: RequestedMoment
    ) -> Mapping[ArtifactNumber | UUID, StateFlag | None]:
        """Return the flags of artifacts, by number, and of entities, by id, by their committed states."""
        async with self._database.reading(caller.tenant) as connection:
            moment = await asked.settle(connection, caller.tenant)
            extent = await read_extent(connection, caller.tenant, None)
            absent = await absent_then(connection, caller, extent, moment)
        scope = Scope(caller.tenant, extent.projects, moment, absent=absent)
        entities = [each for each in subjects if isinstance(each, UUID)]
        numbers = [each for each in subjects if not isinstance(each, UUID)]
        return await load_flags(self._database, scope, numbers, entities)

    async def annotations(
        self, caller: Caller, found: Sequence[Artifact], as_of: datetime | None = None
    ) -> list[Annotation | None]:
        """Return the annotation of each artifact at an instant, now by default; None if it is not there."""
        async with self._database.reading(caller.tenant) as connection:
            scope = await scope_of(connection, caller, RecallRequest("", as_of))
        numbers = [artifact.number for artifact in found]
        standings = (await load_standings(self._database, scope, numbers, ())).by_artifact
        standing = (standings.get(number) for number in numbers)
        return [None if each is None else annotate(each, prefer_wip=True) for each in standing]

    async def newest_version(
        self, caller: Caller, entity: UUID, as_of: datetime | None = None
    ) -> Artifact | None:
        """Return the newest artifact of an entity at an instant, now by default; None if none is there."""
        async with self._database.reading(caller.tenant) as connection:
            scope = await scope_of(connection, caller, RecallRequest("", as_of))
            numbers = (await artifacts.newest_versions_in_scope(connection, scope, [entity])).values()
            found = await read_hits(connection, scope.tenant, list(numbers), None)
        return next((artifact for artifact, _ in found.values()), None)

    async def _answer(
        self, resolved: ResolvedRequest, limit: int, found_before: Sequence[FusedCandidate] = ()
    ) -> RecallResult:
        """Return the result from `limit` candidates of each leg, or from more if they leave too few hits.

        `found_before` are the hits from fewer candidates, which stay the first ones.
        """
        request, scope = resolved.request, resolved.scope
        rankings = await self._legs.rankings(resolved, limit)
        leading = resolved.anchored.leading or literal_name_winners(
            rankings, is_one_name=is_one_name(request.query)
        )
        fusion = fuse(rankings, self._recency)
        vector = await _vector_if_served(resolved, rankings)
        order = hit_order(rankings, put_first(fusion.order, leading))
        selected, standings, found = await self._select(resolved, rankings, order, vector)
        before = {candidate.artifact for candidate in found_before}
        fused = [fusion.candidate(artifact) for artifact in selected.hits if artifact not in before]
        scored = with_inherited_scores(fused, fusion.scores, standings.replacement)
        chosen = [*found_before, *scored][: request.first]
        fitting = selected.fitting
        if limit < MAX_CANDIDATES_PER_LEG and needs_more_candidates(request, rankings, fitting, limit):
            return await self._answer(resolved, MAX_CANDIDATES_PER_LEG, chosen[:fitting])
        joined = [candidate.artifact for candidate in chosen if candidate.artifact not in found]
        found |= await self._read(resolved, joined, vector)
        hits = _hits(request, chosen, found, standings)
        damaged = _damaged(request, order, chosen, found, standings)
        packed = pack(hits, request.token_budget)
        numbers = [candidate.artifact for candidate in chosen]
        likely = await self._confidence(resolved, rankings, hits, numbers)
        return RecallResult(
            id=uuid4(),
            hits=packed.hits,
            anchors=resolved.anchored.anchors,
            legs=tuple(rankings),
            as_of=scope.moment.valid,
            known_at=scope.moment.known,
            tokens_used=packed.tokens,
            confidence=likely,
            advisories=(*advise(request, rankings, likely, packed), *damaged),
        )

    async def _select(
        self,
        resolved: ResolvedRequest,
        rankings: Sequence[Ranking],
        order: Sequence[ArtifactNumber],
        vector: Vector | None,
    ) -> tuple[Selection, Standings, _Found]:
        """Return the hits, the standings of the candidates looked at, and those that were read with them.

        The first candidates are looked at, and more of them only if versions of one document take their
        places; all are if flags decide.
        """
        request, identified = resolved.request, resolved.anchored.identified
        size = len(order) if request.flags else max(request.first, LEG_WINNERS_WITHIN)
        while True:
            pool = order[:size]
            standings, found = await asyncio.gather(
                load_standings(self._database, resolved.scope, pool, resolved.anchored.anchors),
                # Most of the pool become hits; where flags decide few of it do.
                self._read(resolved, () if request.flags else pool, vector),
            )
            whole = [number for number in pool if _is_whole(request, number, found, standings)]
            selected = select_hits(request, identified, rankings, whole, standings)
            if selected.fitting >= request.first or size >= len(order):
                return selected, standings, found
            size *= WIDER

    async def _confidence(
        self,
        resolved: ResolvedRequest,
        rankings: Sequence[Ranking],
        hits: Sequence[Hit],
        numbers: Sequence[ArtifactNumber],
    ) -> float | None:
        """Return the confidence in these hits; their texts are read only if they can change it."""
        request = resolved.request
        if request.flags and not hits:
            return 0.0
        nearest = nearest_likelihood(rankings)
        if resolved.anchored.leading or nearest is None:
            return confidence(nearest, is_named=bool(resolved.anchored.leading))
        has_name = await find_name(self._database, resolved.scope, request.query, hits, numbers)
        is_unsure = has_name is None and nearest < EVEN
        says_question = is_unsure and says_every_word(request.query, hits)
        return confidence(nearest, is_named=False, has_name=has_name, says_question=says_question)

    async def _read(
        self, resolved: ResolvedRequest, numbers: Sequence[ArtifactNumber], vector: Vector | None
    ) -> _Found:
        """Return artifacts by number, each with its best passage."""
        if not numbers:
            return {}
        # An identifier means nothing to the encoder: the first passage of its document then is the best.
        passage_vector = None if resolved.anchored.is_bare_identifier else vector
        async with self._database.reading(resolved.scope.tenant) as connection:
            return await read_hits(connection, resolved.scope.tenant, numbers, passage_vector)


def _is_whole(request: RecallRequest, number: ArtifactNumber, found: _Found, standings: Standings) -> bool:
    """Return whether a candidate can be shown; where flags decide, it is read later."""
    return number in standings.by_artifact and (bool(request.flags) or number in found)


def _damaged(
    request: RecallRequest,
    order: Sequence[ArtifactNumber],
    chosen: Sequence[FusedCandidate],
    found: _Found,
    standings: Standings,
) -> tuple[str, ...]:
    """Return an advisory about candidates that cannot be shown, because the ledger lacks parts of them."""
    first = order[: max(request.first, LEG_WINNERS_WITHIN)]
    lost = {number for number in first if not _is_whole(request, number, found, standings)}
    lost |= {each.artifact for each in chosen if each.artifact not in found}
    if not lost:
        return ()
    what = "1 document is" if len(lost) == 1 else f"{len(lost)} documents are"
    return (f"{what} left out, because the ledger lacks parts of it: restore a backup, or file it again",)


def _hits(
    request: RecallRequest,
    chosen: Sequence[FusedCandidate],
    found: Mapping[ArtifactNumber, tuple[Artifact, Passage]],
    standings: Standings,
) -> list[Hit]:
    whole = (each for each in chosen if each.artifact in found and each.artifact in standings.by_artifact)
    return [
        Hit(
            artifact=found[candidate.artifact][0],
            passage=found[candidate.artifact][1],
            score=candidate.score,
            rank=place,
            annotation=annotate(standings.by_artifact[candidate.artifact], prefer_wip=request.prefer_wip),
            contributions=candidate.contributions,
        )
        for place, candidate in enumerate(whole, start=1)
    ]


async def _vector_if_served(resolved: ResolvedRequest, rankings: Sequence[Ranking]) -> Vector | None:
    """Return the query's vector, or None if the dense leg did not answer; its ranking says why."""
    if any(ranking.problem for ranking in rankings if ranking.leg is LegName.DENSE):
        return None
    return await resolved.vector


def _forget(vector: asyncio.Task[Vector]) -> None:
    """Cancel the task if it runs, and retrieve its exception if it failed."""
    if not vector.done():
        vector.cancel()
    elif not vector.cancelled():
        vector.exception()
