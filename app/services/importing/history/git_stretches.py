"""Which editions are of one document: a file may come to hold another, and a document may move elsewhere."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TypeAlias

from app.domain.artifact import Document
from app.domain.identifier import identifier_key
from app.services.importing.history.git_lineage import Edition
from app.services.importing.history.telling import HistoricState

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
class Stretch:
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


def add_edition(found: list[Stretch], edit: Edit, text: str, document: Document, others: Others) -> None:
    """Add an edition of a file to the document it is of: the file's last one, or another from here on."""
    if found and not _is_another(found[-1], edit, text, others):
        found[-1].edits.append(edit)
        found[-1].text, found[-1].document = text, document
    else:
        found.append(Stretch([edit], text, document))


def _is_another(before: Stretch, edit: Edit, text: str, others: Others) -> bool:
    """Tell whether a file holds another document than before.

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
    """Answer how many of their words two texts share, from 0 to 1, whatever their order; numbers are none."""
    first, second = (Counter(_WORDS.findall(text)) for text in (one, other))
    most = max(first.total(), second.total())
    return (first & second).total() / most if most else 1.0


def by_identifier(stretches: Iterable[Stretch]) -> dict[str, list[Stretch]]:
    """Answer the stretches that stated an identifier, by the key of the last one."""
    found: dict[str, list[Stretch]] = defaultdict(list)
    for stretch in stretches:
        for identifier in stretch.identifiers[:1]:
            found[identifier_key(identifier)].append(stretch)
    return found


def with_past(standing: Stretch, former: Iterable[Stretch]) -> list[Edit]:
    """Answer the editions of a document with those it had in other files before, one file after the other."""
    edits, since = list(standing.edits), standing.since
    for each in sorted(former, key=lambda each: each.until, reverse=True):
        if each.until <= since:
            edits, since = [*each.edits, *edits], each.since
    return edits
