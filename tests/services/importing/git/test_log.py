from __future__ import annotations

from datetime import datetime

import pytest

from app.services.importing.git.log import line_times
from tests.documents import day

NOW = day(2026)


def seconds(*moments: datetime) -> list[int]:
    return [int(moment.timestamp()) for moment in moments]


def test_a_commit_before_its_parent_counts_from_its_parent() -> None:
    times = line_times(seconds(day(2020), day(2010), day(2021)), NOW)
    assert times == [day(2020), day(2020), day(2021)]


@pytest.mark.parametrize("off", [day(2036), day(1970), datetime.fromisoformat("1960-01-01T00:00:00Z")])
def test_a_clock_that_cannot_be_right_counts_from_the_parent(off: datetime) -> None:
    assert line_times(seconds(day(2020), off, day(2021)), NOW) == [day(2020), day(2020), day(2021)]


def test_a_first_commit_whose_clock_cannot_be_right_counts_from_the_next() -> None:
    assert line_times(seconds(day(2036), day(2020)), NOW) == [day(2020), day(2020)]
    assert line_times(seconds(day(2036)), NOW) == [NOW]
