"""What tells a new thing from those that are there."""

from __future__ import annotations

from datetime import datetime
from typing import Any, NoReturn

import orjson

from app.domain.entity import Entity, Project
from app.domain.identifier import identifier_key, thing_key
from app.domain.moment import EVERYTHING_KNOWN
from app.domain.ontology import NAMING_PROPERTIES, TypeDefinition
from app.domain.surface_form import fold
from app.domain.temporal import AsOf, Interval
from app.errors import Conflict
from app.services.aliases.present_names import Naming, forms_of, require_free_names
from app.services.labels import told_apart
from app.services.write import Write
from app.stores.postgres import entities


def key_of(definition: TypeDefinition, props: dict[str, Any]) -> str | None:
    """Answer the key of a thing by what never changes about it: its names, else all of it; None for nothing.

    An identifier is one in its project, as those of documents are; the rest is one among the things of its
    type. Names compare after folding, other values as they are.
    """
    if "identifier" in definition.immutable_props:
        return identifier_key(props["identifier"])
    telling = _telling(definition)
    if any(name in NAMING_PROPERTIES for name in telling):
        parts = [fold(props[name]) for name in telling]
    else:
        parts = [orjson.dumps(props[name], option=orjson.OPT_SORT_KEYS).decode() for name in telling]
    return thing_key(definition.name, parts) if parts else None


def _telling(definition: TypeDefinition) -> list[str]:
    """Answer which immutable properties tell a thing from the others: an identifier, else names, else all."""
    if "identifier" in definition.immutable_props:
        return ["identifier"]
    names = [name for name in NAMING_PROPERTIES if name in definition.immutable_props]
    return names or list(definition.immutable_props)


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
        if there is not None:
            await _refuse_again(write, definition, there, start)
    naming = Naming(project.number, definition, props, Interval(start))
    await require_free_names(write, naming, forms_of(props))


async def _refuse_again(write: Write, definition: TypeDefinition, there: Entity, start: datetime) -> NoReturn:
    moment = AsOf(max(start, write.recorded_at), EVERYTHING_KNOWN)
    (told,) = await told_apart(write.connection, write.tenant, [there], moment)
    raise Conflict(
        f"{told} is there already, with the same {', '.join(_telling(definition))}, which never changes; use"
        " that one, or give the new one another",
        field="props",
    )
