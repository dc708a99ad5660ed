"""What is said of a thing when it is created."""

from __future__ import annotations

from typing import Any

import orjson

from app.domain.bounds import excerpts
from app.domain.ontology import LABEL_PROPERTIES, TypeDefinition
from app.errors import Invalid
from app.services.states.properties import LARGEST_PROPERTIES, as_defined, require_fit_names

FIELD = "props"


def first_properties(definition: TypeDefinition, props: Any) -> dict[str, Any]:
    """Answer the properties of a new thing without those that are null, which say nothing.

    Raises Invalid, naming them, for properties the type lacks, for missing ones that never change, for a
    thing without a name, and for names that are no text.
    """
    if not isinstance(props, dict):
        raise Invalid("props is an object of properties by name", field=FIELD)
    props = as_defined(definition, props)
    if unknown := definition.unknown_props(props):
        allowed = ", ".join(definition.props) or "none"
        raise Invalid(f"{definition.name} has no property {excerpts(unknown)}; it has {allowed}", field=FIELD)
    said = {name: value for name, value in props.items() if value is not None}
    if missing := [name for name in definition.immutable_props if name not in said]:
        raise Invalid(
            f"{definition.name} needs {', '.join(missing)} from the start, since that never changes",
            field=FIELD,
        )
    _require_name(definition, said)
    require_fit_names(definition, said)
    if len(orjson.dumps(said)) > LARGEST_PROPERTIES:
        raise Invalid(f"the properties have more than {LARGEST_PROPERTIES} bytes; shorten them", field=FIELD)
    return said


def _require_name(definition: TypeDefinition, said: dict[str, Any]) -> None:
    """What never changes tells things of a type apart; without any, a name must."""
    names = [name for name in LABEL_PROPERTIES if name in definition.mutable_props]
    if names and not definition.immutable_props and not any(name in said for name in names):
        raise Invalid(f"{definition.name} needs {' or '.join(names)}", field=FIELD)
