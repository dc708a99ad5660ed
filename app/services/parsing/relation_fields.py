"""Relations in header fields: by their names, nested under `relations:`, or as objects with a type."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from app.services.parsing.vocabulary import Relation, field_key, relation_named, vocabulary

MAX_ITEMS = 2_000

_LOOKS = re.compile(r"(?:super[sc]+e+d|supersess|replace[sdm]|replacement|obsolet|made obsolete)")


def relation_fields(fields: Mapping[str, object]) -> Iterator[tuple[Relation, object]]:
    """Yield the relations that header fields state, each with its targets as texts, lists or scalars."""
    for name, value in fields.items():
        relation = relation_named(name)
        if field_key(name) in vocabulary().containers and _is_nested(value):
            yield from _nested(value, relation)
        elif relation is not None:
            yield relation, _targets(value)


def _is_nested(value: object) -> bool:
    items = value if isinstance(value, list) else [value]
    return any(isinstance(item, dict) for item in items)


def _nested(value: object, otherwise: Relation | None) -> Iterator[tuple[Relation, object]]:
    for item in value[:MAX_ITEMS] if isinstance(value, list) else [value]:
        if not isinstance(item, dict):
            if otherwise is not None:
                yield otherwise, item
            continue
        keys = {field_key(name): inner for name, inner in item.items()}
        kind = next(
            (keys[name] for name in vocabulary().relation_keys if isinstance(keys.get(name), str)), None
        )
        relation = relation_named(kind) if isinstance(kind, str) else None
        if relation is not None:
            yield relation, _targets(item)
            continue
        named = [
            (found, inner) for name, inner in item.items() if (found := relation_named(name)) is not None
        ]
        yield from ((found, _targets(inner)) for found, inner in named)
        if not named and otherwise is not None:
            yield otherwise, _targets(item)


def _targets(value: object) -> object:
    """Return what a value names: of an object its id, number, path or title, else its keys."""
    if isinstance(value, list):
        return [_targets(item) for item in value[:MAX_ITEMS]]
    if not isinstance(value, dict):
        return value
    keys = {field_key(name): inner for name, inner in value.items()}
    named = next(
        (keys[name] for name in vocabulary().target_keys if keys.get(name) not in (None, "", [], {})), None
    )
    return _targets(named) if named is not None and not isinstance(named, dict) else value


def looks_like_relation(name: str) -> bool:
    """Return whether the name of a heading resembles that of a supersession."""
    return _LOOKS.match(name) is not None
