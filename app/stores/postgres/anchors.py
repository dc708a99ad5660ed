"""Find the entities that a piece of text names."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from uuid import UUID

import asyncpg

from app.domain.numbers import TenantNumber
from app.domain.temporal import AsOf
from app.stores.named_blocks import sql_blocks
from app.stores.postgres.mentions import NamedForm
from app.stores.postgres.scope import Scope

SQL = sql_blocks(__file__)


class NameOrigin(StrEnum):
    """Where a name comes from: the entity's key, an alias, or a property of a state."""

    IDENTIFIER = "identifier"
    ALIAS = "alias"
    NAME = "name"


@dataclass(frozen=True, slots=True)
class NamedEntity:
    """An entity and the form that names it; a former name belongs to an earlier state only."""

    entity: UUID
    form: str
    folded_form: str
    origin: NameOrigin
    is_former: bool


async def named_entities(
    connection: asyncpg.Connection,
    scope: Scope,
    forms: Sequence[str],
    keys: Sequence[str],
    *,
    with_drafts: bool = False,
) -> list[NamedEntity]:
    """Return the entities that these folded forms or identifier keys name at the scope's moment.

    Names in drafts count only `with_drafts`.
    """
    rows = await connection.fetch(
        SQL["named_entities"],
        scope.tenant,
        list(scope.projects),
        list(forms),
        list(keys),
        scope.moment.valid,
        scope.moment.known,
        with_drafts,
    )
    return [
        NamedEntity(row["id"], row["form"], row["folded_form"], NameOrigin(row["origin"]), row["is_former"])
        for row in rows
    ]


async def documents_listing(
    connection: asyncpg.Connection, scope: Scope, key: str, folded_form: str
) -> dict[UUID, bool]:
    """Return the documents that list an alias, and whether each is there and goes by it at the moment."""
    rows = await connection.fetch(
        SQL["documents_listing"],
        scope.tenant,
        list(scope.projects),
        key,
        folded_form,
        scope.moment.valid,
        scope.moment.known,
    )
    return {row["entity"]: row["is_there"] for row in rows}


async def entities_ever_named(
    connection: asyncpg.Connection, scope: Scope, forms: Sequence[str], keys: Sequence[str]
) -> list[UUID]:
    """Return the entities that these folded forms or identifier keys have named at any time."""
    rows = await connection.fetch(
        SQL["entities_ever_named"], scope.tenant, list(scope.projects), list(forms), list(keys)
    )
    return [row["id"] for row in rows]


async def preferred_entities(
    connection: asyncpg.Connection, tenant: TenantNumber, entities: Sequence[UUID], moment: AsOf
) -> dict[UUID, UUID]:
    """Return the entity at the end of each entity's alias chain; without a chain, the entity itself."""
    rows = await connection.fetch(
        SQL["preferred_entities"], tenant, list(entities), moment.valid, moment.known
    )
    return {row["start"]: row["entity"] for row in rows}


async def other_forms_of(
    connection: asyncpg.Connection,
    tenant: TenantNumber,
    entities: Sequence[UUID],
    moment: AsOf,
    *,
    with_identifiers: bool = False,
) -> list[NamedForm]:
    """Return the aliases of these entities at a moment, and the former names of those that are things.

    `with_identifiers` adds, for documents that were renamed, their identifier and the former ones.
    """
    rows = await connection.fetch(
        SQL["other_forms_of"], tenant, list(entities), moment.valid, moment.known, with_identifiers
    )
    return [NamedForm(row["entity"], row["form"], row["folded_form"]) for row in rows]
