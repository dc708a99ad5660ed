"""Custom scalars: instants with an offset, and JSON."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from types import MappingProxyType

import strawberry
from graphql import GraphQLError
from strawberry.scalars import JSON
from strawberry.types.scalar import ScalarDefinition

from app.domain.bounds import excerpt
from app.domain.temporal import rfc_3339

RFC_3339 = re.compile(
    r"(?P<second>\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d)(?P<fraction>\.\d+)?(?P<offset>[Zz]|[+-]\d\d:\d\d)?",
    re.ASCII,
)
EXAMPLE = "2026-01-31T09:30:00Z"
MAX_INSTANT = 64
"""Characters; those of nanoseconds with an offset have 35."""

MAX_INTEGER = 2**63 - 1
MAX_JSON_DEPTH = 100


def parse_instant(value: object) -> datetime:
    """Return the instant, in UTC, that an RFC 3339 text with an offset means.

    Digits finer than a microsecond are dropped. Raises GraphQLError for anything else.
    """
    is_short = isinstance(value, str) and len(value) <= MAX_INSTANT
    written = RFC_3339.fullmatch(value) if is_short and isinstance(value, str) else None
    if written is None:
        raise GraphQLError(f"A DateTime is a string such as {EXAMPLE} (RFC 3339), not {_excerpt(value)}.")
    if written["offset"] is None:
        raise GraphQLError(f"{_excerpt(value)} has no offset: add Z for UTC, or an offset such as +02:00.")
    fraction = (written["fraction"] or "")[:7]
    try:
        instant = datetime.fromisoformat(written["second"].upper() + fraction + written["offset"].upper())
        return instant.astimezone(UTC)
    except (ValueError, OverflowError) as error:
        raise GraphQLError(f"{_excerpt(value)} is not a valid date and time ({error}).") from None


def print_instant(value: datetime) -> str:
    """Return the instant in UTC with a `Z` and its microseconds; a time without an offset is a bug."""
    if value.tzinfo is None:
        raise TypeError(f"a time without an offset reached the API: {value.isoformat()}")
    return rfc_3339(value)


def parse_json(value: object) -> object:
    """Return the value; raise GraphQLError if a JSON writer or reader would change it."""
    pending = [(value, 0)]
    while pending:
        item, depth = pending.pop()
        if depth > MAX_JSON_DEPTH:
            raise GraphQLError(f"JSON may be nested at most {MAX_JSON_DEPTH} levels deep here.")
        if isinstance(item, (dict, list)):
            within = item.values() if isinstance(item, dict) else item
            pending.extend((inner, depth + 1) for inner in within)
        elif _is_unkept_number(item):
            raise GraphQLError(
                "A number in JSON must be finite and within 64 bits; send other numbers as strings."
            )
    return value


def _is_unkept_number(item: object) -> bool:
    if isinstance(item, float):
        return not math.isfinite(item)
    return isinstance(item, int) and not -MAX_INTEGER - 1 <= item <= MAX_INTEGER


def _excerpt(value: object) -> str:
    return f'"{excerpt(value)}"' if isinstance(value, str) else excerpt(str(value))


DATE_TIME: ScalarDefinition = strawberry.scalar(
    name="DateTime",
    description=(
        "An instant as an RFC 3339 string. Input needs an offset (`Z` or `+02:00`) and has"
        " microsecond precision. Output is always UTC, with `Z`."
    ),
    specified_by_url="https://datatracker.ietf.org/doc/html/rfc3339",
    serialize=print_instant,
    parse_value=parse_instant,
)

ANY_JSON: ScalarDefinition = strawberry.scalar(
    name="JSON",
    description=(
        "Any JSON value: object, list, string, number within 64 bits, boolean or null, at most"
        f" {MAX_JSON_DEPTH} levels deep."
    ),
    specified_by_url="https://datatracker.ietf.org/doc/html/rfc8259",
    parse_value=parse_json,
)

# For StrawberryConfig(scalar_map=SCALARS): how annotations in the schema become these scalars.
SCALARS: Mapping[object, ScalarDefinition] = MappingProxyType({datetime: DATE_TIME, JSON: ANY_JSON})
