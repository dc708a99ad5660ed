"""A graph reader on Neo4j, which returns exactly the numbers that the ledger returns."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from math import log
from typing import Any
from uuid import UUID

from app.domain.breadth_first_search import Around, Neighbour, Step, neighbours_of, shortest_path
from app.domain.entity import Reference, ReferenceType
from app.domain.numbers import ArtifactNumber, TenantNumber
from app.domain.recall import Candidate, Proposal
from app.domain.temporal import AsOf, Interval, from_microseconds, to_microseconds
from app.stores.graph_reader import (
    ARTIFACTS_PER_ENTITY,
    MENTIONED_ENTITIES,
    REFERENCES_PER_ANCHOR,
    REFERENCES_PER_ENTITY,
)
from app.stores.named_blocks import cypher_blocks
from app.stores.neo4j.driver import Graph
from app.stores.neo4j.freshness import FreshnessGate, Question
from app.stores.postgres import absences
from app.stores.postgres.pool import Database
from app.stores.postgres.scope import Scope

CYPHER = cypher_blocks(__file__)

SERVED = "neo4j"
_UNIT = 1e12  # shares of a score are added as whole numbers, which give one sum in every order
_ALL = 2**31


class Neo4jTraversal:
    """A GraphReader on Neo4j; raises StaleGraph when the graph lacks what the ledger holds."""

    def __init__(self, graph: Graph, database: Database) -> None:
        self._gate = FreshnessGate(graph, database)
        self._database = database

    async def warm_up(self) -> None:
        """Let Neo4j plan all queries of this module: just after a start, planning is slow.

        Raises Unavailable when it does not answer.
        """
        nothing = {"tenant": 0, "valid": 0, "known": 0, "projects": [0], "types": None, "domains": None}
        nobody = {"anchors": [""], "entities": [""], "seeds": [0]}
        few = {
            "limit": 1,
            "most": 1,
            "mentioned": 1,
            "artifacts": 1,
            "absent": [0],
            "begun": [""],
            "notBegun": [""],
        }
        await self._gate.try_out((query, nothing | nobody | few) for query in CYPHER.values())

    async def artifacts_beside(
        self, scope: Scope, anchors: Sequence[UUID], strengths: Mapping[ReferenceType, float], limit: int
    ) -> Proposal:
        """Return what GraphReader specifies, in one query."""
        named = [str(anchor) for anchor in anchors]
        asked = {"anchors": named, "limit": REFERENCES_PER_ANCHOR}
        async with self._gate.reading(scope.tenant) as ask:
            groups, newest = await ask(CYPHER["references_of_anchors"], _scope_parameters(scope) | asked)
        shares = _shares(groups, strengths)
        beside = shares.keys() - named
        return _best({number: shares[entity] for entity, number in newest if entity in beside}, limit)

    async def artifacts_sharing_mentions(
        self, scope: Scope, seeds: Sequence[ArtifactNumber], limit: int
    ) -> Proposal:
        """Return what GraphReader specifies, in one query."""
        asked = {
            "seeds": list(dict.fromkeys(seeds)),
            "mentioned": MENTIONED_ENTITIES,
            "artifacts": ARTIFACTS_PER_ENTITY,
        }
        async with self._gate.reading(scope.tenant) as ask:
            mentioned = await ask(CYPHER["sharers_of_mentions"], _scope_parameters(scope) | asked)
        shares: dict[ArtifactNumber, int] = defaultdict(int)
        for artifact, share in _mention_shares(mentioned, set(seeds)):
            shares[artifact] += share
        return _best(shares, limit)

    async def neighbours(
        self, tenant: TenantNumber, entities: Sequence[UUID], depth: int, most: int, moment: AsOf
    ) -> Mapping[UUID, list[Neighbour]]:
        """Return what GraphReader specifies, in one query per step for all entities."""
        async with self._gate.reading(tenant) as ask:
            at = await self._parameters(tenant, moment)
            return await neighbours_of(entities, depth, most, _step(ask, at, REFERENCES_PER_ENTITY))

    async def path(
        self, tenant: TenantNumber, source: UUID, target: UUID, longest: int, moment: AsOf
    ) -> tuple[Reference, ...] | None:
        """Return what GraphReader specifies, in one query per step."""
        async with self._gate.reading(tenant) as ask:
            at = await self._parameters(tenant, moment)
            return await shortest_path(source, target, longest, _step(ask, at, _ALL))

    async def _parameters(self, tenant: TenantNumber, moment: AsOf) -> dict[str, Any]:
        """Return the parameters of a moment, with the documents that are not there then, by the ledger."""
        async with self._database.reading(tenant) as connection:
            absent = await absences.absent_entities(connection, tenant, moment)
        return {
            "tenant": tenant,
            "valid": to_microseconds(moment.valid),
            "known": to_microseconds(moment.known),
            "absent": [str(entity) for entity in absent],
        }


def _step(ask: Question, moment: Mapping[str, Any], most: int) -> Step:
    async def step(entities: Collection[UUID]) -> Around:
        found: dict[UUID, list[Reference]] = {entity: [] for entity in entities}
        asked = {"entities": [str(entity) for entity in entities], "most": most}
        for entity, *row in await ask(CYPHER["references_of_entities"], {**moment, **asked}):
            found[UUID(entity)].append(_reference(*row))
        return found

    return step


def _scope_parameters(scope: Scope) -> dict[str, Any]:
    return {
        "tenant": scope.tenant,
        "valid": to_microseconds(scope.moment.valid),
        "known": to_microseconds(scope.moment.known),
        "projects": list(scope.projects),
        "types": None if scope.types is None else list(scope.types),
        "domains": None if scope.domains is None else [str(domain) for domain in scope.domains],
        "absent": list(scope.absent),
        "begun": list(map(str, scope.begun_as_known(by_then=True))),
        "notBegun": list(map(str, scope.begun_as_known(by_then=False))),
    }


def _shares(groups: Iterable[list[Any]], strengths: Mapping[ReferenceType, float]) -> dict[str, int]:
    """Return each neighbour's share of the strongest references of each anchor, per direction."""
    edges: dict[tuple[str, bool], list[tuple[float, str]]] = defaultdict(list)
    for anchor, leaves, type, occurrences, others in groups:
        # Java's logarithm may differ from the ledger's in the last digit; this one is the same.
        score = strengths.get(ReferenceType(type), 0.0) * log(1.0 + occurrences)
        edges[anchor, leaves] += [(-score, other) for other in others]
    shares: dict[str, int] = defaultdict(int)
    for found in edges.values():
        for negated, other in sorted(found)[:REFERENCES_PER_ANCHOR]:
            shares[other] += round(-negated * _UNIT)
    return shares


