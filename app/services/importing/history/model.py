"""The history of documents, read from rows or from a repository, and the versions that follow from it."""

from __future__ import annotations

import pickle
import zlib
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any, TypeAlias

import asyncpg

from app.domain.artifact import Artifact, DatePrecision, DateSource, Document, ReferenceClaim
from app.domain.entity import AbsenceSource
from app.domain.identifier import identifier_key
from app.domain.numbers import TenantNumber
from app.domain.temporal import Interval, merge_intervals
from app.domain.text import fold
from app.services.filing.document_names import listed_aliases
from app.services.filing.prepare import content_hash, entity_key
from app.services.parsing.dates import read_date
from app.stores.postgres import (
    absences,
    artifacts,
    entities,
    ledger_clock,
    projects,
    state_history,
)
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
class PastText:
    """A text that a document had from a moment on, the commit that made it so, and the document read from it.

    The document is packed: all texts of a long history do not fit into memory.
    """

    at: datetime
    commit: str
    own_date: datetime | None
    packed: bytes

    @classmethod
    def of(cls, document: Document, at: datetime, commit: str) -> PastText:
        """Pack a document."""
        return cls(at, commit, document.created_at, zlib.compress(pickle.dumps(document), 1))

    def document(self) -> Document:
        """Return the document, an edition of a history that takes effect at its moment."""
        document: Document = pickle.loads(zlib.decompress(self.packed))
        document = replace(document, source_commit=self.commit, is_edition=True)
        if document.created_at == self.at:
            return document
        return replace(
            document,
            created_at=self.at,
            date_source=DateSource.GIT,
            date_precision=DatePrecision.INSTANT,
        )


@dataclass(frozen=True, slots=True)
class StatedClaims:
    """What a document referred to from a moment on, and the path of its file then; None means the present."""

    at: datetime
    source_uri: str | None
    claims: frozenset[ReferenceClaim]


@dataclass(frozen=True, slots=True)
class DocumentHistory:
    """The states of one document in order of time, no two at one instant.

    `claims` are what its texts referred to, the oldest first. `texts` are the different texts that it had,
    the oldest first; without any, the present one stands for all times. `former_names` are identifiers that
    it had in them. `line` are all commits of the main line, also those that did not change it. With `is_fact`
    its statuses are facts; otherwise they are what its texts stated. With `is_cut` it does not reach back to
    the beginning of the document; with `is_over` the document is not there any more. It `returns` if the
    ledger thought so, and the history has it after all.
    """

    identifier: str
    states: tuple[HistoricState, ...]
    claims: tuple[StatedClaims, ...] = ()
    texts: tuple[PastText, ...] = ()
    former_names: tuple[str, ...] = ()
    line: frozenset[str] = frozenset()
    is_fact: bool = False
    is_cut: bool = False
    is_over: bool = False
    returns: bool = False

    def is_lost(self, commit: str | None) -> bool:
        """Return whether a commit is no longer on the main line, as far as the history reaches."""
        return bool(commit and self.line) and not self.is_cut and commit not in self.line


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

    def of(self, document: Document) -> DocumentHistory | None:
        """Return the history of a document, None without one."""
        return self.documents.get(identifier_key(document.identifier)) if document.identifier else None

    def earlier(self, document: Document) -> list[Revision]:
        """Return the earlier texts of a document, oldest first."""
        return self.revisions.get(identifier_key(document.identifier), []) if document.identifier else []


def dated_versions(
    document: Document, history: DocumentHistory, revisions: Sequence[Revision]
) -> list[Document]:
    """Return the versions of a document, oldest first, each dated with its start.

    The first version starts where the history begins, or at its own date if that is earlier. The present text
    starts when the document was last updated; it replaces a revision that is not older.
    """
    earlier = [_version(document, revision) for revision in revisions]
    updated = _updated(document, history.states[-1].at)
    present = document
    if earlier and (last := earlier[-1].created_at) is not None:
        if updated > last:
            present = replace(document, created_at=updated)
        else:
            present = replace(document, created_at=last)
            earlier.pop()
    versions = [*earlier, present]
    begins = history.states[0].at
    start = begins if document.created_at is None else min(document.created_at, begins)
    versions[0] = replace(versions[0], created_at=start)
    return [
        each
        if each.created_at == document.created_at
        else replace(each, date_source=DateSource.HEADER, date_precision=DatePrecision.INSTANT)
        for each in versions
    ]


def _updated(document: Document, changed: datetime) -> datetime:
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


ClaimSpans: TypeAlias = dict[tuple[ReferenceClaim, str | None], list[Interval]]
"""When a document makes a claim, by the claim and the path of its file; None means the present path."""


