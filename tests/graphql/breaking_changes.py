"""Breaking changes of the GraphQL schema since the last release, which the changelog has to name.

A release moves the baseline: `cp schema.graphql tests/graphql/baselines/VERSION.graphql`.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

from graphql import GraphQLSchema, build_schema, resolve_schema_coordinate
from graphql.utilities import find_breaking_changes

ROOT = Path(__file__).parents[2]
BASELINES = Path(__file__).parent / "baselines"

_UNRELEASED = re.compile(r"^## \[Unreleased\]$(.*?)(?=^## \[|\Z)", re.MULTILINE | re.DOTALL)
_RELEASE = re.compile(r"^## \[(\d[^]]*)\]", re.MULTILINE)
_BREAKING_ENTRY = re.compile(r"^- Breaking: (.*?)(?=^\S|^$|\Z)", re.MULTILINE | re.DOTALL)
_COORDINATE = re.compile(r"@?\w+(?:\.\w+)?(?:\(\w+:\))?")


def unnamed_breaking_changes(released: str, present: str, changelog: str) -> list[str]:
    """Return a line for each breaking change between two schemas that no entry of Unreleased names."""
    before, after = build_schema(released), build_schema(present)
    named = _named_coordinates(changelog)
    coordinates = {
        change.description: _coordinate(change.description, before, after)
        for change in find_breaking_changes(before, after)
    }
    return [
        f"{description} CHANGELOG.md has no entry `- Breaking: ...` with `{coordinate}`."
        for description, coordinate in coordinates.items()
        if coordinate not in named
    ]


def baseline_of(changelog: str) -> Path:
    """Return the file with the schema of the newest release, or that of before the first one."""
    release = _RELEASE.search(changelog)
    return BASELINES / f"{release[1] if release else 'unreleased'}.graphql"


def _named_coordinates(changelog: str) -> frozenset[str]:
    unreleased = _UNRELEASED.search(changelog)
    entries = _BREAKING_ENTRY.findall(unreleased[1]) if unreleased else []
    return frozenset(span for entry in entries for span in re.findall(r"`([^`]+)`", entry))


def _coordinate(description: str, before: GraphQLSchema, after: GraphQLSchema) -> str:
    """Return the first schema coordinate in a description, which is what the change is of."""
    words = (match[0] for match in _COORDINATE.finditer(description))
    return next(word for word in words if _is_known(word, before) or _is_known(word, after))


def _is_known(coordinate: str, schema: GraphQLSchema) -> bool:
    try:
        return resolve_schema_coordinate(schema, coordinate) is not None
    except ValueError:  # a field of a type that this schema lacks
        return False


def _check() -> None:
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    released = baseline_of(changelog).read_text(encoding="utf-8")
    present = (ROOT / "schema.graphql").read_text(encoding="utf-8")
    if unnamed := unnamed_breaking_changes(released, present, changelog):
        sys.exit("\n".join(unnamed))


if __name__ == "__main__":
    _check()
