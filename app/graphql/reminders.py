"""The reminders that can be asked for."""

from __future__ import annotations

import strawberry

from app.graphql.arguments import ProjectArgument
from app.graphql.context import Info
from app.graphql.types.reminder import Reminder


@strawberry.type(description="What waits for somebody.")
class Reminders:
    """The reminders of the API."""

    @strawberry.field(
        description="What waits for somebody, what has waited longest first: drafts that nobody touched for"
        " 30 days. At most 100."
    )
    async def reminders(self, info: Info, project: ProjectArgument = None) -> list[Reminder]:
        """List what waits."""
        found = await info.context.states.reminders(info.context.caller, project)
        return [Reminder.of(each) for each in found]
