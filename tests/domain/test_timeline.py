"""Beliefs laid over each other in any order, against one dictionary per moment of belief."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain.temporal import Branch, EntityState, Interval
from app.domain.timeline import Assertion, PropertyChange, assert_from, differ

ENTITY = UUID(int=1)
ORIGIN = datetime(2020, 1, 1, tzinfo=UTC)

starts = st.integers(0, 12)
assertions = st.lists(st.tuples(starts, st.integers(0, 3)), min_size=1, max_size=12)


def _at(number: float) -> datetime:
    return ORIGIN + timedelta(days=number)


def _says(value: object) -> Assertion:
    return Assertion(ENTITY, {"value": value}, None, "ada")


class Book:
    """Rows as the ledger keeps them: added, and given up once, never changed."""

    def __init__(self) -> None:
        self.rows: dict[UUID, EntityState] = {}

    @property
    def believed(self) -> list[EntityState]:
        held = [row for row in self.rows.values() if row.retracted_at is None]
        return sorted(held, key=lambda row: row.valid.start)

    def carry_out(self, change: PropertyChange, moment: datetime) -> None:
        for retracted in change.retracted:
            assert self.rows[retracted].retracted_at is None
            self.rows[retracted] = replace(self.rows[retracted], retracted_at=moment)
        for recorded in change.recorded:
            assert recorded.id not in self.rows
            assert recorded.recorded_at == moment
            self.rows[recorded.id] = recorded
        assert change.new in change.recorded

    def say(self, start: int, value: object, moment: datetime) -> None:
        self.carry_out(assert_from(self.believed, _says(value), _at(start), moment), moment)

    def value(self, valid: datetime, known: datetime) -> object:
        held = [
            row.props["value"]
            for row in self.rows.values()
            if row.valid.covers(valid)
            and row.recorded_at <= known
            and (row.retracted_at is None or known < row.retracted_at)
        ]
        assert len(held) <= 1
        return held[0] if held else None


def _tiles(timeline: list[EntityState]) -> bool:
    meets = all(earlier.valid.end == later.valid.start for earlier, later in pairwise(timeline))
    return meets and timeline[-1].valid.end is None


def _expected(beliefs: dict[int, object], moment: float) -> object:
    before = [start for start in beliefs if start <= moment]
    return beliefs[max(before)] if before else None


@given(assertions)
def test_every_moment_of_belief_keeps_its_answer(said: list[tuple[int, int]]) -> None:
    book = Book()
    believed: list[dict[int, object]] = [{}]
    for step, (start, value) in enumerate(said, start=1):
        book.say(start, value, _at(1000 + step))
        believed.append(believed[-1] | {start: value})
        assert _tiles(book.believed)
    for step, beliefs in enumerate(believed):
        for moment in (half / 2 for half in range(-1, 27)):
            assert book.value(_at(moment), _at(1000 + step)) == _expected(beliefs, moment)


@given(assertions, starts)
def test_an_event_leads_from_the_state_just_before(said: list[tuple[int, int]], start: int) -> None:
    book = Book()
    for step, (each, value) in enumerate(said, start=1):
        book.say(each, value, _at(1000 + step))
    change = assert_from(book.believed, _says("new"), _at(start), _at(2000))
    first = book.believed[0].valid.start
    if _at(start) < first:
        assert change.previous is None
        assert change.new.valid == Interval(_at(start), first)
    else:
        assert change.previous is not None
        key = (change.previous.valid.start, change.previous.recorded_at)
        assert key < (change.new.valid.start, change.new.recorded_at)


def test_a_correction_of_equal_start_replaces_the_state() -> None:
    first = assert_from([], _says(1), _at(0), _at(1000)).new
    change = assert_from([first], _says(2), _at(0), _at(1001))
    assert change.retracted == (first.id,)
    assert change.recorded == (change.new,)
    assert change.previous == first


def test_what_is_cut_keeps_its_words_and_its_source() -> None:
    source = UUID(int=9)
    said = Assertion(ENTITY, {"value": 1}, source, "eve", Branch.COMMITTED)
    first = assert_from([], said, _at(0), _at(1000)).new
    change = assert_from([first], _says(2), _at(5), _at(1001))
    before = change.previous
    assert before is not None
    assert (before.props, before.source_artifact, before.actor) == (first.props, source, "eve")
    assert before.valid == Interval(_at(0), _at(5))
    assert before.id != first.id


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        (1e16, 10_000_000_000_000_000, False),
        ([{"a": 2.0}], [{"a": 2}], False),
        (-0.0, 0, False),
        (0.5, 0, True),
        (True, 1, True),
        ("1", 1, True),
        (None, {}, True),
    ],
)
def test_numbers_are_the_same_however_they_are_written(one: object, other: object, expected: bool) -> None:
    assert differ(one, other) is expected
