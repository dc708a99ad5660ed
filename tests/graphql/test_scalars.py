from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest
from graphql import GraphQLError
from hypothesis import given
from hypothesis import strategies as st
from starlette.testclient import TestClient

from app.graphql.scalars import MAX_INTEGER, MAX_JSON_DEPTH, parse_instant, parse_json, print_instant

OFFSETS = st.integers(-14 * 60, 14 * 60).map(lambda minutes: timezone(timedelta(minutes=minutes)))
INSTANTS = st.datetimes(datetime(2, 1, 1), datetime(9998, 12, 31), timezones=OFFSETS)


@pytest.mark.parametrize(
    ("written", "instant"),
    [
        ("2026-01-31T09:30:00Z", datetime(2026, 1, 31, 9, 30, tzinfo=UTC)),
        ("2026-01-31t09:30:00z", datetime(2026, 1, 31, 9, 30, tzinfo=UTC)),
        ("2026-01-31T09:30:00.1Z", datetime(2026, 1, 31, 9, 30, 0, 100_000, tzinfo=UTC)),
        ("2026-01-31T09:30:00.123456Z", datetime(2026, 1, 31, 9, 30, 0, 123_456, tzinfo=UTC)),
        ("2026-01-31T09:30:00.123456789Z", datetime(2026, 1, 31, 9, 30, 0, 123_456, tzinfo=UTC)),
        ("2026-01-31T01:30:00+02:00", datetime(2026, 1, 30, 23, 30, tzinfo=UTC)),
        ("2026-01-31T09:30:00-00:00", datetime(2026, 1, 31, 9, 30, tzinfo=UTC)),
    ],
)
def test_an_instant_is_read_and_kept_in_utc(written: str, instant: datetime) -> None:
    assert parse_instant(written) == instant
    assert parse_instant(written).tzinfo is UTC


@given(INSTANTS)
def test_what_is_printed_reads_back_as_the_same_instant(instant: datetime) -> None:
    printed = print_instant(instant)
    assert printed.endswith("Z")
    assert parse_instant(printed) == instant


def test_a_time_without_an_offset_is_refused_with_what_to_do() -> None:
    with pytest.raises(GraphQLError, match=r"has no offset: add Z for UTC"):
        parse_instant("2026-01-31T09:30:00")


@pytest.mark.parametrize(
    "written",
    [
        "2026-01-31",
        "2026-01-31 09:30:00Z",
        "2026-01-31T09:30Z",
        "2026-01-31T09:30:00+02",
        "2026-01-31T09:30:00,5Z",
        "20260131T093000Z",
        "2026-W05-6T09:30:00Z",
        "٢٠٢٦-01-31T09:30:00Z",
        "2026-01-31T09:30:00Z\n",
        "now",
        "",
        1_769_851_800,
        1.5,
        True,
        ["2026-01-31T09:30:00Z"],
        {},
    ],
)
def test_what_is_no_rfc_3339_is_refused_with_an_example(written: object) -> None:
    with pytest.raises(GraphQLError, match=r"such as 2026-01-31T09:30:00Z"):
        parse_instant(written)


@pytest.mark.parametrize(
    "written",
    [
        "2026-02-30T00:00:00Z",
        "2026-01-01T25:00:00Z",
        "2026-01-01T23:59:60Z",
        "2026-01-01T00:00:00+25:00",
        "0000-01-01T00:00:00Z",
        "0001-01-01T00:00:00+14:00",
        "9999-12-31T23:59:59-14:00",
    ],
)
def test_a_moment_outside_the_calendar_is_refused(written: str) -> None:
    with pytest.raises(GraphQLError, match="not a valid date and time"):
        parse_instant(written)


def test_a_time_without_an_offset_is_never_printed() -> None:
    with pytest.raises(TypeError, match="without an offset"):
        print_instant(datetime(2026, 1, 31))


