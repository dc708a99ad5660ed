"""The words a parser looks for: prefixes, kinds, fields, relations and statuses, read from one file."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from app.domain.entity import ReferenceType
from app.domain.text import fold


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of document: its identifiers' prefix, folders it lives in, headings it is known by."""

    name: str
    prefix: str
    folders: frozenset[str]
    headings: tuple[frozenset[str], ...]


@dataclass(frozen=True, slots=True)
class Relation:
    """What a word such as "superseded by" says: a type, and whether the edge is read backwards."""

    type: ReferenceType
    inverted: bool = False


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """The content of identifiers.json, keyed by folded words."""

    prefixes: frozenset[str]
    everyday_words: frozenset[str]
    default_kind: str
    kinds: tuple[Kind, ...]
    fields: Mapping[str, str]
    relations: Mapping[str, Relation]
    qualifiers: tuple[str, ...]
    hedges: tuple[str, ...]
    nothing: frozenset[str]
    section_names: frozenset[str]
    statuses: tuple[str, ...]
    facts: tuple[str, ...]


@cache
def vocabulary() -> Vocabulary:
    """Read identifiers.json once."""
    text = files("app.domain").joinpath("data", "identifiers.json").read_text(encoding="utf-8")
    data = json.loads(text)
    return Vocabulary(
        prefixes=frozenset(data["prefixes"]),
        everyday_words=frozenset(data["everyday_words"]),
        default_kind=data["default_kind"],
        kinds=tuple(
            Kind(
                row["name"],
                row["prefix"],
                frozenset(row["folders"]),
                tuple(frozenset(shape) for shape in row["headings"]),
            )
            for row in data["kinds"]
        ),
        fields={name: role for role, names in data["fields"].items() for name in names},
        relations={
            word: Relation(ReferenceType(row["type"]), row.get("inverted", False))
            for row in data["relations"]
            for word in row["words"]
        },
        qualifiers=tuple(data["qualifiers"]),
        hedges=tuple(data["hedges"]),
        nothing=frozenset(data["nothing"]),
        section_names=frozenset(data["section_names"]),
        statuses=tuple(sorted(data["statuses"], key=len, reverse=True)),
        facts=tuple(data["facts"]),
    )


def relation_named(words: str) -> Relation | None:
    """Return the relation that a heading or field name stands for, or None.

    Names joined by a slash count when all of them say the same, as in "Depends on / Requires".
    """
    parts = [fold(part.replace("_", " ").replace("-", " ")) for part in words.strip(" :").split("/")]
    found = {vocabulary().relations.get(part) for part in parts}
    return found.pop() if len(found) == 1 else None


def kind_named(name: str) -> Kind | None:
    """Return the shipped kind of this name, compared without case, or None."""
    wanted = fold(name)
    return next((kind for kind in vocabulary().kinds if fold(kind.name) == wanted), None)
