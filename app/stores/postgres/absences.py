"""When documents are not there, and the roots that they were filed from."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from uuid import UUID

import asyncpg

from app.domain.entity import Absence, AbsenceSource, Reference
from app.domain.identifier import bare_key
from app.domain.numbers import ArtifactNumber, ProjectNumber, TenantNumber
from app.domain.temporal import AsOf, Interval
from app.domain.text import fold
from app.stores.named_blocks import Statement, sql_blocks
from app.stores.postgres.references import RecordedReference, reference_from

SQL = sql_blocks(__file__)

_INSERT_ABSENCE = Statement.read(SQL["insert_absence"])
_INSERT_ROOT = Statement.read(SQL["insert_root"])
_PUT_DOCUMENTS = Statement.read(SQL["put_documents"])


async def insert_absence(
    connection: asyncpg.Connection, tenant: TenantNumber, project: ProjectNumber, absence: Absence
) -> None:
    """Record an absence."""
    row = _INSERT_ABSENCE.arguments(
        tenant=tenant,
        id=absence.id,
        project=project,
        entity=absence.entity,
        artifact=absence.artifact,
        valid_from=absence.valid.start,
        valid_until=absence.valid.end,
        source=absence.source,
        source_commit=absence.commit,
        reason=absence.reason,
        recorded_at=absence.recorded_at,
        actor=absence.actor,
    )
    await connection.execute(_INSERT_ABSENCE.text, *row)


async def retract_absence(
    connection: asyncpg.Connection, tenant: TenantNumber, id: UUID, retracted_at: datetime
) -> None:
    """Retract an absence."""
    await connection.execute(SQL["retract_absence"], tenant, id, retracted_at)


async def absences_of(
    connection: asyncpg.Connection, tenant: TenantNumber, entities: Sequence[UUID]
) -> dict[UUID, list[Absence]]:
    """Return the absences believed of documents and of their versions, in order of time, by document."""
    found: dict[UUID, list[Absence]] = defaultdict(list)
    for row in await connection.fetch(SQL["absences_of"], tenant, list(entities)):
        found[row["entity"]].append(_absence(row))
    return dict(found)


async def absence_by_id(connection: asyncpg.Connection, tenant: TenantNumber, id: UUID) -> Absence:
    """Return the absence of an id, believed or not."""
    return _absence(await connection.fetchrow(SQL["absence_by_id"], tenant, id))


def _absence(row: asyncpg.Record) -> Absence:
    return Absence(
        id=row["id"],
        entity=row["entity"],
        artifact=row["artifact"],
        valid=Interval(row["valid_from"], row["valid_until"]),
        source=AbsenceSource(row["source"]),
        commit=row["source_commit"],
        reason=row["reason"],
        recorded_at=row["recorded_at"],
        actor=row["actor"],
    )


async def absent_artifacts(
    connection: asyncpg.Connection, tenant: TenantNumber, projects: Sequence[ProjectNumber], moment: AsOf
) -> tuple[ArtifactNumber, ...]:
    """Return the numbers of the artifacts of some projects that are not there at a moment."""
    rows = await connection.fetch(SQL["absent_artifacts"], tenant, list(projects), moment.valid, moment.known)
    return tuple(row["number"] for row in rows)


async def former_beginnings(
    connection: asyncpg.Connection, tenant: TenantNumber, known: datetime
) -> dict[UUID, datetime]:
    """Return when documents began, as was known at a moment, whose beginnings have moved since."""
    rows = await connection.fetch(SQL["former_beginnings"], tenant, known)
    return {row["entity"]: row["valid_from"] for row in rows}


async def absent_entities(connection: asyncpg.Connection, tenant: TenantNumber, moment: AsOf) -> list[UUID]:
    """Return the documents of a tenant that are not there at a moment."""
    asked = (tenant, moment.valid, moment.known)
    return [row["entity"] for row in await connection.fetch(SQL["absent_entities"], *asked)]


@dataclass(frozen=True, slots=True)
class TouchingReference:
    """A reference from or to a document, and the document that states it, None for a caller."""

    recorded: RecordedReference
    stated_by: UUID | None

    @property
    def reference(self) -> Reference:
        """The reference itself."""
        return self.recorded.reference


async def references_touching(
    connection: asyncpg.Connection, tenant: TenantNumber, entity: UUID, valid: Interval
) -> list[TouchingReference]:
    """Return the believed references from or to a document, or stated by it, that hold in an interval."""
    rows = await connection.fetch(SQL["references_touching"], tenant, entity, valid.start, valid.end)
    return [
        TouchingReference(
            RecordedReference(reference_from(row), row["project_id"], row["occurrences"], is_current=True),
            row["stated_by"],
        )
        for row in rows
    ]


@dataclass(frozen=True, slots=True)
class ImportRoot:
    """A folder, by its path, or a folder of a repository, also by the first commit of its main line.

    `place` is then the path of the repository, and `prefix` that of the folder in it, "" for all of it.
    """

    place: str
    prefix: str | None = None
    first_commit: str | None = None


async def find_root(
    connection: asyncpg.Connection, tenant: TenantNumber, project: ProjectNumber, root: ImportRoot
) -> int | None:
    """Return the number of a root of a project; None if nothing was filed from it."""
    number: int | None = await connection.fetchval(
        SQL["find_root"], tenant, project, root.place, root.first_commit, root.prefix
    )
    return number


async def insert_root(
    connection: asyncpg.Connection,
    tenant: TenantNumber,
    project: ProjectNumber,
    root: ImportRoot,
    recorded_at: datetime,
) -> int:
    """Record a root of a project, and return its number."""
    row = _INSERT_ROOT.arguments(
        tenant=tenant,
        project=project,
        place=root.place,
        prefix=root.prefix,
        first_commit=root.first_commit,
        recorded_at=recorded_at,
    )
    number: int = await connection.fetchval(_INSERT_ROOT.text, *row)
    return number


async def put_documents(
    connection: asyncpg.Connection,
    tenant: TenantNumber,
    project: ProjectNumber,
    root: int,
    sources: Mapping[str, str],
    recorded_at: datetime,
) -> None:
    """Record that documents, by their keys, came from a root, each from a file."""
    row = _PUT_DOCUMENTS.arguments(
        tenant=tenant,
        project=project,
        root=root,
        keys=list(sources),
        sources=list(sources.values()),
        recorded_at=recorded_at,
    )
    await connection.execute(_PUT_DOCUMENTS.text, *row)


@dataclass(frozen=True, slots=True)
class RootedDocument:
    """A document and where it came from: the place of a root, and its file there.

    `digest` is the MD5 of the last text's body, and `stated` are the keys of identifiers that it states and
    another document has.
    """

    id: UUID
    key: str
    place: str
    root: int
    source_uri: str
    identifier: str | None
    kind: str
    digest: str
    is_absent: bool
    stated: tuple[str, ...]

    @property
    def keys(self) -> frozenset[str]:
        """The keys of the document and of the identifiers that it states."""
        return frozenset((self.key, bare_key(self.key), *self.stated))

    @property
    def path(self) -> Path:
        """The path of its file; a root may be the file itself."""
        place = Path(self.place)
        return place if place.suffix and place.name == self.source_uri else place / self.source_uri


async def documents_of_roots(
    connection: asyncpg.Connection, tenant: TenantNumber, project_key: str
) -> list[RootedDocument]:
    """Return the documents of a project with each root that they came from, the last ones first."""
    rows = await connection.fetch(SQL["documents_of_roots"], tenant, fold(project_key))
    return [RootedDocument(**dict(row) | {"stated": tuple(row["stated"])}) for row in rows]


async def leave_root(
    connection: asyncpg.Connection, tenant: TenantNumber, entity: UUID, root: int, recorded_at: datetime
) -> None:
    """Record that a document is in a root no more."""
    await connection.execute(SQL["leave_root"], tenant, entity, root, recorded_at)
