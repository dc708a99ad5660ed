from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import pairwise
from uuid import uuid4

import pytest

from app.errors import Conflict, Invalid, NotFound
from app.services.container import Memory
from app.services.states import Cause, StateChange, change_state
from app.services.unit_of_work import unit_of_work
from app.stores.postgres import ledger_clock
from tests.documents import adr, day, file
from tests.services.states.things import Thing, make_thing, make_thing_in

TICK = timedelta(microseconds=1)


async def test_a_fact_holds_from_its_moment_on(shared_memory: Memory) -> None:
    thing = await make_thing(shared_memory, name="Gate", status="draft")
    written = await thing.change(day(2021), status="active")
    assert await thing.history() == [
        (day(2020), {"name": "Gate", "status": "draft"}),
        (day(2021), {"name": "Gate", "status": "active"}),
    ]
    assert written.state == (await thing.held())[1]
    assert written.event.event_type == "fact"
    assert written.event.properties == ("status",)
    assert written.event.from_state == (await thing.held())[0].id


async def test_what_is_dated_back_goes_through_later_states_that_say_nothing_of_it(
    shared_memory: Memory,
) -> None:
    thing = await make_thing(shared_memory, name="Gate", status="draft")
    await thing.change(day(2022), owner="ada")
    await thing.change(day(2023), status="retired")
    await thing.change(day(2024), owner="eve")
    await thing.change(day(2021), status="active")
    assert await thing.history() == [
        (day(2020), {"name": "Gate", "status": "draft"}),
        (day(2021), {"name": "Gate", "status": "active"}),
        (day(2022), {"name": "Gate", "status": "active", "owner": "ada"}),
        (day(2023), {"name": "Gate", "status": "retired", "owner": "ada"}),
        (day(2024), {"name": "Gate", "status": "retired", "owner": "eve"}),
    ]
    assert await thing.event_types() == ["created", "fact", "fact", "fact", "fact"]


async def test_tim_18_a_confirmation_is_a_state_and_holds_against_what_is_dated_back(
    shared_memory: Memory,
) -> None:
    thing = await make_thing(shared_memory, name="Gate")
    await thing.change(day(2021), version="80")
    await thing.change(day(2022), version="90")
    written = await thing.change(day(2023), version="80")
    assert [(at, props.get("version")) for at, props in await thing.history()][1:] == [
        (day(2021), "80"),
        (day(2022), "90"),
        (day(2023), "80"),
    ]
    assert written.state.valid.start == day(2023)
    assert written.state.valid.end is None
    await thing.change(day(2024), version="80")
    await thing.change(day(2023, 6), version="70")
    assert [props.get("version") for _, props in await thing.history()][-2:] == ["70", "80"]


async def test_a_correction_is_of_the_same_start_and_keeps_what_was_believed(shared_memory: Memory) -> None:
    thing = await make_thing(shared_memory, name="Gate")
    first = await thing.change(day(2021), status="active")
    second = await thing.change(day(2021), status="retired")
    assert second.event.event_type == "correction"
    assert second.event.from_state == first.state.id
    assert [props.get("status") for _, props in await thing.history()] == [None, "retired"]
    assert await thing.at(day(2021), first.state.recorded_at) == {"name": "Gate", "status": "active"}
    assert await thing.at(day(2021), second.state.recorded_at - TICK) == {"name": "Gate", "status": "active"}
    assert await thing.at(day(2021), second.state.recorded_at) == {"name": "Gate", "status": "retired"}
    transition = Cause("status_transition")
    assert (
        await thing.change(day(2021), cause=transition, status="x")
    ).event.event_type == "status_transition"


async def test_a_correction_reaches_what_was_carried_on(shared_memory: Memory) -> None:
    thing = await make_thing(shared_memory, name="Gate", status="draft")
    await thing.change(day(2022), owner="ada")
    await thing.change(day(2020), name="Gateway", owner="eve")
    assert await thing.history() == [
        (day(2020), {"name": "Gateway", "status": "draft", "owner": "eve"}),
        (day(2022), {"name": "Gateway", "status": "draft", "owner": "ada"}),
    ]


async def test_null_takes_a_property_away(shared_memory: Memory) -> None:
    thing = await make_thing(shared_memory, name="Gate", status="draft")
    await thing.change(day(2022), owner="ada")
    await thing.change(day(2021), status=None)
    assert [props for _, props in await thing.history()] == [
        {"name": "Gate", "status": "draft"},
        {"name": "Gate"},
        {"name": "Gate", "owner": "ada"},
    ]


async def test_true_is_not_one(shared_memory: Memory) -> None:
    thing = await make_thing(shared_memory, name="Gate", version=1)
    await thing.change(day(2022), owner="ada")
    await thing.change(day(2021), version=True)
    assert [repr(props["version"]) for _, props in await thing.history()] == ["1", "True", "True"]


async def test_tim_13_nothing_is_true_of_a_thing_before_it_begins(shared_memory: Memory) -> None:
    thing = await make_thing(shared_memory, "EnvVar", day(2025, 3), key="PORT", value="80")
    held = await thing.held()
    for start in (day(2025, 2), day(2025, 3) - TICK):
        with pytest.raises(Invalid, match="begins on 2025-03-01T00:00:00Z; give no earlier") as refused:
            await thing.change(start, value="79")
        assert refused.value.field == "validFrom"
    assert await thing.held() == held
    await thing.change(day(2025, 3), value="79")
    assert await thing.history() == [(day(2025, 3), {"key": "PORT", "value": "79"})]


