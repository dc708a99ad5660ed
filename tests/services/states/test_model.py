"""Random verbs, dated back and ahead, late and at once, against the reference model after each.

TRIGRAPH_RANDOM_VERBS=20 tries twenty times as many histories as usual, other ones in each run.
"""

from __future__ import annotations

import asyncio
import os
import random
from collections.abc import Coroutine
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from typing import Any, ClassVar, TypeAlias, TypeVar
from uuid import UUID

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from app.domain.temporal import Branch, EntityState
from app.errors import Conflict, Invalid
from app.services.container import Memory
from app.services.states import DraftChange, Sealing, StateAnswer, StateChange, StatedCause
from app.stores.postgres import states
from tests.documents import day
from tests.services.states.reference_model import Reference
from tests.services.states.things import Thing, make_thing

HISTORIES = 120
VERBS_EACH = 25
MIN_VERBS = 2_000
SAMPLED = 60
LONGER = int(os.environ.get("TRIGRAPH_RANDOM_VERBS", "0"))
CONSTANT = {"key": "PORT"}
TICK = timedelta(microseconds=1)
STATES_AT = """
SELECT moment.ordinal, branch, props
FROM unnest($2::timestamptz[], $3::timestamptz[]) WITH ORDINALITY AS moment (valid, known, ordinal)
JOIN entity_state ON entity = $1
    AND valid_from <= moment.valid AND (valid_until > moment.valid OR valid_until IS NULL)
    AND recorded_at <= moment.known AND (retracted_at > moment.known OR retracted_at IS NULL)
"""

Answer = TypeVar("Answer")
StatesByMoment: TypeAlias = list[list[dict[str, Any] | None]]

values = st.sampled_from([0, 1, True, "a", "b", ["a"]])
changes = st.dictionaries(
    st.sampled_from(["value", "status", "description"]), st.none() | values, min_size=1, max_size=3
)
moments = st.none() | st.sampled_from(
    [*(day(2020, 1, number) for number in range(1, 9)), day(2090), day(2091)]
)


