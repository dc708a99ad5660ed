"""Following files and documents through the commits of a repository, under every path they had. Pure."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import TypeAlias

from app.domain.artifact import Document, ReferenceClaim
from app.domain.identifier import identifier_key
from app.domain.temporal import Interval
from app.services.importing.git.log import Commit, FileChange
from app.services.importing.history.model import HistoricState, PastText


@dataclass(frozen=True, slots=True)
class Edition:
    """One content of a file, the path it had, and the commit that made it; `place` numbers the commits."""

    commit: str
    at: datetime
    path: bytes
    blob: str
    place: int = 0


@dataclass(frozen=True, slots=True)
class Removal:
    """The removal of a file, or of a document from its file, and the commit that made it."""

    commit: str
    at: datetime
    place: int = 0


@dataclass(slots=True)
class Lineage:
    """A file through time: its editions and its removals, the oldest first."""

    steps: list[Edition | Removal] = field(default_factory=list)

    @property
    def editions(self) -> list[Edition]:
        """Return the editions, the oldest first."""
        return [step for step in self.steps if isinstance(step, Edition)]

    @property
    def newest(self) -> Edition:
        """The newest edition, also of a deleted file."""
        return self.editions[-1]

    def within(self, prefix: bytes) -> Lineage:
        """Return the file as seen from a folder: one that moved out of it is removed there."""
        last = max(
            (
                place
                for place, step in enumerate(self.steps)
                if isinstance(step, Edition) and step.path.startswith(prefix)
            ),
            default=-1,
        )
        inside, after = self.steps[: last + 1], self.steps[last + 1 :]
        return Lineage(
            [*inside, *(Removal(each.commit, each.at, each.place) for each in after[:1])] if inside else []
        )


@dataclass(frozen=True, slots=True)
class Lineages:
    """The files that exist now, and those that were deleted, each by its last path."""

    living: dict[bytes, Lineage]
    deleted: dict[bytes, Lineage]


def follow_files(commits: Iterable[Commit], is_wanted: Callable[[bytes], bool]) -> Lineages:
    """Follow files from commit to commit, through renames, and through deletions that were undone."""
    found = Lineages({}, {})
    for place, commit in enumerate(commits):
        # Two files may swap their names in one commit: all leave before any arrives.
        leaving = {change.former: _leave(found, change) for change in commit.changes if change.former}
        for change in commit.changes:
            if change.blob is None or not is_wanted(change.path):
                _delete(
                    found, Removal(commit.hash, commit.at, place), change, leaving.get(change.former or b"")
                )
            else:
                came_from = leaving[change.former] if change.former else found.living.get(change.path)
                lineage = came_from or found.deleted.pop(change.path, None) or Lineage()
                edition = Edition(commit.hash, commit.at, change.path, change.blob, place)
                lineage.steps.append(edition)
                found.living[change.path] = lineage
    return found


def _delete(found: Lineages, removal: Removal, change: FileChange, left: Lineage | None) -> None:
    gone = left or found.living.pop(change.path, None)
    if gone is not None:
        gone.steps.append(removal)
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
    """One edition of a document: the identifier, the state and the kind it stated, its references and text.

    `follows_unread` says that the file had editions before that cannot be read.
    """

    edition: Edition
    identifier: str | None
    state: HistoricState
    claims: frozenset[ReferenceClaim]
    text: PastText
    kind: str = ""
    follows_unread: bool = False


@dataclass(frozen=True, slots=True)
class Presence:
    """A span of time in which a document is there, and what ended it."""

    since: datetime
    removal: Removal | None = None


@dataclass(slots=True)
class DocumentRun:
    """The editions of one document, oldest first, with the newest text and the document read from it.

    `presences` are the spans in which it is there, in order.
    """

    edits: list[Edit]
    text: str
    document: Document
    presences: list[Presence]

    def end(self, removal: Removal) -> None:
        """Note that the document is removed."""
        if self.presences[-1].removal is None:
            self.presences[-1] = replace(self.presences[-1], removal=removal)

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
    at = edit.edition.at
    if found and not _is_another(found[-1], edit, text, others):
        found[-1].edits.append(edit)
        found[-1].text, found[-1].document = text, document
        if found[-1].presences[-1].removal is not None:
            found[-1].presences.append(Presence(at))
    else:
        if found:
            found[-1].end(Removal(edit.edition.commit, at, edit.edition.place))
        found.append(DocumentRun([edit], text, document, [Presence(at)]))


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


def chain_runs(runs: Iterable[DocumentRun]) -> list[list[DocumentRun]]:
    """Return the documents that runs of one identifier are: one that follows another is the same document."""
    documents: list[list[DocumentRun]] = []
    for run in sorted(runs, key=lambda run: run.edits[0].edition.place):
        before = [each for each in documents if _goes_before(each[-1], run)]
        if before:
            max(before, key=lambda each: each[-1].edits[-1].edition.place).append(run)
        else:
            documents.append([run])
    return documents


def _goes_before(former: DocumentRun, later: DocumentRun) -> bool:
    """Return whether a run may be the past of another: it was over by then, or was copied before it went."""
    first, last, removal = later.edits[0], former.edits[-1], former.presences[-1].removal
    if removal is None or last.edition.place > first.edition.place:
        return False
    if removal.place <= first.edition.place:
        return True
    bodies = (last.text.document().body, first.text.document().body)
    return likeness(*bodies) >= MOSTLY_THE_SAME


@dataclass(frozen=True, slots=True)
class Gap:
    """A span of time in which a document is not there, and the commit that removed it."""

    valid: Interval
    commit: str


def gaps_between(runs: Iterable[DocumentRun]) -> tuple[Gap, ...]:
    """Return when a document was not there since it began: between its runs, or for good."""
    spans = sorted(
        (each for run in runs for each in run.presences),
        key=lambda each: (each.since, each.removal is None, each.removal and each.removal.at),
    )
    gaps: list[Gap] = []
    last = spans[0].removal
    for each in spans[1:]:
        if last is None:
            break
        if each.since > last.at:
            gaps.append(Gap(Interval(last.at, each.since), last.commit))
        last = each.removal if each.removal is None or each.removal.at > last.at else last
    return (*gaps, *([] if last is None else [Gap(Interval(last.at), last.commit)]))
