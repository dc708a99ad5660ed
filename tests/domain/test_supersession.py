"""From when on one thing that is said to supersede another really does."""

from __future__ import annotations

from datetime import datetime
from uuid import uuid4

import pytest

from app.domain.supersession import DatedStatus, Succession
from app.domain.temporal import Interval
from tests.documents import day

Statuses = list[tuple[datetime, str | None]]


def statuses(given: Statuses) -> tuple[DatedStatus, ...]:
    ends = [*(start for start, _ in given[1:]), None]
    return tuple(
        DatedStatus(Interval(start, end), status)
        for (start, status), end in zip(given, ends[: len(given)], strict=True)
    )


def succession(
    given: Statuses,
    valid: Interval | None = None,
    stated_from: datetime | None = None,
    *,
    by_predecessor: bool = False,
) -> Succession:
    valid = valid or Interval(day(2020))
    stated_from = stated_from or valid.start
    return Succession(uuid4(), uuid4(), valid, stated_from, by_predecessor, statuses(given))


@pytest.mark.parametrize(
    ("given", "effective"),
    [
        pytest.param([(day(2020), "Accepted")], day(2020), id="in force at once"),
        pytest.param([(day(2020), None)], day(2020), id="no status is in force"),
        pytest.param([(day(2020), "Some word")], day(2020), id="an unknown word is in force"),
        pytest.param([(day(2019), "Accepted")], day(2020), id="not before it is stated"),
        pytest.param([(day(2020), "Proposed")], None, id="a proposal"),
        pytest.param([(day(2020), "Rejected")], None, id="never in force"),
        pytest.param(
            [(day(2020), "Draft"), (day(2021), "Withdrawn")], None, id="withdrawn before acceptance"
        ),
        pytest.param([(day(2020), "Draft"), (day(2021), "Final")], day(2021), id="accepted later"),
        pytest.param([(day(2020), "Accepted"), (day(2021), "Rejected")], day(2020), id="rejected afterwards"),
        pytest.param([(day(2020), "Superseded")], day(2020), id="told of when it was over"),
        pytest.param([(day(2020), "Draft"), (day(2021), "superseded")], None, id="a draft superseded"),
        pytest.param(
            [(day(2018), "Accepted"), (day(2019), "Draft")], None, id="in force only before it is stated"
        ),
        pytest.param(
            [(day(2018), "Accepted"), (day(2019), "superseded")], day(2020), id="stated when it was over"
        ),
        pytest.param([], None, id="of which nothing is known"),
    ],
)
def test_what_is_or_was_in_force_supersedes(given: Statuses, effective: datetime | None) -> None:
    assert succession(given).effective_from == effective


def test_who_calls_itself_superseded_is() -> None:
    assert succession([(day(2020), "Draft")], by_predecessor=True).effective_from == day(2020)


def test_what_arrives_late_gives_way_to_what_stated_it_in_force() -> None:
    given: Statuses = [(day(2018), "Accepted"), (day(2019), "Withdrawn")]
    assert succession(given, stated_from=day(2018)).effective_from == day(2020)


def test_what_is_stated_no_longer_when_in_force_never_takes_effect() -> None:
    ended = succession([(day(2020), "Draft"), (day(2022), "Final")], Interval(day(2020), day(2022)))
    assert ended.effective_from is None


def test_it_holds_from_when_it_takes_effect_for_as_long_as_it_is_stated() -> None:
    found = succession([(day(2020), "Draft"), (day(2021), "Final")], Interval(day(2020), day(2023)))
    assert [found.holds_at(day(year)) for year in range(2019, 2025)] == [
        False,
        False,
        True,
        True,
        False,
        False,
    ]
