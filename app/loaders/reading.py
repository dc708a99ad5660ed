"""How each question about many entities is put to the ledger."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from uuid import UUID

import asyncpg

from app.domain.artifact import Artifact
from app.domain.entity import Alias, Reference
from app.domain.moment import EVERYTHING_KNOWN, instant, moment
from app.domain.ontology import ReferenceRule
from app.domain.page import Page, PageRequest
from app.domain.temporal import Branch, EntityState
from app.loaders.questions import HistoryQuestion, ReferenceQuestion, StateQuestion
from app.stores.postgres import anchors, histories, ontology, references, states, surroundings
from app.stores.postgres.surroundings import ReferencesAround


async def rules_by_type_name(
    connection: asyncpg.Connection, tenant: int, names: list[str]
) -> Mapping[str, list[ReferenceRule]]:
    """Answer what each type may reference."""
    rules = await ontology.rules_by_source(connection, tenant, names)
    return {name: [rule for rule in rules if rule.source == name] for name in names}


async def states_that_hold(
    connection: asyncpg.Connection, tenant: int, entities: list[UUID], question: StateQuestion
) -> Mapping[UUID, EntityState]:
    """Answer the state of each entity at the asked moment, the draft first when preferred."""
    held = await states.states_as_of(connection, tenant, entities, moment(question.as_of, question.known_at))
    branches = (Branch.WIP, Branch.COMMITTED) if question.prefer_wip else (Branch.COMMITTED,)
    return {
        entity: held[entity, branch]
        for branch in reversed(branches)
        for entity in entities
        if (entity, branch) in held
    }


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
    return await histories.count_states_of_entities(
        connection, tenant, entities, known_at or EVERYTHING_KNOWN
    )


def _around(question: ReferenceQuestion) -> ReferencesAround:
    return ReferencesAround(question.direction, question.type, instant(question.as_of))


async def references_around(
    connection: asyncpg.Connection, tenant: int, entities: list[UUID], question: ReferenceQuestion
) -> Mapping[UUID, Page[Reference]]:
    """Answer a page of each entity's references."""
    return await surroundings.references_of_entities(
        connection, tenant, entities, _around(question), question.page
    )


async def reference_counts(
    connection: asyncpg.Connection, tenant: int, entities: list[UUID], question: ReferenceQuestion
) -> Mapping[UUID, int]:
    """Answer how many references each entity has."""
    return await surroundings.count_references_of_entities(connection, tenant, entities, _around(question))


async def artifacts_of(
    connection: asyncpg.Connection, tenant: int, entities: list[UUID], page: PageRequest
) -> Mapping[UUID, Page[Artifact]]:
    """Answer a page of each entity's artifacts."""
    return await surroundings.artifacts_of_entities(connection, tenant, entities, page)


async def aliases_of(
    connection: asyncpg.Connection, tenant: int, entities: list[UUID], as_of: datetime | None
) -> Mapping[UUID, list[Alias]]:
    """Answer the aliases of each entity."""
    return await surroundings.aliases_of_entities(connection, tenant, entities, instant(as_of))


async def preferred_of(
    connection: asyncpg.Connection, tenant: int, entities: list[UUID]
) -> Mapping[UUID, UUID]:
    """Answer where the alias chain of each entity ends now."""
    return await anchors.preferred_entities(connection, tenant, entities, moment(None, None))


async def superseders_of(
    connection: asyncpg.Connection, tenant: int, entities: list[UUID], as_of: datetime | None
) -> Mapping[UUID, UUID]:
    """Answer what superseded each entity last."""
    above = await references.superseders_as_of(connection, tenant, entities, moment(as_of, None))
    return {entity: superseders[0] for entity, superseders in above.items()}


async def similar_to(
    connection: asyncpg.Connection, tenant: int, entities: list[UUID], limit: int
) -> Mapping[UUID, list[tuple[UUID, float]]]:
    """Answer the entities nearest in meaning to each."""
    return await surroundings.similar_to_entities(connection, tenant, entities, instant(None), limit)
