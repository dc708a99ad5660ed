"""What tells a new thing from those that are there."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import orjson

from app.domain.entity import Project
from app.domain.identifier import identifier_key, thing_key
from app.domain.ontology import NAMING_PROPERTIES, TypeDefinition
from app.domain.surface_form import fold
from app.domain.temporal import Interval
from app.services.aliases.present_names import Naming, forms_of, refuse_names, require_free_names
from app.services.write import Write
from app.stores.postgres import entities


def key_of(definition: TypeDefinition, props: dict[str, Any]) -> str | None:
    """Answer the key of a thing by what never changes about it: its names, else all of it; None for nothing.

    An identifier is one in its project, as those of documents are; the rest is one among the things of its
    type. Names compare after folding, other values as they are.
    """
    if "identifier" in definition.immutable_props:
        return identifier_key(props["identifier"])
    names = [fold(props[name]) for name in NAMING_PROPERTIES if name in definition.immutable_props]
    values = [orjson.dumps(props[name], option=orjson.OPT_SORT_KEYS) for name in definition.immutable_props]
    parts = names or [value.decode() for value in values]
    return thing_key(definition.name, parts) if parts else None


async def require_new(
    write: Write,
    project: Project,
    definition: TypeDefinition,
    props: dict[str, Any],
    start: datetime,
) -> None:
    """Raise Conflict, naming what is there, when a thing is there already or its name means another."""
    key = key_of(definition, props)
    if key is not None:
        there = await entities.entity_by_key(write.connection, write.tenant, project.number, key)
        await refuse_names(write, [] if there is None else [there], Interval(start), "is there already")
    naming = Naming(project.number, definition, props, Interval(start))
    await require_free_names(write, naming, forms_of(props))
