"""Many callers at once: one wins, the others get a conflict, nothing is doubled or lost (CON-01, CON-07)."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Awaitable, Sequence
from itertools import pairwise

from app.domain.temporal import Branch
from app.errors import Conflict
from app.services.container import Memory
from app.services.states import DraftChange, Sealing, StateAnswer, StateChange, StatedCause
from tests.services.states.things import Thing, make_thing

CLIENTS = 200
SHIFT = StatedCause("status_transition")


async def outcomes(verbs: Sequence[Awaitable[StateAnswer]]) -> list[StateAnswer]:
    """Run operations at once; return the results of the winners, if every loser got a conflict."""
    answers = await asyncio.gather(*verbs, return_exceptions=True)
    lost = [answer for answer in answers if isinstance(answer, BaseException)]
    assert Counter(type(each) for each in lost) == ({Conflict: len(lost)} if lost else {})
    return [answer for answer in answers if isinstance(answer, StateAnswer)]


async def open_states(thing: Thing, branch: Branch) -> int:
    async with thing.memory.database.reading(thing.tenant) as connection:
        count: int = await connection.fetchval(
            "SELECT count(*) FROM entity_state WHERE entity = $1 AND branch = $2"
            " AND valid_until IS NULL AND retracted_at IS NULL",
            thing.id,
            branch,
        )
    return count


async def test_con_01_of_many_who_expect_one_state_one_moves_it(shared_memory: Memory) -> None:
    thing = await make_thing(shared_memory, name="Gate")
    service, caller = shared_memory.states, shared_memory.caller
    (base,) = await thing.held()
    changes = [StateChange({"status": str(number)}, expected=base.id) for number in range(CLIENTS)]
    (won,) = await outcomes([service.transition(caller, thing.id, each, SHIFT) for each in changes])
    assert [state.props.get("status") for state in await thing.held()] == [None, won.state.props["status"]]
    assert await open_states(thing, Branch.COMMITTED) == 1


async def test_con_01_those_who_expect_nothing_come_one_after_the_other(shared_memory: Memory) -> None:
    thing = await make_thing(shared_memory, name="Gate")
    service, caller = shared_memory.states, shared_memory.caller
    changes = [StateChange({"status": str(number)}) for number in range(20)]
    won = await outcomes([service.transition(caller, thing.id, each, SHIFT) for each in changes])
    held = await thing.held()
    assert len(won) == 20
    assert {state.props.get("status") for state in held} == {None, *(str(number) for number in range(20))}
    assert all(one.valid.end == other.valid.start for one, other in pairwise(held))
    assert await open_states(thing, Branch.COMMITTED) == 1


async def test_con_07_of_many_who_end_or_change_one_draft_one_does(shared_memory: Memory) -> None:
    thing = await make_thing(shared_memory, name="Gate")
    service, caller = shared_memory.states, shared_memory.caller
    draft = (await service.save_wip(caller, thing.id, DraftChange({"status": "draft"}))).state
    sealing = [service.seal_wip(caller, draft.id, Sealing({"owner": str(n)})) for n in range(CLIENTS // 3)]
    late = [DraftChange({"status": str(n)}, expected=draft.id) for n in range(CLIENTS // 3)]
    saving = [service.save_wip(caller, thing.id, each) for each in late]
    discarding = [service.discard_wip(caller, draft.id) for _ in range(CLIENTS // 3)]
    mixed = [verb for each in zip(sealing, saving, discarding, strict=True) for verb in each]
    (won,) = await outcomes(mixed)
    sealed = [state.props for state in await thing.held()][1:]
    assert sealed == ([won.state.props] if won.event.event_type == "wip_sealed" else [])
    assert await open_states(thing, Branch.COMMITTED) == 1
    assert await open_states(thing, Branch.WIP) == (won.event.event_type == "wip_saved")


async def test_con_07_a_draft_is_sealed_by_one_of_many(shared_memory: Memory) -> None:
    thing = await make_thing(shared_memory, name="Gate")
    service, caller = shared_memory.states, shared_memory.caller
    draft = (await service.save_wip(caller, thing.id, DraftChange({"status": "draft"}))).state
    sealing = [service.seal_wip(caller, draft.id, Sealing({})) for _ in range(CLIENTS)]
    (won,) = await outcomes(sealing)
    assert [state.props for state in await thing.held()][1:] == [won.state.props]
    assert await open_states(thing, Branch.WIP) == 0


async def test_one_key_sent_by_many_writes_once(shared_memory: Memory) -> None:
    thing = await make_thing(shared_memory, name="Gate")
    service, caller = shared_memory.states, shared_memory.caller
    change = StateChange({"status": "active"})
    same = [service.record_fact(caller, thing.id, change, SHIFT, "key") for _ in range(20)]
    won = await outcomes(same)
    assert len(won) == 20
    assert {answer.state.id for answer in won} == {won[0].state.id}
    assert len(await thing.held()) == 2
