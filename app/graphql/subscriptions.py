"""The subscriptions of the API: the changes of the ledger, those there are and those to come."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing
from enum import Enum
from typing import Annotated, TypeAlias
from uuid import UUID

import strawberry

from app.graphql.arguments import ProjectArgument, id_of
from app.graphql.context import Info
from app.graphql.types.node import Node, find_node
from app.graphql.types.state import StateChange
from app.services.changes import Change, FollowRequest

STATE_EVENT = "state_event"

AfterArgument: TypeAlias = Annotated[
    str | None,
    strawberry.argument(
        description="A position: that of the last change seen, or of a write. Every later change follows. The"
        " default is the position of the ledger when the operation begins."
    ),
]


@strawberry.enum(description="The kind of object that a change is of.")
class ChangeKind(Enum):
    """What the outbox calls the rows of each table."""

    ABSENCE = strawberry.enum_value("absence", description="A document was withdrawn, or put back.")
    ALIAS = strawberry.enum_value("alias", description="An alias was created or withdrawn.")
    ARTIFACT = strawberry.enum_value("artifact", description="A version of a document was filed.")
    ENTITY = strawberry.enum_value("entity", description="An entity was created, or begins earlier.")
    MENTIONS = strawberry.enum_value("mentions", description="The mentions of a document were found.")
    REFERENCE = strawberry.enum_value("reference", description="A reference was created or withdrawn.")
    STATE = strawberry.enum_value("entity_state", description="A state was recorded or retracted.")
    STATE_EVENT = strawberry.enum_value(
        "state_event", description="A state was changed: what stateChanges has too."
    )
    TYPE = strawberry.enum_value("type", description="A type was defined or changed.")


@strawberry.type(description="A change of the ledger.")
class LedgerEvent:
    """A change of any kind."""

    position: str = strawberry.field(
        description="Its position in the ledger; follow again after it to miss nothing."
    )
    kind: ChangeKind = strawberry.field(description="The kind of object that it is of.")
    node_id: strawberry.Private[UUID | None]

    @classmethod
    def of(cls, change: Change) -> LedgerEvent:
        """Wrap a change."""
        return cls(position=str(change.position), kind=ChangeKind(change.kind), node_id=change.node)

    @strawberry.field(
        description="The object that changed, as it is now: of a state event its entity, of an absence and of"
        " mentions the document. Null for a type."
    )
    async def node(self, info: Info) -> Node | None:
        """Load the object."""
        return None if self.node_id is None else await find_node(info, self.node_id)


@strawberry.type(
    description="Changes of the ledger in its order, each once: those after a position, and those to come."
    " They come over WebSocket (graphql-transport-ws) or as server-sent events (text/event-stream). An error"
    " with the code RESUME says in extensions.resumeAfter after which position to follow again."
)
class Subscription:
    """The subscriptions of the API."""

    @strawberry.subscription(description="Every change of the state of an entity.")
    async def state_changes(
        self,
        info: Info,
        project: ProjectArgument = None,
        entity: Annotated[
            strawberry.ID | None, strawberry.argument(description="Only changes of the entity with this id.")
        ] = None,
        after: AfterArgument = None,
    ) -> AsyncGenerator[StateChange, None]:
        """Follow the state events."""
        wanted = None if entity is None else id_of(entity, "entity", "entity")
        request = FollowRequest(project, wanted, frozenset({STATE_EVENT}), info.context.last_event or after)
        async with aclosing(_follow(info, request)) as changes:
            async for change in changes:
                yield StateChange.of(change)

    @strawberry.subscription(description="Every change of the ledger, of whatever kind.")
    async def ledger_events(
        self, info: Info, project: ProjectArgument = None, after: AfterArgument = None
    ) -> AsyncGenerator[LedgerEvent, None]:
        """Follow all changes."""
        request = FollowRequest(project, after=info.context.last_event or after)
        async with aclosing(_follow(info, request)) as changes:
            async for change in changes:
                yield LedgerEvent.of(change)


async def _follow(info: Info, request: FollowRequest) -> AsyncGenerator[Change, None]:
    """Yield changes; the fields of each are read anew."""
    context = info.context
    async with aclosing(context.changes.follow(context.caller, request, context.identify)) as changes:
        async for change in changes:
            context.renew()
            context.position = change.position
            yield change
