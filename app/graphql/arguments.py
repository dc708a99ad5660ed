"""Arguments shared by many fields."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, TypeAlias
from uuid import UUID

import strawberry

from app.services.catalog.lookup import nothing_has

AsOfArgument: TypeAlias = Annotated[
    datetime | None,
    strawberry.argument(
        description="The instant to look at, in valid time; now by default. Without a knownAt beside it the"
        " answer is by all that is known now."
    ),
]
KnownAtArgument: TypeAlias = Annotated[
    datetime | None,
    strawberry.argument(description="By what was known at this instant; by all that is known by default."),
]
ProjectArgument: TypeAlias = Annotated[
    str | None, strawberry.argument(description="The key of a project; every project by default.")
]
PreferWipArgument: TypeAlias = Annotated[
    bool | None,
    strawberry.argument(
        description="Whether a draft that is open then comes before what is in force: by default it does,"
        " unlike in Entity.state. It hides changes that are recorded for then already; false shows them."
    ),
]
CommittedFirstArgument: TypeAlias = Annotated[
    bool | None,
    strawberry.argument(
        description="Whether a draft that is open then comes before what is in force: by default it does not,"
        " unlike in recall and stateAsOf."
    ),
]

IDEMPOTENCY_KEY = (
    "A key of the caller's choice, for this mutation alone: the same input under it gives the first answer"
    " again, other input is refused as a conflict."
)
"""What the field `idempotencyKey` of every mutation's input is."""


def uuid_of(given: str) -> UUID | None:
    """Return an id as a UUID, or None if it is not one."""
    try:
        return UUID(given)
    except ValueError:
        return None


def id_of(given: str, kind: str, field: str) -> UUID:
    """Return an id of an input as a UUID; raise NotFound if it is not one."""
    id = uuid_of(given)
    if id is None:
        raise nothing_has(kind, given, field)
    return id


def optional_id(given: str | None, kind: str, field: str) -> UUID | None:
    """Return an optional id of an input as a UUID; raise NotFound if it is not one."""
    return None if given is None else id_of(given, kind, field)
