"""Artifacts, passages, and the parsed content of a document."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any
from uuid import UUID

from app.domain.entity import ReferenceType
from app.domain.numbers import ArtifactNumber, ProjectNumber


class MemoryDomain(StrEnum):
    """What part of a team's memory an artifact belongs to."""

    GOVERNANCE = "GOVERNANCE"
    METHODOLOGY = "METHODOLOGY"
    RUNTIME = "RUNTIME"
    RETROSPECTIVE = "RETROSPECTIVE"
    SIGNAL_TRACE = "SIGNAL_TRACE"
    INSTALL = "INSTALL"
    DECISION = "DECISION"
    TASK_STATE = "TASK_STATE"
    VALIDATION = "VALIDATION"
    RESEARCH = "RESEARCH"
    POSTMORTEM = "POSTMORTEM"
    BEHAVIOR = "BEHAVIOR"


class DateSource(StrEnum):
    """Where the date of an artifact comes from."""

    HEADER = "HEADER"
    FILE_NAME = "FILE_NAME"
    GIT = "GIT"
    FILED = "FILED"


class DatePrecision(StrEnum):
    """How exact a date is: an instant, or the first instant of a span."""

    INSTANT = "INSTANT"
    DAY = "DAY"
    WEEK = "WEEK"
    MONTH = "MONTH"
    QUARTER = "QUARTER"
    YEAR = "YEAR"


@dataclass(frozen=True, slots=True)
class Artifact:
    """One immutable document; a changed document is another artifact of the same entity.

    `meta` has the fields of its header as they were written. `stated_at` is the date that it states, if it
    takes effect at another.
    """

    id: UUID
    number: ArtifactNumber
    project: ProjectNumber
    kind: str
    identifier: str | None
    title: str
    body: str
    domain: MemoryDomain | None
    created_at: datetime
    recorded_at: datetime
    source_uri: str | None
    source_commit: str | None
    author: str | None
    content_hash: str
    entity: UUID
    meta: Mapping[str, Any] = field(default_factory=dict)
    date_source: DateSource = DateSource.HEADER
    date_precision: DatePrecision | None = None
    stated_at: datetime | None = None

    @property
    def is_undated(self) -> bool:
        """Return whether nothing says when it was written, so that it counts from its filing."""
        return self.date_source is DateSource.FILED

    @property
    def date(self) -> datetime | None:
        """When it was written, as it states, or else since when it is valid; None if nothing says so."""
        return None if self.is_undated else self.stated_at or self.created_at


@dataclass(frozen=True, slots=True)
class Passage:
    """A part of a body that the encoder reads whole.

    `heading` is the path of headings above it; `tokens` counts the text's word pieces.
    """

    ordinal: int
    heading: str | None
    text: str
    tokens: int


@dataclass(frozen=True, slots=True)
class ReferenceClaim:
    """A reference as a document states it, before its target is resolved.

    `inverted` marks forms like "Superseded by": the edge then runs from the target to the document.
    `in_part` marks forms like "Supersedes in part": they relate the two and leave the target in force.
    `count` is how often the document names the target this way. `path` is the relative link the
    document used, without its fragment; it names a file exactly, so it takes precedence over `target`.
    `line` is where the document first says so, and `since` the date that it gives for that, as in
    "Superseded by ADR-9 on 2026-03-10"; two claims that differ in these alone are equal.
    """

    type: ReferenceType
    target: str
    inverted: bool = False
    count: int = 1
    path: str | None = None
    line: int | None = field(default=None, compare=False)
    since: datetime | None = field(default=None, compare=False)
    in_part: bool = False


@dataclass(frozen=True, slots=True)
class StatedStatus:
    """A status in one of the places where a document states it; None if it cannot be read there."""

    status: str | None
    line: int


@dataclass(frozen=True, slots=True)
class DocumentLines:
    """Where a document says what: numbers of lines of its file, from 1.

    `statuses` has every place that states a status, the one that counts first. `date` is where the date is
    from, if a field or a section states it. `warnings` has the lines of
    those warnings that concern one, and `unread_headings` the warnings of headings that only look like a
    relation.
    """

    name: int = 1
    statuses: tuple[StatedStatus, ...] = ()
    date: int | None = None
    warnings: Mapping[str, int] = field(default_factory=dict)
    unread_headings: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Quote:
    """A quoted part of a body and its offset in characters."""

    text: str
    start: int


@dataclass(frozen=True, slots=True)
class AliasClaim:
    """A likely alias noticed in free text: `form` may mean `subject`."""

    form: str
    subject: str
    quote: Quote


@dataclass(frozen=True, slots=True)
class FactClaim:
    """A likely fact noticed in free text about `subject`; None means the document."""

    property: str
    value: str
    quote: Quote
    subject: str | None = None


@dataclass(frozen=True, slots=True)
class Document:
    """The parsed content of one file, row or request, ready to be filed.

    `props` are header fields that may become properties, and `meta` all of them, as they were written.
    `links` are the paths of relative links in the body, in order and without fragments.
    `warnings` describe unusual content and how it was read. `stated_identifier` is the identifier that the
    text states if another document of its import has it. `lines` says where the text states what. With
    `is_edition` it is one text of a history: it takes effect at its date, whatever was filed before.
    """

    kind: str
    identifier: str | None
    title: str
    body: str
    status: str | None = None
    created_at: datetime | None = None
    date_source: DateSource | None = None
    date_precision: DatePrecision | None = None
    domain: MemoryDomain | None = None
    author: str | None = None
    source_uri: str | None = None
    source_commit: str | None = None
    props: dict[str, Any] = field(default_factory=dict)
    meta: dict[str, Any] = field(default_factory=dict)
    references: tuple[ReferenceClaim, ...] = ()
    links: tuple[str, ...] = ()
    alias_claims: tuple[AliasClaim, ...] = ()
    fact_claims: tuple[FactClaim, ...] = ()
    warnings: tuple[str, ...] = ()
    stated_identifier: str | None = None
    is_edition: bool = False
    lines: DocumentLines = field(default_factory=DocumentLines, compare=False)


@dataclass(frozen=True, slots=True)
class TermCounts:
    """Terms, one per line, and their counts, separated by spaces, in the same order."""

    names: str
    counts: str

    @classmethod
    def of(cls, frequencies: Mapping[str, int]) -> TermCounts:
        """Create TermCounts from these counts."""
        return cls("\n".join(frequencies), " ".join(map(str, frequencies.values())))
