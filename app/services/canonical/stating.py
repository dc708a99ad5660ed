"""Types and things as a caller states them, and what is fit to be one."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from app.domain.bounds import MAX_FORM, excerpts
from app.domain.ontology import LONGEST_TYPE_NAME, PTYPE, TypeDefinition, document_type, thing_type
from app.domain.surface_form import fold
from app.errors import Invalid

LONGEST_PROPERTY_NAME = 128
MOST_PROPERTIES = 256
REPLACEMENT = "\ufffd"
"""Stands for a character that cannot be kept, and so may be another each time."""


@dataclass(frozen=True, slots=True)
class StatedType:
    """A type to define; a document type has the usual properties of documents beside its own.

    Without `is_document` it is what the type of its name is, and no document type when there is none.
    """

    name: str
    ptype: str | None = None
    immutable_props: tuple[str, ...] = ()
    mutable_props: tuple[str, ...] = ()
    is_document: bool | None = None


@dataclass(frozen=True, slots=True)
class StatedEntity:
    """A thing to create: the name of its type, what is true of it, and from when on; now without that."""

    type_name: str
    props: Any
    valid_from: datetime | None = None


def definition_of(stated: StatedType) -> TypeDefinition:
    """Answer the definition that is stated; raises Invalid, naming the field, for an unfit one."""
    name = _fit_name(stated.name, "name", LONGEST_TYPE_NAME)
    ptype = PTYPE if stated.ptype is None else _fit_name(stated.ptype, "ptype", LONGEST_TYPE_NAME)
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
    return tuple(dict.fromkeys(_fit_name(name, field, LONGEST_PROPERTY_NAME) for name in given))


def _require_usual(definition: TypeDefinition, immutable: Sequence[str]) -> None:
    if other := sorted(set(immutable) - set(definition.immutable_props)):
        raise Invalid(
            f"of a document {', '.join(definition.immutable_props)} alone never changes, since its versions"
            f" say the rest; let {excerpts(other)} be mutable",
            field="immutableProps",
        )


def _require_fit_together(definition: TypeDefinition, mutable: Sequence[str]) -> None:
    if both := sorted(set(definition.immutable_props) & set(mutable)):
        raise Invalid(
            f"{excerpts(both)} cannot be both immutable and mutable; name each property once",
            field="mutableProps",
        )
    if len(definition.props) > MOST_PROPERTIES:
        raise Invalid(f"a type has at most {MOST_PROPERTIES} properties", field="mutableProps")
