"""Which file is which through a repository's history: its editions under every path it had. Pure."""

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
        """The edition that stands, or stood last."""
        return self.editions[-1]


@dataclass(frozen=True, slots=True)
class Lineages:
    """The files that stand now, and those that were deleted, each by the path it has or had."""

    living: dict[bytes, Lineage]
    deleted: dict[bytes, Lineage]


def follow(commits: Iterable[Commit], is_wanted: Callable[[bytes], bool]) -> Lineages:
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
"""A text that keeps so many of its words is the same document, even under another number."""

# A number that a document goes by is new where it is given another.
_WORDS = re.compile(r"[^\W\d_]+")

Others: TypeAlias = Callable[[str], Sequence[str]]
"""Answers the texts of the other files that state an identifier now, by its key."""


@dataclass(frozen=True, slots=True)
class Edit:
    """One edition of a document: what it called itself, and what it said."""

    edition: Edition
    identifier: str | None
    state: HistoricState


@dataclass(slots=True)
class DocumentRun:
    """The editions of one document, oldest first, with the newest text and what was read from it."""

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
    """Add an edition of a file to the document it is of: the file's last one, or another from here on."""
    if found and not _is_another(found[-1], edit, text, others):
        found[-1].edits.append(edit)
        found[-1].text, found[-1].document = text, document
    else:
        found.append(DocumentRun([edit], text, document))


def _is_another(before: DocumentRun, edit: Edit, text: str, others: Others) -> bool:
    """Return whether a file holds another document than before.

    What another file states now, and is as like what was here, went there. Else one that keeps its identifier
    or most of its text stays what it was.
    """
    stated = before.identifiers[:1]
    if not stated or identifier_key(stated[0]) == identifier_key(edit.identifier or ""):
        return False
    kept = likeness(before.text, text)
    if any(likeness(before.text, other) >= kept for other in others(identifier_key(stated[0]))):
        return True
    return edit.identifier is not None and kept < MOSTLY_THE_SAME


def likeness(one: str, other: str) -> float:
    """Return how many of their words two texts share, from 0 to 1, whatever their order; numbers are none."""
    first, second = (Counter(_WORDS.findall(text)) for text in (one, other))
    most = max(first.total(), second.total())
    return (first & second).total() / most if most else 1.0


def by_identifier(stretches: Iterable[DocumentRun]) -> dict[str, list[DocumentRun]]:
    """Return the stretches that stated an identifier, by the key of the last one."""
    found: dict[str, list[DocumentRun]] = defaultdict(list)
    for stretch in stretches:
        for identifier in stretch.identifiers[:1]:
            found[identifier_key(identifier)].append(stretch)
    return found


def with_past(standing: DocumentRun, former: Iterable[DocumentRun]) -> list[Edit]:
    """Return the editions of a document with those it had in other files before, one file after the other."""
    edits, since = list(standing.edits), standing.since
    for each in sorted(former, key=lambda each: each.until, reverse=True):
        if each.until <= since:
            edits, since = [*each.edits, *edits], each.since
    return edits
