from __future__ import annotations

import base64
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain.page import Position
from app.errors import Invalid
from app.graphql.connections import cursor_of, position_of
from tests.documents import adr, file
from tests.graphql.api import Api

LISTS = {
    name: "query ($first: Int, $after: String, $last: Int, $before: String) {"
    f" page: {name}(first: $first, after: $after, last: $last, before: $before) {{ %s }} }}"
    for name in ("artifacts", "entities", "references")
}
PAGE = """
nodes { id } edges { cursor node { id } } pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
"""
NOON = datetime(2024, 5, 1, 12, tzinfo=UTC)


def encoded(text: str) -> str:
    return base64.urlsafe_b64encode(text.encode()).decode()


async def pages(api: Api, query: str, size: int) -> list[dict[str, Any]]:
    """Return every page of a list, walked by its cursors."""
    found: list[dict[str, Any]] = []
    after = None
    while len(found) < 20:
        page = (await api.ask(query % PAGE, first=size, after=after))["page"]
        found.append(page)
        after = page["pageInfo"]["endCursor"]
        if not page["pageInfo"]["hasNextPage"]:
            break
    return found


@pytest.fixture
async def five(api: Api) -> Api:
    """Five documents within one millisecond, two of them at the same instant, in a ring of references."""
    for number, microseconds in enumerate((123456, 123457, 123457, 123458, 123999), start=1):
        body = f"Record {number}, see ADR-{number - 1}."
        at = NOON + timedelta(microseconds=microseconds)
        payload = await api.file(body, identifier=f"ADR-{number}", createdAt=at.isoformat())
        assert payload["problems"] == []
    return api


