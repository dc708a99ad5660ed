"""The GraphQL schema, which checks the size of every argument before a resolver sees it.

A text's limit depends on the name of its argument or input field, any other value's on its type. A schema
with a text that has no limit is refused when it is created.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from types import MappingProxyType
from typing import Any, TypeAlias

from graphql import (
    GraphQLField,
    GraphQLInputType,
    GraphQLObjectType,
    GraphQLSchema,
    get_named_type,
    get_nullable_type,
    is_input_object_type,
    is_list_type,
)
from strawberry.types.base import StrawberryObjectDefinition

from app.domain.bounds import (
    MAX_COMMIT,
    MAX_DESCRIPTION,
    MAX_FORM,
    MAX_IDENTIFIER,
    MAX_NAME,
    MAX_SOURCE,
    MAX_TITLE,
    require_length,
)
from app.errors import Invalid
from app.graphql.errors import problem_from
from app.graphql.execution import GuardedSchema
from app.graphql.mutations import Mutation
from app.graphql.queries import Query
from app.graphql.subscriptions import Subscription
from app.services.filing.prepare import MAX_BODY_BYTES
from app.services.recall.scope import MAX_QUERY_LENGTH

MAX_ID = 64
"""Characters of an id: a UUID has 36, in its longest spelling 45."""

MAX_ITEMS = 256
MAX_LIST_CHARACTERS = 16_384
"""Characters of all texts of a list together."""

MAX_JSON_CHARACTERS = 131_072
"""Characters of all names and texts of a JSON value; properties are kept up to half as many bytes."""

MAX_CURSOR = 16_384
"""Characters of what is looked at to say that it is no cursor."""

MAX_REASON = 4_096

MAX_CHARACTERS: Mapping[str, int] = MappingProxyType(
    {
        "after": MAX_CURSOR,
        "before": MAX_CURSOR,
        "body": MAX_BODY_BYTES,
        "causeCommit": MAX_COMMIT,
        "description": MAX_DESCRIPTION,
        "eventType": MAX_NAME,
        "idempotencyKey": MAX_NAME,
        "identifier": MAX_IDENTIFIER,
        "immutableProps": MAX_NAME,
        "kind": MAX_NAME,
        "kinds": MAX_NAME,
        "mutableProps": MAX_NAME,
        "name": MAX_NAME,
        "project": MAX_NAME,
        "property": MAX_NAME,
        "ptype": MAX_NAME,
        "query": MAX_QUERY_LENGTH,
        "reason": MAX_REASON,
        "source": MAX_SOURCE,
        "sourceCommit": MAX_COMMIT,
        "sourceUri": MAX_SOURCE,
        "status": MAX_FORM,
        "surfaceForm": MAX_FORM,
        "text": MAX_TITLE,
        "title": MAX_TITLE,
        "type": MAX_NAME,
        "word": MAX_NAME,
    }
)
"""Characters of a text, by the name of its argument or input field; of each item, where it is a list."""

Arguments: TypeAlias = Mapping[str, GraphQLInputType]


def bound_arguments(schema: GraphQLSchema) -> None:
    """Make every field of a schema check its arguments first; raise KeyError for a text without a limit."""
    for type_ in schema.type_map.values():
        if isinstance(type_, GraphQLObjectType) and not type_.name.startswith("__"):
            for field in type_.fields.values():
                if field.args:
                    _bind(field)


def _bind(field: GraphQLField) -> None:
    arguments = {name: argument.type for name, argument in field.args.items()}
    _require_bounds(arguments)
    payload = _payload_of(field)
    assert field.resolve is not None
    field.resolve = partial(_resolve_bounded, field.resolve, arguments, payload)
    if field.subscribe is not None:
        field.subscribe = partial(_resolve_bounded, field.subscribe, arguments, payload)


def _require_bounds(arguments: Arguments) -> None:
    for name, type_ in arguments.items():
        named = get_named_type(type_)
        if is_input_object_type(named):
            _require_bounds({inner: field.type for inner, field in named.fields.items()})
        elif named.name == "String" and name not in MAX_CHARACTERS:
            raise KeyError(f"add the maximum length of {name} to {__name__}.MAX_CHARACTERS")


def _resolve_bounded(
    resolve: Callable[..., Any],
    arguments: Arguments,
    payload: Callable[..., Any] | None,
    source: Any,
    info: Any,
    /,
    **given: Any,
) -> Any:
    """Resolve a field whose arguments are within bounds.

    For the first argument out of bounds, a mutation reports a problem; a query raises Invalid, naming the
    argument.
    """
    try:
        for name, value in given.items():
            _check(name, value, arguments[name])
    except Invalid as error:
        if payload is None:
            raise
        return payload(problems=[problem_from(error)])
    return resolve(source, info, **given)


def _payload_of(field: GraphQLField) -> Callable[..., Any] | None:
    """Return the payload class of a mutation, which has problems; None for the fields of a query."""
    named = get_named_type(field.type)
    definition = named.extensions.get("strawberry-definition")
    if isinstance(definition, StrawberryObjectDefinition) and "problems" in getattr(named, "fields", ()):
        return definition.origin
    return None


def _check(name: str, value: Any, type_: GraphQLInputType) -> None:
    """Raise Invalid when a value exceeds the limit of its argument's name and type."""
    named = get_named_type(type_)
    if value is None:
        return
    if is_list_type(get_nullable_type(type_)):
        _check_list(name, value, named)
    elif is_input_object_type(named):
        for inner, field in named.fields.items():
            _check(inner, value.get(inner), field.type)
    elif named.name == "JSON":
        _check_json(name, value)
    elif isinstance(value, str) and named.name in ("String", "ID"):
        require_length(name, value, MAX_ID if named.name == "ID" else MAX_CHARACTERS[name])


def _check_list(name: str, items: list[Any], item_type: Any) -> None:
    if len(items) > MAX_ITEMS:
        raise Invalid(f"{name} has {len(items)} items; at most {MAX_ITEMS} are allowed", field=name)
    for item in items:
        _check(name, item, item_type)
    require_length(name, "".join(item for item in items if type(item) is str), MAX_LIST_CHARACTERS)


def _check_json(name: str, value: Any) -> None:
    characters = sum(map(len, _texts(value)))
    if characters > MAX_JSON_CHARACTERS:
        raise Invalid(
            f"{name} has {characters} characters; at most {MAX_JSON_CHARACTERS} are allowed: shorten it",
            field=name,
        )


def _texts(value: Any) -> Iterator[str]:
    """Yield every name and text of a JSON value."""
    pending = [value]
    while pending:
        item = pending.pop()
        if isinstance(item, str):
            yield item
        elif isinstance(item, dict):
            yield from item
            pending.extend(item.values())
        elif isinstance(item, list):
            pending.extend(item)


SCHEMA = GuardedSchema(query=Query, mutation=Mutation, subscription=Subscription)
bound_arguments(SCHEMA._schema)


def printed_schema() -> str:
    """Return the schema in GraphQL's own language, with a new line at its end."""
    return SCHEMA.as_str().rstrip() + "\n"
