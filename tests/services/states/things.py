"""A thing with a history, made and changed in few words."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID, uuid4

from app.domain.entity import Entity
from app.domain.numbers import TenantNumber
from app.domain.temporal import AsOf, Branch, EntityState
from app.domain.timeline import Assertion, assert_from
from app.services.container import Memory
from app.services.states import Cause, StateChange, Written, change_state
from app.services.states.change import carry_out
from app.services.unit_of_work import UnitOfWork, unit_of_work
from app.stores.postgres import entities, ledger_clock, projects, states, type_definitions
from app.stores.postgres.state_history import Arrival, events_into
from tests.documents import day

LONG_AGO = day(2020)


@dataclass(frozen=True, slots=True)
class Thing:
    """An entity that nothing else of its ledger knows of."""

    memory: Memory
    id: UUID

    @property
    def tenant(self) -> TenantNumber:
        return self.memory.caller.tenant

    async def change(
        self,
        valid_from: datetime | None = None,
        *,
        expected: UUID | None = None,
        cause: Cause | None = None,
        **props: Any,
    ) -> Written:
        """Change properties in a write of their own."""
        async with unit_of_work(self.memory.database, self.memory.caller) as write:
            change = StateChange(props, valid_from, expected)
            written = await change_state(write, self.id, change, cause or Cause("fact"))
            await ledger_clock.finish_write(write.connection)
            return written

    async def held(self, branch: Branch = Branch.COMMITTED) -> list[EntityState]:
        """Return what is believed now, in order of valid time."""
        async with self.memory.database.reading(self.tenant) as connection:
            return await states.current_states(connection, self.tenant, self.id, branch)

    async def history(self) -> list[tuple[datetime, dict[str, Any]]]:
        """Return what is believed now: from when on, and what."""
        return [(state.valid.start, state.props) for state in await self.held()]

    async def at(self, valid: datetime, known: datetime) -> dict[str, Any] | None:
        """Return what held at one instant as known at another."""
        async with self.memory.database.reading(self.tenant) as connection:
            found = await states.states_as_of(connection, self.tenant, [self.id], AsOf(valid, known))
        state = found.get((self.id, Branch.COMMITTED))
        return None if state is None else state.props

    async def event_types(self) -> list[str]:
        """Return which events led to the states that are believed now."""
        arrivals = [
            Arrival(self.id, state.branch, state.valid.start, state.retracted_at)
            for state in await self.held()
        ]
        async with self.memory.database.reading(self.tenant) as connection:
            found = await events_into(connection, self.tenant, arrivals)
        return [found[arrival].event_type for arrival in arrivals]


async def make_thing(
    memory: Memory, type_name: str = "Component", start: datetime = LONG_AGO, **props: Any
) -> Thing:
    """Make an entity of a type with its first state."""
    async with unit_of_work(memory.database, memory.caller) as write:
        thing = await make_thing_in(write, memory, type_name, start, **props)
        await ledger_clock.finish_write(write.connection)
        return thing


async def make_thing_in(
    write: UnitOfWork, memory: Memory, type_name: str, start: datetime, **props: Any
) -> Thing:
    """Make an entity in a write that is open."""
    where = (write.connection, write.tenant)
    project = await projects.project_by_key(*where, "things")
    project = project or await projects.insert_project(*where, "things", write.recorded_at)
    types = await type_definitions.types_in_projects(*where, [])
    number = next(found.number for found in types if found.definition.name == type_name)
    made = Entity(uuid4(), type_name, project.number, None, start, None)
    await entities.insert_entity(*where, made, number, write.recorded_at, write.actor)
    change = assert_from([], Assertion(made.id, props, None, write.actor), start, write.recorded_at)
    await carry_out(write, change, Cause("created"))
    return Thing(memory, made.id)
