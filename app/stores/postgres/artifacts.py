"""Documents and their passages in the ledger."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

import asyncpg

from app.domain.artifact import Artifact, DatePrecision, DateSource, MemoryDomain, Passage
from app.domain.numbers import ArtifactNumber, TenantNumber
from app.domain.temporal import AsOf
from app.domain.text import fold
from app.stores.named_blocks import Statement, sql_blocks
from app.stores.postgres.scope import Scope
from app.stores.postgres.write_buffer import RowTarget, Table, insert_row, one_by_one

SQL = sql_blocks(__file__)

_INSERT_ARTIFACT = one_by_one(Table.ARTIFACT, SQL["insert_artifact"])
_COPY_ARTIFACT = Statement.read(SQL["copy_artifact"])
_COPY_VECTORS = Statement.read(SQL["copy_vectors"])
_INSERT_PASSAGES = one_by_one(Table.PASSAGE, SQL["insert_passages"])


def artifact_from(row: asyncpg.Record) -> Artifact:
    """Return the artifact a row describes."""
    return Artifact(
        id=row["id"],
        number=row["number"],
        project=row["project_id"],
        kind=row["kind"],
        identifier=row["identifier"],
        title=row["title"],
        body=row["body"],
        domain=None if row["domain"] is None else MemoryDomain(row["domain"]),
        created_at=row["created_at"],
        recorded_at=row["recorded_at"],
        source_uri=row["source_uri"],
        source_commit=row["source_commit"],
        author=row["author"],
        content_hash=row["content_hash"],
        entity=row["entity"],
        meta=row["meta"],
        date_source=_date_source(row),
        date_precision=None if row["date_precision"] is None else DatePrecision(row["date_precision"]),
        stated_at=row["stated_at"],
    )


def is_readable(row: asyncpg.Record) -> bool:
    """Return whether this version knows the values that the artifact of a row has."""
    kinds = ((MemoryDomain, "domain"), (DateSource, "date_source"), (DatePrecision, "date_precision"))
    return all(row[name] is None or row[name] in set(kind) for kind, name in kinds)


def _date_source(row: asyncpg.Record) -> DateSource:
    """Return where a date is from; before this was recorded, it was the header or the filing."""
    if row["date_source"] is not None:
        return DateSource(row["date_source"])
    return DateSource.FILED if row["created_at"] == row["recorded_at"] else DateSource.HEADER


async def take_numbers(connection: asyncpg.Connection, count: int) -> list[ArtifactNumber]:
    """Return so many artifact numbers in rising order; the caller holds the ledger's clock."""
    return [row["number"] for row in await connection.fetch(SQL["take_numbers"], count)]


async def insert_artifact(
    target: RowTarget,
    tenant: TenantNumber,
    artifact: Artifact,
    type_number: int,
    term_count: int,
    actor: str,
) -> None:
    """Record a document under the number it carries."""
    await insert_row(
        target,
        _INSERT_ARTIFACT,
        tenant=tenant,
        id=artifact.id,
        number=artifact.number,
        project=artifact.project,
        entity=artifact.entity,
        type=type_number,
        identifier=artifact.identifier,
        title=artifact.title,
        body=artifact.body,
        domain=artifact.domain,
        created_at=artifact.created_at,
        recorded_at=artifact.recorded_at,
        source_uri=artifact.source_uri,
        source_commit=artifact.source_commit,
        author=artifact.author,
        content_hash=artifact.content_hash,
        term_count=term_count,
        actor=actor,
        meta=dict(artifact.meta),
        date_source=artifact.date_source,
        date_precision=artifact.date_precision,
        stated_at=artifact.stated_at,
    )


async def insert_passages(
    target: RowTarget, tenant: TenantNumber, artifact: ArtifactNumber, passages: Sequence[Passage]
) -> None:
    """Record the passages of an artifact."""
    await insert_row(
        target,
        _INSERT_PASSAGES,
        tenant=tenant,
        artifact=artifact,
        ordinals=[passage.ordinal for passage in passages],
        headings=[passage.heading for passage in passages],
        texts=[passage.text for passage in passages],
        tokens=[passage.tokens for passage in passages],
    )


async def latest_version(
    connection: asyncpg.Connection, tenant: TenantNumber, entity: UUID
) -> Artifact | None:
    """Return the artifact of an entity that was filed last, whatever its effective date."""
    row = await connection.fetchrow(SQL["latest_version"], tenant, entity)
    return None if row is None else artifact_from(row)


async def latest_hashes(
    connection: asyncpg.Connection, tenant: TenantNumber, project_key: str, keys: Sequence[str]
) -> dict[str, str]:
    """Return the content hashes of the artifacts filed last under these keys of a project, by key."""
    rows = await connection.fetch(SQL["latest_hashes"], tenant, fold(project_key), list(keys))
    return {row["key"]: row["content_hash"] for row in rows}


async def latest_version_date(
    connection: asyncpg.Connection, tenant: TenantNumber, entity: UUID
) -> datetime | None:
    """Return the latest effective date of an entity's artifacts, but for hidden ones; None if it has none."""
    moment: datetime | None = await connection.fetchval(SQL["latest_version_date"], tenant, entity)
    return moment


