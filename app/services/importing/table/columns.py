"""Choosing the columns of a table by their names and types."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from app.errors import Invalid
from app.services.parsing.vocabulary import relation_named
from app.stores.postgres.source_database import SourceColumn, SourceTable

NAMING = ("id", "number")
"""Roles that name a row where its table has no key; the first present one counts."""

_CAPITAL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


@dataclass(frozen=True, slots=True)
class ColumnRole:
    """A role of a column: the names it may have, best first, and the shapes of its values."""

    name: str
    names: tuple[str, ...]
    shapes: frozenset[str]

    @property
    def needed(self) -> str:
        """The names, for people."""
        return " or ".join(self.names)


@dataclass(frozen=True, slots=True)
class ColumnWords:
    """The content of columns.json."""

    documents: Mapping[str, ColumnRole]
    relation_shapes: frozenset[str]
    aliases: Mapping[str, ColumnRole]


@cache
def column_words() -> ColumnWords:
    """Read columns.json once."""
    data = json.loads(files("app.domain").joinpath("data", "columns.json").read_text(encoding="utf-8"))
    return ColumnWords(
        _roles(data["documents"]), frozenset(data["relations"]["shapes"]), _roles(data["aliases"])
    )


def _roles(data: Mapping[str, Mapping[str, list[str]]]) -> dict[str, ColumnRole]:
    return {
        name: ColumnRole(name, tuple(said["names"]), frozenset(said["shapes"])) for name, said in data.items()
    }


@dataclass(frozen=True, slots=True)
class DocumentColumns:
    """The columns of documents: by role, those that state relations, and the key of a row."""

    by_role: Mapping[str, SourceColumn]
    relations: tuple[SourceColumn, ...]
    keys: tuple[SourceColumn, ...]
    unread: tuple[str, ...]

    @property
    def taken(self) -> tuple[SourceColumn, ...]:
        """Every column to read, each once."""
        return tuple(dict.fromkeys((*self.by_role.values(), *self.relations, *self.names)))

    @property
    def names(self) -> tuple[SourceColumn, ...]:
        """The columns that name a row, and put the rows in order."""
        return self.keys or tuple(self.by_role[role] for role in NAMING if role in self.by_role)


def document_columns(table: SourceTable) -> DocumentColumns:
    """Choose the columns of a table of documents.

    Raises Invalid, with the columns there are, when it has none for the text, or none that names a row.
    """
    words = column_words()
    by_role = _chosen(table, words.documents)
    if "body" not in by_role:
        raise _lacking(table, "the text", words.documents["body"])
    relations = tuple(each for each in table.columns if _states_relation(each, words.relation_shapes))
    keys = _keys(table)
    if not keys and not by_role.keys() & set(NAMING):
        raise _lacking(table, "the name of a row, and no primary key", words.documents["id"])
    read = {each.name for each in (*by_role.values(), *relations, *keys)}
    unread = tuple(each.name for each in table.columns if each.name not in read)
    return DocumentColumns(by_role, relations, keys, unread)


def alias_columns(table: SourceTable) -> dict[str, SourceColumn]:
    """Choose the columns of a table of aliases: form, target and, where there is one, since.

    Raises Invalid, with the columns there are, when one of the first two is missing.
    """
    words = column_words().aliases
    chosen = _chosen(table, words)
    for role, what in (("form", "the alias"), ("target", "the target of the alias")):
        if role not in chosen:
            raise _lacking(table, what, words[role])
    return chosen


def _chosen(table: SourceTable, roles: Mapping[str, ColumnRole]) -> dict[str, SourceColumn]:
    named: dict[str, SourceColumn] = {}
    for column in table.columns:
        named.setdefault(_plain(column.name), column)
    chosen: dict[str, SourceColumn] = {}
    for role in roles.values():
        fit = [named[name] for name in role.names if name in named and named[name].shape in role.shapes]
        if fit:
            chosen[role.name] = fit[0]
    return chosen


def _plain(name: str) -> str:
    """Return a column's name as `created_at`, however it is spelled."""
    return _CAPITAL.sub("_", name).lower().replace("-", "_").replace(" ", "_")


def _states_relation(column: SourceColumn, shapes: Collection[str]) -> bool:
    return relation_named(_plain(column.name)) is not None and column.shape in shapes


def _keys(table: SourceTable) -> tuple[SourceColumn, ...]:
    """Return the primary key in its order, or else a column named id, as in a view."""
    places = {each.key_place: each for each in table.columns if each.key_place is not None}
    if places:
        return tuple(places[place] for place in sorted(places))
    ids = ("text", "number", "other")
    return tuple(each for each in table.columns if _plain(each.name) == "id" and each.shape in ids)[:1]


def _lacking(table: SourceTable, what: str, role: ColumnRole) -> Invalid:
    there = ", ".join(f"{column.name} ({column.type})" for column in table.columns) or "none"
    return Invalid(
        f"{table.label} has no column for {what}: it needs {role.needed}, and has {there}; a"
        " view can rename a column"
    )
