"""Answering the fields that are plain attributes at once; all others go the library's way."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from functools import lru_cache
from typing import Any, NamedTuple

from graphql import GraphQLObjectType, GraphQLSchema, get_nullable_type, is_leaf_type
from strawberry.schema.schema import StrawberryGraphQLCoreExecutionContext
from strawberry.types.field import StrawberryField


class PlainField(NamedTuple):
    """The attribute that a field answers, what makes it a value of the response, and if it may be null."""

    attribute: str
    coerce: Callable[[Any], Any]
    is_nullable: bool


class PlainFieldExecution(StrawberryGraphQLCoreExecutionContext):
    """Strawberry's execution with a short cut for scalar and enum attributes.

    They are most of a response and have neither arguments nor resolvers, so nothing needs to know where
    they stand. What fails, or is null where it may not be, goes the whole way.
    """

    def execute_field(  # type: ignore[no-untyped-def]
        self, parent_type, source, field_details_list, path, position_context
    ) -> Any:
        """Answer the value of a field as it goes into the response."""
        plain = plain_field(self.schema, parent_type, field_details_list[0].node.name.value)
        if plain is not None:
            # What is wrong is found once more on the long way, which says where.
            with suppress(Exception):
                value = getattr(source, plain.attribute)
                if value is not None:
                    return plain.coerce(value)
                if plain.is_nullable:
                    return None
        return super().execute_field(parent_type, source, field_details_list, path, position_context)


@lru_cache(maxsize=4096)
def plain_field(schema: GraphQLSchema, parent: GraphQLObjectType, name: str) -> PlainField | None:
    """Answer how a field of a type is answered when that is an attribute and nothing else."""
    field = schema.get_field(parent, name)
    if field is None or field.args:
        return None
    declared = field.extensions.get("strawberry-definition")
    returned = get_nullable_type(field.type)
    if not isinstance(declared, StrawberryField) or not declared.is_basic_field or not is_leaf_type(returned):
        return None
    return PlainField(declared.python_name, returned.coerce_output_value, returned is field.type)
