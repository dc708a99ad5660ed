from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from graphql import GraphQLObjectType, get_introspection_query, get_named_type, parse
from starlette.testclient import TestClient

from app.graphql.execution import MAX_CACHED_DOCUMENT_LENGTH, checked_documents
from app.graphql.query_cost import (
    MAX_ALIASES,
    MAX_ANSWER,
    MAX_COST,
    MAX_DEPTH,
    MAX_FRAGMENTS,
    MAX_ROOT_FIELDS,
    judge,
)
from app.graphql.query_survey import TEXT_COSTS, UNSIZED_LIST, QuerySurvey, operations
from app.graphql.schema import SCHEMA as API
from tests.graphql.sample import SCHEMA, written

GRAPHQL_SCHEMA = SCHEMA._schema


def limits(query: str, variables: Mapping[str, object] | None = None) -> set[str]:
    verdict = judge(GRAPHQL_SCHEMA, parse(query), variables or {})
    return {str((error.extensions or {})["limit"]) for error in verdict.errors}


def cost(query: str, variables: Mapping[str, object] | None = None) -> int:
    document = parse(query)
    survey = QuerySurvey(GRAPHQL_SCHEMA, document, variables or {})
    [weight] = [survey.operation(node) for node in operations(document)]
    return weight.fixed + UNSIZED_LIST * weight.per_item


def deep(levels: int) -> str:
    """Nest whole within things { nodes }, levels fields deep in all."""
    return "{ things { nodes { " + "whole { " * (levels - 3) + "name" + " }" * (levels - 3) + " } } }"


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("{ greeting }", 1),
        ("{ greeting number }", 2),
        ("{ things { totalCount } }", 2),
        ("{ things { nodes { name } } }", 1 + 20 * 2),
        ("{ things(first: 3) { nodes { name } } }", 1 + 3 * 2),
        ("{ things(last: 3) { nodes { name } } }", 1 + 3 * 2),
        ("{ things(first: 3, last: 4) { nodes { name } } }", 1 + 4 * 2),
        ("{ things(first: null) { nodes { name } } }", 1 + 20 * 2),
        ("{ things(first: 3) { nodes { parts { name } } } }", 1 + 3 * (1 + UNSIZED_LIST * 2)),
        ("{ things(first: 3) { nodes { near(first: 4) { nodes { name } } } } }", 1 + 3 * (2 + 4 * 2)),
        ("{ things(first: 3) { nodes { whole { parts { name } } } } }", 1 + 3 * (2 + UNSIZED_LIST * 2)),
        ("{ things(first: 3) { ...P } } fragment P on ThingPage { nodes { name } }", 1 + 3 * 2),
        ("{ ... on Query { things(first: 3) { ... { nodes { name } } } } }", 1 + 3 * 2),
        ("query A($n: Int = 7) { things(first: $n) { nodes { name } } }", 1 + 7 * 2),
        ("query A($n: Int) { things(first: $n) { nodes { name } } }", 1 + 20 * 2),
        ("{ things(first: -2147483648) { nodes { name } } }", 1 + 20 * 2),
        ("{ nothing { nodes { name } } ...Nothing }", 0),
        ("{ things(first: 3) { nodes { body props t: text } } }", 1 + 3 * (1 + 50 + 5 + 5)),
    ],
)
def test_cost_is_the_product_of_sizes_through_lists(query: str, expected: int) -> None:
    assert cost(query) == expected


@pytest.mark.parametrize(
    ("given", "items"), [(9, 9), (9.0, 9), (-5, 20), (None, 20), ("9", 20), (True, 20), ({}, 20), (0, 20)]
)
def test_a_size_in_a_variable_counts_with_its_value(given: object, items: int) -> None:
    query = "query A($n: Int) { things(first: $n) { nodes { name } } }"
    assert cost(query, {"n": given}) == 1 + items * 2


def test_each_limit_is_served_in_full_and_no_further() -> None:
    aliases = [f"a{number}: name" for number in range(MAX_ALIASES + 1)]
    roots = [f"r{number}: greeting" for number in range(MAX_ROOT_FIELDS + 1)]
    page = (MAX_COST - 1) // 2
    for template, within, beyond, limit in (
        ("{}", deep(MAX_DEPTH), deep(MAX_DEPTH + 1), "depth"),
        ("{{ things {{ nodes {{ {} }} }} }}", " ".join(aliases[1:]), " ".join(aliases), "aliases"),
        ("{{ {} }}", " ".join(roots[1:]), " ".join(roots), "root"),
        ("{{ things(first: {}) {{ nodes {{ name }} }} }}", str(page), str(page + 1), "cost"),
    ):
        assert limits(template.format(within)) == set()
        assert limits(template.format(beyond)) == {limit}


