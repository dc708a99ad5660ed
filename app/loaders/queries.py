"""Read the answers to each kind of question about many entities from the ledger."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from datetime import datetime
from uuid import UUID

import asyncpg
from strawberry.dataloader import DataLoader

from app.domain.artifact import Artifact
from app.domain.breadth_first_search import Neighbour
from app.domain.entity import Alias, Reference
from app.domain.numbers import TenantNumber
from app.domain.page import Page, PageRequest
from app.domain.temporal import EVERYTHING_KNOWN, AsOf, Branch, EntityState
from app.domain.types import ReferenceRule
from app.loaders.batching import (
    BatchedKey,
    HistoryQuestion,
    IndependentLoader,
    NeighbourQuestion,
    ReferenceQuestion,
    StateQuestion,
    by_question,
)
from app.stores.graph_reader import GraphReader
from app.stores.postgres import (
    anchors,
    entity_edges,
    ledger_clock,
    lookups,
    state_history,
    states,
    supersessions,
    type_definitions,
)
from app.stores.postgres.entity_edges import ReferencesAround
from app.stores.postgres.pool import Database


class Present:
    """Resolves absent times to one instant per request, which the first field that needs it reads."""

    def __init__(self) -> None:
        self._now: datetime | None = None
        self._settling = asyncio.Lock()

    async def instant(
        self, connection: asyncpg.Connection, tenant: TenantNumber, as_of: datetime | None
    ) -> datetime:
        """Return the requested instant, or now."""
        if as_of is not None:
            return as_of
        async with self._settling:
            if self._now is None:
                self._now = await ledger_clock.read_present(connection, tenant)
            return self._now

    async def moment(
        self,
        connection: asyncpg.Connection,
        tenant: TenantNumber,
        as_of: datetime | None,
        known_at: datetime | None,
    ) -> AsOf:
        """Return the requested moment; without `known_at`, by everything that is known."""
        return AsOf(await self.instant(connection, tenant, as_of), known_at or EVERYTHING_KNOWN)


async def rules_by_type_name(
    connection: asyncpg.Connection, tenant: TenantNumber, names: list[str]
) -> Mapping[str, list[ReferenceRule]]:
    """Return the reference rules of each type."""
    rules = await type_definitions.rules_by_source(connection, tenant, names)
    return {name: [rule for rule in rules if rule.source == name] for name in names}


async def histories_of(
    connection: asyncpg.Connection, tenant: TenantNumber, entities: list[UUID], question: HistoryQuestion
) -> Mapping[UUID, Page[EntityState]]:
    """Return a page of each entity's states."""
    known = question.known_at or EVERYTHING_KNOWN
    return await state_history.states_of_entities(connection, tenant, entities, known, question.page)


async def history_lengths(
    connection: asyncpg.Connection, tenant: TenantNumber, entities: list[UUID], known_at: datetime | None
) -> Mapping[UUID, int]:
    """Return the number of states of each entity."""
    known = known_at or EVERYTHING_KNOWN
    return await state_history.count_states_of_entities(connection, tenant, entities, known)


async def artifacts_of(
    connection: asyncpg.Connection, tenant: TenantNumber, entities: list[UUID], page: PageRequest
) -> Mapping[UUID, Page[Artifact]]:
    """Return a page of each entity's artifacts."""
    return await entity_edges.artifacts_of_entities(connection, tenant, entities, page)


