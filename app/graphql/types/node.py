"""The Node interface: objects that can be found by id."""

from __future__ import annotations

from typing import TypeVar

import strawberry

Present = TypeVar("Present")


@strawberry.interface(description="An object with an id. The query `node` finds it by the id.")
class Node:
    """The node of the Relay specification; ids are UUIDs."""

    id: strawberry.ID = strawberry.field(description="Its id, a UUID that never changes.")


def require_found(found: Present | None) -> Present:
    """Return an object that the ledger's foreign keys guarantee to exist."""
    if found is None:
        raise LookupError("the ledger lost a row that another one points to")
    return found
