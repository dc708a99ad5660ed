"""Run every judged query and score each leg, the plain fusion and the result."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from math import log2
from uuid import UUID

import asyncpg

from app.domain.entity import Direction, Entity, ReferenceType
from app.domain.identifier import identifier_key
from app.domain.numbers import ArtifactNumber, TenantNumber
from app.domain.page import MAX_ITEMS, PageRequest
from app.domain.recall import RecallRequest, RecallResult, StateFlag
from app.domain.status_words import flag_of_status
from app.domain.temporal import EVERYTHING_KNOWN, AsOf, Branch, EntityState
from app.domain.text import fold
from app.evaluation.judgements import Expected, ExpectedRelation, Judged, ReferenceVerdict
from app.services.container import Memory
from app.services.recall import CANDIDATES_PER_LEG
from app.services.recall.fusion import fuse_plainly
from app.stores.postgres import (
    artifacts,
    entities,
    entity_edges,
    ledger_clock,
    projects,
    states,
    type_definitions,
)
from app.stores.postgres.entity_edges import ReferencesAround


async def judge(
    memory: Memory, expected: Expected, as_of: datetime | None, ranking: Sequence[str]
) -> ReferenceVerdict:
    """Judge an answer: by recall's ranking if the question asks for a leader, else by the ledger."""
    if expected.leader is not None:
        return ReferenceVerdict(ranking[:1] == [expected.leader], ", ".join(ranking[:2]) or "nothing")
    async with memory.database.reading(memory.caller.tenant) as connection:
        now = await ledger_clock.read_present(connection, memory.caller.tenant)
        asking = _Asking(connection, memory.caller.tenant, AsOf(as_of or now, EVERYTHING_KNOWN))
        return await asking.judge(expected)


class _Asking:
    """One question at one moment."""

    def __init__(self, connection: asyncpg.Connection, tenant: TenantNumber, moment: AsOf) -> None:
        self._connection = connection
        self._tenant = tenant
        self._moment = moment

    async def judge(self, expected: Expected) -> ReferenceVerdict:
        entity = await self._entity(expected.subject)
        state = None if entity is None else (await self._states([entity.id])).get(entity.id)
        if entity is None or state is None or expected.is_absent:
            found = "nothing" if state is None else f"{state.props.get('status')}"
            return ReferenceVerdict(expected.is_absent and state is None, found)
        if expected.relation is None:
            props = tuple((name, str(state.props.get(name))) for name, _ in expected.props)
            return ReferenceVerdict(props == expected.props, ", ".join(value for _, value in props))
        related = await self._related_keys(entity, state, expected.relation)
        return ReferenceVerdict(related == expected.related, ", ".join(sorted(related)) or "none")

    async def _entity(self, subject: str) -> Entity | None:
        """Return the entity with this identifier, in any project."""
        key = identifier_key(subject)
        for project in await projects.all_projects(self._connection, self._tenant):
            found = await entities.entity_by_key(self._connection, self._tenant, project.number, key)
            if found is not None:
                return found
        return None

    async def _states(self, wanted: Sequence[UUID]) -> dict[UUID, EntityState]:
        held = await states.states_as_of(self._connection, self._tenant, wanted, self._moment)
        return {entity: state for (entity, branch), state in held.items() if branch is Branch.COMMITTED}

    async def _related_keys(
        self, entity: Entity, state: EntityState, relation: ExpectedRelation
    ) -> frozenset[str]:
        """Return the keys of related documents, by property if its type has one, else by references."""
        if relation.property is not None and await self._keeps(entity, relation.property):
            stated = state.props.get(relation.property, [])
            return frozenset(identifier_key(name) for name in stated if isinstance(name, str))
        others = await self._others(entity.id, relation)
        found = await entities.entities_by_id(self._connection, self._tenant, others)
        return frozenset(each.key for each in found.values() if each.key is not None)

    async def _keeps(self, entity: Entity, name: str) -> bool:
        known = await type_definitions.types_in_projects(self._connection, self._tenant, [entity.project])
        return any(
            name in each.definition.mutable_props
            for each in known
            if fold(each.definition.name) == fold(entity.type_name)
        )

    async def _others(self, entity: UUID, relation: ExpectedRelation) -> list[UUID]:
        around = ReferencesAround(relation.direction, relation.type, self._moment)
        page = PageRequest(MAX_ITEMS)
        pages = await entity_edges.references_of_entities(
            self._connection, self._tenant, [entity], around, page
        )
        others = [each.target if each.source == entity else each.source for each in pages[entity].items]
        if (relation.type, relation.direction) != (ReferenceType.SUPERSEDES, Direction.IN):
            return others
        held = await self._states(others)
        return [other for other in others if other in held and _is_in_force(held[other])]


def _is_in_force(state: EntityState) -> bool:
    """Return whether a document is in force: a draft replaces nothing."""
    status = state.props.get("status")
    return flag_of_status(status if isinstance(status, str) else None) is not StateFlag.WIP


NDCG_DEPTH = 10
NEAR_DEPTH = 10
FAR_DEPTH = 100


def ndcg(ranking: Sequence[str], relevance: Mapping[str, int], depth: int = NDCG_DEPTH) -> float:
    """Return normalised discounted cumulative gain at a depth (Järvelin and Kekäläinen, 2002)."""
    gained = _discounted_gain([relevance.get(found, 0) for found in ranking[:depth]])
    ideal = _discounted_gain(sorted(relevance.values(), reverse=True)[:depth])
    return gained / ideal if ideal else 0.0


def _discounted_gain(gains: Sequence[int]) -> float:
    return sum(gain / log2(place + 1) for place, gain in enumerate(gains, start=1))


