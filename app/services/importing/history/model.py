"""The history of documents, read from rows or from a repository, and the versions that follow from it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any

import asyncpg

from app.domain.artifact import DatePrecision, DateSource, Document, ReferenceClaim
from app.domain.identifier import identifier_key
from app.domain.numbers import TenantNumber
from app.domain.temporal import Interval, merge_intervals
from app.services.filing.prepare import content_hash, entity_key
from app.services.parsing.dates import read_date
from app.stores.postgres import entities, projects, state_history
from app.stores.postgres.pool import Database
from app.stores.postgres.state_history import Version

AN_INSTANT = timedelta(microseconds=1)


@dataclass(frozen=True, slots=True)
class HistoricState:
    """The state of a document from a moment on, with the commit that made it so.

    `props` holds every property that the history covers, even one that is empty at that time; `source` is
    the place the state was read from.
    """

    source: str
    at: datetime
    commit: str
    props: dict[str, Any]
    claims: frozenset[ReferenceClaim] = frozenset()


@dataclass(frozen=True, slots=True)
class DocumentHistory:
    """The states of one document in order of time, no two at one instant, and when its text last changed.

    With `is_fact` its statuses are facts; otherwise they are what its texts stated. With `is_cut` it does not
    reach back to the beginning of the document.
    """

    identifier: str
    states: tuple[HistoricState, ...]
    changed: datetime | None = None
    is_fact: bool = False
    is_cut: bool = False


def in_order(states: Sequence[HistoricState]) -> tuple[HistoricState, ...]:
    """Return states in order of time; a state not later than the one before it starts right after that.

    The given order decides between states of one instant.
    """
    ordered: list[HistoricState] = []
    for state in states:
        if ordered and state.at <= ordered[-1].at:
            state = replace(state, at=ordered[-1].at + AN_INSTANT)
        ordered.append(state)
    return tuple(ordered)


@dataclass(frozen=True, slots=True)
class Revision:
    """One earlier text of a document; its title and status, where given, are those of that time."""

    at: datetime
    body: str
    title: str | None
    status: str | None
    commit: str


@dataclass(frozen=True, slots=True)
class History:
    """The histories and revisions of documents by their keys; revisions are ordered oldest first."""

    documents: dict[str, DocumentHistory] = field(default_factory=dict)
    revisions: dict[str, list[Revision]] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.documents)

    def start(self, document: Document) -> datetime | None:
        """Return when a document began: by its own date or by its history, whichever is earlier."""
        found = self._find(document)
        moments = [document.created_at] if document.created_at is not None else []
        return min([*moments, *([found.states[0].at] if found is not None else [])], default=None)

    def is_of_facts(self, document: Document) -> bool:
        """Return whether rows state the history of a document, and no commits."""
        found = self._find(document)
        return found is None or found.is_fact

    def last(self, document: Document) -> datetime | None:
        """Return when the history of a document last changed, None without one."""
        found = self._find(document)
        return None if found is None else found.changed or found.states[-1].at

    def earlier(self, document: Document) -> list[Revision]:
        """Return the earlier texts of a document, oldest first."""
        return self.revisions.get(identifier_key(document.identifier), []) if document.identifier else []

    def _find(self, document: Document) -> DocumentHistory | None:
        return self.documents.get(identifier_key(document.identifier)) if document.identifier else None


def dated_versions(document: Document, history: History) -> list[Document]:
    """Return the versions of a document, oldest first, each dated with its start.

    The first version starts where the history begins. The present text starts when the document was last
    updated; it replaces a revision that is not older.
    """
    earlier = [_version(document, revision) for revision in history.earlier(document)]
    updated = _updated(document, history.last(document))
    present = document
    if earlier and (last := earlier[-1].created_at) is not None:
        if updated is not None and updated > last:
            present = replace(document, created_at=updated)
        else:
            present = replace(document, created_at=last)
            earlier.pop()
    versions = [*earlier, present]
    versions[0] = replace(versions[0], created_at=history.start(document))
    source = DateSource.HEADER if history.is_of_facts(document) else DateSource.GIT
    return [
        each
        if each.created_at == document.created_at
        else replace(each, date_source=source, date_precision=DatePrecision.INSTANT)
        for each in versions
    ]


def _updated(document: Document, changed: datetime | None) -> datetime | None:
    """Return when a document was last updated: by its own property, or else by its history."""
    stated = document.props.get("updated_at")
    return (read_date(stated) if isinstance(stated, str) else None) or changed


def _version(document: Document, revision: Revision) -> Document:
    return replace(
        document,
        body=revision.body,
        title=revision.title or document.title,
        status=revision.status or document.status,
        created_at=revision.at,
        source_commit=revision.commit,
        alias_claims=(),
        fact_claims=(),
    )


def claim_spans(states: Sequence[HistoricState], start: datetime) -> dict[ReferenceClaim, list[Interval]]:
    """Return when each claim holds: from the change that first makes it to the one that drops it.

    A claim of the first state holds from `start`, when that is earlier.
    """
    spans: dict[ReferenceClaim, list[Interval]] = defaultdict(list)
    for place, change in enumerate(states):
        begins = change.at if place else min(change.at, start)
        ends = states[place + 1].at if place + 1 < len(states) else None
        for claim in change.claims:
            spans[claim].append(Interval(begins, ends))
    return {claim: merge_intervals(each) for claim, each in spans.items()}


async def versions_to_file(
    database: Database, tenant: TenantNumber, project: str, document: Document, history: History
) -> list[Document]:
    """Return the versions of a document that are not filed yet, oldest first, its present text last.

    A new document is dated from the beginning of its history, a changed text of a known one from the last
    change of its history. Without a history the document is returned as it is.
    """
    changed = history.last(document)
    if changed is None:
        return [document]
    sequence = dated_versions(document, history)
    async with database.reading(tenant) as connection:
        held = await _held(connection, tenant, project, document)
    return _remaining(sequence, held, changed)


async def _held(
    connection: asyncpg.Connection, tenant: TenantNumber, project: str, document: Document
) -> list[Version]:
    found = await projects.project_by_key(connection, tenant, project)
    if found is None:
        return []
    key = entity_key(document, content_hash(document))
    entity = await entities.entity_by_key(connection, tenant, found.number, key)
    return [] if entity is None else await state_history.versions_of(connection, tenant, entity.id)


def _remaining(sequence: list[Document], held: Sequence[Version], changed: datetime) -> list[Document]:
    if not held:
        return sequence
    hashes = {version.content_hash for version in held}
    filed = [place for place, version in enumerate(sequence) if content_hash(version) in hashes]
    if filed and sequence[filed[-1] + 1 :]:
        return sequence[filed[-1] + 1 :]
    # A text that was there before and is again, is a version of its own.
    newest = max(held, key=lambda version: version.created_at)
    present = sequence[-1]
    dated = [present, *(replace(present, created_at=at) for at in (newest.created_at, changed))]
    same = (each for each in dated if content_hash(each) == newest.content_hash)
    return [next(same, dated[-1])]
