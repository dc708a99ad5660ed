"""Types and the references allowed between them, shipped or user-defined."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from importlib.resources import files
from typing import Any

from app.domain.entity import ReferenceType

NAMING_PROPERTIES = ("name", "title", "identifier", "handle", "key", "pid", "fqdn")
LABEL_PROPERTIES = ("name", "title", "identifier", "handle", "key")
PTYPE = "application"
"""The part of a project that types describe unless they say otherwise."""


class Zone(StrEnum):
    """Whether a type belongs to the system, and so to every project, or to single projects."""

    SYSTEM = "SYSTEM"
    PROJECT = "PROJECT"


@dataclass(frozen=True, slots=True)
class TypeDefinition:
    """A kind of thing and the properties it may carry."""

    name: str
    zone: Zone
    ptype: str | None
    is_document: bool
    immutable_props: tuple[str, ...]
    mutable_props: tuple[str, ...]

    @property
    def props(self) -> tuple[str, ...]:
        """Every property it allows, immutable ones first."""
        return (*self.immutable_props, *self.mutable_props)

    def unknown_props(self, props: dict[str, Any]) -> list[str]:
        """Return the property names this type does not allow, sorted."""
        return sorted(props.keys() - set(self.props))


@dataclass(frozen=True, slots=True)
class ReferenceRule:
    """CAN_REFERENCE: a source type may join a target type by a reference of this type."""

    source: str
    type: ReferenceType
    target: str


def _read_data(name: str) -> Any:
    return json.loads(files("app.domain").joinpath("data", name).read_text(encoding="utf-8"))


@cache
def shipped_types() -> tuple[TypeDefinition, ...]:
    """Return the fourteen types every tenant starts with."""
    data = _read_data("types.json")
    shape = data["documents"]
    documents = [
        TypeDefinition(name, Zone.PROJECT, PTYPE, True, tuple(shape["immutable"]), tuple(shape["mutable"]))
        for name in shape["names"]
    ]
    things = [
        TypeDefinition(
            row["name"],
            Zone(row["zone"]),
            PTYPE if row["zone"] == Zone.PROJECT else None,
            False,
            tuple(row["immutable"]),
            tuple(row["mutable"]),
        )
        for row in data["types"]
    ]
    return (*documents, *things)


def document_type(name: str, mutable_props: tuple[str, ...]) -> TypeDefinition:
    """Return a document type of this name that allows these properties in addition to the usual ones."""
    shape = _read_data("types.json")["documents"]
    usual = tuple(shape["mutable"])
    extra = tuple(sorted(set(mutable_props) - set(usual) - set(shape["immutable"])))
    return TypeDefinition(name, Zone.PROJECT, PTYPE, True, tuple(shape["immutable"]), usual + extra)


def thing_type(
    name: str, ptype: str, immutable_props: tuple[str, ...], mutable_props: tuple[str, ...]
) -> TypeDefinition:
    """Return a type of this name for things without a document."""
    return TypeDefinition(name, Zone.PROJECT, ptype, False, immutable_props, mutable_props)


def rules_among(types: tuple[TypeDefinition, ...]) -> tuple[ReferenceRule, ...]:
    """Return every shipped CAN_REFERENCE rule for these types."""
    rules = {
        ReferenceRule(source.name, ReferenceType(name), target.name)
        for row in _read_data("reference_rules.json")
        for source in types
        if _matches(row["source"], source)
        for target in types
        if _matches(row["target"], target)
        for name in row["types"]
    }
    return tuple(sorted(rules, key=lambda rule: (rule.source, rule.type, rule.target)))


@cache
def types_from_documents_to_things() -> frozenset[ReferenceType]:
    """Return the reference types that the shipped rules allow from any document to any thing."""
    return _types_between("document", "thing")


@cache
def types_from_things_to_documents() -> frozenset[ReferenceType]:
    """Return the reference types that the shipped rules allow from any thing to any document."""
    return _types_between("thing", "document")


def _types_between(source: str, target: str) -> frozenset[ReferenceType]:
    return frozenset(
        ReferenceType(name)
        for row in _read_data("reference_rules.json")
        if (row["source"], row["target"]) == (source, target)
        for name in row["types"]
    )


def _matches(pattern: str, candidate: TypeDefinition) -> bool:
    if pattern == "document":
        return candidate.is_document
    if pattern == "thing":
        return not candidate.is_document
    return pattern == candidate.name


def naming_forms(props: dict[str, Any]) -> dict[str, str]:
    """Return the naming properties of a thing, with their text."""
    return {
        name: value.strip()
        for name in NAMING_PROPERTIES
        if isinstance(value := props.get(name), str) and value.strip()
    }


def label_of(props: dict[str, Any], constant: Sequence[str] = ()) -> str | None:
    """Return a thing's name for people in this state, or else its immutable text."""
    forms = naming_forms(props)
    label = next((forms[name] for name in LABEL_PROPERTIES if name in forms), None)
    values = (props[name] for name in constant if name in props)
    fixed = (value if isinstance(value, str) else json.dumps(value, ensure_ascii=False) for value in values)
    return label or " ".join(fixed) or None
