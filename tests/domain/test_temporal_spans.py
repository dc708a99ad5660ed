from __future__ import annotations

from app.domain.temporal import Interval, merge_intervals, part_after, subtract_intervals
from tests.documents import day


def span(start: int, end: int | None = None) -> Interval:
    return Interval(day(start), None if end is None else day(end))


def test_spans_that_touch_or_overlap_are_one() -> None:
    assert merge_intervals([span(2005), span(2001, 2002), span(2002, 2003)]) == [span(2001, 2003), span(2005)]
    assert merge_intervals([span(2001), span(2002, 2003)]) == [span(2001)]


def test_what_is_taken_leaves_the_parts_around_it() -> None:
    assert subtract_intervals(span(2001), [span(2003, 2005)]) == [span(2001, 2003), span(2005)]
    assert subtract_intervals(span(2001, 2004), [span(2003)]) == [span(2001, 2003)]
    assert subtract_intervals(span(2003, 2004), [span(2001)]) == []
    assert subtract_intervals(span(2001, 2002), [span(2005)]) == [span(2001, 2002)]


def test_what_lies_before_a_moment_is_cut_off() -> None:
    assert part_after(span(2001), day(2003)) == [span(2003)]
    assert part_after(span(2001, 2002), day(2003)) == []
    assert part_after(span(2004, 2005), day(2003)) == [span(2004, 2005)]