class DatedReading:
    """Reads questions about an instant, by default now."""

    def __init__(self, present: Present) -> None:
        self._present = present

    async def states_that_hold(
        self,
        connection: asyncpg.Connection,
        tenant: TenantNumber,
        entities: list[UUID],
        question: StateQuestion,
    ) -> Mapping[UUID, EntityState]:
        """Return the state of each entity at the requested moment; prefer the draft if requested."""
        moment = await self._present.moment(connection, tenant, question.as_of, question.known_at)
        held = await states.states_as_of(connection, tenant, entities, moment)
        branches = (Branch.COMMITTED, Branch.WIP) if question.prefer_wip else (Branch.COMMITTED,)
        return {
            entity: held[entity, branch]
            for branch in branches
            for entity in entities
            if (entity, branch) in held
        }

    async def references_around(
        self,
        connection: asyncpg.Connection,
        tenant: TenantNumber,
        entities: list[UUID],
        question: ReferenceQuestion,
    ) -> Mapping[UUID, Page[Reference]]:
        """Return a page of each entity's references."""
        wanted = await self._around(connection, tenant, question)
        return await entity_edges.references_of_entities(connection, tenant, entities, wanted, question.page)

    async def reference_counts(
        self,
        connection: asyncpg.Connection,
        tenant: TenantNumber,
        entities: list[UUID],
        question: ReferenceQuestion,
    ) -> Mapping[UUID, int]:
        """Return the number of references of each entity."""
        wanted = await self._around(connection, tenant, question)
        return await entity_edges.count_references_of_entities(connection, tenant, entities, wanted)

    async def _around(
        self, connection: asyncpg.Connection, tenant: TenantNumber, question: ReferenceQuestion
    ) -> ReferencesAround:
        as_of = await self._present.instant(connection, tenant, question.as_of)
        return ReferencesAround(question.direction, question.type, as_of)

    async def aliases_of(
        self,
        connection: asyncpg.Connection,
        tenant: TenantNumber,
        entities: list[UUID],
        as_of: datetime | None,
    ) -> Mapping[UUID, list[Alias]]:
        """Return the aliases of each entity."""
        at = await self._present.instant(connection, tenant, as_of)
        return await entity_edges.aliases_of_entities(connection, tenant, entities, at)

    async def labels_of(
        self, connection: asyncpg.Connection, tenant: TenantNumber, entities: list[UUID]
    ) -> Mapping[UUID, str]:
        """Return the current label of each entity."""
        moment = await self._present.moment(connection, tenant, None, None)
        return await lookups.labels_as_of(connection, tenant, entities, moment)

    async def preferred_of(
        self, connection: asyncpg.Connection, tenant: TenantNumber, entities: list[UUID]
    ) -> Mapping[UUID, UUID]:
        """Return the entity at the current end of each entity's alias chain."""
        moment = await self._present.moment(connection, tenant, None, None)
        return await anchors.preferred_entities(connection, tenant, entities, moment)

    async def superseders_of(
        self,
        connection: asyncpg.Connection,
        tenant: TenantNumber,
        entities: list[UUID],
        as_of: datetime | None,
    ) -> Mapping[UUID, UUID]:
        """Return the latest successor of each entity that is, or was, in force."""
        moment = await self._present.moment(connection, tenant, as_of, None)
        above = await supersessions.superseders_as_of(connection, tenant, entities, moment)
        return {entity: superseders[0] for entity, superseders in above.items()}

    async def similar_to(
        self, connection: asyncpg.Connection, tenant: TenantNumber, entities: list[UUID], limit: int
    ) -> Mapping[UUID, list[tuple[UUID, float]]]:
        """Return the entities most similar to each."""
        as_of = await self._present.instant(connection, tenant, None)
        return await entity_edges.similar_to_entities(connection, tenant, entities, as_of, limit)


class Neighbourhood:
    """Reads the entities of a turn together for each question, as one tenant."""

    def __init__(
        self, database: Database, graph: GraphReader, tenant: TenantNumber, present: Present
    ) -> None:
        self._database = database
        self._graph = graph
        self._tenant = tenant
        self._present = present

    def loader(self) -> DataLoader[BatchedKey[NeighbourQuestion], list[Neighbour]]:
        """Return a loader of neighbours, the nearest first."""
        return IndependentLoader(load_fn=self._load)

    async def _load(self, keys: list[BatchedKey[NeighbourQuestion]]) -> list[list[Neighbour] | BaseException]:
        asked = by_question(keys)
        found = {question: await self._neighbours(entities, question) for question, entities in asked.items()}
        return [found[key.question][key.entity] for key in keys]

    async def _neighbours(
        self, entities: list[UUID], question: NeighbourQuestion
    ) -> Mapping[UUID, list[Neighbour]]:
        at = question.as_of or await self._now()
        return await self._graph.neighbours(self._tenant, entities, question.depth, question.first, at)

    async def _now(self) -> datetime:
        async with self._database.reading(self._tenant) as connection:
            return await self._present.instant(connection, self._tenant, None)
