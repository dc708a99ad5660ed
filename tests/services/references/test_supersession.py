"""When one document supersedes another, whoever says so and whichever arrives first."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from itertools import permutations
from typing import Any
from uuid import UUID

import pytest

from app.domain.recall import StateFlag
from app.domain.temporal import AsOf, Branch
from app.stores.postgres import ledger_clock, states
from tests.documents import SUPERSEDES, ProjectFixture, adr, claims, day, hit_of

BY = claims(SUPERSEDES, "ADR-2", inverted=True)
OF = claims(SUPERSEDES, "ADR-1")
QUERY = "which queue do workers read"
OLD = "Workers read one queue"
NEW = "Workers read a queue each"


async def status_at(desk: ProjectFixture, entity: UUID, at: datetime) -> Any:
    async with desk.reading() as connection:
        known = await ledger_clock.read_clock(connection, desk.tenant)
        held = await states.states_as_of(connection, desk.tenant, [entity], AsOf(at, known))
    return held[entity, Branch.COMMITTED].props.get("status")


async def flags_at(desk: ProjectFixture, *moments: datetime) -> list[StateFlag | None]:
    return [hit_of(await desk.ask(QUERY, as_of=moment), "ADR-1").annotation.flag for moment in moments]


@pytest.mark.parametrize("statement", ["the old one says so", "the new one says so", "both say so"])
@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
@pytest.mark.parametrize("status", ["Accepted", "Superseded by ADR-2"])
async def test_the_old_one_is_current_until_the_new_one_and_historical_after(
    desk: ProjectFixture, statement: str, order: tuple[int, int], status: str
) -> None:
    old = adr(1, OLD, status=status, references=() if statement == "the new one says so" else BY)
    new = adr(2, NEW, created_at=day(2021), references=() if statement == "the old one says so" else OF)
    await desk.file_all(*[(old, new)[place] for place in order])
    assert await flags_at(desk, day(2020, 6), day(2020, 12, 31), day(2021), day(2024)) == [
        StateFlag.CURRENT,
        StateFlag.CURRENT,
        StateFlag.HISTORICAL,
        StateFlag.HISTORICAL,
    ]
    result = await desk.ask(QUERY)
    replaced = hit_of(result, "ADR-1")
    replacement = hit_of(result, "ADR-2")
    assert replaced.annotation.superseded_by == replacement.artifact.entity
    assert replacement.rank < replaced.rank
    assert replacement.annotation.flag is StateFlag.CURRENT
    held = replaced.annotation.state
    assert held is not None
    assert str(held.props["status"]).lower().startswith("superseded")
    before = await status_at(desk, replaced.artifact.entity, day(2020, 6))
    assert before == ("Accepted" if status == "Accepted" else None)


async def test_the_superseding_document_is_the_cause(desk: ProjectFixture) -> None:
    old = await desk.file(adr(1, OLD))
    new = await desk.file(adr(2, NEW, created_at=day(2021), references=OF))
    async with desk.reading() as connection:
        events = await connection.fetch(
            "SELECT cause_artifact, at, actor FROM state_event"
            " WHERE event_type = 'superseded' AND entity = $1",
            old.entity.id,
        )
    assert [tuple(event) for event in events] == [(new.artifact.id, day(2021), "ada")]


@pytest.mark.parametrize("order", list(permutations(range(3))))
async def test_superseded_twice_it_stays_superseded_from_the_first_time(
    desk: ProjectFixture, order: tuple[int, ...]
) -> None:
    documents = [
        adr(1, OLD),
        adr(2, NEW, created_at=day(2021), references=OF),
        adr(3, "Workers share no queue", created_at=day(2023), references=OF),
    ]
    filed = {place: await desk.file(documents[place]) for place in order}
    entity = filed[0].entity.id
    said = [await status_at(desk, entity, at) for at in (day(2020, 6), day(2022), day(2024))]
    assert said == ["Accepted", "superseded", "superseded"]
    assert await flags_at(desk, day(2022), day(2024)) == [StateFlag.HISTORICAL] * 2


async def test_one_document_supersedes_two(desk: ProjectFixture) -> None:
    """CON-02: both are historical, and the new one stands for both."""
    both = claims(SUPERSEDES, "ADR-1", "ADR-3")
    await desk.file_all(
        adr(1, OLD),
        adr(3, "Workers read any queue"),
        adr(2, NEW, created_at=day(2021), references=both),
    )
    result = await desk.ask(QUERY)
    new = hit_of(result, "ADR-2")
    for identifier in ("ADR-1", "ADR-3"):
        hit = hit_of(result, identifier)
        assert hit.annotation.superseded_by == new.artifact.entity
        assert hit.rank > new.rank


async def test_a_circle_of_two_keeps_one_current(desk: ProjectFixture) -> None:
    """EDG-06: the second supersession is left out with a warning."""
    one = await desk.file(adr(1, OLD, references=claims(SUPERSEDES, "ADR-2")))
    two = await desk.file(adr(2, NEW, created_at=day(2021), references=OF))
    assert one.warnings == ()
    assert "would make a cycle" in " ".join(two.warnings)
    result = await desk.ask(QUERY)
    assert {hit.annotation.flag for hit in result.hits} == {StateFlag.CURRENT, StateFlag.HISTORICAL}


async def test_a_circle_of_three_keeps_one_current(desk: ProjectFixture) -> None:
    """EDG-06 over three calls."""
    filed = [
        await desk.file(adr(1, OLD, references=claims(SUPERSEDES, "ADR-2"))),
        await desk.file(adr(2, NEW, references=claims(SUPERSEDES, "ADR-3"))),
        await desk.file(adr(3, "Workers share a queue", references=claims(SUPERSEDES, "ADR-1"))),
    ]
    assert "would make a cycle" in " ".join(warning for document in filed for warning in document.warnings)
    flags = [hit.annotation.flag for hit in (await desk.ask(QUERY)).hits]
    assert flags.count(StateFlag.CURRENT) == 1


async def test_a_supersession_withdrawn_may_be_turned_round(desk: ProjectFixture) -> None:
    await desk.file(adr(1, OLD))
    await desk.file(adr(2, NEW, created_at=day(2021), references=OF))
    await desk.file(adr(2, NEW, body="Workers read a queue each, beside", created_at=day(2022)))
    turned = await desk.file(
        adr(
            1,
            OLD,
            body="Workers read one queue again",
            created_at=day(2023),
            references=claims(SUPERSEDES, "ADR-2"),
        )
    )
    assert turned.warnings == ()
    result = await desk.ask(QUERY)
    assert (result.hits[0].artifact.id, result.hits[0].annotation.flag) == (
        turned.artifact.id,
        StateFlag.CURRENT,
    )
    assert hit_of(await desk.ask(QUERY, as_of=day(2021, 6)), "ADR-1").annotation.flag is StateFlag.HISTORICAL
    newer = [hit for hit in result.hits if hit.artifact.identifier == "ADR-2"]
    assert {hit.annotation.superseded_by for hit in newer} == {turned.entity.id}


@pytest.mark.parametrize("inverted", [False, True])
async def test_nothing_supersedes_itself(desk: ProjectFixture, inverted: bool) -> None:
    """EDG-07: a document that names itself stays current."""
    itself = claims(SUPERSEDES, "ADR-0001", inverted=inverted)
    filed = await desk.file(adr(1, OLD, references=itself))
    again = await desk.file(adr(1, OLD, body="Workers read one queue, said twice", references=itself))
    assert filed.references == again.references == ()
    assert await flags_at(desk, day(2024)) == [StateFlag.CURRENT]


async def test_what_was_known_before_the_new_one_came_stays_known(desk: ProjectFixture) -> None:
    old = await desk.file(adr(1, OLD))
    await desk.file(adr(2, NEW, created_at=day(2021), references=OF))
    then = await desk.ask(QUERY, as_of=day(2022), known_at=old.artifact.recorded_at)
    assert [hit.annotation.flag for hit in then.hits] == [StateFlag.CURRENT]


async def test_a_document_may_turn_round_what_it_said_of_another(desk: ProjectFixture) -> None:
    """First superseded by it, then superseding it: the old edge ends before the new one is judged."""
    await desk.file(adr(2, "The other"))
    await desk.file(adr(1, "First", references=claims(SUPERSEDES, "ADR-2", inverted=True)))
    turned = await desk.file(adr(1, "First", references=claims(SUPERSEDES, "ADR-2"), created_at=day(2021)))
    assert turned.warnings == ()
    result = await desk.ask("ADR-2", as_of=day(2022))
    flags = {
        hit.artifact.identifier: hit.annotation.flag
        for hit in result.hits
        if hit.artifact.created_at >= day(2020)
    }
    assert flags["ADR-2"] is StateFlag.HISTORICAL
    assert [hit.artifact.identifier for hit in result.hits[:2]] == ["ADR-2", "ADR-1"]


async def test_what_nothing_supersedes_any_more_is_again_what_it_was(desk: ProjectFixture) -> None:
    old = await desk.file(adr(1, OLD))
    await desk.file(adr(2, NEW, references=OF, created_at=day(2021)))
    assert await status_at(desk, old.entity.id, day(2021, 6)) == "superseded"
    await desk.file(adr(2, NEW, "We thought again.", created_at=day(2022)))
    assert await status_at(desk, old.entity.id, day(2021, 6)) == "superseded"
    assert await status_at(desk, old.entity.id, day(2022, 6)) == "Accepted"
    result = await desk.ask(QUERY, as_of=day(2022, 6))
    assert hit_of(result, "ADR-1").annotation.flag is StateFlag.CURRENT


async def test_what_something_else_still_supersedes_stays_superseded(desk: ProjectFixture) -> None:
    old = await desk.file(adr(1, OLD))
    await desk.file(adr(2, NEW, references=OF, created_at=day(2021)))
    await desk.file(adr(3, "Workers read files", references=OF, created_at=day(2021, 3)))
    await desk.file(adr(2, NEW, "We thought again.", created_at=day(2022)))
    assert await status_at(desk, old.entity.id, day(2022, 6)) == "superseded"


async def test_a_new_version_of_what_is_superseded_stays_superseded(desk: ProjectFixture) -> None:
    """EDG-06: the ledger and recall say the same of a document whose author mended a word."""
    old = await desk.file(adr(1, OLD))
    await desk.file(adr(2, NEW, references=OF, created_at=day(2021)))
    await desk.file(adr(1, OLD, "A word was mended.", created_at=day(2022)))
    assert await status_at(desk, old.entity.id, day(2020, 6)) == "Accepted"
    assert await status_at(desk, old.entity.id, day(2022, 6)) == "superseded"


@pytest.mark.parametrize("order", list(permutations(range(3))))
async def test_a_later_version_is_superseded_whichever_arrives_first(
    desk: ProjectFixture, order: tuple[int, ...]
) -> None:
    """Only the versions of one document have to come in order."""
    documents = [
        adr(1, OLD),
        adr(2, NEW, created_at=day(2021), references=OF),
        adr(1, OLD, "It is final now.", status="Final", created_at=day(2022)),
    ]
    if order.index(0) > order.index(2):
        order = (order[0], order[2], order[1]) if order[0] == 1 else (0, *(place for place in order if place))
    filed = {place: await desk.file(documents[place]) for place in order}
    said = [await status_at(desk, filed[0].entity.id, at) for at in (day(2020, 6), day(2021, 6), day(2023))]
    assert said == ["Accepted", "superseded", "superseded"]


async def test_a_version_brings_back_what_nothing_supersedes_any_more(desk: ProjectFixture) -> None:
    """Each version is again what it said of itself."""
    old, *_ = await desk.file_all(
        adr(1, OLD),
        adr(1, OLD, "It is final now.", status="Final", created_at=day(2022)),
        adr(2, NEW, created_at=day(2021), references=OF),
        adr(2, NEW, "We thought again.", created_at=day(2023)),
    )
    said = [await status_at(desk, old.entity.id, at) for at in (day(2020, 6), day(2022, 6), day(2024))]
    assert said == ["Accepted", "superseded", "Final"]


async def test_a_version_that_was_over_before_the_new_one_came_was_so_then(desk: ProjectFixture) -> None:
    """It has a date of its own: only what a first text says of its past may be hindsight."""
    old, *_ = await desk.file_all(
        adr(1, OLD),
        adr(1, OLD, "We shall want another.", status="Deprecated", created_at=day(2021)),
        adr(2, NEW, created_at=day(2022), references=OF),
    )
    said = [await status_at(desk, old.entity.id, at) for at in (day(2020, 6), day(2021, 6), day(2022, 6))]
    assert said == ["Accepted", "Deprecated", "Deprecated"]


@pytest.mark.parametrize("order", list(permutations((2, 3))))
@pytest.mark.parametrize("withdrawn_first", [2, 3])
async def test_what_two_documents_superseded_is_again_what_it_was_once_neither_does(
    desk: ProjectFixture, order: tuple[int, ...], withdrawn_first: int
) -> None:
    old = await desk.file(adr(1, OLD))
    filed = {
        number: await desk.file(adr(number, f"{NEW} {number}", created_at=day(2020 + number), references=OF))
        for number in order
    }
    service = desk.memory.references
    first = filed.pop(withdrawn_first)
    await service.withdraw(desk.memory.caller, first.references[0].id)
    assert await status_at(desk, old.entity.id, day(2999)) == "superseded"
    await service.withdraw(desk.memory.caller, filed.popitem()[1].references[0].id)
    said = [await status_at(desk, old.entity.id, at) for at in (day(2021, 6), day(2022, 6), day(2999))]
    assert said == ["Accepted", "superseded", "Accepted"]


DATED = {
    "the old one says so": (
        adr(1, OLD, references=(replace(BY[0], since=day(2022, 3)),)),
        adr(2, NEW, created_at=day(2021)),
    ),
    "the new one says so": (
        adr(1, OLD),
        adr(2, NEW, created_at=day(2021), references=(replace(OF[0], since=day(2022, 3)),)),
    ),
}


@pytest.mark.parametrize("statement", DATED)
@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
@pytest.mark.parametrize("is_undated", [False, True])
async def test_a_date_beside_the_supersession_counts(
    desk: ProjectFixture, statement: str, order: tuple[int, int], is_undated: bool
) -> None:
    old, new = DATED[statement]
    pair = (replace(old, created_at=None if is_undated else old.created_at), new)
    await desk.file_all(*[pair[place] for place in order])
    assert await flags_at(desk, day(2021, 6), day(2022, 2), day(2022, 3), day(2024)) == [
        StateFlag.CURRENT,
        StateFlag.CURRENT,
        StateFlag.HISTORICAL,
        StateFlag.HISTORICAL,
    ]


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
async def test_a_date_before_the_successor_is_there_does_not_count(
    desk: ProjectFixture, order: tuple[int, int]
) -> None:
    pair = (
        adr(1, OLD, references=(replace(BY[0], since=day(2020, 3)),)),
        adr(2, NEW, created_at=day(2021)),
    )
    await desk.file_all(*[pair[place] for place in order])
    assert await flags_at(desk, day(2020, 6), day(2021)) == [StateFlag.CURRENT, StateFlag.HISTORICAL]


async def test_a_later_version_may_say_since_when(desk: ProjectFixture) -> None:
    """The version counts from its own date, and what it says of the past from the date that it gives."""
    new = adr(2, NEW, created_at=day(2021))
    later = adr(
        1,
        OLD,
        created_at=day(2023),
        status="Superseded by ADR-2",
        references=(replace(BY[0], since=day(2022, 3)),),
    )
    await desk.file_all(adr(1, OLD), new, later)
    for moment, flag in (
        (day(2022, 2), StateFlag.CURRENT),
        (day(2022, 3), StateFlag.HISTORICAL),
        (day(2024), StateFlag.HISTORICAL),
    ):
        hits = (await desk.ask(QUERY, as_of=moment)).hits
        assert {hit.annotation.flag for hit in hits if hit.artifact.identifier == "ADR-1"} == {flag}
