"""Create a thing in one transaction: its identity, first state and names."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any, NoReturn
from uuid import uuid4

import orjson

from app.domain.bounds import MAX_NAME, excerpt, excerpts, require_length
from app.domain.entity import Entity, Project
from app.domain.identifier import identifier_key, thing_key
from app.domain.temporal import EVERYTHING_KNOWN, AsOf, EntityState, Interval, require_in_calendar
from app.domain.text import fold, name_key
from app.domain.timeline import Assertion, assert_from
from app.domain.types import LABEL_PROPERTIES, NAMING_PROPERTIES, TypeDefinition, naming_forms
from app.errors import Conflict, Invalid
from app.services.aliases.mentions import note_earlier_mentions
from app.services.aliases.rules import Naming, forms_of, require_free_names
from app.services.catalog.alias_resolution import describe_entities
from app.services.entities.types import StatedEntity
from app.services.references.edges import Joined
from app.services.references.pending import join_pending_by_name
from app.services.states.change import Cause, carry_out
from app.services.states.properties import MAX_PROPERTIES_BYTES, as_defined, require_fit_names
from app.services.unit_of_work import UnitOfWork
from app.stores.postgres import entities, type_definitions
from app.stores.postgres.mentions import NamedForm
from app.stores.postgres.type_definitions import RecordedType


def key_of(definition: TypeDefinition, props: dict[str, Any]) -> str | None:
    """Return the key of a thing by its immutable properties: its names, else all; None if it has none.

    An identifier is unique in its project, as those of documents are; other keys are unique among the things
    of the type. Names compare after folding, other values as they are.
    """
    if "identifier" in definition.immutable_props:
        return identifier_key(props["identifier"])
    distinguishing = _distinguishing(definition)
    if any(name in NAMING_PROPERTIES for name in distinguishing):
        parts = [fold(props[name]) for name in distinguishing]
    else:
        parts = [orjson.dumps(props[name], option=orjson.OPT_SORT_KEYS).decode() for name in distinguishing]
    return thing_key(definition.name, parts) if parts else None


def _distinguishing(definition: TypeDefinition) -> list[str]:
    """Return the immutable properties that distinguish a thing: its identifier, else names, else all."""
    if "identifier" in definition.immutable_props:
        return ["identifier"]
    names = [name for name in NAMING_PROPERTIES if name in definition.immutable_props]
    return names or list(definition.immutable_props)


async def require_new(
    write: UnitOfWork,
    project: Project,
    definition: TypeDefinition,
    props: dict[str, Any],
    start: datetime,
) -> None:
    """Raise Conflict, naming the other thing, if a thing exists already or its name is taken."""
    key = key_of(definition, props)
    if key is not None:
        there = await entities.entity_by_key(await write.flush(), write.tenant, project.number, key)
        if there is not None:
            await _refuse_again(write, definition, there, start)
    naming = Naming(project.number, definition, props, Interval(start))
    await require_free_names(write, naming, forms_of(props))


async def _refuse_again(
    write: UnitOfWork, definition: TypeDefinition, there: Entity, start: datetime
) -> NoReturn:
    moment = AsOf(max(start, write.recorded_at), EVERYTHING_KNOWN)
    (description,) = await describe_entities(await write.flush(), write.tenant, [there], moment)
    raise Conflict(
        f"{description} exists already, with the same"
        f" {', '.join(_distinguishing(definition))}, which cannot change; use that entity,"
        " or give the new one another value",
        field="props",
        current=there.id,
    )


FIELD = "props"


def first_properties(definition: TypeDefinition, props: Any) -> dict[str, Any]:
    """Return the properties of a new thing without those that are null.

    Raises Invalid, naming them, for properties the type lacks, for missing ones that never change, for a
    thing without a name, and for names that are no text.
    """
    if not isinstance(props, dict):
        raise Invalid("props must be an object of properties by name", field=FIELD)
    props = as_defined(definition, props)
    if unknown := definition.unknown_props(props):
        allowed = ", ".join(definition.props) or "none"
        raise Invalid(
            f"{definition.name} has no property {excerpts(unknown)}; its properties are {allowed}",
            field=FIELD,
            allowed=definition.props,
        )
    said = {name: value for name, value in props.items() if value is not None}
    if missing := [name for name in definition.immutable_props if name not in said]:
        raise Invalid(
            f"{definition.name} needs {', '.join(missing)} from the start, because it cannot change later",
            field=FIELD,
        )
    _require_name(definition, said)
    require_fit_names(definition, said)
    if len(orjson.dumps(said)) > MAX_PROPERTIES_BYTES:
        raise Invalid(
            f"the properties have more than {MAX_PROPERTIES_BYTES} bytes; shorten them", field=FIELD
        )
    return said


def _require_name(definition: TypeDefinition, said: dict[str, Any]) -> None:
    """Require a name if the type has no immutable properties to distinguish its things."""
    names = [name for name in LABEL_PROPERTIES if name in definition.mutable_props]
    if names and not definition.immutable_props and not any(name in said for name in names):
        raise Invalid(f"{definition.name} needs {' or '.join(names)}", field=FIELD)


@dataclass(frozen=True, slots=True)
class CreatedEntity:
    """A new thing and its first state."""

    entity: Entity
    state: EntityState
    position: int | None = None


async def create(write: UnitOfWork, project: Project, stated: StatedEntity) -> CreatedEntity:
    """Create a thing, resolve pending references to its name, and record texts that use the name.

    Raises Invalid, naming the field, for unfit input, Conflict if the thing or its name is there already.
    """
    recorded = await _type_named(write, project, stated.type_name)
    definition = recorded.definition
    props = first_properties(definition, stated.props)
    start = write.recorded_at
    if stated.valid_from is not None:
        start = require_in_calendar(stated.valid_from, "validFrom")
    await require_new(write, project, definition, props, start)
    entity = Entity(uuid4(), definition.name, project.number, key_of(definition, props), start, None)
    await entities.insert_entity(
        write.rows, write.tenant, entity, recorded.number, write.recorded_at, write.actor
    )
    said = Assertion(entity.id, props, None, write.actor)
    change = assert_from([], said, start, write.recorded_at)
    await carry_out(write, change, Cause("created"))
    await _meet_earlier_texts(write, project, entity, list(naming_forms(props).values()))
    return CreatedEntity(entity, change.new)


async def _type_named(write: UnitOfWork, project: Project, name: str) -> RecordedType:
    require_length("type", name, MAX_NAME)
    known = await type_definitions.types_in_projects(await write.flush(), write.tenant, [project.number])
    named = type_definitions.type_named(known, name)
    if named is None:
        things = sorted(each.definition.name for each in known if not each.definition.is_document)
        raise Invalid(
            f"there is no type {excerpt(name)}; the defined ones are {', '.join(things)}",
            field="type",
            allowed=things,
        )
    if named.definition.is_document:
        kind = named.definition.name
        raise Invalid(f"{kind} is a document type: use fileArtifact with kind {kind}", field="type")
    return named


async def _meet_earlier_texts(write: UnitOfWork, project: Project, entity: Entity, forms: list[str]) -> None:
    await join_pending_by_name(write, project, entity, forms, Joined())
    for form in forms:
        await note_earlier_mentions(write, project.number, NamedForm(entity.id, form, name_key(form)))
