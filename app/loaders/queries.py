"""Read the answers to each kind of question about many entities from the ledger."""

from __future__ import annotations

from collections.abc import Mapping
from uuid import UUID

import asyncpg
from strawberry.dataloader import DataLoader

from app.domain.artifact import Artifact
from app.domain.breadth_first_search import Neighbour
from app.domain.entity import Alias, Reference
from app.domain.numbers import TenantNumber
from app.domain.page import Page
from app.domain.temporal import Branch, EntityState
from app.domain.types import ReferenceRule
from app.loaders.batching import (
    BatchedKey,
    HistoryQuestion,
    IndependentLoader,
    NeighbourQuestion,
    ReferenceQuestion,
    SimilarQuestion,
    StateQuestion,
    by_question,
)
from app.stores.graph_reader import GraphReader
from app.stores.postgres import (
    anchors,
    entity_edges,
    lookups,
    state_history,
    states,
    supersessions,
    type_definitions,
)
from app.stores.postgres.entity_edges import ReferencesAround
from app.stores.postgres.ledger_clock import RequestedMoment
from app.stores.postgres.lists import HistoryFilter
from app.stores.postgres.pool import Database


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
    wanted = await _history(connection, tenant, question.moment)
    return await state_history.states_of_entities(connection, tenant, entities, wanted, question.page)


async def history_lengths(
    connection: asyncpg.Connection, tenant: TenantNumber, entities: list[UUID], moment: RequestedMoment
) -> Mapping[UUID, int]:
    """Return the number of states of each entity."""
    wanted = await _history(connection, tenant, moment)
    return await state_history.count_states_of_entities(connection, tenant, entities, wanted)


async def artifacts_of(
    connection: asyncpg.Connection, tenant: TenantNumber, entities: list[UUID], question: HistoryQuestion
) -> Mapping[UUID, Page[Artifact]]:
    """Return a page of each entity's artifacts."""
    wanted = await _history(connection, tenant, question.moment)
    return await entity_edges.artifacts_of_entities(connection, tenant, entities, wanted, question.page)


async def artifact_counts(
    connection: asyncpg.Connection, tenant: TenantNumber, entities: list[UUID], moment: RequestedMoment
) -> Mapping[UUID, int]:
    """Return the number of artifacts of each entity."""
    wanted = await _history(connection, tenant, moment)
    return await entity_edges.count_artifacts_of_entities(connection, tenant, entities, wanted)


async def _history(
    connection: asyncpg.Connection, tenant: TenantNumber, moment: RequestedMoment
) -> HistoryFilter:
    """Return the filter of a history: it ends at the requested instant, and without one nowhere."""
    return HistoryFilter((await moment.settle(connection, tenant)).known, moment.as_of)


async def states_that_hold(
    connection: asyncpg.Connection, tenant: TenantNumber, entities: list[UUID], question: StateQuestion
) -> Mapping[UUID, EntityState]:
    """Return the state of each entity at the requested moment; prefer the draft if requested."""
    moment = await question.moment.settle(connection, tenant)
    held = await states.states_as_of(connection, tenant, entities, moment)
    branches = (Branch.COMMITTED, Branch.WIP) if question.prefer_wip else (Branch.COMMITTED,)
    return {
        entity: held[entity, branch] for branch in branches for entity in entities if (entity, branch) in held
    }


async def references_around(
    connection: asyncpg.Connection, tenant: TenantNumber, entities: list[UUID], question: ReferenceQuestion
) -> Mapping[UUID, Page[Reference]]:
    """Return a page of each entity's references."""
    wanted = await _around(connection, tenant, question)
    return await entity_edges.references_of_entities(connection, tenant, entities, wanted, question.page)


async def reference_counts(
    connection: asyncpg.Connection, tenant: TenantNumber, entities: list[UUID], question: ReferenceQuestion
) -> Mapping[UUID, int]:
    """Return the number of references of each entity."""
    wanted = await _around(connection, tenant, question)
    return await entity_edges.count_references_of_entities(connection, tenant, entities, wanted)


async def _around(
    connection: asyncpg.Connection, tenant: TenantNumber, question: ReferenceQuestion
) -> ReferencesAround:
    moment = await question.moment.settle(connection, tenant)
    return ReferencesAround(question.direction, question.type, moment)


async def aliases_of(
    connection: asyncpg.Connection, tenant: TenantNumber, entities: list[UUID], asked: RequestedMoment
) -> Mapping[UUID, list[Alias]]:
    """Return the aliases of each entity."""
    moment = await asked.settle(connection, tenant)
    return await entity_edges.aliases_of_entities(connection, tenant, entities, moment)


async def labels_of(
    connection: asyncpg.Connection, tenant: TenantNumber, entities: list[UUID], asked: RequestedMoment
) -> Mapping[UUID, str]:
    """Return the label of each entity."""
    return await lookups.labels_as_of(connection, tenant, entities, await asked.settle(connection, tenant))


async def preferred_of(
    connection: asyncpg.Connection, tenant: TenantNumber, entities: list[UUID], asked: RequestedMoment
) -> Mapping[UUID, UUID]:
    """Return the entity at the end of each entity's alias chain."""
    moment = await asked.settle(connection, tenant)
    return await anchors.preferred_entities(connection, tenant, entities, moment)


async def superseders_of(
    connection: asyncpg.Connection, tenant: TenantNumber, entities: list[UUID], asked: RequestedMoment
) -> Mapping[UUID, UUID]:
    """Return the latest successor of each entity that is, or was, in force."""
    moment = await asked.settle(connection, tenant)
    above = await supersessions.superseders_as_of(connection, tenant, entities, moment)
    return {entity: superseders[0] for entity, superseders in above.items()}


async def similar_to(
    connection: asyncpg.Connection, tenant: TenantNumber, entities: list[UUID], question: SimilarQuestion
) -> Mapping[UUID, list[tuple[UUID, float]]]:
    """Return the entities most similar to each."""
    moment = await question.moment.settle(connection, tenant)
    return await entity_edges.similar_to_entities(connection, tenant, entities, moment, question.first)


class Neighbourhood:
    """Reads the entities of a turn together for each question, as one tenant."""

    def __init__(self, database: Database, graph: GraphReader, tenant: TenantNumber) -> None:
        self._database = database
        self._graph = graph
        self._tenant = tenant

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
        async with self._database.reading(self._tenant) as connection:
            moment = await question.moment.settle(connection, self._tenant)
        return await self._graph.neighbours(self._tenant, entities, question.depth, question.first, moment)