def claim_spans(stated: Sequence[StatedClaims], start: datetime) -> ClaimSpans:
    """Return when each claim holds: from the change that first makes it to the one that drops it.

    A claim of the first text or state holds from `start`, when that is earlier, and one that gives its date
    from that.
    """
    spans: ClaimSpans = defaultdict(list)
    for place, change in enumerate(stated):
        begins = change.at if place else min(change.at, start)
        ends = stated[place + 1].at if place + 1 < len(stated) else None
        for claim in change.claims:
            since = claim.since or begins
            spans[claim, change.source_uri].append(
                Interval(since if ends is None or since < ends else begins, ends)
            )
    return {claim: merge_intervals(each) for claim, each in spans.items()}


async def versions_to_file(
    database: Database, tenant: TenantNumber, project: str, document: Document, history: History
) -> list[Document]:
    """Return the versions of a document that are not filed yet, oldest first.

    Of a history with texts each is a version. Otherwise a new document is dated from the beginning of its
    history, a changed text of a known one from the last change. Without a history the document is returned as
    it is. A text that a caller withdrew stays withdrawn until it changes.
    """
    found = history.of(document)
    async with database.reading(tenant) as connection:
        if found is None:
            return await _unless_filed(connection, tenant, project, document)
        held = await _held(connection, tenant, project, document)
        if found.texts:
            return list(_unfiled(document, found, held))
        sequence = dated_versions(document, found, history.earlier(document))
        versions = _remaining(sequence, held, found.states[-1].at)
        if len(versions) > 1:
            return versions
        return await _unless_filed(connection, tenant, project, versions[0])


async def _unless_filed(
    connection: asyncpg.Connection, tenant: TenantNumber, project: str, document: Document
) -> list[Document]:
    """Return a document, as it was filed if its text is the same; none if a caller withdrew that text."""
    found = await projects.project_by_key(connection, tenant, project)
    if found is None:
        return [document]
    where = (connection, tenant)
    key = entity_key(document, content_hash(document))
    entity = (await entities.entities_of_keys(*where, found.number, [key])).get(key)
    latest = None if entity is None else await artifacts.latest_version(*where, entity.id)
    if entity is None or latest is None:
        return [document]
    if entity.key == key or latest.identifier is None:
        named = document
    else:
        named = replace(document, identifier=latest.identifier)
    same = _as_filed(named, latest)
    if not same:
        return [document]
    now = await ledger_clock.read_present(*where)
    held = (await absences.absences_of(*where, [entity.id])).get(entity.id, [])
    absent = [each for each in held if each.artifact is None and each.valid.covers(now)]
    is_withdrawn = any(each.source is AbsenceSource.CALLER for each in absent)
    if is_withdrawn or (not absent and content_hash(same) != latest.content_hash):
        return []
    return [same]


def _as_filed(document: Document, filed: Artifact) -> Document | None:
    """Return a document with the date of an artifact, None if that says something else.

    A date from git is no part of the text, and neither are the former names that a history adds.
    """
    if content_hash(document) == filed.content_hash:
        return document
    if filed.date_source is not DateSource.GIT:
        return None
    said = (document.body, document.title, document.meta, fold(document.kind))
    same = said == (filed.body, filed.title, filed.meta, fold(filed.kind))
    return replace(document, created_at=filed.created_at) if same else None


def _unfiled(document: Document, history: DocumentHistory, held: Sequence[Version]) -> Iterator[Document]:
    """Yield the texts of a history that are no version yet, each at an instant that no version has.

    The present text is filed again where what was filed last is not there: it restores what it stated.
    """
    commits = {version.source_commit for version in held}
    hashes = {version.content_hash for version in held}
    taken = {version.created_at for version in held}
    last = max(held, key=lambda version: version.recorded_at, default=None)
    is_gone = last is not None and (last.is_hidden or history.is_lost(last.source_commit) or history.returns)
    for text in history.texts:
        returns = is_gone and text is history.texts[-1] and not history.is_over
        if text.commit in commits and not returns:
            continue
        edition = replace(
            text.document(),
            identifier=document.identifier,
            kind=document.kind,
            stated_identifier=document.stated_identifier,
        )
        edition = with_aliases(edition, history.former_names)
        if content_hash(edition) not in hashes or returns:
            at = text.at
            while at in taken:
                at += AN_INSTANT
            taken.add(at)
            yield replace(edition, created_at=at)


def with_aliases(document: Document, forms: Sequence[str]) -> Document:
    """Return a document whose header also lists these aliases."""
    if not forms:
        return document
    every = {fold(form): form for form in (*forms, *listed_aliases(document.props))}
    return replace(document, props=document.props | {"aliases": list(every.values())})


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