async def test_a_thing_that_begins_later_is_changed_from_then_on(shared_memory: Memory) -> None:
    thing = await make_thing(shared_memory, "EnvVar", day(2090), key="PORT")
    with pytest.raises(Invalid, match="begins on 2090-01-01T00:00:00Z"):
        await thing.change(value="79")
    await thing.change(day(2091), value="79")
    assert [start for start, _ in await thing.history()] == [day(2090), day(2091)]


async def test_tim_17_what_is_dated_ahead_comes_true_by_itself(shared_memory: Memory) -> None:
    thing = await make_thing(shared_memory, name="Gate", status="active")
    ahead = datetime.now(UTC) + timedelta(days=1)
    written = await thing.change(ahead, status="retired")
    known = written.state.recorded_at
    assert await thing.at(known, known) == {"name": "Gate", "status": "active"}
    assert await thing.at(ahead - TICK, known) == {"name": "Gate", "status": "active"}
    assert await thing.at(ahead, known) == {"name": "Gate", "status": "retired"}
    now = await thing.change(owner="ada")
    assert now.state.valid.end == ahead
    assert (await thing.history())[-1] == (ahead, {"name": "Gate", "status": "retired", "owner": "ada"})


async def test_many_changes_in_one_write_are_states_of_their_own(shared_memory: Memory) -> None:
    """TIM-12: the clock stands still in a write, and each change has a later time all the same."""
    async with unit_of_work(shared_memory.database, shared_memory.caller) as write:
        thing = await make_thing_in(write, shared_memory, "Component", day(2020), name="Gate")
        for number in range(4):
            change = StateChange({"version": str(number)})
            await change_state(write, thing.id, change, Cause("fact"))
        await change_state(write, thing.id, StateChange({"owner": "ada"}, day(2021)), Cause("fact"))
        await ledger_clock.finish_write(write.connection)
    held = await thing.held()
    assert [state.props.get("version") for state in held] == [None, None, "0", "1", "2", "3"]
    assert [state.props.get("owner") for state in held] == [None, *["ada"] * 5]
    assert all(one.valid.end == other.valid.start for one, other in pairwise(held))


async def test_a_stale_state_is_a_conflict_and_nothing_is_written(shared_memory: Memory) -> None:
    thing = await make_thing(shared_memory, name="Gate")
    (first,) = await thing.held()
    await thing.change(day(2021), expected=first.id, status="active")
    held = await thing.held()
    for expected in (first.id, held[0].id, uuid4()):
        with pytest.raises(Conflict, match=str(held[1].id)) as refused:
            await thing.change(day(2022), expected=expected, status="retired")
        assert refused.value.field == "expectedState"
    assert await thing.held() == held
    await thing.change(day(2020, 6), expected=held[0].id, status="idea")
    assert len(await thing.held()) == 3


async def test_what_the_type_lacks_or_never_changes_is_refused_by_name(shared_memory: Memory) -> None:
    thing = await make_thing(shared_memory, "EnvVar", key="PORT")
    with pytest.raises(
        Invalid, match="EnvVar has no property port; its properties are value, status, description, key"
    ):
        await thing.change(port=80)
    with pytest.raises(Invalid, match="key of EnvVar cannot change"):
        await thing.change(key="HOST", value="x")
    with pytest.raises(Invalid, match="key of EnvVar cannot change"):
        await thing.change(key=None)
    with pytest.raises(Invalid, match="key of EnvVar cannot change and already has this value"):
        await thing.change(key="PORT")
    written = await thing.change(key="PORT", value="80")
    assert written.state.props == {"key": "PORT", "value": "80"}
    assert written.event.properties == ("value",)
    with pytest.raises(Invalid, match="more than 65536 bytes"):
        await thing.change(value="x" * 70_000)
    with pytest.raises(NotFound):
        await Thing(shared_memory, uuid4()).change(value="x")


@pytest.mark.parametrize("name", ["", " \u200b", 5, ["Gate"], "x" * 513])
async def test_a_name_is_a_text_that_can_be_seen(shared_memory: Memory, name: object) -> None:
    thing = await make_thing(shared_memory, name="Gate")
    with pytest.raises(Invalid, match="name is a string of 1 to 512 characters"):
        await thing.change(name=name)
    assert await thing.history() == [(day(2020), {"name": "Gate"})]


async def test_older_texts_mention_a_thing_by_its_new_name(memory: Memory) -> None:
    used = await file(memory, adr(1, "Deploys", "Beacon-7 restarts at night."), "things")
    thing = await make_thing(memory, name="Lighthouse")
    await thing.change(day(2021), name="Beacon-7")
    async with memory.database.reading(thing.tenant) as connection:
        mentioned = await connection.fetch("SELECT artifact, entity, surface_form FROM mention")
    assert [tuple(row) for row in mentioned] == [(used.artifact.id, thing.id, "Beacon-7")]


@pytest.mark.parametrize(
    "moment", [datetime.min.replace(tzinfo=UTC), datetime.max.replace(tzinfo=UTC), datetime(2025, 3, 1, 9)]
)
async def test_no_instant_and_the_ends_of_the_calendar_are_refused(
    shared_memory: Memory, moment: datetime
) -> None:
    """TIM-01."""
    thing = await make_thing(shared_memory, name="Gate")
    with pytest.raises(Invalid) as refused:
        await thing.change(moment, status="active")
    assert refused.value.field == "validFrom"
