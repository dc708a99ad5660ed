"""The transaction that creates a thing: identity, first state and names, or nothing."""

from __future__ import annotations

from dataclasses import dataclass
from uuid import uuid4

from app.domain.bounds import MAX_NAME, excerpt, require_length
from app.domain.entity import Entity, Project
from app.domain.moment import require_in_calendar
from app.domain.ontology import naming_forms
from app.domain.surface_form import name_key
from app.domain.temporal import EntityState
from app.domain.timeline import Assertion, assert_from
from app.errors import Invalid
from app.services.aliases.usage import note_earlier_mentions
from app.services.canonical.identity import key_of, require_new
from app.services.canonical.properties import first_properties
from app.services.canonical.stating import StatedEntity
from app.services.filing.edges import Joined
from app.services.filing.waiting import join_pending_by_name
from app.services.timelines import Cause, carry_out
from app.services.write import Write
from app.stores.postgres import entities, ontology
from app.stores.postgres.mentions import NamedForm
from app.stores.postgres.ontology import RecordedType


@dataclass(frozen=True, slots=True)
class CreatedEntity:
    """A new thing and its first state."""

    entity: Entity
    state: EntityState
    position: int | None = None


async def create(write: Write, project: Project, stated: StatedEntity) -> CreatedEntity:
    """Create a thing, let references that wait for its name find it, and note texts that use the name.

    Raises Invalid, naming the field, for an unfit one, Conflict when it or its name is there already.
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
        write.connection, write.tenant, entity, recorded.number, write.recorded_at, write.actor
    )
    said = Assertion(entity.id, props, None, write.actor)
    change = assert_from([], said, start, write.recorded_at)
    await carry_out(write, change, Cause("created"))
    await _meet_earlier_texts(write, project, entity, list(naming_forms(props).values()))
    return CreatedEntity(entity, change.new)


async def _type_named(write: Write, project: Project, name: str) -> RecordedType:
    require_length("type", name, MAX_NAME)
    known = await ontology.types_in_projects(write.connection, write.tenant, [project.number])
    named = ontology.type_named(known, name)
    if named is None:
        things = sorted(each.definition.name for each in known if not each.definition.is_document)
        raise Invalid(f"nobody defined the type {excerpt(name)}; there are {', '.join(things)}", field="type")
    if named.definition.is_document:
        kind = named.definition.name
        raise Invalid(f"{kind} is a type of documents: file one with fileArtifact, kind {kind}", field="type")
    return named


async def _meet_earlier_texts(write: Write, project: Project, entity: Entity, forms: list[str]) -> None:
    await join_pending_by_name(write, project, entity, forms, Joined())
    for form in forms:
        await note_earlier_mentions(write, project.number, NamedForm(entity.id, form, name_key(form)))
