"""Counting the fields that a document selects several times in one place.

The library compares every two of them, so that their number counts twice; clients repeat a field a few times,
where fragments of several components meet.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from graphql import (
    DocumentNode,
    FieldNode,
    FragmentDefinitionNode,
    FragmentSpreadNode,
    InlineFragmentNode,
    SelectionSetNode,
)

from app.graphql.survey import operations

MAX_REPEATS = 8
MAX_FIELDS = 5_000


class Crowd(NamedTuple):
    """How many fields a document selects, fragments counted where spread, and how often one of them.

    Counting ends where either is over its limit.
    """

    fields: int
    repeats: int


class _Place(NamedTuple):
    """Selections that are answered together, and the fragments that they stand in."""

    selections: list[SelectionSetNode]
    within: frozenset[str]


def count_fields(document: DocumentNode) -> Crowd:
    """Return how crowded a document is; a fragment within itself counts once, and is refused elsewhere."""
    fragments = {
        node.name.value: node for node in document.definitions if isinstance(node, FragmentDefinitionNode)
    }
    pending = [_Place([node.selection_set], frozenset()) for node in operations(document)]
    fields = repeats = 0
    while pending:
        place = pending.pop()
        within: dict[str, set[str]] = defaultdict(set)
        named: dict[str, list[FieldNode]] = defaultdict(list)
        for node, around in _fields(place, fragments):
            name = (node.alias or node.name).value
            named[name].append(node)
            within[name] |= around
            fields += 1
            repeats = max(repeats, len(named[name]))
            if fields > MAX_FIELDS or repeats > MAX_REPEATS:
                return Crowd(fields, repeats)
        for name, nodes in named.items():
            if nested := [node.selection_set for node in nodes if node.selection_set is not None]:
                pending.append(_Place(nested, frozenset(within[name])))
    return Crowd(fields, repeats)


def _fields(
    place: _Place, fragments: Mapping[str, FragmentDefinitionNode]
) -> Iterator[tuple[FieldNode, frozenset[str]]]:
    """Yield the fields of a place, with the fragments that each stands in; each fragment is read once."""
    read: set[str] = set()
    pending = [(selections, place.within) for selections in place.selections]
    while pending:
        selections, within = pending.pop()
        for node in selections.selections:
            if isinstance(node, FieldNode):
                yield node, within
            elif isinstance(node, InlineFragmentNode):
                pending.append((node.selection_set, within))
            elif isinstance(node, FragmentSpreadNode):
                name = node.name.value
                if name in fragments and name not in read and name not in within:
                    read.add(name)
                    pending.append((fragments[name].selection_set, within | {name}))