@pytest.mark.parametrize(("name", "length"), [("artifacts", 5), ("entities", 5), ("references", 4)])
@pytest.mark.parametrize("size", [1, 2, 3, 100])
async def test_a_walk_sees_every_item_once_to_the_microsecond(
    five: Api, name: str, length: int, size: int
) -> None:
    found = await pages(five, LISTS[name], size)
    ids = [node["id"] for page in found for node in page["nodes"]]
    assert len(ids) == len(set(ids)) == length
    assert len(found) == -(-length // size)
    assert all(page["nodes"] == [edge["node"] for edge in page["edges"]] for page in found)
    assert all(page["pageInfo"]["startCursor"] == page["edges"][0]["cursor"] for page in found)
    assert [page["pageInfo"]["hasPreviousPage"] for page in found] == [False] + [True] * (len(found) - 1)
    assert (await five.ask(LISTS[name] % "totalCount"))["page"]["totalCount"] == length


SORTS = {
    "artifacts": [
        f"orderBy: {{field: {field}, direction: {direction}}}"
        for field in ("CREATED_AT", "IDENTIFIER", "TITLE")
        for direction in ("ASC", "DESC")
    ],
    "entities": [
        f"orderBy: {{field: {field}, direction: {direction}}}"
        for field in ("CREATED_AT", "IDENTIFIER")
        for direction in ("ASC", "DESC")
    ],
    "references": ["asOf: null"],
}


@pytest.mark.parametrize("name", LISTS)
async def test_a_list_read_backwards_is_the_list_in_every_order(five: Api, name: str) -> None:
    """Forward = backward, whatever the order and the size: same items, same cursors, right ends."""
    for sort in SORTS[name]:
        query = LISTS[name].replace("before: $before", f"before: $before, {sort}")
        (whole,) = await pages(five, query, 100)
        for size in (1, 2, 3, 100):
            forward = await pages(five, query, size)
            assert [edge for page in forward for edge in page["edges"]] == whole["edges"], sort
            found: list[dict[str, Any]] = []
            before = None
            while not found or found[0]["pageInfo"]["hasPreviousPage"]:
                found.insert(0, (await five.ask(query % PAGE, last=size, before=before))["page"])
                before = found[0]["pageInfo"]["startCursor"]
            assert [edge for page in found for edge in page["edges"]] == whole["edges"], sort
            assert [page["pageInfo"]["hasNextPage"] for page in found] == [True] * (len(found) - 1) + [False]


async def test_a_list_is_sorted_by_what_was_asked(api: Api) -> None:
    for number, title in ((3, "beta"), (1, "Alpha"), (2, "alpine"), (4, "Émile")):
        await api.file("Text.", identifier=f"ADR-{number}", title=title)
    query = "{ artifacts(orderBy: {field: %s}) { nodes { title } } }"
    titles = {
        field: [node["title"] for node in (await api.ask(query % field))["artifacts"]["nodes"]]
        for field in ("TITLE", "IDENTIFIER", "CREATED_AT")
    }
    assert titles["TITLE"] == ["Alpha", "alpine", "beta", "Émile"]
    assert titles["IDENTIFIER"] == ["Alpha", "alpine", "beta", "Émile"]
    assert titles["CREATED_AT"] == ["beta", "Alpha", "alpine", "Émile"]


async def test_every_list_of_the_api_is_read_from_both_ends(api: Api) -> None:
    schema = await api.ask(
        "{ __schema { types { name fields { name args { name } type { name ofType { name } } } } } }"
    )
    checked = set()
    for type_ in schema["__schema"]["types"]:
        for field in type_["fields"] or ():
            named = field["type"]["name"] or field["type"]["ofType"]["name"] or ""
            if named.endswith("Connection"):
                assert {"first", "after", "last", "before"} <= {each["name"] for each in field["args"]}
                checked.add((type_["name"], field["name"]))
    assert len(checked) >= 10
    filed = await api.file("Text.", identifier="ADR-1")
    for name in ("pendingReferences", "aliasCandidates", "factCandidates", "drafts"):
        page = (await api.ask(f"{{ page: {name}(last: 5) {{ {PAGE} totalCount }} }}"))["page"]
        assert (page["nodes"], page["pageInfo"]["hasNextPage"]) == ([], False)
    query = "query ($id: ID!) { entity(id: $id) { %s(last: 5) { totalCount nodes { id } } } }"
    for name in ("states", "references", "artifacts"):
        page = (await api.ask(query % name, id=filed["entity"]["id"]))["entity"][name]
        assert len(page["nodes"]) == page["totalCount"]


@pytest.mark.parametrize(
    ("asked", "field"),
    [
        ({"first": 1, "last": 1}, "last"),
        ({"first": 0, "last": 0}, "last"),
        ({"last": 1, "after": "x"}, "last"),
        ({"first": 1, "before": "x"}, "before"),
        ({"before": "x"}, "before"),
        ({"last": -1}, "last"),
        ({"last": 101}, "last"),
        ({"last": 1, "before": "x"}, "before"),
    ],
)
async def test_a_page_has_one_end(api: Api, asked: dict[str, Any], field: str) -> None:
    error = await api.refused(LISTS["artifacts"] % "nodes { id }", **asked)
    assert error["extensions"] == {"code": "BAD_USER_INPUT", "field": field}
    literal = ", ".join(
        f"{name}: {value if type(value) is int else repr(value)}" for name, value in asked.items()
    )
    error = await api.refused(f"{{ artifacts({literal}) {{ nodes {{ id }} }} }}".replace("'", '"'))
    assert error["extensions"]["field"] == field


async def test_the_newest_comes_first(five: Api) -> None:
    data = await five.ask("{ artifacts { nodes { createdAt } } }")
    times = [node["createdAt"] for node in data["artifacts"]["nodes"]]
    assert times == sorted(times, reverse=True)


async def test_what_is_filed_between_two_pages_moves_nothing(five: Api) -> None:
    first = (await five.ask(LISTS["artifacts"] % PAGE, first=2))["page"]
    await five.file("Newer than all.", identifier="ADR-99")
    rest = (await five.ask(LISTS["artifacts"] % PAGE, first=100, after=first["pageInfo"]["endCursor"]))[
        "page"
    ]
    assert len(rest["nodes"]) == 3


@pytest.mark.parametrize("first", [-1, 101, -(2**31), 2**31 - 1])
@pytest.mark.parametrize("name", LISTS)
async def test_a_size_out_of_bounds_is_refused(api: Api, name: str, first: int) -> None:
    error = await api.refused(LISTS[name] % "nodes { id }", first=first)
    if error["extensions"].get("limit") != "cost":
        assert error["extensions"] == {"code": "BAD_USER_INPUT", "field": "first"}
        assert "from 0 to 100" in error["message"]


async def test_null_means_the_default_and_zero_means_none(five: Api) -> None:
    query = LISTS["artifacts"] % "nodes { id } pageInfo { hasNextPage endCursor } totalCount"
    assert len((await five.ask(query, first=None, after=None))["page"]["nodes"]) == 5
    nothing = (await five.ask(query, first=0))["page"]
    assert nothing == {
        "nodes": [],
        "pageInfo": {"hasNextPage": True, "endCursor": None},
        "totalCount": 5,
    }


@pytest.mark.parametrize(
    "cursor",
    [
        "",
        "nonsense",
        "é",
        "====",
        encoded("{}"),
        encoded("[]"),
        encoded('["artifacts"]'),
        encoded('["artifacts", 1, "no uuid"]'),
        encoded('["artifacts", "1", "00000000-0000-0000-0000-000000000000"]'),
        encoded('["artifacts", true, "00000000-0000-0000-0000-000000000000"]'),
        encoded('["artifacts", 1.5, "00000000-0000-0000-0000-000000000000"]'),
        encoded('["artifacts", 9223372036854775807, "00000000-0000-0000-0000-000000000000"]'),
        encoded('["artifacts", -9223372036854775807, "00000000-0000-0000-0000-000000000000"]'),
        encoded('["artifacts", 1, null]'),
        encoded('[["artifacts"], 1, "00000000-0000-0000-0000-000000000000"]'),
        encoded("[" * 10_000),
    ],
)
async def test_a_cursor_that_no_list_gave_is_refused(api: Api, cursor: str) -> None:
    error = await api.refused(LISTS["artifacts"] % "nodes { id }", after=cursor)
    assert error["extensions"] == {"code": "BAD_USER_INPUT", "field": "after"}
    assert "leave out after" in error["message"]


async def test_a_cursor_belongs_to_its_list(five: Api) -> None:
    cursor = (await five.ask(LISTS["artifacts"] % PAGE, first=1))["page"]["pageInfo"]["endCursor"]
    error = await five.refused(LISTS["entities"] % "nodes { id }", after=cursor)
    assert error["extensions"] == {"code": "BAD_USER_INPUT", "field": "after"}
    assert "a list of artifacts, not of entities" in error["message"]


@pytest.mark.parametrize(
    ("field", "other"),
    [
        ("entities", 'type: "Retro"'),
        ("entities", "flags: [CURRENT]"),
        ("entities", 'asOf: "2030-01-01T00:00:00Z"'),
        ("artifacts", 'kind: "ADR"'),
        ("artifacts", 'identifier: "ADR-1"'),
        ("references", "type: SUPERSEDES"),
        ("artifacts", 'text: "queue"'),
        ("artifacts", 'source: "docs/"'),
        ("artifacts", 'createdFrom: "2020-01-01T00:00:00Z"'),
        ("artifacts", "orderBy: {field: TITLE}"),
        ("entities", "orderBy: {field: CREATED_AT}"),
    ],
)
async def test_a_cursor_belongs_to_the_arguments_of_its_list(five: Api, field: str, other: str) -> None:
    first = await five.ask(f"{{ {field}(first: 1) {{ nodes {{ id }} pageInfo {{ endCursor }} }} }}")
    cursor = first[field]["pageInfo"]["endCursor"]
    error = await five.refused(f'{{ {field}(after: "{cursor}", {other}) {{ nodes {{ id }} }} }}')
    assert error["extensions"] == {"code": "BAD_USER_INPUT", "field": "after"}
    assert "with other arguments" in error["message"]


@given(
    st.datetimes(timezones=st.just(UTC), min_value=datetime(1, 1, 1), max_value=datetime(9999, 12, 31)),
    st.uuids(),
)
def test_a_cursor_keeps_its_position(at: datetime, id: UUID) -> None:
    position = Position(at, id)
    assert position_of("things", cursor_of("things", position)) == position


@given(st.text())
def test_no_text_breaks_the_reading_of_cursors(text: str) -> None:
    with pytest.raises(Invalid):
        position_of("things", text)


async def test_a_history_and_an_entitys_lists_are_walked_alike(api: Api) -> None:
    for number in range(1, 5):
        at = NOON + timedelta(days=number)
        await file(api.memory, adr(1, f"Title {number}", created_at=at))
    (entity,) = (await api.ask("{ entities { nodes { id } } }"))["entities"]["nodes"]
    query = """
    query ($id: ID!, $first: Int, $after: String) {
      entity(id: $id) {
        states(first: $first, after: $after) { totalCount nodes { props } pageInfo { hasNextPage endCursor } }
        artifacts(first: $first) { totalCount nodes { title } pageInfo { hasNextPage } }
      }
    }
    """
    first = (await api.ask(query, id=entity["id"], first=3))["entity"]
    assert [node["props"]["title"] for node in first["states"]["nodes"]] == ["Title 1", "Title 2", "Title 3"]
    assert first["states"]["totalCount"] == first["artifacts"]["totalCount"] == 4
    assert [node["title"] for node in first["artifacts"]["nodes"]] == ["Title 4", "Title 3", "Title 2"]
    after = first["states"]["pageInfo"]["endCursor"]
    last = (await api.ask(query, id=entity["id"], first=3, after=after))["entity"]["states"]
    assert [node["props"]["title"] for node in last["nodes"]] == ["Title 4"]
    assert last["pageInfo"]["hasNextPage"] is False


async def test_nobodys_list_is_empty(api: Api) -> None:
    query = "query ($id: ID!) { references(source: $id) { totalCount nodes { id } } }"
    for id in (str(uuid4()), "not an id"):
        assert (await api.ask(query, id=id))["references"] == {"totalCount": 0, "nodes": []}
