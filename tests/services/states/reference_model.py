"""What a ledger of one thing should answer, in plain Python: a log of what was said of each property.

A property is what was said of it last, by the instant from which it was said to be so. What was believed is
kept as a copy per moment of belief. None of this knows of states that are cut, carried on or recorded again.
"""

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

Props = dict[str, Any]


@dataclass(slots=True)
class Draft:
    """What a draft said over a stretch of time."""

    start: datetime
    props: Props
    end: datetime | None = None


@dataclass(slots=True)
class Belief:
    """What is believed at one moment: what always holds, where states start, what was said, all drafts."""

    constant: Props
    starts: set[datetime] = field(default_factory=set)
    said: dict[str, dict[datetime, Any]] = field(default_factory=dict)
    drafts: list[Draft] = field(default_factory=list)

    def say(self, start: datetime, props: Props) -> None:
        """Let properties hold from an instant on."""
        self.starts.add(start)
        for name, value in props.items():
            self.said.setdefault(name, {})[start] = value

    def committed(self, valid: datetime) -> Props | None:
        """Return what is in force at an instant, None before there is anything."""
        if valid < min(self.starts):
            return None
        return self.constant | {
            name: value
            for name, log in self.said.items()
            if (before := [start for start in log if start <= valid])
            and (value := log[max(before)]) is not None
        }

    def draft(self, valid: datetime) -> Props | None:
        """Return what the draft says at an instant, None when there is none."""
        for each in self.drafts:
            if each.start <= valid and (each.end is None or valid < each.end):
                return each.props
        return None


class Reference:
    """Everything that was ever believed of one thing."""

    def __init__(self, known: datetime, start: datetime, constant: Props, props: Props) -> None:
        self.now = Belief(constant)
        self.now.say(start, props)
        self.saved: set[str] = set()
        self._copies: list[tuple[datetime, Belief]] = []
        self.remember(known)

    @property
    def draft(self) -> Draft | None:
        """The open draft."""
        return next((each for each in self.now.drafts if each.end is None), None)

    @property
    def moments_of_belief(self) -> list[datetime]:
        return [known for known, _ in self._copies]

    @property
    def instants(self) -> list[datetime]:
        """Every instant at which something starts or ends, in any belief."""
        drafts = [each for _, belief in self._copies for each in belief.drafts]
        bounds = {each.start for each in drafts} | {each.end for each in drafts if each.end is not None}
        return sorted(bounds.union(*(belief.starts for _, belief in self._copies)))

    def remember(self, known: datetime) -> None:
        """Keep what is believed from a moment on."""
        self._copies.append((known, deepcopy(self.now)))

    def believed(self, known: datetime) -> Belief | None:
        """Return what was believed at a moment, None before anything was."""
        return next((belief for since, belief in reversed(self._copies) if since <= known), None)

    def save(self, at: datetime, props: Props) -> None:
        """Lay properties over the draft, begun from what is in force."""
        open_draft = self.draft
        first = min(self.now.starts)
        base = self.now.committed(max(at, first)) if open_draft is None else open_draft.props
        if open_draft is None:
            self.saved = set()
        else:
            open_draft.end = at
        laid = {name: value for name, value in {**(base or {}), **props}.items() if value is not None}
        self.saved |= props.keys()
        self.now.drafts.append(Draft(at, laid))

    def seal(self, at: datetime, props: Props) -> bool:
        """Let what was saved in the draft be in force; answer whether what is in force differs from it."""
        draft = self.discard(at)
        self.now.say(at, {name: draft.props.get(name) for name in self.saved} | props)
        return repr(sorted((self.now.committed(at) or {}).items())) != repr(sorted(draft.props.items()))

    def discard(self, at: datetime) -> Draft:
        """End the draft, and answer it."""
        draft = self.draft
        assert draft is not None
        draft.end = at
        return draft
