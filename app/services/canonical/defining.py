"""Defining a type in a project, or letting one that is there carry more."""

from __future__ import annotations

from dataclasses import dataclass, replace

from app.domain.bounds import MAX_NAME, excerpts, require_length
from app.domain.entity import Project
from app.domain.ontology import TypeDefinition
from app.errors import Conflict
from app.services.canonical.stating import MOST_PROPERTIES, StatedType, definition_of
from app.services.new_types import record_type
from app.services.write import Write
from app.stores.postgres import ontology
from app.stores.postgres.ontology import RecordedType


@dataclass(frozen=True, slots=True)
class DefinedType:
    """A type that is there now; `changed` is false when it could carry all of that before."""

    definition: TypeDefinition
    changed: bool
    position: int | None = None


async def define(write: Write, project: Project, stated: StatedType) -> DefinedType:
    """Define a type; one that the project defined before carries what is new of it as well.

    Nothing is ever taken from a type, and what never changes is settled when it is defined: what is left
    out is as it was. Raises Invalid for an unfit definition, Conflict for one that contradicts the type of
    that name there.
    """
    require_length("name", stated.name, MAX_NAME)
    known = await ontology.types_in_projects(write.connection, write.tenant, [project.number])
    there = ontology.type_named(known, stated.name)
    if stated.is_document is None:
        stated = replace(stated, is_document=there is not None and there.definition.is_document)
    definition = definition_of(stated)
    if there is None:
        recorded = await record_type(write, project, definition, known)
        return DefinedType(recorded.definition, changed=True)
    _require_agreement(there.definition, definition, stated.ptype)
    missing = [name for name in definition.mutable_props if name not in there.definition.mutable_props]
    if not missing:
        return DefinedType(there.definition, changed=False)
    return DefinedType(await _widened(write, there, missing), changed=True)


def _require_agreement(there: TypeDefinition, definition: TypeDefinition, ptype: str | None) -> None:
    if there.is_document != definition.is_document:
        _contradicts(there, "is a type of documents" if there.is_document else "is no type of documents")
    other = set(definition.immutable_props) - set(there.immutable_props)
    if other or set(definition.mutable_props) & set(there.immutable_props):
        never = ", ".join(there.immutable_props) or "nothing"
        _contradicts(there, f"has {never} as what never changes")
    if ptype is not None and definition.ptype != there.ptype:
        _contradicts(there, f"has the ptype {there.ptype or 'of no part of a project'}")


def _contradicts(there: TypeDefinition, how: str) -> None:
    raise Conflict(
        f"{there.name} is defined already and {how}; define it alike, or take another name", field="name"
    )


async def _widened(write: Write, there: RecordedType, missing: list[str]) -> TypeDefinition:
    if not there.is_own:
        raise Conflict(
            f"{there.definition.name} belongs to every project and has no property {excerpts(missing)};"
            " take another name for a type of your own",
            field="name",
        )
    wider = (*there.definition.mutable_props, *missing)
    if len(wider) + len(there.definition.immutable_props) > MOST_PROPERTIES:
        raise Conflict(
            f"{there.definition.name} would have more than {MOST_PROPERTIES} properties", field="mutableProps"
        )
    await ontology.widen_type(write.connection, write.tenant, there.number, missing)
    return replace(there.definition, mutable_props=wider)
