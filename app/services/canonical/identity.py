"""What tells a new thing from those that are there."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Any
from uuid import UUID

import orjson

from app.domain.entity import Entity, Project
from app.domain.identifier import identifier_key, thing_key
from app.domain.moment import EVERYTHING_KNOWN
from app.domain.ontology import NAMING_PROPERTIES, TypeDefinition, label_of, naming_forms
from app.domain.surface_form import fold, name_key
from app.domain.temporal import AsOf
from app.errors import Conflict
from app.services.aliases.meanings import aliases_from
from app.services.labels import told_apart
from app.services.write import Write
from app.stores.postgres import aliases, entities


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
    """Raise Conflict, naming what is there, when a thing is there already or its name means another.

    A thing of a type that has nothing fixed is there already when one of that type has its name.
    """
    key = key_of(definition, props)
    if key is not None:
        there = await entities.entity_by_key(write.connection, write.tenant, project.number, key)
        await _refuse(write, [] if there is None else [there], start, "is there already")
    label = label_of(props)
    if label is not None and not definition.immutable_props:
        called = await aliases.called_from(
            write.connection, write.tenant, project.number, name_key(label), identifier_key(label), start
        )
        alike = [each for each in await _found(write, called) if each.type_name == definition.name]
        await _refuse(write, alike, start, "is there already")
    for form in naming_forms(props).values():
        meant = {alias.target for alias in await aliases_from(write, project.number, form, start)}
        await _refuse(write, await _found(write, meant), start, f"goes by the alias {form}")


async def _found(write: Write, ids: Iterable[UUID]) -> list[Entity]:
    return list((await entities.entities_by_id(write.connection, write.tenant, list(ids))).values())


async def _refuse(write: Write, there: list[Entity], start: datetime, how: str) -> None:
    if not there:
        return
    moment = AsOf(max(start, write.recorded_at), EVERYTHING_KNOWN)
    told = await told_apart(write.connection, write.tenant, there, moment)
    raise Conflict(
        f"{' and '.join(told)} {how}; use that one, or give the new one another name", field="props"
    )