def recall_at(ranking: Sequence[str], relevance: Mapping[str, int], depth: int) -> float:
    """Return the share of the relevant documents among the first `depth`."""
    relevant = {document for document, grade in relevance.items() if grade > 0}
    return len(relevant.intersection(ranking[:depth])) / len(relevant) if relevant else 0.0


def reciprocal_rank(ranking: Sequence[str], relevance: Mapping[str, int]) -> float:
    """Return one over the place of the first relevant document, 0 without one."""
    places = (place for place, found in enumerate(ranking, start=1) if relevance.get(found, 0) > 0)
    return 1 / next(places, float("inf"))


def measure(ranking: Sequence[str], relevance: Mapping[str, int]) -> dict[str, float]:
    """Return every measure of one ranking by its name."""
    return {
        "ndcg@10": ndcg(ranking, relevance),
        "recall@10": recall_at(ranking, relevance, NEAR_DEPTH),
        "recall@100": recall_at(ranking, relevance, FAR_DEPTH),
        "mrr": reciprocal_rank(ranking, relevance),
    }


def mean(measures: Sequence[Mapping[str, float]]) -> dict[str, float]:
    """Return the mean of each measure over queries; empty without any."""
    if not measures:
        return {}
    return {name: sum(row[name] for row in measures) / len(measures) for name in measures[0]}


Scores = dict[str, float]
SCORED_LEGS = ("dense", "lexical", "graph")


@dataclass(slots=True)
class Answers:
    """The number of questions of a category, and of those answered right."""

    asked: int = 0
    right: int = 0


@dataclass(frozen=True, slots=True)
class EvaluationReport:
    """Means over the queries that have a relevant document, and how many forbidden ones came back.

    `unknown` lists the judged documents that are not among the documents: they count as never found.
    `answers` says, by category, how many questions about a subject were answered right, and `wrong` what
    was found instead.
    """

    documents: int
    queries: int
    scores: dict[str, Scores]
    categories: dict[str, Scores]
    forbidden: int
    unknown: list[str]
    answers: dict[str, Answers] = field(default_factory=dict)
    wrong: list[str] = field(default_factory=list)


async def score(
    memory: Memory, judged: Sequence[Judged], documents: int, advance: Callable[[], None]
) -> EvaluationReport:
    """Return the scores of recall on judged queries; `advance` is called after each."""
    scores: dict[str, list[Scores]] = defaultdict(list)
    categories: dict[str, list[Scores]] = defaultdict(list)
    answers: dict[str, Answers] = defaultdict(Answers)
    wrong: list[str] = []
    forbidden = 0
    for query in judged:
        rankings = await _rankings(memory, query)
        forbidden += len(query.forbidden.intersection(rankings["fused"]))
        if query.relevance:
            for name, ranking in rankings.items():
                kept = [document for document in ranking if document not in query.excluded]
                scores[name].append(measure(kept, query.relevance))
            categories[query.category].append(scores["fused"][-1])
        if query.expected is not None:
            verdict = await judge(memory, query.expected, query.as_of, rankings["fused"])
            answers[query.category].asked += 1
            answers[query.category].right += verdict.is_right
            wrong += [] if verdict.is_right else [_wrong(query, verdict)]
        advance()
    return EvaluationReport(
        documents=documents,
        queries=len(judged),
        scores={name: mean(found) for name, found in scores.items()},
        categories={name: mean(found) for name, found in sorted(categories.items())},
        forbidden=forbidden,
        unknown=await _unknown(memory, judged),
        answers=dict(sorted(answers.items())),
        wrong=wrong,
    )


def _wrong(query: Judged, verdict: ReferenceVerdict) -> str:
    when = "" if query.as_of is None else f" as of {query.as_of:%Y-%m-%d}"
    return f"{query.category}: {query.text}{when}: {verdict.found}"


async def _unknown(memory: Memory, judged: Sequence[Judged]) -> list[str]:
    wanted = sorted({document for query in judged for document in query.relevance})
    async with memory.database.reading(memory.caller.tenant) as connection:
        known = await artifacts.identifiers_known(connection, memory.caller.tenant, wanted)
    return [document for document in wanted if document not in known]


async def _rankings(memory: Memory, query: Judged) -> dict[str, list[str]]:
    """Return the identifiers that each leg, plain fusion and recall return, best first."""
    request = RecallRequest(query.text, as_of=query.as_of, first=CANDIDATES_PER_LEG)
    result = await memory.recall.recall(memory.caller, request)
    numbers = _numbers(result)
    asked = {number for ranked in numbers.values() for number in ranked}
    async with memory.database.reading(memory.caller.tenant) as connection:
        named = await artifacts.identifiers_of(connection, memory.caller.tenant, list(asked))
    return {name: _identifiers(ranked, named) for name, ranked in numbers.items()}


def _numbers(result: RecallResult) -> dict[str, list[ArtifactNumber]]:
    legs = {
        ranking.leg.lower(): [candidate.artifact for candidate in ranking.candidates]
        for ranking in result.legs
    }
    plain = fuse_plainly(result.legs)
    return {
        **{name: legs.get(name, []) for name in SCORED_LEGS},
        "fused": [hit.artifact.number for hit in result.hits],
        "rrf": list(plain.order[:CANDIDATES_PER_LEG]),
    }


def _identifiers(ranked: Sequence[ArtifactNumber], named: Mapping[ArtifactNumber, str | None]) -> list[str]:
    """Return identifiers without repeats: versions of one document count once, at the best place."""
    found = (named.get(number) for number in ranked)
    return list(dict.fromkeys(identifier for identifier in found if identifier is not None))
