"""The words a parser looks for: prefixes, kinds, fields, dates and relations, read from one file."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files
from typing import Any

from app.domain.entity import ReferenceType
from app.domain.text import fold


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of document and what it is known by.

    `folders` are names of folders it lives in, `headings` and `fields` sets that it has together, `titles`
    words that its titles begin with, `files` words that names of its files end with, and `starts` such
    that they begin with. Without large numbers a number such as 2026 is a year.
    """

    name: str
    prefix: str
    folders: frozenset[str]
    headings: tuple[frozenset[str], ...] = ()
    fields: tuple[frozenset[str], ...] = ()
    titles: frozenset[str] = frozenset()
    files: frozenset[str] = frozenset()
    starts: frozenset[str] = frozenset()
    has_large_numbers: bool = False


@dataclass(frozen=True, slots=True)
class Relation:
    """What a word such as "superseded by" says: a type, and whether the edge is read backwards.

    One that relates what is superseded `in_part` supersedes nothing.
    """

    type: ReferenceType
    inverted: bool = False
    in_part: bool = False


@dataclass(frozen=True, slots=True)
class Switch:
    """A field whose value says a status: `draft: true`."""

    field: str
    value: str
    status: str


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """The content of identifiers.json, keyed by folded words; fields by their words joined with hyphens.

    `dates` has the rank of each field that dates a document, the lowest first. `relations` are known by
    names of fields and headings, and by `relation_words` in sentences too. Fields of `containers` hold
    relations, as objects with one of `relation_keys` and one of `target_keys`.
    """

    prefixes: frozenset[str]
    everyday_words: frozenset[str]
    default_kind: str
    decision_kinds: frozenset[str]
    kinds: tuple[Kind, ...]
    fields: Mapping[str, str]
    dates: Mapping[str, int]
    plain_dates: frozenset[str]
    switches: tuple[Switch, ...]
    relations: Mapping[str, Relation]
    relation_words: tuple[str, ...]
    containers: frozenset[str]
    relation_keys: tuple[str, ...]
    target_keys: tuple[str, ...]
    link_sections: frozenset[str]
    qualifiers: tuple[str, ...]
    reservations: tuple[str, ...]
    parts: frozenset[str]
    hedges: tuple[str, ...]
    nothing: frozenset[str]
    template_words: frozenset[str]
    template_parts: frozenset[str]
    index_files: frozenset[str]
    section_names: frozenset[str]
    metadata_sections: frozenset[str]
    contents_sections: frozenset[str]
    history_sections: frozenset[str]
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
        decision_kinds=frozenset(data["decision_kinds"]),
        kinds=tuple(_kind(row) for row in data["kinds"]),
        fields={name: role for role, names in data["fields"].items() for name in names}
        | {name: "created" for names in data["dates"] for name in names},
        dates={name: rank for rank, names in enumerate(data["dates"]) for name in names},
        plain_dates=frozenset(data["plain_dates"]),
        switches=tuple(Switch(**row) for row in data["switches"]),
        relations={
            word: Relation(ReferenceType(row["type"]), row.get("inverted", False), row.get("in_part", False))
            for row in data["relations"]
            for word in (*row["words"], *row.get("names", ()))
        },
        relation_words=tuple(word for row in data["relations"] for word in row["words"]),
        containers=frozenset(data["containers"]),
        relation_keys=tuple(data["relation_keys"]),
        target_keys=tuple(data["target_keys"]),
        link_sections=frozenset(data["link_sections"]),
        qualifiers=tuple(data["qualifiers"]),
        reservations=tuple(data["reservations"]),
        parts=frozenset(data["parts"]),
        hedges=tuple(data["hedges"]),
        nothing=frozenset(data["nothing"]),
        template_words=frozenset(data["template_words"]),
        template_parts=frozenset(data["template_parts"]),
        index_files=frozenset(data["index_files"]),
        section_names=frozenset(data["section_names"]) | frozenset(data["contents_sections"]),
        metadata_sections=frozenset(data["metadata_sections"]),
        contents_sections=frozenset(data["contents_sections"]),
        history_sections=frozenset(data["history_sections"]),
        facts=tuple(data["facts"]),
    )


def _kind(row: Mapping[str, Any]) -> Kind:
    return Kind(
        name=row["name"],
        prefix=row["prefix"],
        folders=frozenset(row["folders"]),
        headings=_sets(row.get("headings", ())),
        fields=_sets(row.get("fields", ())),
        titles=frozenset(row.get("titles", ())),
        files=frozenset(row.get("files", ())),
        starts=frozenset(row.get("starts", ())),
        has_large_numbers=row.get("has_large_numbers", False),
    )


def _sets(rows: Iterable[Iterable[str]]) -> tuple[frozenset[str], ...]:
    return tuple(frozenset(row) for row in rows)


_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z][a-z])")
_APART = re.compile(r"[\s_-]+")
_MAX_NAME = 128


@lru_cache(maxsize=4_096)
def field_key(name: str) -> str:
    """Return the one spelling of a field's name: `dependsOn` and `Depends On` are `depends-on`."""
    words = _APART.sub("-", fold(_CAMEL.sub("-", name[:_MAX_NAME])))
    return re.sub(r"^\W+|\W+$", "", words)


@lru_cache(maxsize=4_096)
def relation_named(words: str) -> Relation | None:
    """Return the relation that a heading or field name stands for, or None.

    Names joined by a slash count when all of them say the same, as in "Depends on / Requires".
    """
    parts = [field_key(part).replace("-", " ") for part in words.split("/")]
    found = {vocabulary().relations.get(part) for part in parts}
    return found.pop() if len(found) == 1 else None


def kind_named(name: str) -> Kind | None:
    """Return the shipped kind of this name, compared without case, or None."""
    wanted = fold(name)
    return next((kind for kind in vocabulary().kinds if fold(kind.name) == wanted), None)


def kind_of_prefix(prefix: str | None) -> Kind | None:
    """Return the shipped kind whose identifiers have this prefix, or None."""
    return next((kind for kind in vocabulary().kinds if kind.prefix == prefix), None)


def kind_of_folder(folder: str) -> Kind | None:
    """Return the kind whose documents live in folders of this name, as `.decisions` or `02_Decisions`."""
    wanted = re.sub(r"^\d+-", "", field_key(folder))
    return next((kind for kind in vocabulary().kinds if wanted in kind.folders), None)
