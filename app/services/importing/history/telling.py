"""What a history tells of documents, whether it was read from rows or from a repository."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any

from app.domain.artifact import Document, ReferenceClaim
from app.domain.identifier import identifier_key

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
class Told:
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
    """Answer states in order of time; one at the instant of another, or before, counts from right after it.

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

    told: dict[str, Told] = field(default_factory=dict)
    revisions: dict[str, list[Revision]] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.told)

    def start(self, document: Document) -> datetime | None:
        """Answer when a document began: by its own date or by its history, whichever is earlier."""
        told = self._told(document)
        moments = [document.created_at] if document.created_at is not None else []
        return min([*moments, *([told.states[0].at] if told is not None else [])], default=None)

    def last(self, document: Document) -> datetime | None:
        """Answer when the history of a document last changed, None when it tells nothing of it."""
        told = self._told(document)
        return None if told is None else told.changed or told.states[-1].at

    def earlier(self, document: Document) -> list[Revision]:
        """Answer the earlier texts of a document, oldest first."""
        return self.revisions.get(identifier_key(document.identifier), []) if document.identifier else []

    def _told(self, document: Document) -> Told | None:
        return self.told.get(identifier_key(document.identifier)) if document.identifier else None