def test_root_fields_are_counted_through_fragments() -> None:
    spreads = " ".join("...R" for _ in range(MAX_ROOT_FIELDS + 1))
    assert limits(f"{{ {spreads} }} fragment R on Query {{ greeting }}") == {"root"}


def test_every_operation_of_a_document_is_judged() -> None:
    assert limits("query A { greeting } query B " + deep(MAX_DEPTH + 1)) == {"depth"}


def bomb(fragments: int, spreads: int = 2) -> str:
    """Fragments that each spread the next one several times."""
    body = " ".join(
        f"fragment F{number} on Thing {{ a{number}: name "
        + " ".join(f"whole {{ ...F{number + 1} }}" for _ in range(spreads))
        + " }"
        for number in range(fragments)
    )
    last = f"fragment F{fragments} on Thing {{ name }}"
    return f"{{ things {{ nodes {{ ...F0 }} }} }} {body} {last}"


def test_a_fragment_bomb_is_weighed_once_a_fragment(monkeypatch: pytest.MonkeyPatch) -> None:
    weighed = 0
    weigh = QuerySurvey.field

    def counted(self: QuerySurvey, *arguments: Any) -> Any:
        nonlocal weighed
        weighed += 1
        return weigh(self, *arguments)

    monkeypatch.setattr(QuerySurvey, "field", counted)
    assert limits(bomb(90)) == {"depth", "aliases", "cost"}
    assert weighed == 2 + 90 * 3 + 1


def test_fragments_that_spread_each_other_end(client: TestClient) -> None:
    circle = "fragment A on Thing { whole { ...B } } fragment B on Thing { whole { ...A } }"
    query = "{ things { nodes { ...A } } } " + circle
    assert limits(query) == set()
    answer = client.post("/graphql", json={"query": query}).json()
    assert {error["extensions"]["code"] for error in answer["errors"]} == {"GRAPHQL_VALIDATION_FAILED"}


@pytest.mark.parametrize(
    "query",
    [
        bomb(20),
        bomb(60, spreads=4),
        "{ things(first: 100) { nodes { near(first: 100) { nodes { near { nodes { name } } } } } } }",
        "{ things(first: 2147483647) { nodes { name } } }",
        "{ things(first: " + "9" * 100_000 + ") { nodes { name } } }",
        "{" + " ".join(f"a{number}: greeting" for number in range(600)) + "}",
        deep(60),
        "{ __schema { " + " ".join(f"a{n}: types {{ name }}" for n in range(MAX_ALIASES + 1)) + " } }",
    ],
    ids=["bomb", "wide bomb", "product", "page", "long number", "aliases", "depth", "introspection"],
)
def test_what_asks_for_too_much_is_refused_before_it_runs(client: TestClient, query: str) -> None:
    answer = client.post("/graphql", json={"query": query}).json()
    assert "data" not in answer
    for error in answer["errors"]:
        assert error["extensions"]["code"] == "GRAPHQL_VALIDATION_FAILED"
        assert error["message"].startswith("This operation asks for too much. ")


def chain(fragments: int, levels: int) -> str:
    """Fragments that each spread the next one, some levels of inline fragments deep."""
    opened, closed = "... { " * levels, "} " * levels
    links = " ".join(
        f"fragment F{number} on Query {{ {opened} ...F{number + 1} {closed} }}"
        for number in range(fragments - 1)
    )
    return f"{{ ...F0 }} {links} fragment F{fragments - 1} on Query {{ greeting }}"


@pytest.mark.parametrize(
    ("query", "limit"),
    [(chain(MAX_FRAGMENTS + 1, 0), "fragments"), (chain(MAX_FRAGMENTS, 4), "depth")],
    ids=["more than are served", "longer than the stack"],
)
def test_a_long_chain_of_fragments_is_refused(client: TestClient, query: str, limit: str) -> None:
    answer = client.post("/graphql", json={"query": query}).json()
    assert answer["errors"][0]["extensions"] == {"code": "GRAPHQL_VALIDATION_FAILED", "limit": limit}


def test_a_chain_of_as_many_fragments_as_are_served_runs(client: TestClient) -> None:
    answer = client.post("/graphql", json={"query": chain(MAX_FRAGMENTS, 0)}).json()
    assert answer["data"] == {"greeting": "Hello, World"}


def test_a_page_in_a_variable_is_judged_by_each_request(client: TestClient) -> None:
    query = "query A($n: Int!) { things(first: $n) { nodes { near(first: $n) { nodes { name } } } } }"
    for size, refused in ((10, False), (1000, True), (10, False)):
        answer = client.post("/graphql", json={"query": query, "variables": {"n": size}}).json()
        assert ("errors" in answer) is refused


