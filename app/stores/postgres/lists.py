"""Pages of the ledger's long lists, and their lengths."""

from __future__ import annotations

from collections.abc import Collection, Mapping
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
from app.stores.named_blocks import PageStatement, sql_blocks
from app.stores.postgres.artifacts import artifact_from
from app.stores.postgres.connection import custom_plans
from app.stores.postgres.entities import entity_from
from app.stores.postgres.references import reference_from
from app.stores.postgres.status_words import team_words

SQL = sql_blocks(__file__)

_REFERENCES = PageStatement.read(SQL["references_page"])
_BY_TEXT = 'left(lower({} COLLATE "C"), 64)'  # app.domain.page.sort_text makes the same of a text


def _sorts(block: str, **texts: str) -> Mapping[str, PageStatement]:
    """Return the statements of a list by what it is sorted by; the empty name is its natural order."""
    by_text = {name: PageStatement.read(block, _BY_TEXT.format(column)) for name, column in texts.items()}
    return {"": PageStatement.read(block), **by_text}


_ENTITIES = _sorts(SQL["entities_page"], IDENTIFIER="coalesce(entity.key, '')")
_ARTIFACTS = _sorts(SQL["artifacts_page"], IDENTIFIER="coalesce(identifier, '')", TITLE="title")


@dataclass(frozen=True, slots=True)
class Narrowing:
    """A filter by a part of the name or title, by beginning and by the start of the source; None is any."""

    text: str | None = None
    begins_from: datetime | None = None
    begins_before: datetime | None = None
    source: str | None = None


NOT_NARROWED = Narrowing()


@dataclass(frozen=True, slots=True)
class EntityFilter:
    """A filter: entities of a project, a type and some statuses that exist at a moment; None means any.

    Each status is one of a project, given by its number; that of an entity without one is "".
    """

    project: ProjectNumber | None
    type_name: str | None
    moment: AsOf
    statuses: Collection[tuple[ProjectNumber, str]] | None = None
    narrowed: Narrowing = NOT_NARROWED


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
    narrowed: Narrowing = NOT_NARROWED


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
    statement = page_statement(_ENTITIES[page.sort], page)
    arguments = (*_of_entities(wanted), *page_bounds(page), *_statuses(wanted), *_narrowed(wanted.narrowed))
    async with custom_plans(connection):
        rows = await connection.fetch(statement, tenant, *arguments)
    return Page.cut([entity_from(row) for row in rows], page)


async def count_entities(connection: asyncpg.Connection, tenant: TenantNumber, wanted: EntityFilter) -> int:
    """Return the number of matching entities."""
    arguments = (*_of_entities(wanted), *_statuses(wanted), *_narrowed(wanted.narrowed))
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
    statement = page_statement(_ARTIFACTS[page.sort], page)
    arguments = (*_of_artifacts(wanted), *page_bounds(page), *_narrowed_source(wanted.narrowed))
    async with custom_plans(connection):
        rows = await connection.fetch(statement, tenant, *arguments)
    return Page.cut([artifact_from(row) for row in rows], page)


async def count_artifacts(
    connection: asyncpg.Connection, tenant: TenantNumber, wanted: ArtifactFilter
) -> int:
    """Return the number of matching artifacts."""
    arguments = (*_of_artifacts(wanted), *_narrowed_source(wanted.narrowed))
    async with custom_plans(connection):
        count: int = await connection.fetchval(SQL["count_artifacts"], tenant, *arguments)
    return count


async def references_page(
    connection: asyncpg.Connection, tenant: TenantNumber, wanted: ReferenceFilter, page: PageRequest
) -> Page[Reference]:
    """Return a page of references, the newest first."""
    arguments = (*_of_references(wanted), *page_bounds(page))
    async with custom_plans(connection):
        rows = await connection.fetch(page_statement(_REFERENCES, page), tenant, *arguments)
    return Page.cut([reference_from(row) for row in rows], page)


async def count_references(
    connection: asyncpg.Connection, tenant: TenantNumber, wanted: ReferenceFilter
) -> int:
    """Return the number of matching references."""
    async with custom_plans(connection):
        count: int = await connection.fetchval(SQL["count_references"], tenant, *_of_references(wanted))
    return count


def page_statement(statement: PageStatement, page: PageRequest) -> str:
    """Return the statement that reads a page in the direction of its request."""
    return statement.backward if page.is_backward != page.is_reversed else statement.forward


def page_bounds(page: PageRequest) -> tuple[datetime | str | None, UUID | None, int]:
    """Return a page's SQL parameters: the instant or text and the id to follow, and its size plus one."""
    start = page.start
    return (None, None, page.size + 1) if start is None else (start.at, start.id, page.size + 1)


def _of_entities(wanted: EntityFilter) -> tuple[object, ...]:
    return wanted.project, _fold(wanted.type_name), wanted.moment.valid, wanted.moment.known


def _statuses(wanted: EntityFilter) -> tuple[list[str] | None, list[int] | None]:
    if wanted.statuses is None:
        return None, None
    return [status for _, status in wanted.statuses], [project for project, _ in wanted.statuses]


def _narrowed(wanted: Narrowing) -> tuple[object, ...]:
    return wanted.text, wanted.begins_from, wanted.begins_before


def _narrowed_source(wanted: Narrowing) -> tuple[object, ...]:
    return *_narrowed(wanted), wanted.source


def _of_artifacts(wanted: ArtifactFilter) -> tuple[object, ...]:
    of_document = (wanted.project, _fold(wanted.kind), wanted.key, wanted.domain)
    return *of_document, wanted.moment.valid, wanted.moment.known


def _of_references(wanted: ReferenceFilter) -> tuple[object, ...]:
    ends = (wanted.source, wanted.target)
    return wanted.project, *ends, wanted.type, wanted.moment.valid, wanted.moment.known


def _fold(name: str | None) -> str | None:
    return None if name is None else fold(name)
