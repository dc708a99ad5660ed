"""What a thing may be called: no name of a thing of its type, and no alias of another thing."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from app.domain.entity import Entity
from app.domain.identifier import identifier_key
from app.domain.moment import EVERYTHING_KNOWN
from app.domain.ontology import TypeDefinition, label_of, naming_forms
from app.domain.surface_form import name_key
from app.domain.temporal import AsOf, Interval
from app.errors import Conflict
from app.services.aliases.meanings import aliases_from
from app.services.labels import told_apart
from app.services.write import Write
from app.stores.postgres import aliases, entities


@dataclass(frozen=True, slots=True)
class Naming:
    """What a thing is to be called over some time; `own` is its id, None for one that is not there yet."""

    project: int
    definition: TypeDefinition
    props: Mapping[str, Any]
    valid: Interval
    own: UUID | None = None


async def require_free_names(write: Write, naming: Naming, forms: Collection[str]) -> None:
    """Raise Conflict, naming it, when another thing goes by one of these forms at some of that time.

    A thing of a type that has nothing fixed is told from the others of its type by its present name.
    """
    label = label_of(dict(naming.props))
    if label is not None and label in forms and not naming.definition.immutable_props:
        called = await aliases.called_from(
            write.connection,
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
        await refuse_names(write, alike, naming.valid, "is there already")
    for form in forms:
        meant = await _meant_by_alias(write, naming, form)
        await refuse_names(write, await entities_of(write, meant), naming.valid, f"goes by the alias {form}")


def forms_of(props: Mapping[str, Any]) -> list[str]:
    """Answer the forms by which a thing with these properties is called."""
    return list(naming_forms(dict(props)).values())


async def _meant_by_alias(write: Write, naming: Naming, form: str) -> set[UUID]:
    lasting = await aliases_from(write, naming.project, form, naming.valid.start)
    return {
        alias.target
        for alias in lasting
        if naming.own is None or naming.own not in (alias.target, alias.source)
        if naming.valid.end is None or alias.valid.start < naming.valid.end
    }


async def entities_of(write: Write, ids: Iterable[UUID]) -> list[Entity]:
    """Answer the entities of these ids."""
    return list((await entities.entities_by_id(write.connection, write.tenant, list(ids))).values())


async def refuse_names(write: Write, there: list[Entity], valid: Interval, how: str) -> None:
    """Raise Conflict, naming what is there, if anything is."""
    if not there:
        return
    moment = AsOf(max(valid.start, write.recorded_at), EVERYTHING_KNOWN)
    told = await told_apart(write.connection, write.tenant, there, moment)
    raise Conflict(
        f"{' and '.join(told)} {how}; use that one, or take another name for this one", field="props"
    )
