"""What waits for somebody."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

import strawberry

from app.graphql.context import Info
from app.graphql.types import entity as entities
from app.graphql.types.lazy import EntityType
from app.services import states


@strawberry.type(description="Something that waits for somebody.")
class Reminder:
    """A reminder."""

    category: str = strawberry.field(
        description="What kind of thing waits: stale_wip is a draft that nobody touched for 30 days."
    )
    message: str = strawberry.field(description="What waits, and what to do about it.")
    since: datetime | None = strawberry.field(description="Since when it waits.")
    entity_id: strawberry.Private[UUID]

    @classmethod
    def of(cls, reminder: states.Reminder) -> Reminder:
        """Wrap a reminder."""
        return cls(
            category=reminder.category,
            message=reminder.message,
            since=reminder.since,
            entity_id=reminder.entity,
        )

    @strawberry.field(description="What it is about.")
    async def entity(self, info: Info) -> EntityType | None:
        """Load its entity."""
        return await entities.find_entity(info, self.entity_id)
