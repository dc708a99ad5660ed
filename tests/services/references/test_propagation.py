"""Only what is, or was, in force supersedes: a proposal does once it is accepted."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from typing import Any
from uuid import UUID

import pytest

from app.domain.artifact import Document
from app.domain.recall import StateFlag
from app.domain.temporal import AsOf, Branch
from app.loaders import Loaders
from app.loaders.batching import BatchedKey
from app.services.catalog import RequestedMoment
from app.services.references import StatedReference
from app.services.states import StateChange, StatedCause
from app.stores.postgres import ledger_clock, states
from tests.documents import SUPERSEDES, ProjectFixture, adr, claims, day, edges, hit_of

OF = claims(SUPERSEDES, "ADR-1")
BY = claims(SUPERSEDES, "ADR-2", inverted=True)
QUERY = "which queue do workers read"
OLD = "Workers read one queue"
NEW = "Workers read a queue each"
CURRENT, HISTORICAL, WIP = StateFlag.CURRENT, StateFlag.HISTORICAL, StateFlag.WIP


def proposal(**said: Any) -> Document:
    fields: dict[str, Any] = {"status": "Proposed", "created_at": day(2021), "references": OF}
    return adr(2, NEW, **(fields | said))


def adr_at(document: Document, at: datetime, status: str) -> Document:
    return replace(document, created_at=at, status=status)


async def status_at(desk: ProjectFixture, entity: UUID, at: datetime) -> Any:
    async with desk.reading() as connection:
        known = await ledger_clock.read_clock(connection, desk.tenant)
        held = await states.states_as_of(connection, desk.tenant, [entity], AsOf(at, known))
    return held[entity, Branch.COMMITTED].props.get("status")


async def standing(
    desk: ProjectFixture, entity: UUID, *moments: datetime
) -> list[tuple[StateFlag | None, Any, bool]]:
    """Return, moment by moment, its flag in recall, its status, and whether something is above it."""
    found = []
    for moment in moments:
        hits = (await desk.ask(QUERY, as_of=moment)).hits
        (flag,) = {hit.annotation.flag for hit in hits if hit.artifact.entity == entity}
        loaders = Loaders(desk.memory.database, desk.memory.graph, desk.tenant)
        above = await loaders.superseder_id_by_entity.load(BatchedKey(entity, RequestedMoment(moment)))
        found.append((flag, await status_at(desk, entity, moment), above is not None))
    return found


async def transition(desk: ProjectFixture, entity: UUID, status: str, at: datetime) -> None:
    service = desk.memory.states
    change = StateChange({"status": status}, valid_from=at)
    await service.transition(desk.memory.caller, entity, change, StatedCause("status_transition"))


IN_FORCE = (CURRENT, "Accepted", False)
GONE = (HISTORICAL, "superseded", True)


@pytest.mark.parametrize("status", ["Proposed", "Draft", "In review", "Rejected", "Withdrawn"])
@pytest.mark.parametrize("backwards", [False, True])
async def test_what_is_not_in_force_moves_nothing(desk: ProjectFixture, status: str, backwards: bool) -> None:
    """Whichever is filed first: the reference is kept, and the present answer stays."""
    documents = [adr(1, OLD), proposal(status=status)]
    filed = await desk.file_all(*(documents[::-1] if backwards else documents))
    old = filed[-1 if backwards else 0].entity.id
    assert await edges(desk) == {("adr-2", "SUPERSEDES", "adr-1")}
    assert await standing(desk, old, day(2020, 6), day(2021), day(2030)) == [IN_FORCE] * 3
    result = await desk.ask(QUERY, flags=(CURRENT,))
    assert [hit.artifact.identifier for hit in result.hits] == ["ADR-1"]


@pytest.mark.parametrize("status", ["Accepted", None, "Superseded", "Deprecated"])
async def test_what_is_or_was_in_force_supersedes(desk: ProjectFixture, status: str | None) -> None:
    old = await desk.file(adr(1, OLD))
    await desk.file(proposal(status=status))
    assert await standing(desk, old.entity.id, day(2020, 6), day(2021)) == [IN_FORCE, GONE]


@pytest.mark.parametrize("backwards", [False, True])
async def test_a_proposal_accepted_in_a_new_version_supersedes_from_then_on(
    desk: ProjectFixture, backwards: bool
) -> None:
    """Also when what it supersedes arrives after it."""
    versions = [proposal(), proposal(status="Accepted", created_at=day(2023), body="It is so.")]
    documents = [*versions, adr(1, OLD)] if backwards else [adr(1, OLD), *versions]
    filed = await desk.file_all(*documents)
    old, accepted = (filed[-1], filed[1]) if backwards else (filed[0], filed[2])
    moments = (day(2020, 6), day(2022), day(2022, 12, 31), day(2023), day(2030))
    assert await standing(desk, old.entity.id, *moments) == [IN_FORCE] * 3 + [GONE] * 2
    async with desk.reading() as connection:
        events = await connection.fetch(
            "SELECT cause_artifact, at FROM state_event WHERE event_type = 'superseded' AND entity = $1",
            old.entity.id,
        )
    at = [event["at"] for event in events]
    assert at == [day(2023)]
    if not backwards:
        assert [event["cause_artifact"] for event in events] == [accepted.artifact.id]
    now = await desk.ask(QUERY)
    assert hit_of(now, "ADR-1").annotation.superseded_by == accepted.entity.id
    assert now.hits[0].artifact.id == accepted.artifact.id


async def test_a_proposal_accepted_by_a_transition_supersedes_from_then_on(desk: ProjectFixture) -> None:
    old, new = await desk.file_all(adr(1, OLD), proposal())
    await transition(desk, new.entity.id, "Accepted", day(2023))
    assert await standing(desk, old.entity.id, day(2022), day(2023)) == [IN_FORCE, GONE]


async def test_an_acceptance_that_was_none_is_taken_back(desk: ProjectFixture) -> None:
    """What it superseded is again what it was, from the moment it was superseded."""
    old, new = await desk.file_all(adr(1, OLD), proposal())
    await transition(desk, new.entity.id, "Accepted", day(2023))
    await transition(desk, new.entity.id, "Rejected", day(2023))
    assert await standing(desk, old.entity.id, day(2022), day(2023), day(2024)) == [IN_FORCE] * 3


async def test_an_acceptance_may_be_dated_back(desk: ProjectFixture) -> None:
    old, new = await desk.file_all(adr(1, OLD), proposal())
    await transition(desk, new.entity.id, "Accepted", day(2024))
    await transition(desk, new.entity.id, "Accepted", day(2022))
    assert await standing(desk, old.entity.id, day(2021, 6), day(2022), day(2025)) == [IN_FORCE, GONE, GONE]


@pytest.mark.parametrize("status", ["Rejected", "Deprecated", "Withdrawn", "Draft"])
async def test_what_was_accepted_once_keeps_what_it_superseded_historical(
    desk: ProjectFixture, status: str
) -> None:
    old, _, _ = await desk.file_all(
        adr(1, OLD),
        proposal(status="Accepted"),
        proposal(status=status, created_at=day(2023), body="No longer."),
    )
    assert await standing(desk, old.entity.id, day(2022), day(2024)) == [GONE, GONE]


async def test_a_chain_takes_effect_link_by_link(desk: ProjectFixture) -> None:
    third = adr(3, "Workers share no queue", status="Draft", references=claims(SUPERSEDES, "ADR-2"))
    old, new, _ = await desk.file_all(
        adr(1, OLD), proposal(status="Accepted"), adr_at(third, day(2022), "Draft")
    )

    async def flags(moment: datetime) -> list[StateFlag | None]:
        result = await desk.ask(QUERY, as_of=moment)
        return [
            next(hit.annotation.flag for hit in result.hits if hit.artifact.identifier == identifier)
            for identifier in ("ADR-1", "ADR-2", "ADR-3")
        ]

    assert await flags(day(2023)) == [HISTORICAL, CURRENT, WIP]
    await desk.file(adr_at(third, day(2024), "Accepted"))
    assert await flags(day(2023)) == [HISTORICAL, CURRENT, WIP]
    assert await flags(day(2025)) == [HISTORICAL, HISTORICAL, CURRENT]
    assert await status_at(desk, new.entity.id, day(2025)) == "superseded"
    assert await status_at(desk, old.entity.id, day(2025)) == "superseded"


async def test_a_draft_that_is_superseded_never_superseded_anything(desk: ProjectFixture) -> None:
    old, *_ = await desk.file_all(
        adr(1, OLD),
        proposal(),
        adr(3, "Workers share no queue", created_at=day(2022), references=claims(SUPERSEDES, "ADR-2")),
    )
    assert await standing(desk, old.entity.id, day(2024)) == [IN_FORCE]


@pytest.mark.parametrize("order", ["old last", "new last"])
async def test_who_calls_itself_superseded_is_so_by_whatever(desk: ProjectFixture, order: str) -> None:
    """A draft says it supersedes it, and the superseded document says so too: its own word counts."""
    documents = [proposal(), adr(1, OLD, references=BY)]
    filed = await desk.file_all(*(documents if order == "old last" else documents[::-1]))
    old = filed[1 if order == "old last" else 0].entity.id
    assert await standing(desk, old, day(2020, 6), day(2021), day(2030)) == [IN_FORCE, GONE, GONE]


async def test_a_status_of_its_own_counts_whatever_the_other_is(desk: ProjectFixture) -> None:
    await desk.file_all(adr(1, OLD, status="Superseded"), proposal())
    result = await desk.ask(QUERY)
    assert hit_of(result, "ADR-1").annotation.flag is HISTORICAL


async def test_something_accepted_supersedes_what_a_draft_claimed_before(desk: ProjectFixture) -> None:
    old, _, third = await desk.file_all(
        adr(1, OLD),
        proposal(),
        adr(3, "Workers share no queue", created_at=day(2022), references=OF),
    )
    assert await standing(desk, old.entity.id, day(2021, 6), day(2022)) == [IN_FORCE, GONE]
    assert hit_of(await desk.ask(QUERY), "ADR-1").annotation.superseded_by == third.entity.id


async def test_a_draft_that_claims_it_no_longer_brings_nothing_back(desk: ProjectFixture) -> None:
    """Withdrawn for other reasons, it stays withdrawn."""
    old, new = await desk.file_all(adr(1, OLD), proposal())
    await transition(desk, old.entity.id, "Withdrawn", day(2022))
    await desk.file(proposal(references=(), created_at=day(2023), body="Something else."))
    assert await status_at(desk, old.entity.id, day(2024)) == "Withdrawn"
    assert new.entity.id != old.entity.id


async def test_a_supersession_stated_by_a_caller_waits_for_acceptance_too(desk: ProjectFixture) -> None:
    service = desk.memory.references
    caller = desk.memory.caller
    old, new = await desk.file_all(adr(1, OLD), proposal(references=()))
    stated = StatedReference(new.entity.id, old.entity.id, SUPERSEDES, valid_from=day(2022))
    answer = await service.create(caller, stated)
    assert await standing(desk, old.entity.id, day(2023)) == [IN_FORCE]
    await transition(desk, new.entity.id, "Accepted", day(2023))
    assert await standing(desk, old.entity.id, day(2022), day(2023)) == [IN_FORCE, GONE]
    await service.withdraw(caller, answer.reference.id)
    assert await status_at(desk, old.entity.id, day(2023)) == "superseded"
    assert await status_at(desk, old.entity.id, day(2050)) == "Accepted"


async def test_a_supersession_never_in_effect_is_withdrawn_without_a_trace(desk: ProjectFixture) -> None:
    service = desk.memory.references
    old, new = await desk.file_all(adr(1, OLD), proposal(references=()))
    stated = StatedReference(new.entity.id, old.entity.id, SUPERSEDES, valid_from=day(2022))
    answer = await service.create(desk.memory.caller, stated)
    await service.withdraw(desk.memory.caller, answer.reference.id)
    assert await standing(desk, old.entity.id, day(2023), day(2050)) == [IN_FORCE] * 2


async def test_what_was_known_before_the_acceptance_stays_known(desk: ProjectFixture) -> None:
    _, new = await desk.file_all(adr(1, OLD), proposal())
    await desk.file(proposal(status="Accepted", created_at=day(2023), body="It is so."))
    then = await desk.ask(QUERY, as_of=day(2024), known_at=new.artifact.recorded_at)
    assert {hit.artifact.identifier: hit.annotation.flag for hit in then.hits} == {
        "ADR-1": CURRENT,
        "ADR-2": WIP,
    }


async def test_a_rejected_document_that_was_superseded_never_superseded_anything(
    desk: ProjectFixture,
) -> None:
    """It says so all along: what takes its place does not make it one that was in force."""
    old, new, _ = await desk.file_all(
        adr(1, OLD),
        proposal(status="Rejected"),
        adr(3, "Workers share no queue", created_at=day(2022), references=claims(SUPERSEDES, "ADR-2")),
    )
    assert await status_at(desk, new.entity.id, day(2021)) == "Rejected"
    assert await standing(desk, old.entity.id, day(2021), day(2024)) == [IN_FORCE] * 2


@pytest.mark.parametrize("order", ["the fact first", "the successor first"])
async def test_a_fact_and_a_supersession_count_by_when_they_hold(desk: ProjectFixture, order: str) -> None:
    """Whichever is written first: what is deprecated by then stays so, what is in force gives way."""
    one = await desk.file(adr(1, OLD, status="Proposed"))
    other = await desk.file(adr(3, "Workers read files", status="Proposed"))
    both = proposal(status="Accepted", created_at=day(2022), references=claims(SUPERSEDES, "ADR-1", "ADR-3"))
    if order == "the successor first":
        await desk.file(both)
    await transition(desk, one.entity.id, "Deprecated", day(2021))
    await transition(desk, other.entity.id, "Accepted", day(2021))
    if order == "the fact first":
        await desk.file(both)
    moments = (day(2020, 6), day(2021, 6), day(2023))
    assert [await status_at(desk, one.entity.id, at) for at in moments] == [
        "Proposed",
        "Deprecated",
        "Deprecated",
    ]
    assert [await status_at(desk, other.entity.id, at) for at in moments] == [
        "Proposed",
        "Accepted",
        "superseded",
    ]


@pytest.mark.parametrize("order", ["the fact first", "the successor first"])
async def test_a_fact_of_later_holds_over_a_supersession(desk: ProjectFixture, order: str) -> None:
    old = await desk.file(adr(1, OLD))
    if order == "the successor first":
        await desk.file(proposal(status="Accepted"))
    await transition(desk, old.entity.id, "Accepted", day(2022))
    if order == "the fact first":
        await desk.file(proposal(status="Accepted"))
    said = [await status_at(desk, old.entity.id, at) for at in (day(2020, 6), day(2021, 6), day(2023))]
    assert said == ["Accepted", "superseded", "Accepted"]


async def test_a_version_that_says_the_same_of_it_undoes_no_fact(desk: ProjectFixture) -> None:
    """One that says another status does."""
    old = await desk.file(adr(1, OLD))
    await transition(desk, old.entity.id, "Deprecated", day(2021))
    await desk.file(adr(1, OLD, body="More words.", created_at=day(2022)))
    assert await status_at(desk, old.entity.id, day(2022, 6)) == "Deprecated"
    await desk.file(adr(1, OLD, body="Other words.", status="Final", created_at=day(2023)))
    assert await status_at(desk, old.entity.id, day(2023, 6)) == "Final"
