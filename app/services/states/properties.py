"""Check the properties of entities against their type: allowed, immutable, names and status."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from typing import Any
from uuid import UUID

import asyncpg
import orjson

from app.domain.bounds import MAX_IDENTIFIER, MAX_SURFACE_FORM, MAX_TITLE, excerpts
from app.domain.numbers import TenantNumber
from app.domain.status_words import is_known, unknown_status_warnings
from app.domain.temporal import EntityState, StateEvent
from app.domain.text import is_blank
from app.domain.timeline import differ
from app.domain.types import LABEL_PROPERTIES, NAMING_PROPERTIES, TypeDefinition, label_of
from app.errors import Invalid
from app.services.catalog.lookup import nothing_has
from app.services.parsing.text import clean_text, clean_value
from app.stores.postgres import lookups
from app.stores.postgres.status_words import words_of_entity


def require_fit_status(definition: TypeDefinition, props: Mapping[str, Any]) -> None:
    """Raise Invalid if the status of a document is no text; the status of a thing may be anything."""
    status = props.get("status")
    if status is None or not definition.is_document:
        return
    if not isinstance(status, str) or is_blank(status):
        raise Invalid(
            f"the status of {definition.name} is a string such as Accepted; null removes it", field="props"
        )


async def odd_status(
    connection: asyncpg.Connection, tenant: TenantNumber, state: EntityState, event: StateEvent
) -> tuple[str, ...]:
    """Return a warning if an event gives a document a status of unknown meaning."""
    definition = await type_of_entity(connection, tenant, state.entity)
    status = state.props.get("status")
    if not definition.is_document or "status" not in event.properties or not isinstance(status, str):
        return ()
    if is_known(status):
        return ()
    return unknown_status_warnings(status, await words_of_entity(connection, tenant, state.entity))


MAX_PROPERTIES_BYTES = 64 * 1024
"""Bytes of JSON: every change of a state writes all of its properties again."""


async def type_of_entity(
    connection: asyncpg.Connection, tenant: TenantNumber, entity: UUID
) -> TypeDefinition:
    """Return the type of an entity; raise NotFound for an unknown one."""
    found = await lookups.types_of_entities(connection, tenant, [entity])
    if entity not in found:
        raise nothing_has("entity", entity, "entity")
    return found[entity]


def check_properties(
    definition: TypeDefinition, props: Mapping[str, Any], held: Sequence[EntityState]
) -> dict[str, Any]:
    """Check properties and return them cleaned, without immutable ones whose value is unchanged.

    Raises Invalid, naming the property, for one that the type lacks or that would change what never does.
    """
    props = {clean_text(name): clean_value(value) for name, value in props.items()}
    props = as_defined(definition, props)
    unknown = definition.unknown_props(props)
    if unknown:
        allowed = (*definition.mutable_props, *definition.immutable_props)
        raise Invalid(
            f"{definition.name} has no property {excerpts(unknown)}; its properties are {', '.join(allowed)}",
            field="props",
            allowed=allowed,
        )
    constant = constants_of(definition, held)
    for name in definition.immutable_props:
        if name in props and differ(props[name], constant.get(name)):
            raise Invalid(
                f"{name} of {definition.name} cannot change; create another entity instead", field="props"
            )
    kept = {name: value for name, value in props.items() if name in definition.mutable_props}
    require_fit_names(definition, kept)
    require_fit_status(definition, kept)
    if len(orjson.dumps(kept)) > MAX_PROPERTIES_BYTES:
        raise Invalid(
            f"the properties have more than {MAX_PROPERTIES_BYTES} bytes; shorten them", field="props"
        )
    return kept


def as_defined(definition: TypeDefinition, props: Mapping[str, Any]) -> dict[str, Any]:
    """Return the properties under the names that the type defines, however their accents were encoded."""
    return {
        name if name in definition.props else unicodedata.normalize("NFC", name): value
        for name, value in props.items()
    }


def require_fit_names(definition: TypeDefinition, props: Mapping[str, Any]) -> None:
    """Raise Invalid, naming it, if a naming property has a value that is no name."""
    for name in NAMING_PROPERTIES:
        value = props.get(name)
        if value is None:
            continue
        longest = _longest_name(definition, name)
        if not isinstance(value, str) or is_blank(value) or len(value.strip()) > longest:
            raise Invalid(
                f"{name} is a string of 1 to {longest} characters, at least one of them visible",
                field="props",
            )


def require_still_named(
    definition: TypeDefinition, props: Mapping[str, Any], states: Iterable[EntityState]
) -> None:
    """Raise Invalid if properties remove the last name of a thing in some state."""
    gone = [name for name in LABEL_PROPERTIES if name in props and props[name] is None]
    if gone and any(label_of(state.props, definition.immutable_props) is None for state in states):
        raise Invalid(
            f"a {definition.name} needs {', '.join(gone)}, which distinguishes it from"
            " others; give a new value instead",
            field="props",
        )


def _longest_name(definition: TypeDefinition, name: str) -> int:
    if name == "identifier":
        return MAX_IDENTIFIER
    return MAX_TITLE if definition.is_document else MAX_SURFACE_FORM


def constants_of(definition: TypeDefinition, held: Sequence[EntityState]) -> dict[str, Any]:
    """Return the immutable properties of an entity, which all of its states share."""
    first = held[0].props if held else {}
    return {name: first[name] for name in definition.immutable_props if name in first}
