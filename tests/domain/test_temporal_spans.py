from __future__ import annotations

from app.domain.temporal import Interval, after, joined, without
from tests.documents import day


def span(start: int, end: int | None = None) -> Interval:
    return Interval(day(start), None if end is None else day(end))


def test_spans_that_touch_or_overlap_are_one() -> None:
    assert joined([span(2005), span(2001, 2002), span(2002, 2003)]) == [span(2001, 2003), span(2005)]
    assert joined([span(2001), span(2002, 2003)]) == [span(2001)]


def test_what_is_taken_leaves_the_parts_around_it() -> None:
    assert without(span(2001), [span(2003, 2005)]) == [span(2001, 2003), span(2005)]
    assert without(span(2001, 2004), [span(2003)]) == [span(2001, 2003)]
    assert without(span(2003, 2004), [span(2001)]) == []
    assert without(span(2001, 2002), [span(2005)]) == [span(2001, 2002)]


def test_what_lies_before_a_moment_is_cut_off() -> None:
    assert after(span(2001), day(2003)) == [span(2003)]
    assert after(span(2001, 2002), day(2003)) == []
    assert after(span(2004, 2005), day(2003)) == [span(2004, 2005)]