@dataclass(frozen=True, slots=True)
class FirstVersion:
    """The artifact that a document begins with, and the date at which it should, as a later one states it."""

    artifact: Artifact
    begins: datetime | None
    date_source: DateSource | None
    date_precision: DatePrecision | None


async def first_version(
    connection: asyncpg.Connection, tenant: TenantNumber, entity: UUID
) -> FirstVersion | None:
    """Return the artifact that a document begins with; None if it begins without one."""
    row = await connection.fetchrow(SQL["first_version"], tenant, entity)
    if row is None:
        return None
    by, precisely = row["begins_by"], row["begins_precisely"]
    return FirstVersion(
        artifact_from(row),
        row["begins"],
        None if by is None else DateSource(by),
        None if precisely is None else DatePrecision(precisely),
    )


async def is_undated_at(
    connection: asyncpg.Connection, tenant: TenantNumber, entity: UUID, moment: datetime
) -> bool:
    """Return whether a version of a document takes effect at a moment only because it was filed then."""
    found: bool = await connection.fetchval(SQL["is_undated_at"], tenant, entity, moment)
    return found


async def copy_artifact(
    connection: asyncpg.Connection, tenant: TenantNumber, held: Artifact, copy: Artifact, actor: str
) -> int:
    """Record an artifact again as one of another moment, and return its length in words.

    Its passages, vectors and mentions are copied. Postings are not: they are not found by artifact.
    """
    row = _COPY_ARTIFACT.arguments(
        tenant=tenant,
        copied=held.number,
        id=copy.id,
        number=copy.number,
        created_at=copy.created_at,
        recorded_at=copy.recorded_at,
        actor=actor,
        date_source=copy.date_source,
        date_precision=copy.date_precision,
    )
    length: int = await connection.fetchval(_COPY_ARTIFACT.text, *row)
    await connection.execute(SQL["copy_passages"], tenant, held.number, copy.number)
    vectors = _COPY_VECTORS.arguments(
        tenant=tenant,
        project=held.project,
        copied=held.number,
        number=copy.number,
        created_at=copy.created_at,
        recorded_at=copy.recorded_at,
    )
    await connection.execute(_COPY_VECTORS.text, *vectors)
    await connection.execute(SQL["copy_mentions"], tenant, held.id, copy.id, copy.recorded_at)
    return length


async def artifacts_by_id(
    connection: asyncpg.Connection, tenant: TenantNumber, ids: Sequence[UUID]
) -> dict[UUID, Artifact]:
    """Return the artifacts of these ids, by id."""
    rows = await connection.fetch(SQL["artifacts_by_id"], tenant, list(ids))
    return {row["id"]: artifact_from(row) for row in rows}


async def newest_versions_in_scope(
    connection: asyncpg.Connection, scope: Scope, entities: Sequence[UUID]
) -> dict[UUID, ArtifactNumber]:
    """Return the number of each entity's newest artifact, if the scope includes it."""
    rows = await connection.fetch(
        SQL["newest_versions_in_scope"],
        scope.tenant,
        list(entities),
        scope.moment.valid,
        scope.moment.known,
        list(scope.projects),
        scope.types,
        scope.domains,
        list(scope.absent),
    )
    return {row["entity"]: row["number"] for row in rows}


async def newest_sources(
    connection: asyncpg.Connection, tenant: TenantNumber, entities: Sequence[UUID], moment: AsOf
) -> dict[UUID, str | None]:
    """Return the source of each entity's newest artifact at a moment."""
    return dict(
        await connection.fetch(SQL["newest_sources"], tenant, list(entities), moment.valid, moment.known)
    )


def passage_from(row: asyncpg.Record) -> Passage:
    """Return the passage a row describes."""
    return Passage(ordinal=row["ordinal"], heading=row["heading"], text=row["text"], tokens=row["tokens"])


async def passages_by_artifact(
    connection: asyncpg.Connection, tenant: TenantNumber, artifacts: Sequence[ArtifactNumber]
) -> dict[ArtifactNumber, list[Passage]]:
    """Return the passages of these artifacts, in order, by artifact number."""
    passages: dict[ArtifactNumber, list[Passage]] = defaultdict(list)
    for row in await connection.fetch(SQL["passages_by_artifact"], tenant, list(artifacts)):
        passages[row["artifact_number"]].append(passage_from(row))
    return dict(passages)


async def creation_times(
    connection: asyncpg.Connection, tenant: TenantNumber, artifacts: Sequence[ArtifactNumber]
) -> dict[ArtifactNumber, datetime | None]:
    """Return when these artifacts were created, by number; None for one that counts from its filing."""
    return dict(await connection.fetch(SQL["creation_times"], tenant, list(artifacts)))


async def identifiers_of(
    connection: asyncpg.Connection, tenant: TenantNumber, artifacts: Sequence[ArtifactNumber]
) -> dict[ArtifactNumber, str | None]:
    """Return the identifiers of these artifacts, by number."""
    rows = await connection.fetch(SQL["identifiers_of"], tenant, list(artifacts))
    return {row["number"]: row["identifier"] for row in rows}


async def identifiers_known(
    connection: asyncpg.Connection, tenant: TenantNumber, identifiers: Sequence[str]
) -> set[str]:
    """Return those of these identifiers that an artifact has."""
    rows = await connection.fetch(SQL["identifiers_known"], tenant, list(identifiers))
    return {row["identifier"] for row in rows}
