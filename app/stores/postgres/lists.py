"""Pages of the ledger's long lists, and their lengths."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

import asyncpg

from app.domain.artifact import Artifact, MemoryDomain
from app.domain.entity import Entity, Reference, ReferenceType
from app.domain.numbers import ProjectNumber, TenantNumber
from app.domain.page import Page, PageRequest
from app.domain.status_words import TeamWords
from app.domain.temporal import AsOf
from app.domain.text import fold
from app.stores.named_blocks import sql_blocks
from app.stores.postgres.artifacts import artifact_from
from app.stores.postgres.connection import custom_plans
from app.stores.postgres.entities import entity_from
from app.stores.postgres.references import reference_from
from app.stores.postgres.status_words import team_words

SQL = sql_blocks(__file__)


@dataclass(frozen=True, slots=True)
class EntityFilter:
    """A filter: entities of a project, a type and some statuses that exist at a moment; None means any.

    Each status is one of a project, given by its number; that of an entity without one is "".
    """

    project: ProjectNumber | None
    type_name: str | None
    moment: AsOf
    statuses: Collection[tuple[ProjectNumber, str]] | None = None


@dataclass(frozen=True, slots=True)
class ArtifactFilter:
    """A filter: artifacts of a project, kind, domain and identifier key, whole or bare; None means any.

    Documents that are absent at the moment are left out; versions that begin later are not.
    """

    project: ProjectNumber | None
    kind: str | None
    key: str | None
    domain: MemoryDomain | None
    moment: AsOf


@dataclass(frozen=True, slots=True)
class ReferenceFilter:
    """A filter: references that hold at a moment, of a project, type and either end; None means any."""

    project: ProjectNumber | None
    source: UUID | None
    target: UUID | None
    type: ReferenceType | None
    moment: AsOf


@dataclass(frozen=True, slots=True)
class HistoryFilter:
    """A filter: what is known at a transaction time, of all valid time or of that up to an instant."""

    known: datetime
    until: datetime | None = None


async def entities_page(
    connection: asyncpg.Connection, tenant: TenantNumber, wanted: EntityFilter, page: PageRequest
) -> Page[Entity]:
    """Return a page of entities, the newest first."""
    arguments = (*_of_entities(wanted), *page_bounds(page), *_statuses(wanted))
    async with custom_plans(connection):
        rows = await connection.fetch(SQL["entities_page"], tenant, *arguments)
    return Page.cut([entity_from(row) for row in rows], page.first)


async def count_entities(connection: asyncpg.Connection, tenant: TenantNumber, wanted: EntityFilter) -> int:
    """Return the number of matching entities."""
    arguments = (*_of_entities(wanted), *_statuses(wanted))
    async with custom_plans(connection):
        count: int = await connection.fetchval(SQL["count_entities"], tenant, *arguments)
    return count


@dataclass(frozen=True, slots=True)
class HeldStatus:
    """A status that entities of a project have, "" for none, and the status words of its team."""

    project: ProjectNumber
    status: str
    team: TeamWords


async def statuses_of_entities(
    connection: asyncpg.Connection, tenant: TenantNumber, wanted: EntityFilter
) -> list[HeldStatus]:
    """Return the statuses that entities of a project and type have at a moment, by project."""
    rows = await connection.fetch(SQL["statuses"], tenant, *_of_entities(wanted))
    return [HeldStatus(row["project_id"], row["status"], team_words(row["team_words"])) for row in rows]


async def artifacts_page(
    connection: asyncpg.Connection, tenant: TenantNumber, wanted: ArtifactFilter, page: PageRequest
) -> Page[Artifact]:
    """Return a page of artifacts, the newest first."""
    arguments = (*_of_artifacts(wanted), *page_bounds(page))
    async with custom_plans(connection):
        rows = await connection.fetch(SQL["artifacts_page"], tenant, *arguments)
    return Page.cut([artifact_from(row) for row in rows], page.first)


async def count_artifacts(
    connection: asyncpg.Connection, tenant: TenantNumber, wanted: ArtifactFilter
) -> int:
    """Return the number of matching artifacts."""
    async with custom_plans(connection):
        count: int = await connection.fetchval(SQL["count_artifacts"], tenant, *_of_artifacts(wanted))
    return count


async def references_page(
    connection: asyncpg.Connection, tenant: TenantNumber, wanted: ReferenceFilter, page: PageRequest
) -> Page[Reference]:
    """Return a page of references, the newest first."""
    arguments = (*_of_references(wanted), *page_bounds(page))
    async with custom_plans(connection):
        rows = await connection.fetch(SQL["references_page"], tenant, *arguments)
    return Page.cut([reference_from(row) for row in rows], page.first)


async def count_references(
    connection: asyncpg.Connection, tenant: TenantNumber, wanted: ReferenceFilter
) -> int:
    """Return the number of matching references."""
    async with custom_plans(connection):
        count: int = await connection.fetchval(SQL["count_references"], tenant, *_of_references(wanted))
    return count


def page_bounds(page: PageRequest) -> tuple[datetime | None, UUID | None, int]:
    """Return a page's SQL parameters: the instant and id to follow, and its size plus one."""
    after = page.after
    return (None, None, page.first + 1) if after is None else (after.at, after.id, page.first + 1)


def _of_entities(wanted: EntityFilter) -> tuple[object, ...]:
    return wanted.project, _fold(wanted.type_name), wanted.moment.valid, wanted.moment.known


def _statuses(wanted: EntityFilter) -> tuple[list[str] | None, list[int] | None]:
    if wanted.statuses is None:
        return None, None
    return [status for _, status in wanted.statuses], [project for project, _ in wanted.statuses]


def _of_artifacts(wanted: ArtifactFilter) -> tuple[object, ...]:
    of_document = (wanted.project, _fold(wanted.kind), wanted.key, wanted.domain)
    return *of_document, wanted.moment.valid, wanted.moment.known


def _of_references(wanted: ReferenceFilter) -> tuple[object, ...]:
    ends = (wanted.source, wanted.target)
    return wanted.project, *ends, wanted.type, wanted.moment.valid, wanted.moment.known


def _fold(name: str | None) -> str | None:
    return None if name is None else fold(name)
