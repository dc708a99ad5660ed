from __future__ import annotations

from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest

from app.domain.temporal import Branch, EntityState, WipSource
from app.errors import Conflict, Invalid, NotFound
from app.services.container import Memory
from app.services.states import DraftChange, Sealing, StateAnswer
from tests.documents import day
from tests.services.states.things import Thing, make_thing


class Drawer:
    """The drafts of one thing, by its service."""

    def __init__(self, thing: Thing) -> None:
        self.thing = thing
        self._service = thing.memory.states
        self._caller = thing.memory.caller

    async def save(self, **props: Any) -> StateAnswer:
        return await self._service.save_wip(self._caller, self.thing.id, DraftChange(dict(props)))

    async def seal(self, draft: EntityState, **props: Any) -> StateAnswer:
        return await self._service.seal_wip(self._caller, draft.id, Sealing(dict(props)))

    async def discard(self, draft: EntityState, description: str | None = None) -> StateAnswer:
        return await self._service.discard_wip(self._caller, draft.id, description)


async def drawer(memory: Memory, **props: Any) -> Drawer:
    return Drawer(await make_thing(memory, **props))


async def test_a_draft_begins_from_what_is_in_force_and_stays_beside_it(shared_memory: Memory) -> None:
    drafts = await drawer(shared_memory, name="Gate", status="active")
    first = await drafts.save(status="retired")
    assert first.state.props == {"name": "Gate", "status": "retired"}
    assert (first.state.branch, first.state.wip_source) == (Branch.WIP, WipSource.EXPLICIT)
    second = await drafts.save(owner="ada", status=None)
    assert second.state.props == {"name": "Gate", "owner": "ada"}
    assert second.event.event_type == "wip_saved"
    assert second.event.properties == ("owner", "status")
    held = await drafts.thing.held(Branch.WIP)
    assert [state.valid.end for state in held] == [second.state.valid.start, None]
    assert second.event.from_state == held[0].id
    assert await drafts.thing.history() == [(day(2020), {"name": "Gate", "status": "active"})]


async def test_sealing_closes_the_draft_and_opens_what_it_says(shared_memory: Memory) -> None:
    drafts = await drawer(shared_memory, name="Gate", status="active")
    await drafts.save(owner="ada")
    draft = (await drafts.save(status=None)).state
    sealed = await drafts.seal(draft)
    committed = await drafts.thing.held()
    assert sealed.state == committed[-1]
    assert sealed.state.props == {"name": "Gate", "owner": "ada"}
    assert (sealed.event.event_type, sealed.event.props_drift) == ("wip_sealed", False)
    assert (sealed.event.from_state, sealed.event.draft) == (committed[0].id, draft.id)
    assert [state.valid.end for state in await drafts.thing.held(Branch.WIP)] == [
        draft.valid.start,
        sealed.state.valid.start,
    ]


async def test_what_others_changed_beside_a_draft_stays_and_counts_as_drift(shared_memory: Memory) -> None:
    drafts = await drawer(shared_memory, name="Gate", status="active")
    draft = (await drafts.save(owner="ada")).state
    await drafts.thing.change(status="retired")
    sealed = await drafts.seal(draft)
    assert sealed.state.props == {"name": "Gate", "status": "retired", "owner": "ada"}
    assert sealed.event.props_drift is True


async def test_what_is_changed_while_sealing_is_drift(shared_memory: Memory) -> None:
    drafts = await drawer(shared_memory, name="Gate")
    draft = (await drafts.save(owner="ada")).state
    sealed = await drafts.seal(draft, status="active")
    assert sealed.state.props == {"name": "Gate", "status": "active", "owner": "ada"}
    assert sealed.event.props_drift is True
    again = (await drafts.save(status="retired")).state
    assert (await drafts.seal(again, status="retired")).event.props_drift is False


