"""Every argument and input field of the schema is bounded: a new one without a bound fails here."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple
from uuid import uuid4

import orjson
import pytest
from graphql import (
    GraphQLEnumType,
    GraphQLField,
    GraphQLInputObjectType,
    GraphQLObjectType,
    build_schema,
    get_named_type,
    get_nullable_type,
    is_leaf_type,
    is_list_type,
    is_required_argument,
    is_required_input_field,
)
from strawberry.types import ExecutionResult

from app.domain.text import fold
from app.graphql.errors import client_error
from app.graphql.schema import (
    MAX_CHARACTERS,
    MAX_ID,
    MAX_ITEMS,
    MAX_JSON_CHARACTERS,
    MAX_LIST_CHARACTERS,
    SCHEMA,
    bound_arguments,
)
from app.services.container import Memory
from tests.graphql.api import Api

LONG = "Q"
ECHO = LONG * 61
MAX_ANSWER = 4_000
GRAPHQL = SCHEMA._schema
BOUNDED_BY_THEMSELVES = {"Boolean", "Int"}


class Place(NamedTuple):
    """An argument of a field, or a field of the input that the argument is."""

    parent: str
    field: str
    argument: str
    inner: str | None
    type: Any

    @property
    def name(self) -> str:
        """Return the name that an error has to give."""
        return self.inner or self.argument

    def __str__(self) -> str:
        return ".".join(filter(None, (self.parent, self.field, self.argument, self.inner)))


def places() -> Iterator[Place]:
    """Yield every place of the schema that takes a value."""
    for parent in GRAPHQL.type_map.values():
        if not isinstance(parent, GraphQLObjectType) or parent.name.startswith("__"):
            continue
        for name, field in parent.fields.items():
            for argument, taken in field.args.items():
                named = get_named_type(taken.type)
                if isinstance(named, GraphQLInputObjectType):
                    for inner, each in named.fields.items():
                        yield Place(parent.name, name, argument, inner, each.type)
                else:
                    yield Place(parent.name, name, argument, None, taken.type)


def too_much(place: Place) -> list[tuple[Any, str]]:
    """Return values that are over a bound of a place, each with what the error has to say of the bound."""
    named = get_named_type(place.type)
    one: list[tuple[Any, str]]
    if isinstance(named, GraphQLEnumType):
        one = [(LONG * 70_000, "")]
    elif named.name == "ID":
        one = [(LONG * (MAX_ID + 1), str(MAX_ID)), (LONG * 900_000, str(MAX_ID))]
    elif named.name == "DateTime":
        one = [(LONG * 900_000, "DateTime"), ("2026-01-31T09:30:00." + "0" * 900_000 + "Z", "DateTime")]
    elif named.name == "JSON":
        most = str(MAX_JSON_CHARACTERS)
        one = [({"name": LONG * (MAX_JSON_CHARACTERS + 1)}, most), ({LONG * 900_000: 1}, most)]
    elif named.name == "String":
        longest = MAX_CHARACTERS[place.name]
        one = [(LONG * (longest + 1), str(longest)), ("\ufdfa" * max(900_000, longest + 1), str(longest))]
    else:
        assert named.name in BOUNDED_BY_THEMSELVES, f"say how {named.name} is bounded"
        return []
    if not is_list_type(get_nullable_type(place.type)):
        return one
    item = fit(named)
    items = [([item] * (MAX_ITEMS + 1), str(MAX_ITEMS))]
    if named.name == "String":
        together = MAX_LIST_CHARACTERS // MAX_CHARACTERS[place.name] + 1
        items.append(([LONG * MAX_CHARACTERS[place.name]] * together, str(MAX_LIST_CHARACTERS)))
    return items + [([value], said) for value, said in one]


def fit(type_: Any) -> Any:
    """Return a value that a type takes."""
    named = get_named_type(type_)
    if isinstance(named, GraphQLEnumType):
        return next(iter(named.values))
    if isinstance(named, GraphQLInputObjectType):
        return {
            name: fit(field.type) for name, field in named.fields.items() if is_required_input_field(field)
        }
    return {"ID": str(uuid4()), "String": "x", "JSON": {"name": "x"}, "Int": 1, "Boolean": True}[named.name]


def operation(place: Place, value: Any) -> tuple[str, dict[str, Any]]:
    """Return an operation that gives a value to a place, as variables, and all else that is needed."""
    field = GRAPHQL.type_map[place.parent].fields[place.field]  # type: ignore[attr-defined]
    required = {name: each for name, each in field.args.items() if is_required_argument(each)}
    given = {name: fit(argument.type) for name, argument in required.items()}
    if place.inner is not None:
        beside = given.get(place.argument) or fit(field.args[place.argument].type)
        value = {**beside, place.inner: value}
    given[place.argument] = value
    declared = ", ".join(f"${name}: {field.args[name].type}" for name in given)
    passed = ", ".join(f"{name}: ${name}" for name in given)
    asked = f"{place.field}({passed}){selection(field)}"
    if place.parent in ("Mutation", "Subscription"):
        return f"{place.parent.lower()}({declared}) {{ {asked} }}", given
    if place.parent != "Query":
        asked = f"entities(first: 1) {{ nodes {{ {asked} }} }}"
    return f"query({declared}) {{ {asked} }}", given


def selection(field: GraphQLField) -> str:
    """Return what to select in a field."""
    named = get_named_type(field.type)
    if is_leaf_type(named):
        return ""
    has_problems = "problems" in getattr(named, "fields", {})
    return " { __typename problems { code message field } }" if has_problems else " { __typename }"


def failures(place: Place, result: ExecutionResult) -> list[dict[str, Any]]:
    """Return the errors of an answer, or the problems of a mutation in the same form."""
    if result.errors:
        return [
            {"code": error["extensions"]["code"], "message": error["message"], **error["extensions"]}
            for error in map(client_error, result.errors)
        ]
    assert result.data is not None
    return list(result.data[place.field]["problems"]) if place.parent == "Mutation" else []


@pytest.fixture
def api(memory: Memory) -> Api:
    return Api(memory)


@pytest.mark.parametrize("parent", sorted({place.parent for place in places()}))
async def test_too_much_is_refused_by_name_and_not_repeated(api: Api, parent: str) -> None:
    await api.file("# ADR-1: Poll the queue\n\nText.")
    for place in places():
        if place.parent == parent:
            for value, said in too_much(place):
                await require_refusal(api, place, value, said)


async def require_refusal(api: Api, place: Place, value: Any, said: str) -> None:
    """Check that a value is refused once, by the name of its place and its bound, in a few words."""
    asked, variables = operation(place, value)
    run = api.first if place.parent == "Subscription" else api.run
    result = await run(asked, **variables)
    problems = failures(place, result)
    assert [problem["code"] for problem in problems] in (["BAD_USER_INPUT"], ["INVALID"]), place
    if said.isdigit():
        assert problems[0]["field"] == place.name, place
        assert place.name in problems[0]["message"]
    assert said in problems[0]["message"], place
    answer = orjson.dumps({"data": result.data, "errors": [client_error(e) for e in result.errors or ()]})
    assert len(answer) < MAX_ANSWER, place
    assert (ECHO if said else LONG * 300).encode() not in answer, place


async def test_defaults_and_parts_of_a_literal_are_bounded(api: Api) -> None:
    long = LONG * 300
    for asked, variables in (
        (f'query($k: [String!] = ["{long}"]) {{ recall(query: "a", kinds: $k) {{ id }} }}', {}),
        ('query($k: String!) { recall(query: "a", kinds: ["ADR", $k]) { id } }', {"k": long}),
        (f'{{ recall(query: "a", kinds: "{long}") {{ id }} }}', {}),
        (f'{{ types(project: "{long}") {{ name }} }}', {}),
    ):
        refused = await api.refused(asked, **variables)
        assert refused["extensions"]["code"] == "BAD_USER_INPUT"
        assert ECHO not in refused["message"]
    asked = 'mutation($k: String!) { fileArtifact(input: {kind: $k, body: "x"}) { problems { field code } } }'
    payload = (await api.ask(asked, k=long))["fileArtifact"]
    assert payload == {"problems": [{"field": "kind", "code": "INVALID"}]}


def test_a_text_without_a_bound_makes_no_schema() -> None:
    with pytest.raises(KeyError, match="unheard"):
        bound_arguments(build_schema("type Query { greeting(unheard: String): String }"))


def test_no_bound_is_for_nothing() -> None:
    names = {place.name for place in places() if get_named_type(place.type).name == "String"}
    assert names == set(MAX_CHARACTERS)


@pytest.mark.parametrize("pair", ["\u0315\u0300", "\U0001d16d\U0001d165"], ids=["accents", "music"])
def test_marks_upon_marks_are_folded_in_linear_time(pair: str) -> None:
    # Ten million would take the sorting of normalisation weeks.
    assert len(fold("a" + pair * 500_000)) <= 31
