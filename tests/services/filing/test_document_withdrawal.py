"""A withdrawn document is hidden from then on, there as of before, and back when it is filed again."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta
from uuid import UUID, uuid4

import pytest

from app.domain.artifact import DateSource
from app.domain.page import PageRequest
from app.domain.recall import StateFlag
from app.errors import Conflict, Invalid, NotFound, TrigraphError
from app.services.catalog import RequestedMoment
from app.services.filing import FiledDocument
from app.services.filing.document_withdrawal import WithdrawalRequest, WithdrawnDocument
from app.services.states import StateChange, StatedCause
from tests.documents import (
    RELATES_TO,
    SUPERSEDES,
    ProjectFixture,
    adr,
    claims,
    day,
    edges,
    hit_of,
    identifiers,
    pending,
)
from tests.things import make_thing

POLL = adr(1, "Poll the table", created_at=day(2024))
PUSH = adr(2, "Push by broker", created_at=day(2025), references=claims(SUPERSEDES, "ADR-1"))
NOTE = adr(3, "Note", created_at=day(2025, 3), references=claims(RELATES_TO, "ADR-2"))


async def withdraw(desk: ProjectFixture, **asked: object) -> WithdrawnDocument:
    request = WithdrawalRequest(**asked)  # type: ignore[arg-type]
    return await desk.memory.withdrawals.withdraw(desk.memory.caller, request)


async def listed(desk: ProjectFixture, at: datetime | None = None) -> set[str | None]:
    caller, catalog = desk.memory.caller, desk.memory.catalog
    found = await catalog.entities(caller, desk.project, None, RequestedMoment(at), PageRequest(50))
    return {entity.key for entity in found.page.items}


@pytest.mark.parametrize("by", ["artifact", "entity"])
async def test_it_is_hidden_from_then_on_and_there_as_of_before(desk: ProjectFixture, by: str) -> None:
    _, push, _ = await desk.file_all(POLL, PUSH, NOTE)
    asked: dict[str, UUID] = {"artifact": push.artifact.id, "entity": push.entity.id}
    withdrawn = await withdraw(desk, **{by: asked[by]}, valid_from=day(2025, 6), reason="It was never built.")
    assert (withdrawn.absence.valid.start, withdrawn.absence.reason) == (day(2025, 6), "It was never built.")
    assert "ADR-2" not in identifiers(await desk.ask("push by broker"))
    assert "ADR-2" not in identifiers(await desk.ask("ADR-2"))
    assert "ADR-2" in identifiers(await desk.ask("ADR-2", as_of=day(2025, 5)))
    assert hit_of(await desk.ask("ADR-1"), "ADR-1").annotation.flag is StateFlag.CURRENT
    then = hit_of(await desk.ask("ADR-1", as_of=day(2025, 5)), "ADR-1")
    assert then.annotation.flag is StateFlag.HISTORICAL
    assert (await listed(desk), await listed(desk, day(2025, 5))) == (
        {"adr-1", "adr-3"},
        {"adr-1", "adr-2", "adr-3"},
    )
    assert await pending(desk) == {("ADR-2", False)}
    catalog = desk.memory.catalog
    assert await catalog.resolve_alias(desk.memory.caller, "ADR-2", desk.project, RequestedMoment()) is None


CHANGED = adr(2, "Push by broker, still", created_at=day(2025), references=claims(SUPERSEDES, "ADR-1"))


@pytest.mark.parametrize("since", [day(2025, 6), None])
@pytest.mark.parametrize("stated", [None, day(2024, 9)])
@pytest.mark.parametrize("status", ["Superseded by ADR-2", "Accepted"])
async def test_what_names_it_as_its_successor_stays_what_it_was_before(
    desk: ProjectFixture, since: datetime | None, stated: datetime | None, status: str
) -> None:
    (claim,) = claims(SUPERSEDES, "ADR-2", inverted=True)
    old = adr(
        1,
        POLL.title,
        created_at=day(2024),
        status=status,
        references=(replace(claim, since=stated),),
    )
    _, push = await desk.file_all(old, adr(2, PUSH.title, created_at=day(2025)))
    moments = (day(2024, 6), day(2024, 12), day(2025, 5), None)

    async def flags() -> list[StateFlag | None]:
        answers = [await desk.ask("ADR-1", as_of=moment) for moment in moments]
        return [hit_of(each, "ADR-1").annotation.flag for each in answers]

    before = await flags()
    await withdraw(desk, entity=push.entity.id, valid_from=day(2090))
    assert before == [StateFlag.CURRENT, StateFlag.CURRENT, StateFlag.HISTORICAL, StateFlag.HISTORICAL]
    await withdraw(desk, entity=push.entity.id, valid_from=since)
    assert await flags() == before
    await desk.file(adr(2, PUSH.title, "Push it.", created_at=day(2025)))
    assert await flags() == before


@pytest.mark.parametrize("again", [PUSH, CHANGED])
async def test_filing_again_undoes_it(desk: ProjectFixture, again: object) -> None:
    await desk.file_all(POLL, PUSH, NOTE)
    before = await edges(desk)
    push = await desk.file(PUSH)
    assert not push.created
    withdrawn = await withdraw(desk, entity=push.entity.id)
    back = await desk.file(again)  # type: ignore[arg-type]
    assert (back.created, back.entity) == (True, push.entity)
    assert await edges(desk) == before
    assert await pending(desk) == set()
    assert hit_of(await desk.ask("ADR-1"), "ADR-1").annotation.flag is StateFlag.HISTORICAL
    assert identifiers(await desk.ask("ADR-2"))[0] == "ADR-2"
    gap = withdrawn.absence.valid.start + timedelta(microseconds=1)
    assert "ADR-2" not in identifiers(await desk.ask("push by broker", as_of=gap))
    assert not (await desk.file(again)).created  # type: ignore[arg-type]


async def test_what_comes_meanwhile_takes_no_name_of_it(desk: ProjectFixture) -> None:
    """A claim that several documents could mean has one meaning once the other is gone."""
    note = adr(5, "Note", references=claims(RELATES_TO, "Carrier failover"))
    first = adr(6, "Carrier failover", created_at=day(2025))
    filed = await desk.file(first)
    await desk.file_all(adr(7, "Carrier failover", "Another.", created_at=day(2025)), note)
    assert await pending(desk) == {("Carrier failover", True)}
    await withdraw(desk, entity=filed.entity.id)
    assert await pending(desk) == set()
    assert ("adr-5", RELATES_TO, "adr-7") in await edges(desk)


BAD: dict[str, tuple[Callable[[FiledDocument], dict[str, object]], type[TrigraphError], str]] = {
    "neither": (lambda filed: {}, Invalid, "one of the two"),
    "both": (
        lambda filed: {"artifact": filed.artifact.id, "entity": filed.entity.id},
        Invalid,
        "one of the two",
    ),
    "unknown artifact": (lambda filed: {"artifact": uuid4()}, NotFound, "there is no artifact"),
    "unknown entity": (lambda filed: {"entity": uuid4()}, NotFound, "there is no entity"),
    "too early": (
        lambda filed: {"entity": filed.entity.id, "valid_from": day(2019)},
        Invalid,
        "begins on 2024-01-01",
    ),
    "long reason": (
        lambda filed: {"entity": filed.entity.id, "reason": "x" * 2_001},
        Invalid,
        "at most 2000",
    ),
}


@pytest.mark.parametrize("name", BAD)
async def test_a_mistake_is_refused_with_what_to_do(desk: ProjectFixture, name: str) -> None:
    asked, error, message = BAD[name]
    filed = await desk.file(POLL)
    with pytest.raises(error, match=message):
        await withdraw(desk, **asked(filed))
    assert identifiers(await desk.ask("ADR-1")) == ["ADR-1"]


async def test_what_is_withdrawn_already_is_a_conflict(desk: ProjectFixture) -> None:
    filed = await desk.file(POLL)
    await withdraw(desk, entity=filed.entity.id, valid_from=day(2025))
    for moment in (None, day(2024, 6), day(2026)):
        with pytest.raises(Conflict, match="is withdrawn from 2025-01-01T00:00:00Z on"):
            await withdraw(desk, entity=filed.entity.id, valid_from=moment)


async def test_one_that_ends_in_the_future_is_there_until_then(desk: ProjectFixture) -> None:
    filed = await desk.file(POLL)
    at = filed.artifact.recorded_at + timedelta(days=30)
    await withdraw(desk, entity=filed.entity.id, valid_from=at)
    assert identifiers(await desk.ask("ADR-1")) == ["ADR-1"]
    assert (await desk.ask("ADR-1", as_of=at)).hits == ()


async def test_a_thing_is_no_document(desk: ProjectFixture) -> None:
    thing = await make_thing(desk, "Harbor")
    with pytest.raises(Invalid, match="is no document"):
        await withdraw(desk, entity=thing)


async def test_a_repeated_request_gets_the_first_answer(desk: ProjectFixture) -> None:
    filed = await desk.file(POLL)
    request = WithdrawalRequest(entity=filed.entity.id)
    answers = [await desk.memory.withdrawals.withdraw(desk.memory.caller, request, "once") for _ in range(2)]
    assert answers[0] == answers[1]
    assert answers[0].absence.artifact is None


async def test_states_that_callers_set_stay_through_a_withdrawal(desk: ProjectFixture) -> None:
    filed = await desk.file(POLL)
    change = StateChange({"status": "Deprecated"}, day(2025))
    await desk.memory.states.transition(desk.memory.caller, filed.entity.id, change, StatedCause("fact"))
    await withdraw(desk, entity=filed.entity.id, valid_from=day(2025, 6))
    back = await desk.file(POLL)
    assert (back.artifact.date_source, back.artifact.date) == (DateSource.HEADER, day(2024))
    assert back.state.props["status"] == "Deprecated"


async def test_one_announced_by_mistake_can_be_brought_forward_and_undone(desk: ProjectFixture) -> None:
    """A wrong year in the future is no dead end."""
    _, push, _ = await desk.file_all(POLL, PUSH, NOTE)
    before = await edges(desk)
    await withdraw(desk, entity=push.entity.id, valid_from=day(2090))
    for moment in (day(2090), day(2091)):
        with pytest.raises(Conflict, match="give an earlier instant, or undo it"):
            await withdraw(desk, entity=push.entity.id, valid_from=moment)
    sooner = await withdraw(desk, entity=push.entity.id, valid_from=day(2089), reason="Sooner.")
    assert (sooner.absence.valid.start, sooner.absence.valid.end) == (day(2089), None)
    assert "ADR-2" in identifiers(await desk.ask("ADR-2", as_of=day(2088)))
    assert "ADR-2" not in identifiers(await desk.ask("ADR-2", as_of=day(2089, 2)))
    assert await edges(desk) == before
    await withdraw(desk, entity=push.entity.id)
    assert "ADR-2" not in identifiers(await desk.ask("ADR-2"))
    assert hit_of(await desk.ask("ADR-1"), "ADR-1").annotation.flag is StateFlag.CURRENT
    assert await pending(desk) == {("ADR-2", False)}
    assert (await desk.file(PUSH)).created
    assert (await edges(desk), await pending(desk)) == (before, set())
    for at in (None, day(2091)):
        hits = await desk.ask("ADR-2", as_of=at)
        assert "ADR-2" in identifiers(hits)
        assert hit_of(hits, "ADR-1").annotation.flag is StateFlag.HISTORICAL