def _mention_shares(
    mentioned: Iterable[list[Any]], seeds: Collection[ArtifactNumber]
) -> Iterator[tuple[ArtifactNumber, int]]:
    """Yield the artifacts that mention, or are versions of, the mentioned entities, each with its share."""
    for seeding, mentions, holders, own in mentioned:
        if not mentions:
            continue
        rarity = log(1.0 + mentions)
        for artifact in holders:
            others = seeding - (artifact in seeds)
            if others:
                yield artifact, round(others / rarity * _UNIT)
        for artifact in own:
            yield artifact, round(seeding / rarity * _UNIT)


def _best(shares: Mapping[ArtifactNumber, int], limit: int) -> Proposal:
    candidates = [Candidate(artifact, float(share) / _UNIT) for artifact, share in shares.items()]
    ordered = sorted(candidates, key=lambda candidate: (-candidate.score, candidate.artifact))
    return Proposal(ordered[:limit], served=SERVED)


def _reference(
    id: str,
    source: str,
    target: str,
    type: str,
    artifact: str | None,
    since: int,
    until: int | None,
    in_part: bool | None,
) -> Reference:
    return Reference(
        id=UUID(id),
        source=UUID(source),
        target=UUID(target),
        type=ReferenceType(type),
        source_artifact=None if artifact is None else UUID(artifact),
        valid=Interval(from_microseconds(since), None if until is None else from_microseconds(until)),
        in_part=bool(in_part),
    )
