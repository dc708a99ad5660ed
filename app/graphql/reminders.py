"""The reminders and the drafts that can be asked for."""

from __future__ import annotations

import strawberry

from app.graphql.arguments import ProjectArgument
from app.graphql.connections import DRAFTS, AfterArgument, Connection, FirstArgument
from app.graphql.context import Info
from app.graphql.types.lazy import StateType
from app.graphql.types.reminder import Reminder
from app.graphql.types.state import EntityState


@strawberry.type(description="What waits for somebody.")
class Reminders:
    """The reminders of the API."""

    @strawberry.field(
        description="What waits for somebody, what has waited longest first: drafts that nobody touched for"
        " 30 days. At most 100; `drafts` lists every draft."
    )
    async def reminders(self, info: Info, project: ProjectArgument = None) -> list[Reminder]:
        """List what waits."""
        found = await info.context.states.reminders(info.context.caller, project)
        return [Reminder.of(each) for each in found]

    @strawberry.field(
        description="The drafts there are now, neither sealed nor discarded, the longest untouched first: the"
        " state that each is, with the id that sealWip and discardWip take."
    )
    async def drafts(
        self,
        info: Info,
        project: ProjectArgument = None,
        first: FirstArgument = 20,
        after: AfterArgument = None,
    ) -> Connection[StateType]:
        """List the drafts."""
        page = DRAFTS.request(first, after)
        listing = await info.context.states.drafts(info.context.caller, project, page)
        return DRAFTS.connection(listing.page, EntityState.of, page, listing.count)
