"""Which properties an entity may carry, and which of them never change."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from typing import Any
from uuid import UUID

import orjson

from app.domain.blank import is_blank
from app.domain.bounds import excerpts
from app.domain.identifier import LONGEST_IDENTIFIER
from app.domain.ontology import LABEL_PROPERTIES, NAMING_PROPERTIES, TypeDefinition, label_of
from app.domain.surface_form import LONGEST_FORM
from app.domain.temporal import EntityState
from app.domain.timeline import differ
from app.errors import Invalid
from app.services.absent import nothing_has
from app.services.parsing.cleaning import clean_text, clean_value
from app.services.states.statuses import require_fit_status
from app.services.write import Write
from app.stores.postgres import lookups

LONGEST_TITLE = 1024
LARGEST_PROPERTIES = 64 * 1024
"""Bytes of JSON: every change of a state writes all of its properties again."""


async def type_of_entity(write: Write, entity: UUID) -> TypeDefinition:
    """Answer the type of an entity; raises NotFound for an unknown one."""
    found = await lookups.types_of_entities(write.connection, write.tenant, [entity])
    if entity not in found:
        raise nothing_has("entity", entity, "entity")
    return found[entity]


def checked_properties(
    definition: TypeDefinition, props: Mapping[str, Any], held: Sequence[EntityState]
) -> dict[str, Any]:
    """Answer the properties as they can be kept; an immutable one that says what holds is left out.

    Raises Invalid, naming the property, for one that the type lacks or that would change what never does.
    """
    props = {clean_text(name): clean_value(value) for name, value in props.items()}
    props = as_defined(definition, props)
    unknown = definition.unknown_props(props)
    if unknown:
        allowed = ", ".join((*definition.mutable_props, *definition.immutable_props))
        raise Invalid(
            f"{definition.name} has no property {excerpts(unknown)}; it has {allowed}", field="props"
        )
    constant = constants_of(definition, held)
    for name in definition.immutable_props:
        if name in props and differ(props[name], constant.get(name)):
            raise Invalid(
                f"{name} of {definition.name} never changes; make another entity instead", field="props"
            )
    kept = {name: value for name, value in props.items() if name in definition.mutable_props}
    require_fit_names(definition, kept)
    require_fit_status(definition, kept)
    if len(orjson.dumps(kept)) > LARGEST_PROPERTIES:
        raise Invalid(
            f"the properties have more than {LARGEST_PROPERTIES} bytes; shorten them", field="props"
        )
    return kept


def as_defined(definition: TypeDefinition, props: Mapping[str, Any]) -> dict[str, Any]:
    """Answer the properties by the names that the type has for them, however their accents were written."""
    return {
        name if name in definition.props else unicodedata.normalize("NFC", name): value
        for name, value in props.items()
    }


def require_fit_names(definition: TypeDefinition, props: Mapping[str, Any]) -> None:
    """Raise Invalid, naming it, for a property by which a thing is called and whose value is no name."""
    for name in NAMING_PROPERTIES:
        value = props.get(name)
        if value is None:
            continue
        longest = _longest_name(definition, name)
        if not isinstance(value, str) or is_blank(value) or len(value.strip()) > longest:
            raise Invalid(
                f"{name} is a text of 1 to {longest} characters, of which some can be seen", field="props"
            )


def require_still_named(
    definition: TypeDefinition, props: Mapping[str, Any], states: Iterable[EntityState]
) -> None:
    """Raise Invalid when properties take away the last name by which a thing is called in some state."""
    gone = [name for name in LABEL_PROPERTIES if name in props and props[name] is None]
    if gone and any(label_of(state.props, definition.immutable_props) is None for state in states):
        raise Invalid(
            f"without {', '.join(gone)} nothing tells this {definition.name} from others; give it another"
            " name instead",
            field="props",
        )


def _longest_name(definition: TypeDefinition, name: str) -> int:
    if name == "identifier":
        return LONGEST_IDENTIFIER
    return LONGEST_TITLE if definition.is_document else LONGEST_FORM


def constants_of(definition: TypeDefinition, held: Sequence[EntityState]) -> dict[str, Any]:
    """Answer the immutable properties of an entity, which all of its states share."""
    first = held[0].props if held else {}
    return {name: first[name] for name in definition.immutable_props if name in first}
