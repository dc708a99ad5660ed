"""Documents made in few words, and questions asked in few."""

from __future__ import annotations

from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import asyncpg

from app.domain.artifact import Document, ReferenceClaim
from app.domain.entity import ReferenceType
from app.domain.numbers import TenantNumber
from app.domain.recall import Hit, RecallRequest, RecallResult
from app.services.container import Memory
from app.services.filing import FiledDocument

SUPERSEDES = ReferenceType.SUPERSEDES
RELATES_TO = ReferenceType.RELATES_TO


def day(year: int, month: int = 1, number: int = 1) -> datetime:
    """Return the start of a day, UTC."""
    return datetime(year, month, number, tzinfo=UTC)


def adr(number: int, title: str, body: str = "", **said: Any) -> Document:
    """Return an accepted decision record of 2020 unless it says otherwise."""
    fields: dict[str, Any] = {
        "kind": "ADR",
        "identifier": f"ADR-{number}",
        "status": "Accepted",
        "created_at": day(2020),
    }
    return Document(title=title, body=body or f"We decided: {title}.", **(fields | said))


def claims(kind: ReferenceType, *targets: str, inverted: bool = False) -> tuple[ReferenceClaim, ...]:
    """Return claims of one type to these targets."""
    return tuple(ReferenceClaim(kind, target, inverted) for target in targets)


async def file(memory: Memory, document: Document, project: str | None = None) -> FiledDocument:
    """File one document as the memory's caller."""
    return await memory.filing.file(memory.caller, document, project)


async def ask(memory: Memory, query: str, **asked: Any) -> RecallResult:
    """Recall as the memory's caller."""
    return await memory.recall.recall(memory.caller, RecallRequest(query=query, **asked))


@dataclass(frozen=True, slots=True)
class ProjectFixture:
    """A project of a test's own in a ledger that several tests share."""

    memory: Memory
    project: str

    @property
    def tenant(self) -> TenantNumber:
        return self.memory.caller.tenant

    async def file(self, document: Document) -> FiledDocument:
        return await file(self.memory, document, self.project)

    async def file_all(self, *documents: Document) -> list[FiledDocument]:
        return [await self.file(document) for document in documents]

    async def ask(self, query: str, **asked: Any) -> RecallResult:
        return await ask(self.memory, query, project=self.project, **asked)

    def reading(self) -> AbstractAsyncContextManager[asyncpg.Connection]:
        return self.memory.database.reading(self.tenant)


def identifiers(result: RecallResult) -> list[str | None]:
    """Return the identifiers of the hits, in order."""
    return [hit.artifact.identifier for hit in result.hits]


def hit_of(result: RecallResult, identifier: str) -> Hit:
    """Return the one hit of an identifier."""
    (found,) = [hit for hit in result.hits if hit.artifact.identifier == identifier]
    return found


async def edges(desk: ProjectFixture) -> set[tuple[str, str, str]]:
    """Return the references of a project that are believed now: source key, type, target key."""
    async with desk.reading() as connection:
        rows = await connection.fetch(
            "SELECT source.key AS source, held.type, target.key AS target FROM reference AS held"
            " JOIN project USING (tenant_id, project_id)"
            " JOIN entity AS source ON source.tenant_id = held.tenant_id AND source.id = held.source"
            " JOIN entity AS target ON target.tenant_id = held.tenant_id AND target.id = held.target"
            " WHERE project.key = $1 AND held.retracted_at IS NULL",
            desk.project,
        )
    return {(row["source"], row["type"], row["target"]) for row in rows}


async def pending(desk: ProjectFixture) -> set[tuple[str, bool]]:
    """Return the references of a project that wait: their target as written, and whether it is ambiguous."""
    async with desk.reading() as connection:
        rows = await connection.fetch(
            "SELECT target_text, is_ambiguous FROM pending_reference"
            " JOIN project USING (tenant_id, project_id) WHERE project.key = $1 AND closed_at IS NULL",
            desk.project,
        )
    return {(row["target_text"], row["is_ambiguous"]) for row in rows}
