"""The short cut for plain fields: the same answers, the same errors, and not a resolver passed over."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from inspect import signature
from typing import Any

import pytest
import strawberry
from graphql import GraphQLObjectType
from graphql.execution.executor import Executor
from strawberry.schema.schema import StrawberryGraphQLCoreExecutionContext

from app.graphql.execution import MAX_ERRORS, GuardedSchema, PlainFieldExecution, plain_field


@strawberry.enum
class Colour(Enum):
    RED = "red"


class Refusing(strawberry.BasePermission):
    message = "not for you"

    def has_permission(self, source: Any, info: strawberry.Info, **kwargs: Any) -> bool:
        return False


@strawberry.type
class Thing:
    name: str
    colour: Colour
    count: int
    note: str | None
    names: list[str]
    kept: str | None = strawberry.field(permission_classes=[Refusing])
    other: Thing | None = None

    @strawberry.field
    def shouted(self, times: int = 1) -> str:
        return self.name.upper() * times


def _query(thing: Callable[[], Thing]) -> type:
    @strawberry.type
    class Query:
        @strawberry.field
        def thing(self) -> Thing:
            return thing()

    return Query


WELL = Thing(name="one", colour=Colour.RED, count=1, note=None, names=["a"], kept="secret")
ASKED = """{ thing { __typename name again: name colour count note names shouted(times: 2) kept
  other { name ...part @include(if: true) count @skip(if: true) } } }
fragment part on Thing { colour }"""


@pytest.mark.parametrize(
    "thing",
    [
        WELL,
        Thing(name="two", colour=Colour.RED, count=2, note="said", names=[], kept=None, other=WELL),
        Thing(name="large", colour=Colour.RED, count=2**40, note=None, names=[], kept=None),
        Thing(name="odd", colour="blue", count=1, note=None, names=[], kept=None),  # type: ignore[arg-type]
        Thing(name=None, colour=Colour.RED, count=1, note=None, names=[], kept=None),  # type: ignore[arg-type]
        Thing(name="deep", colour=Colour.RED, count=1, note=None, names=[], kept=None, other=object()),  # type: ignore[arg-type]
    ],
)
def test_data_and_errors_are_those_of_the_long_way(thing: Thing) -> None:
    query = _query(lambda: thing)
    short = strawberry.Schema(query=query, execution_context_class=PlainFieldExecution).execute_sync(ASKED)
    long = strawberry.Schema(
        query=query, execution_context_class=StrawberryGraphQLCoreExecutionContext
    ).execute_sync(ASKED)
    assert short.data == long.data
    assert [error.formatted for error in short.errors or ()] == [
        error.formatted for error in long.errors or ()
    ]
    if short.data is not None:
        assert list(short.data["thing"]) == list(long.data["thing"])  # type: ignore[index]


class Counting(PlainFieldExecution):
    """The short cut, which notes the fields that take the long way."""

    def build_resolve_info(self, *given: Any) -> Any:
        LONG_WAY.append(given[1][0].name.value)
        return super().build_resolve_info(*given)


LONG_WAY: list[str] = []


def test_plain_fields_do_not_take_the_long_way() -> None:
    """The short cut overrides what graphql-core calls private: the test fails if nobody calls it."""
    LONG_WAY.clear()
    executed = strawberry.Schema(query=_query(lambda: WELL), execution_context_class=Counting).execute_sync(
        "{ thing { name colour count note names shouted } }"
    )
    assert executed.errors is None
    assert LONG_WAY == ["thing", "names", "shouted"]


def test_what_it_overrides_is_what_it_was() -> None:
    """Whoever takes another graphql-core or strawberry reads these methods again."""
    base = StrawberryGraphQLCoreExecutionContext
    for name, parameters in (
        (
            "execute_field",
            ["self", "parent_type", "source", "field_details_list", "path", "position_context"],
        ),
        ("handle_field_error", ["self", "raw_error", "return_type", "field_details_list", "path"]),
    ):
        assert list(signature(getattr(base, name)).parameters) == parameters
        assert getattr(base, name) is getattr(Executor, name)
    assert list(signature(strawberry.Schema._get_custom_context_kwargs).parameters) == [
        "self",
        "operation_extensions",
        "sync",
    ]


@pytest.mark.parametrize("error", [ValueError("odd"), KeyError("odd"), RuntimeError("odd")])
def test_an_attribute_that_fails_is_reported_once_as_on_the_long_way(error: Exception) -> None:
    class Failing(Thing):
        reads = 0

        @property
        def note(self) -> str | None:
            Failing.reads += 1
            raise error

        @note.setter
        def note(self, value: str | None) -> None:
            pass

    thing = Failing(name="one", colour=Colour.RED, count=1, note=None, names=[], kept=None)
    answers = []
    for context in (PlainFieldExecution, StrawberryGraphQLCoreExecutionContext):
        Failing.reads = 0
        schema = strawberry.Schema(query=_query(lambda: thing), execution_context_class=context)
        answers.append(schema.execute_sync("{ thing { name note } }"))
        assert Failing.reads == 1
    short, long = answers
    assert short.data == long.data == {"thing": {"name": "one", "note": None}}
    assert short.errors is not None
    assert long.errors is not None
    assert [each.formatted for each in short.errors] == [each.formatted for each in long.errors]


async def test_only_a_few_errors_of_variables_are_reported() -> None:
    """The limit is handed over by a method that strawberry calls private."""

    @strawberry.type
    class Query:
        @strawberry.field
        def total(self, numbers: list[int]) -> int:
            return sum(numbers)

    asked = "query ($numbers: [Int!]!) { total(numbers: $numbers) }"
    executed = await GuardedSchema(Query).execute(asked, variable_values={"numbers": ["x"] * 50})
    assert executed.errors is not None
    assert MAX_ERRORS <= len(executed.errors) <= MAX_ERRORS + 1


def test_only_plain_attributes_take_it() -> None:
    schema = strawberry.Schema(query=_query(lambda: WELL))._schema
    parent = schema.get_type("Thing")
    assert isinstance(parent, GraphQLObjectType)
    plain = {name for name in parent.fields if plain_field(schema, parent, name) is not None}
    assert plain == {"name", "colour", "count", "note"}
    assert plain_field(schema, parent, "__typename") is None
    assert plain_field(schema, parent, "absent") is None
