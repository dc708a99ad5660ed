"""Define a type in a project, or add properties to an existing one."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from app.domain.bounds import MAX_FORM, MAX_NAME, MAX_TYPE_NAME, excerpts, require_length
from app.domain.entity import Project
from app.domain.text import fold
from app.domain.types import PTYPE, TypeDefinition, document_type, rules_among, thing_type
from app.errors import Conflict, Invalid
from app.services.unit_of_work import UnitOfWork
from app.stores.postgres import type_definitions
from app.stores.postgres.type_definitions import RecordedType

MAX_PROPERTY_NAME_LENGTH = 128
MAX_PROPERTIES = 256
REPLACEMENT = "\ufffd"
"""Replaces a character that cannot be stored, so two names with it may differ."""


@dataclass(frozen=True, slots=True)
class StatedType:
    """A type to define; a document type has the usual properties of documents besides its own.

    Without `is_document` it is as the existing type of that name, and no document type if there is none.
    """

    name: str
    ptype: str | None = None
    immutable_props: tuple[str, ...] = ()
    mutable_props: tuple[str, ...] = ()
    is_document: bool | None = None


@dataclass(frozen=True, slots=True)
class StatedEntity:
    """A thing to create: its type, its properties, and from when on it exists, by default now."""

    type_name: str
    props: Any
    valid_from: datetime | None = None


def definition_of(stated: StatedType) -> TypeDefinition:
    """Return the definition of a stated type; raise Invalid, naming the field, if it is unfit."""
    name = _fit_name(stated.name, "name", MAX_TYPE_NAME)
    ptype = PTYPE if stated.ptype is None else _fit_name(stated.ptype, "ptype", MAX_TYPE_NAME)
    immutable = _fit_props(stated.immutable_props, "immutableProps")
    mutable = _fit_props(stated.mutable_props, "mutableProps")
    definition = (
        document_type(name, mutable) if stated.is_document else thing_type(name, ptype, immutable, mutable)
    )
    if stated.is_document:
        _require_usual(definition, immutable)
    _require_fit_together(definition, mutable)
    return definition


def _fit_name(given: str, field: str, longest: int) -> str:
    name = unicodedata.normalize("NFC", given.strip()) if len(given) <= MAX_FORM else given
    if len(name) > longest or not fold(name) or not name.isprintable() or REPLACEMENT in name:
        raise Invalid(f"{field}: a name has 1 to {longest} printable characters", field=field)
    return name


def _fit_props(given: Sequence[str], field: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(_fit_name(name, field, MAX_PROPERTY_NAME_LENGTH) for name in given))


def _require_usual(definition: TypeDefinition, immutable: Sequence[str]) -> None:
    if other := sorted(set(immutable) - set(definition.immutable_props)):
        raise Invalid(
            f"{', '.join(definition.immutable_props)} is the only immutable property of a"
            f" document type; make {excerpts(other)} mutable",
            field="immutableProps",
        )


def _require_fit_together(definition: TypeDefinition, mutable: Sequence[str]) -> None:
    if both := sorted(set(definition.immutable_props) & set(mutable)):
        raise Invalid(
            f"{excerpts(both)} cannot be both immutable and mutable; list each property once",
            field="mutableProps",
        )
    if len(definition.props) > MAX_PROPERTIES:
        raise Invalid(f"a type has at most {MAX_PROPERTIES} properties", field="mutableProps")


async def record_type(
    write: UnitOfWork, project: Project, definition: TypeDefinition, known: Sequence[RecordedType]
) -> RecordedType:
    """Record a type of a project, with the shipped rules between it and the known types."""
    where = (await write.flush(), write.tenant)
    await type_definitions.insert_type(*where, project.number, definition, write.recorded_at)
    rules = rules_among((*(recorded.definition for recorded in known), definition))
    own = [rule for rule in rules if definition.name in (rule.source, rule.target)]
    await type_definitions.insert_rules(*where, project.number, own)
    recorded = await type_definitions.types_in_projects(*where, [project.number])
    return next(found for found in recorded if found.is_own and found.definition.name == definition.name)


@dataclass(frozen=True, slots=True)
class DefinedType:
    """The type after a definition; `changed` is false if it had all of the properties before."""

    definition: TypeDefinition
    changed: bool
    position: int | None = None


async def define(write: UnitOfWork, project: Project, stated: StatedType) -> DefinedType:
    """Define a type; if the project defined it before, add the new properties.

    No property is ever removed, and the immutable properties are fixed by the first definition: what is left
    out stays as it was. Raises Invalid for an unfit definition, Conflict for one that contradicts the type of
    that name there.
    """
    require_length("name", stated.name, MAX_NAME)
    known = await type_definitions.types_in_projects(await write.flush(), write.tenant, [project.number])
    there = type_definitions.type_named(known, stated.name)
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
    return DefinedType(await _widen(write, there, missing), changed=True)


def _require_agreement(there: TypeDefinition, definition: TypeDefinition, ptype: str | None) -> None:
    if there.is_document != definition.is_document:
        _contradicts(there, "is a document type" if there.is_document else "is not a document type")
    other = set(definition.immutable_props) - set(there.immutable_props)
    if other or set(definition.mutable_props) & set(there.immutable_props):
        never = ", ".join(there.immutable_props) or "nothing"
        _contradicts(there, f"has {never} as its immutable properties")
    if ptype is not None and definition.ptype != there.ptype:
        _contradicts(there, f"has the ptype {there.ptype or '(none)'}")


def _contradicts(there: TypeDefinition, how: str) -> None:
    raise Conflict(
        f"{there.name} is defined already and {how}; use the same definition, or another name", field="name"
    )


async def _widen(write: UnitOfWork, there: RecordedType, missing: list[str]) -> TypeDefinition:
    if not there.is_own:
        raise Conflict(
            f"{there.definition.name} belongs to every project and has no property"
            f" {excerpts(missing)}; use another name for a type of your own",
            field="name",
        )
    wider = (*there.definition.mutable_props, *missing)
    if len(wider) + len(there.definition.immutable_props) > MAX_PROPERTIES:
        raise Conflict(
            f"{there.definition.name} would have more than {MAX_PROPERTIES} properties", field="mutableProps"
        )
    await type_definitions.widen_type(await write.flush(), write.tenant, there.number, missing)
    return replace(there.definition, mutable_props=wider)
