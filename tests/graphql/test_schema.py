from __future__ import annotations

from pathlib import Path

from graphql import (
    GraphQLEnumType,
    GraphQLInputObjectType,
    GraphQLInterfaceType,
    GraphQLObjectType,
    build_schema,
    is_specified_directive,
    is_specified_scalar_type,
    validate_schema,
)

from app.graphql.schema import SCHEMA, printed_schema

COMMITTED = Path(__file__).parents[2] / "schema.graphql"


def test_the_committed_schema_is_the_one_that_is_served() -> None:
    assert COMMITTED.read_text(encoding="utf-8") == printed_schema()


def test_the_schema_is_valid_on_its_own() -> None:
    assert validate_schema(build_schema(printed_schema())) == []


def test_a_stranger_understands_every_name() -> None:
    silent: list[str] = []
    for name, found in SCHEMA._schema.type_map.items():
        if name.startswith("__") or is_specified_scalar_type(found):
            continue
        silent += [name] if not found.description else []
        if isinstance(found, GraphQLEnumType):
            silent += [f"{name}.{value}" for value, held in found.values.items() if not held.description]
        if isinstance(found, (GraphQLObjectType, GraphQLInterfaceType, GraphQLInputObjectType)):
            silent += [f"{name}.{field}" for field, held in found.fields.items() if not held.description]
        if isinstance(found, (GraphQLObjectType, GraphQLInterfaceType)):
            silent += [
                f"{name}.{field}({argument})"
                for field, held in found.fields.items()
                for argument, taken in held.args.items()
                if not taken.description
            ]
    assert silent == []


def test_there_are_no_directives_but_graphqls_own() -> None:
    assert all(is_specified_directive(directive) for directive in SCHEMA._schema.directives)