async def test_con_07_a_draft_is_sealed_once(shared_memory: Memory) -> None:
    drafts = await drawer(shared_memory, name="Gate")
    early = (await drafts.save(status="active")).state
    draft = (await drafts.save(owner="ada")).state
    with pytest.raises(Conflict, match="saved again, sealed or discarded") as refused:
        await drafts.seal(early)
    assert refused.value.field == "state"
    await drafts.seal(draft)
    (closed,) = [state for state in await drafts.thing.held(Branch.WIP) if state.props.get("owner")]
    before = await drafts.thing.held()
    for gone in (draft, closed, early):
        with pytest.raises(Conflict):
            await drafts.seal(gone, status="retired")
        with pytest.raises(Conflict):
            await drafts.discard(gone)
    assert await drafts.thing.held() == before


async def test_a_discarded_draft_ends_and_changes_nothing(shared_memory: Memory) -> None:
    drafts = await drawer(shared_memory, name="Gate")
    draft = (await drafts.save(status="active")).state
    gone = await drafts.discard(draft, "not needed")
    assert (gone.event.event_type, gone.event.description) == ("wip_discarded", "not needed")
    assert gone.state.valid.end == gone.event.at
    assert await drafts.thing.held(Branch.WIP) == [gone.state]
    assert await drafts.thing.history() == [(day(2020), {"name": "Gate"})]
    fresh = await drafts.save(owner="ada")
    assert fresh.state.props == {"name": "Gate", "owner": "ada"}
    assert (await drafts.seal(fresh.state)).state.props == {"name": "Gate", "owner": "ada"}


async def test_con_06_a_draft_saved_from_a_stale_read_is_a_conflict(shared_memory: Memory) -> None:
    thing = await make_thing(shared_memory, name="Gate")
    service, caller = shared_memory.states, shared_memory.caller
    first = await service.save_wip(caller, thing.id, DraftChange({"status": "a"}))
    stale = DraftChange({"status": "b"}, expected=first.state.id)
    second = await service.save_wip(caller, thing.id, stale)
    with pytest.raises(Conflict, match=f"the draft is now {second.state.id}, not"):
        await service.save_wip(caller, thing.id, stale)
    await service.seal_wip(caller, second.state.id, Sealing({}))
    with pytest.raises(Conflict, match="does not exist, or was sealed or discarded"):
        await service.save_wip(caller, thing.id, stale)


async def test_what_is_no_draft_is_refused(shared_memory: Memory) -> None:
    drafts = await drawer(shared_memory, name="Gate")
    (committed,) = await drafts.thing.held()
    with pytest.raises(Invalid, match="is a committed state, not a draft"):
        await drafts.seal(committed)
    with pytest.raises(NotFound):
        await shared_memory.states.discard_wip(shared_memory.caller, uuid4())
    with pytest.raises(Invalid, match="has no property colour"):
        await drafts.save(colour="red")


async def test_a_draft_untouched_for_thirty_days_is_a_reminder(memory: Memory) -> None:
    drafts = await drawer(memory, name="Gate")
    touched = (await drafts.save(status="active")).state.recorded_at
    service = memory.states

    async def reminded(days: float, project: str | None = "things") -> list[str]:
        found = await service.reminders(memory.caller, project, touched + timedelta(days=days))
        return [reminder.message for reminder in found]

    assert await service.reminders(memory.caller, None) == []
    assert await reminded(29.9) == []
    expected = ["the draft of Gate has not been saved for 41 days; seal it or discard it"]
    assert await reminded(41) == await reminded(41, None) == expected
    (reminder,) = await service.reminders(memory.caller, None, touched + timedelta(days=30))
    assert (reminder.category, reminder.entity) == ("stale_wip", drafts.thing.id)
    assert reminder.since == touched
    with pytest.raises(NotFound, match="there is no project elsewhere"):
        await reminded(41, "elsewhere")
    again = await drafts.save()
    assert again.state.recorded_at > touched
    assert await reminded(30) == []
    await drafts.discard(again.state)
    assert await reminded(41) == []
