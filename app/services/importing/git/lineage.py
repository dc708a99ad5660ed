"""Following files and documents through the commits of a repository, under every path they had. Pure."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TypeAlias

from app.domain.artifact import Document
from app.domain.identifier import identifier_key
from app.services.importing.git.log import Commit, FileChange
from app.services.importing.history.model import HistoricState


@dataclass(frozen=True, slots=True)
class Edition:
    """One content of a file, the path it had, and the commit that made it."""

    commit: str
    at: datetime
    path: bytes
    blob: str


@dataclass(slots=True)
class Lineage:
    """A file through time, oldest edition first."""

    editions: list[Edition] = field(default_factory=list)

    @property
    def newest(self) -> Edition:
        """The newest edition, also of a deleted file."""
        return self.editions[-1]


@dataclass(frozen=True, slots=True)
class Lineages:
    """The files that exist now, and those that were deleted, each by its last path."""

    living: dict[bytes, Lineage]
    deleted: dict[bytes, Lineage]


def follow_files(commits: Iterable[Commit], is_wanted: Callable[[bytes], bool]) -> Lineages:
    """Follow files from commit to commit, through renames, and through deletions that were undone."""
    found = Lineages({}, {})
    for commit in commits:
        # Two files may swap their names in one commit: all leave before any arrives.
        leaving = {change.former: _leave(found, change) for change in commit.changes if change.former}
        for change in commit.changes:
            if change.blob is None or not is_wanted(change.path):
                _delete(found, change, leaving.get(change.former or b""))
            else:
                came_from = leaving[change.former] if change.former else found.living.get(change.path)
                lineage = came_from or found.deleted.pop(change.path, None) or Lineage()
                edition = Edition(commit.hash, commit.at, change.path, change.blob)
                lineage.editions.append(edition)
                found.living[change.path] = lineage
    return found


def _delete(found: Lineages, change: FileChange, left: Lineage | None) -> None:
    gone = left or found.living.pop(change.path, None)
    if gone is not None:
        found.deleted[change.former or change.path] = gone


def _leave(found: Lineages, change: FileChange) -> Lineage | None:
    return None if change.former is None else found.living.pop(change.former, None)


MOSTLY_THE_SAME = 0.9
"""A text that keeps this share of its words is the same document, even under another number."""

# Numbers are ignored, because a document that moves may get another number.
_WORDS = re.compile(r"[^\W\d_]+")

Others: TypeAlias = Callable[[str], Sequence[str]]
"""Returns the texts of the other files that state an identifier now, given its key."""


@dataclass(frozen=True, slots=True)
class Edit:
    """One edition of a document: the identifier and the state it stated."""

    edition: Edition
    identifier: str | None
    state: HistoricState


@dataclass(slots=True)
class DocumentRun:
    """The editions of one document, oldest first, with the newest text and the document read from it."""

    edits: list[Edit]
    text: str
    document: Document

    @property
    def since(self) -> datetime:
        """When its first edition was made."""
        return self.edits[0].edition.at

    @property
    def until(self) -> datetime:
        """When its newest edition was made."""
        return self.edits[-1].edition.at

    @property
    def identifiers(self) -> list[str]:
        """Every identifier that it stated, the newest first."""
        return [edit.identifier for edit in reversed(self.edits) if edit.identifier]


def add_edition(found: list[DocumentRun], edit: Edit, text: str, document: Document, others: Others) -> None:
    """Add an edition of a file to its last document, or start another document with it."""
    if found and not _is_another(found[-1], edit, text, others):
        found[-1].edits.append(edit)
        found[-1].text, found[-1].document = text, document
    else:
        found.append(DocumentRun([edit], text, document))


def _is_another(before: DocumentRun, edit: Edit, text: str, others: Others) -> bool:
    """Return whether an edition of a file is another document than the one before.

    The document before moved away when another file states its identifier now and has a text at least as
    similar. Otherwise an edition with the same identifier, or most of the text, is the same document.
    """
    stated = before.identifiers[:1]
    if not stated or identifier_key(stated[0]) == identifier_key(edit.identifier or ""):
        return False
    shared = likeness(before.text, text)
    if any(likeness(before.text, other) >= shared for other in others(identifier_key(stated[0]))):
        return True
    return edit.identifier is not None and shared < MOSTLY_THE_SAME


def likeness(one: str, other: str) -> float:
    """Return the share of words that two texts have in common, from 0 to 1, ignoring order and numbers."""
    first, second = (Counter(_WORDS.findall(text)) for text in (one, other))
    most = max(first.total(), second.total())
    return (first & second).total() / most if most else 1.0


def by_identifier(runs: Iterable[DocumentRun]) -> dict[str, list[DocumentRun]]:
    """Return the runs that stated an identifier, by the key of their last one."""
    found: dict[str, list[DocumentRun]] = defaultdict(list)
    for run in runs:
        for identifier in run.identifiers[:1]:
            found[identifier_key(identifier)].append(run)
    return found


def with_past(present: DocumentRun, former: Iterable[DocumentRun]) -> list[Edit]:
    """Return the editions of a document, preceded by those it had earlier in other files."""
    edits, since = list(present.edits), present.since
    for each in sorted(former, key=lambda each: each.until, reverse=True):
        if each.until <= since:
            edits, since = [*each.edits, *edits], each.since
    return edits
