"""What can be found by its id alone."""

from __future__ import annotations

import strawberry


@strawberry.interface(description="Something with an id, which `node` finds.")
class Node:
    """The node of the Relay specification; ids are UUIDs."""

    id: strawberry.ID = strawberry.field(description="Its id, a UUID that never changes.")
