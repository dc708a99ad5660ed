"""What an entity is while others supersede it: one rule, whoever says so first and however it is told.

A status holds as it was last said. While something in force supersedes the entity it is superseded instead,
unless that status says itself that it is over, or somebody stated it as a fact since.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from itertools import pairwise
from typing import Any
from uuid import uuid4

from app.domain.recall import StateFlag
from app.domain.status_words import SUPERSEDED, standing, was_in_force
from app.domain.temporal import EntityState, Interval, joined


class StatusSource(StrEnum):
    """Who says a status, which tells what it is worth against what others say."""

    RECORD = "RECORD"
    """A document as of its own date: it may have been written long after."""
    EDITION = "EDITION"
    """A text of the very moment, as a commit left it."""
    ROW = "ROW"
    """A fact of a history that was told as facts: true until the next one, whatever others say."""
    CALLER = "CALLER"
    """A fact that somebody stated."""


@dataclass(frozen=True, slots=True)
class StatusAssertion:
    """A status as it was said from a moment on; None where it was taken away."""

    at: datetime
    voice: StatusSource
    status: Any


@dataclass(frozen=True, slots=True)
class StatusHistory:
    """The statuses that were said of an entity, in order of time, and every moment at which anything was."""

    sayings: Sequence[StatusAssertion]
    moments: frozenset[datetime]


def resolve_status(
    line: Sequence[EntityState], spans: Sequence[Interval], heard: StatusHistory
) -> list[EntityState]:
    """Return what a line of states is while others supersede its entity over these spans.

    A state that stays what it is is answered itself, the others have ids of their own. Whatever the rule made
    of the line before makes no difference.
    """
    sayings, lasting = heard.sayings, joined(spans)
    moments = {each.at for each in sayings} | {each.start for each in lasting}
    moments |= {each.end for each in lasting if each.end is not None}
    pieces = [
        _superseded(piece, lasting, sayings)
        for state in without_supersession(line, sayings)
        for piece in _cut(state, sorted(moments))
    ]
    if lasting:
        pieces = _without_hindsight(pieces, lasting[0].start, sayings)
    held = {state.valid: state for state in line}
    return [_held_or(held.get(piece.valid), piece) for piece in _joined(pieces, heard.moments)]


def without_supersession(
    line: Sequence[EntityState], sayings: Sequence[StatusAssertion]
) -> list[EntityState]:
    """Return what a line would be if nothing superseded its entity."""
    return [_bare(state, sayings) for state in line]


def _bare(state: EntityState, sayings: Sequence[StatusAssertion]) -> EntityState:
    if state.props.get("status") not in (SUPERSEDED, None):
        return state
    said = _heard(state.valid.start, sayings)
    return _with_status(state, None if said is None else said.status)


def _heard(moment: datetime, sayings: Sequence[StatusAssertion]) -> StatusAssertion | None:
    """Return what was said last by a moment."""
    return next((each for each in reversed(sayings) if each.at <= moment), None)


def _superseded(
    state: EntityState, spans: Sequence[Interval], sayings: Sequence[StatusAssertion]
) -> EntityState:
    at = state.valid.start
    span = next((each for each in spans if each.covers(at)), None)
    if span is None or is_over(state) or _stands(span, _heard(at, sayings), sayings):
        return state
    return _with_status(state, SUPERSEDED)


def _stands(span: Interval, said: StatusAssertion | None, sayings: Sequence[StatusAssertion]) -> bool:
    """Return whether a status holds although something supersedes its entity."""
    if said is None or said.voice not in (StatusSource.CALLER, StatusSource.ROW):
        return False
    followed = any(each.voice is StatusSource.ROW and each.at > said.at for each in sayings)
    return said.at >= span.start or (said.voice is StatusSource.ROW and followed)


def _without_hindsight(
    pieces: Sequence[EntityState], first: datetime, sayings: Sequence[StatusAssertion]
) -> list[EntityState]:
    """Take away from before a first moment that the first record says it was superseded: written afterwards.

    What it said until then is not known. One that was rejected says so all along, and a later record is of
    its own date.
    """
    until = [each for each in sayings if each.at <= first]
    if (
        not until
        or until[0].voice is not StatusSource.RECORD
        or not all(_was_in_force(each) for each in until)
    ):
        return list(pieces)
    written = until[0]
    return [
        _with_status(piece, None)
        if piece.valid.start < first and _heard(piece.valid.start, sayings) is written
        else piece
        for piece in pieces
    ]


def is_over(state: EntityState) -> bool:
    """Return whether the status of a state says that it holds no longer."""
    return _says_it_is_over(state.props.get("status"))


def _was_in_force(saying: StatusAssertion) -> bool:
    return _says_it_is_over(saying.status) and was_in_force(saying.status)


def _says_it_is_over(status: Any) -> bool:
    return isinstance(status, str) and standing(status) is StateFlag.HISTORICAL


def _with_status(state: EntityState, status: Any) -> EntityState:
    rest = {name: value for name, value in state.props.items() if name != "status"}
    return replace(state, props=rest if status is None else {**rest, "status": status})


def _cut(state: EntityState, moments: Sequence[datetime]) -> list[EntityState]:
    """Return a state in pieces of ids of their own, cut wherever somebody says something."""
    inside = [each for each in moments if state.valid.start < each and state.valid.covers(each)]
    starts = [state.valid.start, *inside]
    return [
        replace(state, id=uuid4(), valid=Interval(start, end))
        for start, end in pairwise([*starts, state.valid.end])
        if start is not None
    ]


def _joined(pieces: Sequence[EntityState], moments: frozenset[datetime]) -> list[EntityState]:
    """Return pieces with those joined that say the same and were cut where nobody said anything."""
    found: list[EntityState] = []
    for piece in pieces:
        if found and piece.valid.start not in moments and _say_the_same(found[-1], piece):
            found[-1] = replace(found[-1], valid=Interval(found[-1].valid.start, piece.valid.end))
        else:
            found.append(piece)
    return found


def _say_the_same(one: EntityState, other: EntityState) -> bool:
    return one.props == other.props and one.source_artifact == other.source_artifact


def _held_or(held: EntityState | None, piece: EntityState) -> EntityState:
    return held if held is not None and _say_the_same(held, piece) else piece
