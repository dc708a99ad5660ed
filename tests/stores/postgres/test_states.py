"""States on both axes of time."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta, timezone
from uuid import UUID, uuid4

import pytest

from app.domain.entity import Entity
from app.domain.numbers import TenantNumber
from app.domain.temporal import AsOf, Branch, EntityState
from app.domain.timeline import Assertion, assert_from
from app.errors import Conflict
from app.stores.postgres import entities, ledger_clock, projects, states, type_definitions
from app.stores.postgres.pool import Database
from tests.documents import day


async def _moved(
    database: Database, tenant: TenantNumber, *steps: tuple[datetime, str]
) -> tuple[UUID, list[datetime]]:
    """Return an entity whose name changed step by step, and when each step was recorded."""
    entity = uuid4()
    known = []
    for place, (start, name) in enumerate(steps):
        async with database.writing(tenant) as connection:
            recorded_at = await ledger_clock.advance_clock(connection, tenant)
            known.append(recorded_at)
            if not place:
                project = await projects.insert_project(connection, tenant, "scene", recorded_at)
                types = await type_definitions.types_in_projects(connection, tenant, [])
                number = next(found.number for found in types if found.definition.name == "Component")
                made = Entity(entity, "Component", project.number, None, start, None)
                await entities.insert_entity(connection, tenant, made, number, recorded_at, "ada")
            held = await states.current_states(connection, tenant, entity, Branch.COMMITTED)
            said = Assertion(entity, {"name": name}, None, "ada")
            change = assert_from(held, said, start, recorded_at)
            for retracted in change.retracted:
                await states.retract_state(connection, tenant, retracted, recorded_at)
            for recorded in change.recorded:
                await states.insert_state(connection, tenant, recorded)
            await ledger_clock.finish_write(connection)
    return entity, known


async def _name(
    database: Database, tenant: TenantNumber, entity: UUID, valid: datetime, known: datetime
) -> str | None:
    async with database.reading(tenant) as connection:
        found = await states.states_as_of(connection, tenant, [entity], AsOf(valid, known))
    state = found.get((entity, Branch.COMMITTED))
    return None if state is None else state.props["name"]


async def test_a_moment_is_a_pair(database: Database, tenant: TenantNumber) -> None:
    """Valid time and transaction time are moved each on its own; a boundary belongs to what starts there."""
    entity, known = await _moved(
        database, tenant, (day(2020), "one"), (day(2022), "two"), (day(2021), "between"), (day(2020), "first")
    )
    now = known[-1]
    tick = timedelta(microseconds=1)
    said = {
        (day(2020) - tick, now): None,
        (day(2020), now): "first",
        (day(2021) - tick, now): "first",
        (day(2021), now): "between",
        (day(2022), now): "two",
        (day(2099), now): "two",
        (day(2021, 6), known[2]): "between",
        (day(2021, 6), known[2] - tick): "one",
        (day(2022), known[1] - tick): "one",
        (day(2020), known[0]): "one",
        (day(2020), known[0] - tick): None,
        (day(2020), known[3] - tick): "one",
    }
    for (valid, moment), name in said.items():
        assert await _name(database, tenant, entity, valid, moment) == name, (valid, moment)


async def test_an_instant_is_the_same_in_every_zone(database: Database, tenant: TenantNumber) -> None:
    """TIM-05."""
    entity, known = await _moved(database, tenant, (day(2026, 1, 11), "one"))
    elsewhere = day(2026, 1, 11).astimezone(timezone(timedelta(hours=-7)))
    assert await _name(database, tenant, entity, elsewhere, known[0]) == "one"
    assert await _name(database, tenant, entity, elsewhere - timedelta(microseconds=1), known[0]) is None


async def _say(database: Database, tenant: TenantNumber, stale: Sequence[EntityState], name: str) -> None:
    """Write from 2021 on what follows from a timeline read before."""
    async with database.writing(tenant) as connection:
        recorded_at = await ledger_clock.advance_clock(connection, tenant)
        said = Assertion(stale[0].entity, {"name": name}, None, "ada")
        change = assert_from(stale, said, day(2021), recorded_at)
        for retracted in change.retracted:
            await states.retract_state(connection, tenant, retracted, recorded_at)
        for recorded in change.recorded:
            await states.insert_state(connection, tenant, recorded)


async def test_a_stale_writer_changes_nothing(database: Database, tenant: TenantNumber) -> None:
    """CON-06: who builds on what was retracted meanwhile is told that the ledger moved on."""
    entity, _ = await _moved(database, tenant, (day(2020), "one"))
    async with database.reading(tenant) as connection:
        stale = await states.current_states(connection, tenant, entity, Branch.COMMITTED)
    await _say(database, tenant, stale, "two")
    with pytest.raises(Conflict):
        await _say(database, tenant, stale, "three")
    async with database.reading(tenant) as connection:
        held = await states.current_states(connection, tenant, entity, Branch.COMMITTED)
    assert [state.props["name"] for state in held] == ["one", "two"]
