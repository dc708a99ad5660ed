"""What a line of states is while others supersede its entity."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from uuid import uuid4

import pytest

from app.domain.status_resolution import StatusAssertion, StatusHistory, StatusSource, resolve_status
from app.domain.temporal import Branch, EntityState, Interval
from tests.documents import day

RECORD, EDITION, ROW, CALLER = (
    StatusSource.RECORD,
    StatusSource.EDITION,
    StatusSource.ROW,
    StatusSource.CALLER,
)
Statuses = list[tuple[int, str | None]]
ENTITY = uuid4()


def line_of(given_statuses: Statuses) -> list[EntityState]:
    """Return a line by the years in which its states begin, and their statuses."""
    ends = [*(day(year) for year, _ in given_statuses[1:]), None]
    return [
        EntityState(
            id=uuid4(),
            entity=ENTITY,
            branch=Branch.COMMITTED,
            valid=Interval(day(year), end),
            recorded_at=day(2026),
            retracted_at=None,
            props={"title": "T"} if status is None else {"title": "T", "status": status},
            source_artifact=None,
            actor="ada",
        )
        for (year, status), end in zip(given_statuses, ends, strict=True)
    ]


def history_of(*assertions: tuple[int, StatusSource, str | None]) -> StatusHistory:
    found = [StatusAssertion(day(year), source, status) for year, source, status in assertions]
    return StatusHistory(found, frozenset(saying.at for saying in found))


def span(start: int, end: int | None = None) -> Interval:
    return Interval(day(start), None if end is None else day(end))


def statuses_of(line: list[EntityState]) -> Statuses:
    return [(state.valid.start.year, state.props.get("status")) for state in line]


@pytest.mark.parametrize(
    ("assertions", "spans", "expected"),
    [
        pytest.param(
            [(2020, RECORD, "Accepted")],
            [span(2022)],
            [(2020, "Accepted"), (2022, "superseded")],
            id="a text gives way",
        ),
        pytest.param(
            [(2020, EDITION, "Accepted"), (2024, EDITION, "Final")],
            [span(2022)],
            [(2020, "Accepted"), (2022, "superseded"), (2024, "superseded")],
            id="a later text gives way as well",
        ),
        pytest.param(
            [(2020, RECORD, "Accepted"), (2024, RECORD, "Deprecated")],
            [span(2022)],
            [(2020, "Accepted"), (2022, "superseded"), (2024, "Deprecated")],
            id="what is over by its own word is that",
        ),
        pytest.param(
            [(2020, RECORD, "Accepted"), (2024, CALLER, "Active")],
            [span(2022)],
            [(2020, "Accepted"), (2022, "superseded"), (2024, "Active")],
            id="a fact that was stated since holds",
        ),
        pytest.param(
            [(2020, RECORD, "Draft"), (2021, CALLER, "Active")],
            [span(2022)],
            [(2020, "Draft"), (2021, "Active"), (2022, "superseded")],
            id="a fact that was stated before gives way",
        ),
        pytest.param(
            [(2020, RECORD, "Accepted"), (2023, CALLER, "Active"), (2024, EDITION, "Final")],
            [span(2022)],
            [(2020, "Accepted"), (2022, "superseded"), (2023, "Active"), (2024, "superseded")],
            id="a text after a fact gives way again",
        ),
        pytest.param(
            [(2020, ROW, "Final"), (2024, ROW, "Superseded")],
            [span(2022)],
            [(2020, "Final"), (2024, "Superseded")],
            id="a row holds until the next",
        ),
        pytest.param(
            [(2020, ROW, "Draft"), (2021, ROW, "Final")],
            [span(2022)],
            [(2020, "Draft"), (2021, "Final"), (2022, "superseded")],
            id="the last row gives way to what comes after it",
        ),
        pytest.param(
            [(2020, ROW, "Draft"), (2022, ROW, "Final")],
            [span(2022)],
            [(2020, "Draft"), (2022, "Final")],
            id="a row of the very moment holds",
        ),
        pytest.param(
            [(2020, EDITION, "Accepted")],
            [span(2020)],
            [(2020, "superseded")],
            id="a text of the very moment gives way",
        ),
        pytest.param(
            [(2020, RECORD, "Accepted")],
            [span(2021, 2023), span(2024), span(2022, 2023)],
            [(2020, "Accepted"), (2021, "superseded"), (2023, "Accepted"), (2024, "superseded")],
            id="where nothing supersedes it is what it was",
        ),
        pytest.param(
            [(2020, RECORD, "Superseded by ADR-2")],
            [span(2022)],
            [(2020, None), (2022, "Superseded by ADR-2")],
            id="a record was written afterwards",
        ),
        pytest.param(
            [(2020, RECORD, "Accepted"), (2021, RECORD, "Deprecated")],
            [span(2022)],
            [(2020, "Accepted"), (2021, "Deprecated")],
            id="a later record has a date of its own",
        ),
        pytest.param(
            [(2020, RECORD, "Rejected")],
            [span(2022)],
            [(2020, "Rejected")],
            id="a rejected one was so",
        ),
        pytest.param(
            [(2020, EDITION, "Superseded")],
            [span(2022)],
            [(2020, "Superseded")],
            id="an edition said so at its time",
        ),
        pytest.param(
            [(2020, CALLER, "Deprecated")], [span(2022)], [(2020, "Deprecated")], id="a fact said so as well"
        ),
        pytest.param(
            [(2020, RECORD, "Superseded"), (2021, EDITION, "Superseded")],
            [span(2023)],
            [(2020, None), (2021, "Superseded")],
            id="an edition reaches back no further than it was made",
        ),
        pytest.param(
            [(2020, RECORD, "Deprecated"), (2021, RECORD, "Accepted")],
            [span(2023)],
            [(2020, "Deprecated"), (2021, "Accepted"), (2023, "superseded")],
            id="what was over before it was in force stays so",
        ),
        pytest.param([(2020, RECORD, None)], [], [(2020, None)], id="nothing says anything"),
    ],
)
def test_a_line_gives_way(
    assertions: list[tuple[int, StatusSource, str | None]], spans: list[Interval], expected: Statuses
) -> None:
    """It does so whatever the line was made of before, and doing so twice changes nothing."""
    said = history_of(*assertions)
    line = line_of([(year, status) for year, _, status in assertions])
    given = resolve_status(line, spans, said)
    assert statuses_of(given) == expected
    assert resolve_status(given, spans, said) == given
    for other in ([span(2021)], [span(2019)], [span(2025)], []):
        assert statuses_of(resolve_status(resolve_status(given, other, said), spans, said)) == expected
    assert statuses_of(resolve_status(given, [], said)) == [(year, status) for year, _, status in assertions]


def test_a_state_that_stays_keeps_its_id() -> None:
    line = line_of([(2020, "Draft"), (2021, "Accepted")])
    said = history_of((2020, RECORD, "Draft"), (2021, RECORD, "Accepted"))
    given = resolve_status(line, [span(2022)], said)
    assert given[0] is line[0]
    assert {state.id for state in given[1:]}.isdisjoint({state.id for state in line})


@pytest.mark.parametrize("moments", [[day(2020)], [day(2020), day(2022)]])
def test_a_cut_stays_where_somebody_said_something(moments: list[datetime]) -> None:
    """It goes where only the rule made it."""
    line = line_of([(2020, "Accepted"), (2022, "superseded")])
    said = StatusHistory([StatusAssertion(day(2020), RECORD, "Accepted")], frozenset(moments))
    given = resolve_status(line, [], said)
    assert [state.valid.start for state in given] == moments
    assert {state.props["status"] for state in given} == {"Accepted"}


def test_of_which_nobody_said_a_status_is_again_without_one() -> None:
    line = line_of([(2020, "superseded")])
    assert statuses_of(resolve_status(line, [span(2020, 2022)], history_of())) == [
        (2020, "superseded"),
        (2022, None),
    ]


def test_other_properties_are_left_alone() -> None:
    first, second = line_of([(2020, "Accepted"), (2023, "Accepted")])
    line = [first, replace(second, props={"title": "Another", "status": "Accepted"})]
    given = resolve_status(line, [span(2021)], history_of((2020, EDITION, "Accepted")))
    assert [(state.props["title"], state.props["status"]) for state in given] == [
        ("T", "Accepted"),
        ("T", "superseded"),
        ("Another", "superseded"),
    ]
