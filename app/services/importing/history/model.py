"""What a history tells of documents, whether it was read from rows or from a repository."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any

import asyncpg

from app.domain.artifact import Document, ReferenceClaim
from app.domain.identifier import identifier_key
from app.domain.temporal import Interval, joined
from app.services.filing.prepare import content_hash, entity_key
from app.services.parsing.status import read_date
from app.stores.postgres import entities, projects, state_history
from app.stores.postgres.pool import Database
from app.stores.postgres.state_history import Version

AN_INSTANT = timedelta(microseconds=1)


@dataclass(frozen=True, slots=True)
class HistoricState:
    """What was said of a document from a moment on, with the commit that said it.

    `props` holds every property the history speaks of, also one that is empty by then; `source` is
    where the state was read.
    """

    source: str
    at: datetime
    commit: str
    props: dict[str, Any]
    claims: frozenset[ReferenceClaim] = frozenset()


@dataclass(frozen=True, slots=True)
class DocumentHistory:
    """The states of one document in order of time, no two at one instant, and when its text last changed.

    Its statuses are facts where it was told as such, and else what its texts said. One that is cut does not
    reach back to where the document began.
    """

    identifier: str
    states: tuple[HistoricState, ...]
    changed: datetime | None = None
    is_fact: bool = False
    is_cut: bool = False


def in_order(states: Sequence[HistoricState]) -> tuple[HistoricState, ...]:
    """Return states in order of time; one at the instant of another, or before, counts from right after it.

    Those that come first say first.
    """
    ordered: list[HistoricState] = []
    for state in states:
        if ordered and state.at <= ordered[-1].at:
            state = replace(state, at=ordered[-1].at + AN_INSTANT)
        ordered.append(state)
    return tuple(ordered)


@dataclass(frozen=True, slots=True)
class Revision:
    """One earlier text of a document; title and status are those of then, where they are told."""

    at: datetime
    body: str
    title: str | None
    status: str | None
    commit: str


@dataclass(frozen=True, slots=True)
class History:
    """Everything a history tells, by the key of the document; revisions stand oldest first."""

    told: dict[str, DocumentHistory] = field(default_factory=dict)
    revisions: dict[str, list[Revision]] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.told)

    def start(self, document: Document) -> datetime | None:
        """Return when a document began: by its own date or by its history, whichever is earlier."""
        told = self._told(document)
        moments = [document.created_at] if document.created_at is not None else []
        return min([*moments, *([told.states[0].at] if told is not None else [])], default=None)

    def last(self, document: Document) -> datetime | None:
        """Return when the history of a document last changed, None when it tells nothing of it."""
        told = self._told(document)
        return None if told is None else told.changed or told.states[-1].at

    def earlier(self, document: Document) -> list[Revision]:
        """Return the earlier texts of a document, oldest first."""
        return self.revisions.get(identifier_key(document.identifier), []) if document.identifier else []

    def _told(self, document: Document) -> DocumentHistory | None:
        return self.told.get(identifier_key(document.identifier)) if document.identifier else None


def versions_told(document: Document, history: History) -> list[Document]:
    """Return the versions of a document, oldest first, each with the moment it counts from.

    The first counts from where the history begins. The present text counts from when the document was
    last updated; it takes the place of a revision that is no older.
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
    return versions


def _updated(document: Document, changed: datetime | None) -> datetime | None:
    """Return when a document was last updated: by its own word, or else by its history."""
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


def claim_spans(told: Sequence[HistoricState], start: datetime) -> dict[ReferenceClaim, list[Interval]]:
    """Return when each claim holds: from the change that first makes it to the one that drops it.

    What the first state claims holds from `start`, when that is earlier.
    """
    spans: dict[ReferenceClaim, list[Interval]] = defaultdict(list)
    for place, change in enumerate(told):
        begins = change.at if place else min(change.at, start)
        ends = told[place + 1].at if place + 1 < len(told) else None
        for claim in change.claims:
            spans[claim].append(Interval(begins, ends))
    return {claim: joined(each) for claim, each in spans.items()}


async def versions_to_file(
    database: Database, tenant: int, project: str, document: Document, history: History
) -> list[Document]:
    """Return the versions of a document that are still to be filed, oldest first, its present text last.

    A document that is not there yet counts from where its history begins, a changed text of one that is
    from its history's last change. Without a history it is filed as it is.
    """
    changed = history.last(document)
    if changed is None:
        return [document]
    sequence = versions_told(document, history)
    async with database.reading(tenant) as connection:
        held = await _held(connection, tenant, project, document)
    return _remaining(sequence, held, changed)


async def _held(
    connection: asyncpg.Connection, tenant: int, project: str, document: Document
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
