"""The short cut for plain fields: the same answers, the same errors, and not a resolver passed over."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from typing import Any

import pytest
import strawberry
from graphql import GraphQLObjectType
from strawberry.schema.schema import StrawberryGraphQLCoreExecutionContext

from app.graphql.execution import PlainFieldExecution, plain_field


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


def test_only_plain_attributes_take_it() -> None:
    schema = strawberry.Schema(query=_query(lambda: WELL))._schema
    parent = schema.get_type("Thing")
    assert isinstance(parent, GraphQLObjectType)
    plain = {name for name in parent.fields if plain_field(schema, parent, name) is not None}
    assert plain == {"name", "colour", "count", "note"}
    assert plain_field(schema, parent, "__typename") is None
    assert plain_field(schema, parent, "absent") is None
