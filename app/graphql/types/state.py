"""States of entities, and the events between them."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

import strawberry
from strawberry.scalars import JSON

from app.domain import temporal as domain
from app.domain.temporal import known_moment
from app.graphql.context import Info
from app.graphql.types import artifact as artifacts
from app.graphql.types import entity as entities
from app.graphql.types.enums import Branch, WipSource
from app.graphql.types.node import ArtifactType, EntityType, EventType, Node, StateType, finds, require_found
from app.loaders import Arrival
from app.services import states
from app.services.changes import Change


@strawberry.type(
    description="The recorded properties of an entity over an interval of valid time. The end of the interval"
    " is exclusive."
)
class EntityState(Node):
    """A state."""

    branch: Branch = strawberry.field(description="Whether it is committed or a draft.")
    valid_from: datetime | None = strawberry.field(
        description="The start of its valid time; null if nobody knows when it began."
    )
    valid_until: datetime | None = strawberry.field(
        description="The end of its valid time; null while it is open, or if nobody knows when it ended."
    )
    recorded_at: datetime = strawberry.field(
        description="The start of its transaction time: when it was recorded."
    )
    retracted_at: datetime | None = strawberry.field(
        description="The end of its transaction time: when it was retracted; null if it was not."
    )
    props: JSON = strawberry.field(description="The properties of the entity in this state, by name.")
    wip_source: WipSource | None = strawberry.field(
        description="The origin of a draft; null for a committed state."
    )
    believed: strawberry.Private[domain.EntityState]

    @classmethod
    def of(cls, state: domain.EntityState) -> EntityState:
        """Wrap a state."""
        return cls(
            id=strawberry.ID(str(state.id)),
            branch=state.branch,
            valid_from=known_moment(state.valid.start),
            valid_until=known_moment(state.valid.end),
            recorded_at=state.recorded_at,
            retracted_at=state.retracted_at,
            props=JSON(state.props),
            wip_source=state.wip_source,
            believed=state,
        )

    @strawberry.field(
        description="The time at which its content was last written. Saving a draft again changes it; ending"
        " the state does not."
    )
    async def touched_at(self, info: Info) -> datetime:
        """Load when it was last changed."""
        touched = await info.context.loaders.touched_at_by_state_id.load(self.believed.id)
        return touched or self.recorded_at

    @strawberry.field(description="The entity that it is a state of.")
    async def entity(self, info: Info) -> EntityType:
        """Load its entity."""
        return await entities.load_entity(info, self.believed.entity)

    @strawberry.field(description="The document that it was read from.")
    async def source_artifact(self, info: Info) -> ArtifactType | None:
        """Load its artifact."""
        return await artifacts.find_artifact(info, self.believed.source_artifact)

    @strawberry.field(
        description="The event that ended this state and led to the next one, or that closed this draft; null"
        " for the last state."
    )
    async def next(self, info: Info) -> EventType | None:
        """Load the event at its end."""
        end = self.believed.valid.end
        return None if end is None else await self._event_at(info, end)

    @strawberry.field(description="The event that led to this state.")
    async def previous(self, info: Info) -> EventType | None:
        """Load the event at its start."""
        return await self._event_at(info, self.believed.valid.start)

    async def _event_at(self, info: Info, start: datetime) -> StateEvent | None:
        state = self.believed
        arrival = Arrival(state.entity, state.branch, start, state.retracted_at)
        event = await info.context.loaders.event_by_arrival.load(arrival)
        return None if event is None else StateEvent.of(event)


@strawberry.type(description="The change from one state of an entity to the next, as it was recorded.")
class StateEvent:
    """An event."""

    event_type: str = strawberry.field(
        description="The type of the event: created, fact, correction, rename, status_transition, superseded,"
        " wip_saved, wip_sealed, wip_discarded, or another word."
    )
    at: datetime | None = strawberry.field(
        description="The start of the new state, in valid time; null if nobody knows when it began."
    )
    properties: list[str] = strawberry.field(description="The names of the properties that the event sets.")
    cause_commit: str | None = strawberry.field(description="The commit that caused the event.")
    description: str | None = strawberry.field(
        description="The description that was recorded with the event."
    )
    props_drift: bool | None = strawberry.field(
        description="Whether the sealed state differs from the draft; null for other events."
    )
    actor: str = strawberry.field(description="The caller that recorded the event.")
    event: strawberry.Private[domain.StateEvent]

    @classmethod
    def of(cls, event: domain.StateEvent) -> StateEvent:
        """Wrap an event."""
        return cls(
            event_type=event.event_type,
            at=known_moment(event.at),
            properties=list(event.properties),
            cause_commit=event.cause_commit,
            description=event.description,
            props_drift=event.props_drift,
            actor=event.actor,
            event=event,
        )

    @strawberry.field(
        name="from", description="The state before the event, as it was then; null for the first state."
    )
    async def from_state(self, info: Info) -> StateType | None:
        """Load the state before."""
        return None if self.event.from_state is None else await find_state(info, self.event.from_state)

    @strawberry.field(name="to", description="The state after the event, as it was recorded.")
    async def to_state(self, info: Info) -> StateType:
        """Load the state after."""
        state = await info.context.loaders.state_by_id.load(self.event.to_state)
        return EntityState.of(require_found(state))

    @strawberry.field(description="The draft that was sealed or discarded, after its last save.")
    async def draft(self, info: Info) -> StateType | None:
        """Load the draft."""
        return None if self.event.draft is None else await find_state(info, self.event.draft)

    @strawberry.field(description="The document that caused the event.")
    async def cause_artifact(self, info: Info) -> ArtifactType | None:
        """Load its artifact."""
        return await artifacts.find_artifact(info, self.event.cause_artifact)


@strawberry.type(description="A change of the state of an entity.")
class StateChange:
    """A change of the ledger that is a state event."""

    position: str = strawberry.field(
        description="Its position in the ledger; follow again after it to miss nothing."
    )
    event_id: strawberry.Private[UUID]
    entity_id: strawberry.Private[UUID]

    @classmethod
    def of(cls, change: Change) -> StateChange:
        """Wrap a change."""
        assert change.entity is not None
        return cls(position=str(change.position), event_id=change.row, entity_id=change.entity)

    @strawberry.field(description="The entity whose state changed.")
    async def entity(self, info: Info) -> EntityType:
        """Load the entity."""
        return await entities.load_entity(info, self.entity_id)

    @strawberry.field(description="The event, with the states before and after it.")
    async def event(self, info: Info) -> EventType:
        """Load the event."""
        return StateEvent.of(require_found(await info.context.loaders.event_by_id.load(self.event_id)))


@finds("EntityState")
async def find_state(info: Info, id: UUID) -> EntityState | None:
    """Load the state of an id; None if there is none."""
    found = await info.context.loaders.state_by_id.load(id)
    return None if found is None else EntityState.of(found)


@strawberry.type(description="Something that a person should act on.")
class Reminder:
    """A reminder."""

    category: str = strawberry.field(
        description="The category of the reminder: stale_wip is a draft that nobody has saved for 30 days."
    )
    message: str = strawberry.field(description="What is pending, and what to do about it.")
    since: datetime | None = strawberry.field(description="The time at which it was recorded.")
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

    @strawberry.field(description="The entity that it is about.")
    async def entity(self, info: Info) -> EntityType | None:
        """Load its entity."""
        return await entities.find_entity(info, self.entity_id)
