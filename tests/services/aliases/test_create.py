"""Aliases written by other verbs: from a moment on, up to where the form means something already."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

import pytest

from app.domain.entity import Alias, AuthorityTier
from app.domain.temporal import Interval
from app.errors import Conflict, Invalid
from app.services.aliases import AddedAlias, StatedAlias, add_alias
from app.services.unit_of_work import unit_of_work
from app.stores.postgres import ledger_clock, lookups, projects
from tests.documents import ProjectFixture, adr, day
from tests.things import make_thing


async def add(desk: ProjectFixture, form: str, target: UUID, since: datetime | None = None) -> AddedAlias:
    async with unit_of_work(desk.memory.database, desk.memory.caller) as write:
        added = await add_alias(write, StatedAlias(form, target, valid_from=since))
        await ledger_clock.finish_write(write.connection)
        return added


async def meant_at(desk: ProjectFixture, form: str, at: datetime) -> list[Alias]:
    async with desk.reading() as connection:
        project = await projects.project_by_key(connection, desk.tenant, desk.project)
        assert project is not None
        return await lookups.aliases_of_form(connection, desk.tenant, [project.number], form, at)


async def test_a_name_may_be_dated_back(desk: ProjectFixture) -> None:
    thing = await make_thing(desk, "Harbor")
    added = await add(desk, "Quay", thing, day(2021))
    assert added.is_new
    assert await meant_at(desk, "quay", day(2020, 12)) == []
    assert await meant_at(desk, "quay", day(2021)) == [added.alias]


async def test_a_name_begins_no_sooner_than_its_entity(desk: ProjectFixture) -> None:
    thing = await make_thing(desk, "Harbor", day(2022))
    assert (await add(desk, "Quay", thing, day(2021))).alias.valid.start == day(2022)


async def test_a_name_dated_back_further_fills_the_time_before(desk: ProjectFixture) -> None:
    thing = await make_thing(desk, "Harbor")
    later = await add(desk, "Quay", thing, day(2023))
    earlier = await add(desk, "Quay", thing, day(2021))
    assert earlier.is_new
    assert earlier.alias.valid.end == day(2023)
    assert await meant_at(desk, "Quay", day(2022)) == [earlier.alias]
    assert await meant_at(desk, "Quay", day(2024)) == [later.alias]
    again = await add(desk, "Quay", thing, day(2022))
    assert (again.alias, again.is_new) == (earlier.alias, False)


@pytest.mark.parametrize("first", [day(2020, 6), day(2022)])
async def test_a_name_dated_back_past_a_withdrawal_holds_again_since(
    desk: ProjectFixture, first: datetime
) -> None:
    """What it was before it was withdrawn is one thing, that it is stated again another."""
    thing = await make_thing(desk, "Harbor")
    held = await add(desk, "Quay", thing, first)
    ended = await desk.memory.aliases.withdraw(desk.memory.caller, held.alias.id)
    assert ended.alias is not None
    end = ended.alias.valid.end
    assert end is not None
    again = await add(desk, "Quay", thing, day(2021))
    assert (again.is_new, again.alias.valid) == (True, Interval(end))
    for moment in (day(2021), day(2023), end, day(2999)):
        assert [alias.target for alias in await meant_at(desk, "Quay", moment)] == [thing]
    assert await add(desk, "Quay", thing) == AddedAlias(again.alias, is_new=False)


async def test_a_name_that_something_else_has_since_it_was_withdrawn_is_taken(desk: ProjectFixture) -> None:
    one, other = await make_thing(desk, "Harbor"), await make_thing(desk, "Beacon")
    held = await add(desk, "Quay", one, day(2020, 6))
    await desk.memory.aliases.withdraw(desk.memory.caller, held.alias.id)
    await add(desk, "Quay", other)
    with pytest.raises(Conflict, match="Harbor"):
        await add(desk, "Quay", one, day(2021))


@pytest.mark.parametrize("since", [day(2021), day(2024)])
async def test_a_name_of_something_else_is_taken_at_any_later_time(
    desk: ProjectFixture, since: datetime
) -> None:
    one, other = await make_thing(desk, "Harbor"), await make_thing(desk, "Beacon")
    await add(desk, "Quay", one, day(2023))
    with pytest.raises(Conflict, match="Component Harbor"):
        await add(desk, "Quay", other, since)


async def test_a_title_of_something_else_is_free_once_that_has_another(desk: ProjectFixture) -> None:
    await desk.file(adr(1, "Lighthouse"))
    await desk.file(adr(1, "Beacon", created_at=day(2022)))
    thing = await make_thing(desk, "Tower")
    with pytest.raises(Conflict, match="could then mean"):
        await add(desk, "lighthouse", thing, day(2021))
    assert (await add(desk, "lighthouse", thing, day(2022))).is_new


async def test_an_extractor_writes_no_alias(desk: ProjectFixture) -> None:
    """The database says so, whichever verb asks."""
    thing = await make_thing(desk, "Harbor")
    with pytest.raises(Invalid, match="review queue"):
        async with unit_of_work(desk.memory.database, desk.memory.caller) as write:
            await add_alias(write, StatedAlias("Quay", thing, tier=AuthorityTier.EXTRACTOR))
