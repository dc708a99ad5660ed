"""What documents refer to and by which names they are linked to, in whichever order they arrive."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import TypeAlias
from uuid import UUID

import asyncpg

from app.domain.artifact import ReferenceClaim
from app.domain.entity import ReferenceType
from app.domain.numbers import ProjectNumber, TenantNumber
from app.domain.text import fold
from app.stores.named_blocks import sql_blocks
from app.stores.postgres.entities import KeyedEntity, keyed_entity
from app.stores.postgres.write_buffer import RowTarget, Table, insert_row, insert_rows, one_by_one

SQL = sql_blocks(__file__)

_INSERT_CLAIM = one_by_one(Table.CLAIM, SQL["insert_claim"])
_INSERT_NAME = one_by_one(Table.DOCUMENT_NAME, SQL["insert_name"])
_CLOSE_NAMES = one_by_one(Table.DOCUMENT_NAME, SQL["close_names"])


class NameSort(StrEnum):
    """The sort of a document's name: an identifier that it states but does not have, a file or an alias.

    A former one is an identifier that it had until it was renamed.
    """

    IDENTIFIER = "IDENTIFIER"
    FILE = "FILE"
    ALIAS = "ALIAS"
    FORMER = "FORMER"


DocumentName: TypeAlias = tuple[str, NameSort]
"""The key of a name, and its sort."""


@dataclass(frozen=True, slots=True)
class StatedClaim:
    """A claim of the latest version of a document, which states it since `valid_from`.

    It holds from `begins` on, if nobody knows since when the document is there.
    """

    claim: ReferenceClaim
    source: UUID
    source_key: str
    source_uri: str | None
    source_artifact: UUID
    valid_from: datetime
    begins: datetime | None = None

    @property
    def relation(self) -> tuple[UUID, ReferenceType, bool, bool]:
        """What distinguishes it among those that are pending for the same target."""
        return self.source, self.claim.type, self.claim.inverted, self.claim.in_part

    @property
    def holds_from(self) -> datetime:
        """The moment from which the document says so."""
        return self.begins or self.valid_from


async def insert_claims(
    target: RowTarget,
    tenant: TenantNumber,
    project: ProjectNumber,
    claims: Sequence[tuple[StatedClaim, Collection[str]]],
) -> None:
    """Record the claims of a document, each under the keys that its target may have."""
    rows = [
        _INSERT_CLAIM.row(
            tenant=tenant,
            project=project,
            source=each.source,
            place=place,
            key=key,
            type=each.claim.type,
            inverted=each.claim.inverted,
            target_text=each.claim.target,
            path=each.claim.path,
            occurrences=each.claim.count,
            source_artifact=each.source_artifact,
            valid_from=each.valid_from,
            in_part=each.claim.in_part,
        )
        for place, (each, keys) in enumerate(claims)
        for key in sorted(keys)
    ]
    await insert_rows(target, _INSERT_CLAIM, rows)


async def close_claims(
    connection: asyncpg.Connection, tenant: TenantNumber, source: UUID, closed_at: datetime
) -> None:
    """Close the claims of a document's earlier version."""
    await connection.execute(SQL["close_claims"], tenant, source, closed_at)


async def claims_under(
    connection: asyncpg.Connection, tenant: TenantNumber, project: ProjectNumber, keys: Collection[str]
) -> dict[str, list[StatedClaim]]:
    """Return the claims that have one of these keys, by key."""
    found: dict[str, list[StatedClaim]] = defaultdict(list)
    for row in await connection.fetch(SQL["claims_under"], tenant, project, list(keys)):
        found[row["key"]].append(_stated_claim(row))
    return dict(found)


async def claims_of(
    connection: asyncpg.Connection, tenant: TenantNumber, sources: Collection[UUID]
) -> list[StatedClaim]:
    """Return the claims of these documents."""
    if not sources:
        return []
    return [_stated_claim(row) for row in await connection.fetch(SQL["claims_of"], tenant, list(sources))]


def _stated_claim(row: asyncpg.Record) -> StatedClaim:
    return StatedClaim(
        claim=ReferenceClaim(
            type=ReferenceType(row["type"]),
            target=row["target_text"],
            inverted=row["inverted"],
            count=row["occurrences"],
            path=row["path"],
            in_part=row["in_part"],
        ),
        source=row["source"],
        source_key=row["source_key"],
        source_uri=row["source_uri"],
        source_artifact=row["source_artifact"],
        valid_from=row["valid_from"],
        begins=row["begins"],
    )


async def names_of(connection: asyncpg.Connection, tenant: TenantNumber, entity: UUID) -> set[DocumentName]:
    """Return the names by which other documents may link to a document."""
    rows = await connection.fetch(SQL["names_of"], tenant, entity)
    return {(row["key"], NameSort(row["sort"])) for row in rows}


async def insert_names(
    target: RowTarget,
    tenant: TenantNumber,
    project: ProjectNumber,
    entity: UUID,
    names: Collection[DocumentName],
    recorded_at: datetime,
) -> None:
    """Record names of a document."""
    rows = [
        _INSERT_NAME.row(
            tenant=tenant, project=project, key=key, entity=entity, sort=sort, recorded_at=recorded_at
        )
        for key, sort in sorted(names)
    ]
    await insert_rows(target, _INSERT_NAME, rows)


async def close_names(
    connection: asyncpg.Connection,
    tenant: TenantNumber,
    entity: UUID,
    names: Collection[DocumentName],
    closed_at: datetime,
) -> None:
    """Close names that a document no longer has, one at least."""
    keys, sorts = zip(*names, strict=True)
    await insert_row(
        connection,
        _CLOSE_NAMES,
        tenant=tenant,
        entity=entity,
        keys=list(keys),
        sorts=list(sorts),
        closed_at=closed_at,
    )


@dataclass(frozen=True, slots=True)
class DocumentByName:
    """A document, the sort of the name under which it was found, and when this was recorded, if it was."""

    sort: NameSort
    entity: KeyedEntity
    since: datetime | None = None


async def documents_by_names(
    connection: asyncpg.Connection, tenant: TenantNumber, project: ProjectNumber, keys: Collection[str]
) -> dict[str, list[DocumentByName]]:
    """Return the documents that go by one of these names, by name."""
    found: dict[str, list[DocumentByName]] = defaultdict(list)
    for row in await connection.fetch(SQL["documents_by_names"], tenant, project, list(keys)):
        found[row["name"]].append(DocumentByName(NameSort(row["sort"]), keyed_entity(row), row["since"]))
    return dict(found)


@dataclass(frozen=True, slots=True)
class HeldDocument:
    """The source and the title of a document that is filed."""

    source_uri: str | None
    title: str


async def documents_by_key(
    connection: asyncpg.Connection, tenant: TenantNumber, project: str
) -> dict[str, HeldDocument]:
    """Return the documents of a project, given by its key, by their keys."""
    rows = await connection.fetch(SQL["documents_by_key"], tenant, fold(project))
    return {row["key"]: HeldDocument(row["source_uri"], row["title"]) for row in rows}