def test_a_document_is_parsed_and_validated_once(client: TestClient) -> None:
    checked_documents.cache_clear()
    for size in (1, 2, 3):
        query = "query A($n: Int!) { things(first: $n) { nodes { name } } }"
        assert client.post("/graphql", json={"query": query, "variables": {"n": size}}).json()["data"]
    found = checked_documents.cache_info()
    assert (found.misses, found.hits) == (1, 2)


def test_a_refused_document_is_remembered_too(client: TestClient) -> None:
    checked_documents.cache_clear()
    answers = [client.post("/graphql", json={"query": bomb(20)}).json() for _ in range(2)]
    assert answers[0] == answers[1]
    assert checked_documents.cache_info().hits == 1


def test_a_long_document_does_not_fill_the_memory(client: TestClient) -> None:
    checked_documents.cache_clear()
    query = '{ greeting(name: "' + "x" * MAX_CACHED_DOCUMENT_LENGTH + '") }'
    assert client.post("/graphql", json={"query": query}).json()["data"]
    assert checked_documents.cache_info().currsize == 0


def test_a_response_has_the_cost_of_its_operation(client: TestClient) -> None:
    query = "query A($n: Int!) { things(first: $n) { nodes { name } } } query B { greeting }"
    for name, size, expected in (("A", 4, 9), ("A", 5, 11), ("B", 5, 1)):
        asked = {"query": query, "operationName": name, "variables": {"n": size}}
        answer = client.post("/graphql", json=asked).json()
        assert answer["extensions"] == {"cost": {"requested": expected, "limit": MAX_COST}}
    refused = client.post("/graphql", json={"query": "{ things(first: 9999) { nodes { body } } }"}).json()
    assert refused["extensions"]["cost"]["requested"] == 1 + 9999 * 51
    for unknown in ("{", "{ nothing { a } }"):
        cost = client.post("/graphql", json={"query": unknown}).json().get("extensions", {}).get("cost")
        assert cost in (None, {"requested": 0, "limit": MAX_COST})


@pytest.mark.parametrize("field", ["body", "text", "props"])
def test_an_answer_is_bounded_in_bytes_while_it_is_made(client: TestClient, field: str) -> None:
    query = (
        f"query ($c: Int!, $n: Int!) {{ greeting longThings(count: $n, characters: $c) {{ a: {field} }} }}"
    )
    size = MAX_ANSWER // 2 // 10 - 20  # each has two bytes
    for count, is_whole in ((10, True), (11, False), (1000, False)):
        response = client.post("/graphql", json={"query": query, "variables": {"c": size, "n": count}})
        answer = response.json()
        assert len(response.content) < MAX_ANSWER + 4_000
        assert answer["data"]["greeting"] == "Hello, World"
        assert (answer["data"]["longThings"] is not None) is is_whole
        if not is_whole:
            [error] = answer["errors"]
            assert error["extensions"] == {"code": "GRAPHQL_VALIDATION_FAILED", "limit": "answer"}
            assert "smaller pages" in error["message"]


def test_many_fields_that_no_longer_fit_are_without_repeats(client: TestClient) -> None:
    asked = " ".join(f"a{at}: longThings(count: 1, characters: 8000000) {{ body }}" for at in range(9))
    answer = client.post("/graphql", json={"query": f"{{ {asked} }}"}).json()
    assert len(answer["errors"]) == 1
    assert [thing is not None for thing in answer["data"].values()] == [True] + [False] * 8


def test_a_mutation_that_was_written_says_so_though_its_text_is_too_long(client: TestClient) -> None:
    answer = client.post(
        "/graphql", json={"query": 'mutation { write(name: "x") { problems { code } thing { name body } } }'}
    ).json()
    assert written == ["x"]
    assert answer["data"] == {"write": {"problems": [], "thing": None}}
    assert answer["errors"][0]["extensions"]["limit"] == "answer"


def test_every_json_value_of_the_schema_has_a_cost_of_its_own() -> None:
    types = [each for each in API._schema.type_map.values() if isinstance(each, GraphQLObjectType)]
    for each in types:
        for name, field in each.fields.items():
            assert get_named_type(field.type).name != "JSON" or name in TEXT_COSTS, (each.name, name)


@pytest.mark.parametrize("everything", [False, True])
def test_tools_can_read_the_schema(client: TestClient, everything: bool) -> None:
    query = get_introspection_query(
        specified_by_url=everything,
        directive_is_repeatable=everything,
        schema_description=everything,
        input_value_deprecation=everything,
        one_of=everything,
    )
    answer = client.post("/graphql", json={"query": query}).json()
    assert "errors" not in answer
    assert answer["data"]["__schema"]["queryType"] == {"name": "Query", "kind": "OBJECT"}
