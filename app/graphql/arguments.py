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
        description="The instant in valid time. The default is that of the field above, and now at the root."
        " All fields below use it too, unless they name their own."
    ),
]
KnownAtArgument: TypeAlias = Annotated[
    datetime | None,
    strawberry.argument(
        description="The instant in transaction time: the result uses only what was recorded by then. The"
        " default is that of the field above, and at the root all that is recorded when the operation begins."
        " All fields below use it too, unless they name their own."
    ),
]
ProjectArgument: TypeAlias = Annotated[
    str | None, strawberry.argument(description="The key of a project. The default is all projects.")
]
PreferWipArgument: TypeAlias = Annotated[
    bool | None,
    strawberry.argument(
        description="Whether an open draft takes precedence over the committed state. The default is true"
        " here, and false in Entity.state. A draft hides changes that are already scheduled;"
        " false shows them."
    ),
]
CommittedFirstArgument: TypeAlias = Annotated[
    bool | None,
    strawberry.argument(
        description="Whether an open draft takes precedence over the committed state. The default is false"
        " here, and true in recall and stateAsOf."
    ),
]

IDEMPOTENCY_KEY = (
    "A key that the client chooses, scoped to this caller and this mutation. The same input with"
    " the same key returns the first response again. Other input with the same key is a conflict."
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
