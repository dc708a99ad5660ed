"""The rules of aliases: fit forms and ends, one meaning per form, and no chain that closes a circle."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from app.domain.bounds import MAX_FORM, MAX_SURFACE_FORM, MIN_SURFACE_FORM, require_length
from app.domain.entity import Alias, Entity
from app.domain.identifier import identifier_key
from app.domain.numbers import ProjectNumber
from app.domain.temporal import EVERYTHING_KNOWN, AsOf, Interval
from app.domain.text import fold, is_blank, name_key
from app.domain.types import TypeDefinition, label_of, naming_forms
from app.errors import Conflict, Invalid
from app.services.catalog.alias_resolution import describe_entities
from app.services.catalog.lookup import require_artifact, require_entities
from app.services.unit_of_work import UnitOfWork
from app.stores.postgres import aliases, entities


@dataclass(frozen=True, slots=True)
class AliasEnds:
    """The entity that a form means and, when the form was the name of another, that one."""

    target: Entity
    source: Entity | None

    @property
    def ids(self) -> set[UUID]:
        """The ids of both entities."""
        return {self.target.id} if self.source is None else {self.target.id, self.source.id}

    @property
    def beginnings(self) -> list[datetime]:
        """The moments at which the two begin."""
        return (
            [self.target.created_at]
            if self.source is None
            else [self.target.created_at, self.source.created_at]
        )


async def require_ends(
    write: UnitOfWork, target: UUID, source: UUID | None, source_artifact: UUID | None
) -> AliasEnds:
    """Return the ends of an alias; raise NotFound or Invalid, naming the field, if they are unfit."""
    found = await require_entities(write, {"target": target, "source": source})
    if source_artifact is not None:
        await require_artifact(write, source_artifact, "sourceArtifact")
    ends = AliasEnds(found[target], None if source is None else found[source])
    if ends.source is not None:
        await _require_fit_source(write, ends.target, ends.source)
    return ends


async def _require_fit_source(write: UnitOfWork, target: Entity, source: Entity) -> None:
    if source.id == target.id:
        raise Invalid("an entity cannot replace itself; give another source, or none", field="source")
    if source.project != target.project:
        raise Invalid(
            "source and target belong to different projects; an alias belongs to one project", field="source"
        )
    others = await _successors(write, source.id) - {target.id}
    if others:
        raise Conflict(
            f"the source was replaced by {await _describe(write, others)} already; withdraw that alias first",
            field="source",
        )
    ways = await _ways_from(write, target.id)
    if source.id in ways:
        raise Invalid(
            "the target was replaced by the source already, through"
            f" {await _describe(write, ways - {source.id})}; withdraw an alias of that"
            " chain, or give another source",
            field="source",
            rule="alias_chains_are_acyclic",
        )


async def _successors(write: UnitOfWork, entity: UUID) -> set[UUID]:
    return await aliases.preferred_targets(await write.flush(), write.tenant, entity, write.recorded_at)


async def _ways_from(write: UnitOfWork, entity: UUID) -> set[UUID]:
    """Return an entity and all entities that replaced it, step by step."""
    ways, next_steps = {entity}, {entity}
    while next_steps:
        next_steps = {each for step in next_steps for each in await _successors(write, step)} - ways
        ways |= next_steps
    return ways


async def _describe(write: UnitOfWork, ids: set[UUID]) -> str:
    found = await entities.entities_by_id(await write.flush(), write.tenant, list(ids))
    moment = AsOf(write.recorded_at, EVERYTHING_KNOWN)
    return " and ".join(await describe_entities(await write.flush(), write.tenant, found.values(), moment))


FORM_FIELD = "surfaceForm"

_UNSHOWN = re.compile("[\x00-\x08\x0e-\x1f\x7f-\x9f\ud800-\udfff]")
"""Control characters that are no white space, and surrogates."""


def is_of_fit_length(form: str) -> bool:
    """Return whether a form is neither too short nor too long, both as written and folded.

    Folding turns some characters into several.
    """
    if not MIN_SURFACE_FORM <= len(form) <= MAX_SURFACE_FORM:
        return False
    return MIN_SURFACE_FORM <= len(fold(form)) <= MAX_SURFACE_FORM


def fit_form(given: str) -> str:
    """Return a form without surrounding white space; raise Invalid if it cannot be an alias."""
    require_length(FORM_FIELD, given, MAX_FORM)
    form = given.strip()
    if _UNSHOWN.search(form):
        raise Invalid(
            "a surface form contains a control character, or half of a character; remove it", field=FORM_FIELD
        )
    if not is_of_fit_length(form) or is_blank(form):
        raise Invalid(
            f"a surface form has {MIN_SURFACE_FORM} to {MAX_SURFACE_FORM} characters, at least"
            " one of them visible",
            field=FORM_FIELD,
        )
    return form


async def aliases_from(write: UnitOfWork, project: ProjectNumber, form: str, start: datetime) -> list[Alias]:
    """Return the aliases of a form that are valid at a moment or later, the earliest first."""
    held = await aliases.current_aliases(await write.flush(), write.tenant, project, [form])
    lasting = [alias for alias in held if alias.valid.end is None or alias.valid.end > start]
    return sorted(lasting, key=lambda alias: alias.valid.start)


async def named_from(write: UnitOfWork, project: ProjectNumber, form: str, start: datetime) -> set[UUID]:
    """Return the entities that have a form as their identifier, or as a name at a moment or later."""
    where = (await write.flush(), write.tenant, project)
    return await aliases.entities_named(*where, fold(form), identifier_key(form), Interval(start))


async def require_name_of(write: UnitOfWork, entity: Entity, form: str, start: datetime) -> None:
    """Raise Invalid if a form was never a name of an entity that is to be replaced under it."""
    where = (await write.flush(), write.tenant)
    if await aliases.has_name(*where, entity.id, fold(form), identifier_key(form)):
        return
    moment = AsOf(max(start, write.recorded_at), EVERYTHING_KNOWN)
    (description,) = await describe_entities(*where, [entity], moment)
    raise Invalid(
        f"{description} never had the name {form}; give one of its names, or leave source out",
        field="source",
    )


async def require_one_meaning(
    write: UnitOfWork,
    target: Entity,
    form: str,
    meant: Collection[UUID],
    named: Collection[UUID],
    start: datetime,
) -> None:
    """Raise Conflict, naming the entities, if a form means something other than the target.

    `meant` are the entities that have it as an alias, `named` those that have it as identifier or name.
    """
    if not meant and not named:
        return
    found = await entities.entities_by_id(await write.flush(), write.tenant, [*meant, *named, target.id])
    moment = AsOf(max(start, write.recorded_at), EVERYTHING_KNOWN)
    descriptions = await describe_entities(await write.flush(), write.tenant, found.values(), moment)
    remedy = (
        "it is the identifier or a name of the other entity, so use another name"
        if named
        else "use another name, or withdraw the existing alias first"
    )
    raise Conflict(
        f"{form} could then mean {' or '.join(descriptions)}; {remedy}", field=FORM_FIELD, candidates=found
    )


@dataclass(frozen=True, slots=True)
class Naming:
    """The names a thing is to have over some time; `own` is its id, None for a new thing."""

    project: ProjectNumber
    definition: TypeDefinition
    props: Mapping[str, Any]
    valid: Interval
    own: UUID | None = None


async def require_free_names(write: UnitOfWork, naming: Naming, forms: Collection[str]) -> None:
    """Raise Conflict, naming it, if another thing has one of these forms as its name during that time.

    A thing whose type has no immutable property is distinguished from others of its type by its name.
    """
    label = label_of(dict(naming.props))
    if label is not None and label in forms and not naming.definition.immutable_props:
        called = await aliases.entities_named(
            await write.flush(),
            write.tenant,
            naming.project,
            name_key(label),
            identifier_key(label),
            naming.valid,
        )
        alike = [
            each
            for each in await entities_of(write, called - {naming.own})
            if each.type_name == naming.definition.name
        ]
        await refuse_names(write, alike, naming.valid, "exists already")
    for form in forms:
        meant = await _alias_targets(write, naming, form)
        await refuse_names(write, await entities_of(write, meant), naming.valid, f"has the alias {form}")


def forms_of(props: Mapping[str, Any]) -> list[str]:
    """Return the names that these properties give a thing."""
    return list(naming_forms(dict(props)).values())


async def _alias_targets(write: UnitOfWork, naming: Naming, form: str) -> set[UUID]:
    lasting = await aliases_from(write, naming.project, form, naming.valid.start)
    return {
        alias.target
        for alias in lasting
        if naming.own is None or naming.own not in (alias.target, alias.source)
        if naming.valid.end is None or alias.valid.start < naming.valid.end
    }


async def entities_of(write: UnitOfWork, ids: Iterable[UUID]) -> list[Entity]:
    """Return the entities with these ids."""
    return list((await entities.entities_by_id(await write.flush(), write.tenant, list(ids))).values())


async def refuse_names(write: UnitOfWork, there: list[Entity], valid: Interval, how: str) -> None:
    """Raise Conflict, naming the entities, if there are any."""
    if not there:
        return
    moment = AsOf(max(valid.start, write.recorded_at), EVERYTHING_KNOWN)
    descriptions = await describe_entities(await write.flush(), write.tenant, there, moment)
    raise Conflict(
        f"{' and '.join(descriptions)} {how}; use that entity, or give this one another name",
        field="props",
        current=there[0].id if len(there) == 1 else None,
    )
