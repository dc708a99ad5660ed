"""Resolve an entity's status while others supersede it, by one rule for every source and order of arrival.

The last asserted status holds. While an entity in force supersedes this one, the status is superseded
instead, unless the asserted status is itself historical, or was stated as a fact since then.
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
from app.domain.status_words import NO_TEAM_WORDS, SUPERSEDED, TeamWords, flag_of_status, was_in_force
from app.domain.temporal import EntityState, Interval, merge_intervals


class StatusSource(StrEnum):
    """The source of a status, which decides its precedence over other sources."""

    RECORD = "RECORD"
    """A document as of its own date; it may have been written long afterwards."""
    EDITION = "EDITION"
    """A document's text at that moment, as a commit left it."""
    ROW = "ROW"
    """A fact of an imported history of facts: true until the next one, whatever other sources say."""
    CALLER = "CALLER"
    """A fact that somebody stated."""


@dataclass(frozen=True, slots=True)
class StatusAssertion:
    """A status asserted from a moment on; None if it was removed."""

    at: datetime
    source: StatusSource
    status: Any


@dataclass(frozen=True, slots=True)
class StatusHistory:
    """An entity's asserted statuses in order of time, and the moments of all its assertions.

    `team` are the status words of its project.
    """

    assertions: Sequence[StatusAssertion]
    moments: frozenset[datetime]
    team: TeamWords = NO_TEAM_WORDS


def resolve_status(
    line: Sequence[EntityState], spans: Sequence[Interval], history: StatusHistory
) -> list[EntityState]:
    """Return the states of a line while others supersede its entity over these spans.

    An unchanged state is returned itself, the others have new ids. The result does not depend on earlier
    applications of the rule to the line.
    """
    assertions, lasting = history.assertions, merge_intervals(spans)
    moments = {each.at for each in assertions} | {each.start for each in lasting}
    moments |= {each.end for each in lasting if each.end is not None}
    pieces = [
        _apply_supersession(piece, lasting, history)
        for state in without_supersession(line, assertions)
        for piece in _split(state, sorted(moments))
    ]
    if lasting:
        pieces = _without_hindsight(pieces, lasting[0].start, history)
    held = {state.valid: state for state in line}
    return [_reuse_state(held.get(piece.valid), piece) for piece in _join_pieces(pieces, history.moments)]


def without_supersession(
    line: Sequence[EntityState], assertions: Sequence[StatusAssertion]
) -> list[EntityState]:
    """Return the states of a line as if nothing superseded its entity."""
    return [_without_superseded(state, assertions) for state in line]


def _without_superseded(state: EntityState, assertions: Sequence[StatusAssertion]) -> EntityState:
    if state.props.get("status") not in (SUPERSEDED, None):
        return state
    said = _last_assertion(state.valid.start, assertions)
    return _with_status(state, None if said is None else said.status)


def _last_assertion(moment: datetime, assertions: Sequence[StatusAssertion]) -> StatusAssertion | None:
    """Return the last assertion up to a moment."""
    return next((each for each in reversed(assertions) if each.at <= moment), None)


def _apply_supersession(state: EntityState, spans: Sequence[Interval], history: StatusHistory) -> EntityState:
    at, assertions = state.valid.start, history.assertions
    span = next((each for each in spans if each.covers(at)), None)
    if (
        span is None
        or is_over(state, history.team)
        or _outranks_supersession(span, _last_assertion(at, assertions), assertions)
    ):
        return state
    return _with_status(state, SUPERSEDED)


def _outranks_supersession(
    span: Interval, said: StatusAssertion | None, assertions: Sequence[StatusAssertion]
) -> bool:
    """Return whether a status holds even though something supersedes its entity."""
    if said is None or said.source not in (StatusSource.CALLER, StatusSource.ROW):
        return False
    followed = any(each.source is StatusSource.ROW and each.at > said.at for each in assertions)
    return said.at >= span.start or (said.source is StatusSource.ROW and followed)


def _without_hindsight(
    pieces: Sequence[EntityState], first: datetime, history: StatusHistory
) -> list[EntityState]:
    """Remove, before the first supersession, a superseded status that a record stated in hindsight.

    The entity's status until then is unknown. A rejected one keeps its status, and a later record counts from
    its own date.
    """
    assertions = history.assertions
    until = [each for each in assertions if each.at <= first]
    if (
        not until
        or until[0].source is not StatusSource.RECORD
        or not all(_was_in_force(each, history.team) for each in until)
    ):
        return list(pieces)
    written = until[0]
    return [
        _with_status(piece, None)
        if piece.valid.start < first and _last_assertion(piece.valid.start, assertions) is written
        else piece
        for piece in pieces
    ]


def is_over(state: EntityState, team: TeamWords = NO_TEAM_WORDS) -> bool:
    """Return whether the status of a state is historical."""
    return _says_it_is_over(state.props.get("status"), team)


def _was_in_force(saying: StatusAssertion, team: TeamWords) -> bool:
    return _says_it_is_over(saying.status, team) and was_in_force(saying.status, team)


def _says_it_is_over(status: Any, team: TeamWords) -> bool:
    return isinstance(status, str) and flag_of_status(status, team) is StateFlag.HISTORICAL


def _with_status(state: EntityState, status: Any) -> EntityState:
    rest = {name: value for name, value in state.props.items() if name != "status"}
    return replace(state, props=rest if status is None else {**rest, "status": status})


def _split(state: EntityState, moments: Sequence[datetime]) -> list[EntityState]:
    """Return a state split at these moments, each piece with a new id."""
    inside = [each for each in moments if state.valid.start < each and state.valid.covers(each)]
    starts = [state.valid.start, *inside]
    return [
        replace(state, id=uuid4(), valid=Interval(start, end))
        for start, end in pairwise([*starts, state.valid.end])
        if start is not None
    ]


def _join_pieces(pieces: Sequence[EntityState], moments: frozenset[datetime]) -> list[EntityState]:
    """Return the pieces, with equal neighbours joined where no assertion separates them."""
    found: list[EntityState] = []
    for piece in pieces:
        if found and piece.valid.start not in moments and _say_the_same(found[-1], piece):
            found[-1] = replace(found[-1], valid=Interval(found[-1].valid.start, piece.valid.end))
        else:
            found.append(piece)
    return found


def _say_the_same(one: EntityState, other: EntityState) -> bool:
    return one.props == other.props and one.source_artifact == other.source_artifact


def _reuse_state(held: EntityState | None, piece: EntityState) -> EntityState:
    return held if held is not None and _say_the_same(held, piece) else piece