class Verbs(RuleBasedStateMachine):
    """One thing, changed in every way there is."""

    memory: ClassVar[Memory]
    loop: ClassVar[asyncio.AbstractEventLoop]
    carried_out: ClassVar[int] = 0
    thing: Thing
    reference: Reference
    begins: datetime

    def wait(self, work: Coroutine[Any, Any, Answer]) -> Answer:
        return asyncio.run_coroutine_threadsafe(work, self.loop).result()

    def count(self, verbs: int = 1) -> None:
        type(self).carried_out += verbs

    @initialize(start=st.sampled_from([day(2020, 1, 4), day(2089)]), props=changes)
    def begin(self, start: datetime, props: dict[str, Any]) -> None:
        given = {name: value for name, value in props.items() if value is not None}
        self.thing = self.wait(make_thing(self.memory, "EnvVar", start, **CONSTANT, **given))
        self.service = self.memory.states
        (first,) = self.wait(self.thing.held())
        self.begins = start
        self.reference = Reference(first.recorded_at, start, CONSTANT, given)
        self.gone: list[UUID] = []

    @rule(props=changes, start=moments, expects=st.booleans())
    def change(self, props: dict[str, Any], start: datetime | None, expects: bool) -> None:
        held = self.wait(self.thing.held())
        expected = None
        if expects and start is not None:
            covering = [state for state in held if state.valid.start <= start] or held[:1]
            expected = covering[-1].id
        change = StateChange(props, start, expected)
        verb = self.service.record_fact if len(props) == 1 else self.service.transition
        if (start or datetime.now(UTC)) < self.begins:
            with pytest.raises(Invalid, match="the entity begins on"):
                self.wait(verb(self.memory.caller, self.thing.id, change, StatedCause("early")))
            return
        answer = self.wait(verb(self.memory.caller, self.thing.id, change, StatedCause("moved")))
        at = start or answer.state.recorded_at
        usual = "fact" if len(props) == 1 else "moved"
        corrects = usual == "fact" and at in self.reference.now.starts
        assert answer.event.event_type == ("correction" if corrects else usual)
        assert set(answer.event.properties) == set(props)
        self.gone += [state.id for state in held]
        self.reference.now.say(at, props)
        self.reference.remember(answer.state.recorded_at)
        self.count()

    @rule(one=changes, other=changes)
    def race(self, one: dict[str, Any], other: dict[str, Any]) -> None:
        """Two who believe the same change it at once: one does, the other gets a conflict."""
        held = self.wait(self.thing.held())
        start = None if datetime.now(UTC) >= self.begins else self.begins
        now = start or datetime.now(UTC)
        expected = [state.id for state in held if state.valid.start <= now][-1]
        said = (one, other)

        async def at_once() -> list[StateAnswer | BaseException]:
            verbs = [
                self.service.transition(
                    self.memory.caller,
                    self.thing.id,
                    StateChange(props, start, expected),
                    StatedCause("moved"),
                )
                for props in said
            ]
            return await asyncio.gather(*verbs, return_exceptions=True)

        answers = self.wait(at_once())
        won = [place for place, answer in enumerate(answers) if isinstance(answer, StateAnswer)]
        assert len(won) == 1
        answer = answers[won[0]]
        assert isinstance(answer, StateAnswer)
        assert isinstance(answers[1 - won[0]], Conflict)
        self.gone += [state.id for state in held]
        self.reference.now.say(start or answer.state.recorded_at, said[won[0]])
        self.reference.remember(answer.state.recorded_at)
        self.count(2)

    @rule(props=changes)
    def save(self, props: dict[str, Any]) -> None:
        answer = self.wait(self.service.save_wip(self.memory.caller, self.thing.id, DraftChange(props)))
        self.reference.save(answer.state.valid.start, props)
        self.remember_draft(answer)

    @precondition(lambda self: self.reference.draft is not None)
    @rule(props=st.just({}) | changes)
    def seal(self, props: dict[str, Any]) -> None:
        sealing = self.service.seal_wip(self.memory.caller, self.draft(), Sealing(props))
        if datetime.now(UTC) < self.begins:
            self.gone.pop()
            with pytest.raises(Invalid, match="the entity begins on"):
                self.wait(sealing)
            return
        answer = self.wait(sealing)
        drifted = self.reference.seal(answer.state.valid.start, props)
        assert answer.event.props_drift == drifted
        self.remember_draft(answer)

    @precondition(lambda self: self.reference.draft is not None)
    @rule()
    def discard(self) -> None:
        answer = self.wait(self.service.discard_wip(self.memory.caller, self.draft()))
        self.reference.discard(answer.event.at)
        self.remember_draft(answer)

    @precondition(lambda self: self.gone)
    @rule(which=st.integers(0, 1000), props=changes, start=moments)
    def fail(self, which: int, props: dict[str, Any], start: datetime | None) -> None:
        believed = {state.id for branch in Branch for state in self.wait(self.thing.held(branch))}
        stale = self.gone[which % len(self.gone)]
        if stale in believed:
            return
        late = StateChange(props, max(start or datetime.now(UTC), self.begins), stale)
        caller, thing = self.memory.caller, self.thing.id
        verbs = [
            self.service.transition(caller, thing, late, StatedCause("late")),
            self.service.save_wip(caller, thing, DraftChange(props, expected=stale)),
        ]
        for verb in verbs:
            with pytest.raises(Conflict):
                self.wait(verb)
        self.count(len(verbs))

    def draft(self) -> UUID:
        (last,) = [state for state in self.wait(self.thing.held(Branch.WIP)) if state.valid.end is None]
        self.gone.append(last.id)
        return last.id

    def remember_draft(self, answer: StateAnswer) -> None:
        self.reference.remember(answer.event.recorded_at)
        self.count()

    @invariant()
    def the_ledger_answers_as_the_reference(self) -> None:
        known = self.reference.moments_of_belief
        pairs = self.pairs(known)
        sampled = random.Random(len(known)).sample(pairs, min(len(pairs), SAMPLED))
        asked = [*sampled, *((valid, known[-1]) for valid, _ in self.pairs(known[-1:]))]
        held, drafts, rows = self.wait(self.look(asked))
        self.states_tile_time(held, drafts)
        self.agree(asked, rows)

    def states_tile_time(self, held: list[EntityState], drafts: list[EntityState]) -> None:
        assert all(earlier.valid.end == later.valid.start for earlier, later in pairwise(held))
        assert held[-1].valid.end is None
        assert [state.valid.start for state in held] == sorted(self.reference.now.starts)
        assert [(each.valid.start, each.valid.end) for each in drafts] == [
            (each.start, each.end) for each in self.reference.now.drafts
        ]

    def teardown(self) -> None:
        if hasattr(self, "reference"):
            pairs = self.pairs(self.reference.moments_of_belief)
            self.agree(pairs, self.wait(self.look(pairs))[2])

    def pairs(self, known: list[datetime]) -> list[tuple[datetime, datetime]]:
        instants = [each for at in self.reference.instants for each in (at - TICK, at)]
        return [(valid, each) for valid in instants for moment in known for each in (moment - TICK, moment)]

    def agree(self, pairs: list[tuple[datetime, datetime]], rows: StatesByMoment) -> None:
        for pair, (committed, draft) in zip(pairs, rows, strict=True):
            valid, known = pair
            believed = self.reference.believed(known)
            expected = (
                (None, None) if believed is None else (believed.committed(valid), believed.draft(valid))
            )
            assert (written(committed), written(draft)) == tuple(map(written, expected)), pair

    async def look(
        self, pairs: list[tuple[datetime, datetime]]
    ) -> tuple[list[EntityState], list[EntityState], StatesByMoment]:
        """Return the states and drafts of now, and what is committed and drafted at each pair of instants."""
        found: StatesByMoment = [[None, None] for _ in pairs]
        async with self.memory.database.reading(self.thing.tenant) as connection:
            where = (connection, self.thing.tenant, self.thing.id)
            held = await states.current_states(*where, Branch.COMMITTED)
            drafts = await states.current_states(*where, Branch.WIP)
            valid, known = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
            for row in await connection.fetch(STATES_AT, self.thing.id, valid, known):
                place = 0 if row["branch"] == Branch.COMMITTED else 1
                assert found[row["ordinal"] - 1][place] is None
                found[row["ordinal"] - 1][place] = row["props"]
        return held, drafts, found


def written(props: dict[str, Any] | None) -> str | None:
    """Return properties as text, since Python takes true for 1."""
    return None if props is None else repr(sorted(props.items()))


async def test_random_verbs_leave_what_the_reference_model_says(shared_memory: Memory) -> None:
    class HereAndNow(Verbs):
        memory = shared_memory
        loop = asyncio.get_running_loop()

    tried = settings(
        max_examples=HISTORIES * max(1, LONGER),
        stateful_step_count=VERBS_EACH,
        derandomize=not LONGER,
        database=None,
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )
    await asyncio.to_thread(run_state_machine_as_test, HereAndNow, settings=tried)
    assert HereAndNow.carried_out >= MIN_VERBS * max(1, LONGER)
