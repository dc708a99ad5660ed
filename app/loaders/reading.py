"""How each question about many entities is put to the ledger."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from uuid import UUID

import asyncpg

from app.domain.artifact import Artifact
from app.domain.entity import Alias, Reference
from app.domain.moment import EVERYTHING_KNOWN
from app.domain.ontology import ReferenceRule
from app.domain.page import Page, PageRequest
from app.domain.temporal import Branch, EntityState
from app.loaders.present import Present
from app.loaders.questions import HistoryQuestion, ReferenceQuestion, StateQuestion
from app.stores.postgres import anchors, histories, labels, ontology, states, successions, surroundings
from app.stores.postgres.surroundings import ReferencesAround


async def rules_by_type_name(
    connection: asyncpg.Connection, tenant: int, names: list[str]
) -> Mapping[str, list[ReferenceRule]]:
    """Answer what each type may reference."""
    rules = await ontology.rules_by_source(connection, tenant, names)
    return {name: [rule for rule in rules if rule.source == name] for name in names}


async def histories_of(
    connection: asyncpg.Connection, tenant: int, entities: list[UUID], question: HistoryQuestion
) -> Mapping[UUID, Page[EntityState]]:
    """Answer a page of each entity's states."""
    known = question.known_at or EVERYTHING_KNOWN
    return await histories.states_of_entities(connection, tenant, entities, known, question.page)


async def history_lengths(
    connection: asyncpg.Connection, tenant: int, entities: list[UUID], known_at: datetime | None
) -> Mapping[UUID, int]:
    """Answer how many states each entity has."""
    known = known_at or EVERYTHING_KNOWN
    return await histories.count_states_of_entities(connection, tenant, entities, known)


async def artifacts_of(
    connection: asyncpg.Connection, tenant: int, entities: list[UUID], page: PageRequest
) -> Mapping[UUID, Page[Artifact]]:
    """Answer a page of each entity's artifacts."""
    return await surroundings.artifacts_of_entities(connection, tenant, entities, page)


class DatedReading:
    """The questions that are asked of an instant, which is now when none is given."""

    def __init__(self, present: Present) -> None:
        self._present = present

    async def states_that_hold(
        self, connection: asyncpg.Connection, tenant: int, entities: list[UUID], question: StateQuestion
    ) -> Mapping[UUID, EntityState]:
        """Answer the state of each entity at the asked moment, the draft first when preferred."""
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
        self, connection: asyncpg.Connection, tenant: int, entities: list[UUID], question: ReferenceQuestion
    ) -> Mapping[UUID, Page[Reference]]:
        """Answer a page of each entity's references."""
        wanted = await self._around(connection, tenant, question)
        return await surroundings.references_of_entities(connection, tenant, entities, wanted, question.page)

    async def reference_counts(
        self, connection: asyncpg.Connection, tenant: int, entities: list[UUID], question: ReferenceQuestion
    ) -> Mapping[UUID, int]:
        """Answer how many references each entity has."""
        wanted = await self._around(connection, tenant, question)
        return await surroundings.count_references_of_entities(connection, tenant, entities, wanted)

    async def _around(
        self, connection: asyncpg.Connection, tenant: int, question: ReferenceQuestion
    ) -> ReferencesAround:
        as_of = await self._present.instant(connection, tenant, question.as_of)
        return ReferencesAround(question.direction, question.type, as_of)

    async def aliases_of(
        self, connection: asyncpg.Connection, tenant: int, entities: list[UUID], as_of: datetime | None
    ) -> Mapping[UUID, list[Alias]]:
        """Answer the aliases of each entity."""
        at = await self._present.instant(connection, tenant, as_of)
        return await surroundings.aliases_of_entities(connection, tenant, entities, at)

    async def labels_of(
        self, connection: asyncpg.Connection, tenant: int, entities: list[UUID]
    ) -> Mapping[UUID, str]:
        """Answer what a person would call each entity now."""
        moment = await self._present.moment(connection, tenant, None, None)
        return await labels.labels_as_of(connection, tenant, entities, moment)

    async def preferred_of(
        self, connection: asyncpg.Connection, tenant: int, entities: list[UUID]
    ) -> Mapping[UUID, UUID]:
        """Answer where the alias chain of each entity ends now."""
        moment = await self._present.moment(connection, tenant, None, None)
        return await anchors.preferred_entities(connection, tenant, entities, moment)

    async def superseders_of(
        self, connection: asyncpg.Connection, tenant: int, entities: list[UUID], as_of: datetime | None
    ) -> Mapping[UUID, UUID]:
        """Answer what superseded each entity last: only what is, or was, in force does."""
        moment = await self._present.moment(connection, tenant, as_of, None)
        above = await successions.superseders_as_of(connection, tenant, entities, moment)
        return {entity: superseders[0] for entity, superseders in above.items()}

    async def similar_to(
        self, connection: asyncpg.Connection, tenant: int, entities: list[UUID], limit: int
    ) -> Mapping[UUID, list[tuple[UUID, float]]]:
        """Answer the entities nearest in meaning to each."""
        as_of = await self._present.instant(connection, tenant, None)
        return await surroundings.similar_to_entities(connection, tenant, entities, as_of, limit)
