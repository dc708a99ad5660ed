"""Asked again with the same moments, a question gets the same answer, whatever was written since."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import UTC, datetime
from random import Random

import pytest

from app.domain.recall import RecallRequest, RecallResult, StateFlag
from app.errors import Invalid
from app.stores.postgres import ledger_clock
from tests.documents import ProjectFixture, adr, day, identifiers
from tests.services.recall.replaying import SERIES, comparable, random_document, random_requests


@pytest.mark.parametrize("seed", range(4))
async def test_an_answer_never_changes_afterwards(desk: ProjectFixture, seed: int) -> None:
    random = Random(seed)
    asked: list[tuple[RecallRequest, RecallResult]] = []
    for _ in range(6):
        for _ in range(6):
            await desk.file(random_document(random, random.randrange(SERIES)))
        for request in random_requests(random, desk.project):
            result = await desk.memory.recall.recall(desk.memory.caller, request)
            asked.append((replace(request, as_of=result.as_of, known_at=result.known_at), result))
        for request, before in random.sample(asked, min(len(asked), 6)):
            again = await desk.memory.recall.recall(desk.memory.caller, request)
            assert comparable(again) == comparable(before), request
    for request, before in asked:
        again = await desk.memory.recall.recall(desk.memory.caller, request)
        assert comparable(again) == comparable(before), request


async def test_a_moment_before_a_belief_does_not_know_it(desk: ProjectFixture) -> None:
    await desk.file(adr(1, "Retry budget", created_at=day(2024)))
    before = await desk.ask("retry budget")
    await desk.file(adr(2, "Retry budget, told late", created_at=day(2019)))
    again = await desk.ask("retry budget", known_at=before.known_at)
    assert identifiers(again) == ["ADR-1"]
    assert set(identifiers(await desk.ask("retry budget", as_of=day(2020)))) == {"ADR-2"}
    assert not (await desk.ask("retry budget", as_of=day(2018))).hits


async def test_every_leg_counts_only_what_was_there(desk: ProjectFixture) -> None:
    """Scores of the past are those of a ledger that never held anything else."""
    await desk.file(adr(1, "Retry budget", created_at=day(2020)))
    await desk.file(adr(2, "Retry storm", created_at=day(2020)))
    alone = await desk.ask("retry budget", as_of=day(2022))
    for number in range(3, 8):
        await desk.file(adr(number, "Budget", created_at=day(2023)))
    later = await desk.ask("retry budget", as_of=day(2022))
    assert [leg.candidates for leg in later.legs] == [leg.candidates for leg in alone.legs]


async def test_a_former_name_learned_later_changes_no_earlier_answer(desk: ProjectFixture) -> None:
    """An alias finds the documents that used it before; a question that did not know it stays as it was."""
    await desk.file(adr(1, "The Prism engine", body="Prism draws."))
    await desk.file(adr(2, "Install", body="Install PrismGR first, then ADR-1."))
    await desk.file(adr(3, "Upgrade", body="Upgrade PrismGR with care."))
    before = {query: await desk.ask(query) for query in ("ADR-1", "install upgrade")}
    await desk.file(adr(1, "The Prism engine", body="Prism draws more.", props={"aliases": ["PrismGR"]}))
    for query, answer in before.items():
        again = await desk.ask(query, as_of=answer.as_of, known_at=answer.known_at)
        assert comparable(again) == comparable(answer)


async def test_a_known_moment_of_now_waits_for_the_write_at_hand(desk: ProjectFixture) -> None:
    tenant = desk.tenant
    await desk.file(adr(1, "Retry budget"))
    async with desk.memory.database.writing(tenant) as connection:
        await ledger_clock.advance_clock(connection, tenant)
        asked = asyncio.create_task(desk.ask("retry budget", known_at=datetime.now(UTC)))
        done, _ = await asyncio.wait([asked], timeout=0.2)
        assert not done
        assert (await desk.ask("retry budget")).hits
    assert identifiers(await asked) == ["ADR-1"]


async def test_a_future_dated_document_appears_when_its_time_comes(desk: ProjectFixture) -> None:
    """TIM-17: with no write in between."""
    await desk.file(adr(1, "Retry budget", status="Accepted", created_at=day(2020)))
    await desk.file(adr(1, "Retry budget", status="Retired", created_at=day(2090)))
    await desk.file(adr(2, "Retry storm", created_at=day(2090)))
    now = await desk.ask("retry")
    assert [hit.annotation.flag for hit in now.hits] == [StateFlag.CURRENT]
    then = await desk.ask("retry", as_of=day(2090))
    assert {(hit.artifact.identifier, hit.annotation.flag) for hit in then.hits} == {
        ("ADR-1", StateFlag.HISTORICAL),
        ("ADR-2", StateFlag.CURRENT),
    }
    assert len(then.hits) == 3
    assert len((await desk.ask("retry", as_of=day(2089))).hits) == 1


@pytest.mark.parametrize("born", [datetime(9999, 12, 31, tzinfo=UTC), datetime(1, 1, 2, tzinfo=UTC)])
async def test_a_date_at_the_end_of_time_breaks_nothing(desk: ProjectFixture, born: datetime) -> None:
    """RNK-05."""
    await desk.file(adr(1, "Retry budget", created_at=born))
    found = await desk.ask("retry budget", as_of=datetime(9999, 12, 31, 23, tzinfo=UTC))
    assert identifiers(found) == ["ADR-1"]
    assert len((await desk.ask("retry budget")).hits) == (1 if born < day(2020) else 0)


@pytest.mark.parametrize("field", ["as_of", "known_at"])
async def test_a_moment_without_an_offset_is_refused(desk: ProjectFixture, field: str) -> None:
    """TIM-01."""
    with pytest.raises(Invalid, match="offset"):
        await desk.ask("retry", **{field: datetime(2025, 1, 1)})