@pytest.mark.parametrize(
    "value", [None, True, 0, 1.5, "text", [], {}, {"a": [1, {"b": None}]}, MAX_INTEGER, -(2**63)]
)
def test_json_is_kept_as_it_is(value: object) -> None:
    assert parse_json(value) == value


@pytest.mark.parametrize(
    "value", [2**63, -(2**63) - 1, {"a": [2**70]}, float("inf"), [float("nan")], {"a": -float("inf")}]
)
def test_a_number_that_json_readers_would_change_is_refused(value: object) -> None:
    with pytest.raises(GraphQLError, match="64 bits"):
        parse_json(value)


def nested(levels: int) -> object:
    value: object = 1
    for _ in range(levels):
        value = [value]
    return value


def test_json_that_nests_too_deeply_to_be_written_again_is_refused() -> None:
    assert parse_json(nested(MAX_JSON_DEPTH)) == nested(MAX_JSON_DEPTH)
    with pytest.raises(GraphQLError, match="levels deep"):
        parse_json(nested(MAX_JSON_DEPTH + 1))


@pytest.mark.parametrize(
    ("query", "variables"),
    [
        ("query A($at: DateTime!) { instant(at: $at) }", {"at": "2026-01-31T01:30:00.000001+02:00"}),
        ('{ instant(at: "2026-01-31T01:30:00.000001+02:00") }', None),
    ],
)
def test_an_instant_travels_through_the_api(
    client: TestClient, query: str, variables: dict[str, Any] | None
) -> None:
    response = client.post("/graphql", json={"query": query, "variables": variables})
    assert response.json()["data"] == {"instant": "2026-01-30T23:30:00.000001Z"}


@pytest.mark.parametrize(
    ("query", "variables", "code"),
    [
        ("query A($at: DateTime!) { instant(at: $at) }", {"at": "2026-01-31T01:30:00"}, "BAD_USER_INPUT"),
        ('{ instant(at: "2026-01-31T01:30:00") }', None, "GRAPHQL_VALIDATION_FAILED"),
        ("{ instant(at: 5) }", None, "GRAPHQL_VALIDATION_FAILED"),
    ],
)
def test_a_refused_instant_says_why(
    client: TestClient, query: str, variables: dict[str, Any] | None, code: str
) -> None:
    [error] = client.post("/graphql", json={"query": query, "variables": variables}).json()["errors"]
    assert error["extensions"]["code"] == code
    assert "2026-01-31" in error["message"]


def test_json_travels_through_the_api_in_literals_and_variables(client: TestClient) -> None:
    literal = '{ a: [1, 2.5, null, "x", { b: $v }] }'
    query = f"query A($v: Int, $w: JSON!) {{ json(value: {literal}) again: json(value: $w) }}"
    variables = {"v": 3, "w": {"deep": [{"er": "🚀"}]}}
    response = client.post("/graphql", json={"query": query, "variables": variables})
    assert response.json()["data"] == {
        "json": {"a": [1, 2.5, None, "x", {"b": 3}]},
        "again": variables["w"],
    }


@pytest.mark.parametrize("literal", ["1e400", "99999999999999999999", "{ a: [1e999] }"])
def test_a_json_literal_out_of_range_is_refused(client: TestClient, literal: str) -> None:
    [error] = client.post("/graphql", json={"query": f"{{ json(value: {literal}) }}"}).json()["errors"]
    assert error["extensions"]["code"] == "GRAPHQL_VALIDATION_FAILED"


def test_both_scalars_say_what_they_are(client: TestClient) -> None:
    query = "query A($n: String!) { __type(name: $n) { description specifiedByURL } }"
    for name, rfc in (("DateTime", "rfc3339"), ("JSON", "rfc8259")):
        response = client.post("/graphql", json={"query": query, "variables": {"n": name}})
        described = response.json()["data"]["__type"]
        assert described["specifiedByURL"].endswith(rfc)
        assert described["description"]
