"""Instants and intervals."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest

from app.domain.temporal import AsOf, Interval, find_gaps, require_offset, written_moment
from app.errors import Invalid

START = datetime(2025, 3, 1, tzinfo=UTC)
NAIVE = datetime(2025, 3, 1)
BERLIN = timezone(timedelta(hours=1))


def test_a_moment_without_an_offset_names_no_instant() -> None:
    """TIM-01."""
    with pytest.raises(Invalid, match="validFrom needs an offset") as refused:
        require_offset(NAIVE, "validFrom")
    assert refused.value.field == "validFrom"
    for valid, known in ((NAIVE, START), (START, NAIVE)):
        with pytest.raises(Invalid, match="needs an offset"):
            AsOf(valid, known)


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("2025-03-01", START),
        ("2025-03-01T01:00:00+01:00", START),
        ("2025-03-01T00:00:00", NAIVE),
        ("last week", None),
        ("0001-01-01T00:00:00+14:00", None),
        ("9999-12-31T23:00:00-14:00", None),
    ],
)
def test_a_moment_is_read_as_it_is_written(text: str, moment: datetime | None) -> None:
    if moment is None:
        with pytest.raises(ValueError, match=r"."):
            written_moment(text)
    else:
        assert written_moment(text) == moment


def test_an_interval_holds_its_start_and_not_its_end() -> None:
    """TIM-05: the same instant in any zone."""
    interval = Interval(START, START + timedelta(days=1))
    assert interval.covers(START)
    assert interval.covers(START.astimezone(BERLIN))
    assert not interval.covers(interval.end or START)
    assert not interval.covers(START - timedelta(microseconds=1))
    assert Interval(START).covers(datetime.max.replace(tzinfo=UTC))


@pytest.mark.parametrize("end", [START, START - timedelta(days=1), START.astimezone(BERLIN)])
def test_an_interval_ends_after_it_starts(end: datetime) -> None:
    """TIM-13."""
    with pytest.raises(Invalid, match="end after it starts"):
        Interval(START, end)


@pytest.mark.parametrize(("start", "end"), [(NAIVE, None), (START, NAIVE)])
def test_an_interval_needs_offsets(start: datetime, end: datetime | None) -> None:
    with pytest.raises(Invalid, match="needs an offset"):
        Interval(start, end)


def test_what_no_interval_covers_is_told_in_order() -> None:
    days = [START + timedelta(days=number) for number in range(7)]
    covered = [Interval(days[4]), Interval(days[1], days[2]), Interval(days[2], days[3])]
    asked = {number: find_gaps(days[number], covered) for number in (0, 1, 2, 3, 5)}
    assert asked == {
        0: [Interval(days[0], days[1]), Interval(days[3], days[4])],
        1: [Interval(days[3], days[4])],
        2: [Interval(days[3], days[4])],
        3: [Interval(days[3], days[4])],
        5: [],
    }
    assert find_gaps(days[3], [Interval(days[1], days[2])]) == [Interval(days[3])]
    assert find_gaps(days[5], [Interval(days[4], days[6])]) == [Interval(days[6])]
