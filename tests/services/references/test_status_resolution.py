"""What a thing is while references say that others supersede it, and what once they are withdrawn."""

from __future__ import annotations

from datetime import datetime
from typing import Any
from uuid import UUID

import pytest

from tests.documents import ProjectFixture, day
from tests.graphql.api import Api
from tests.graphql.test_create_reference import create, status
from tests.graphql.test_withdraw_reference import withdraw
from tests.graphql.verbs import done
from tests.things import make_thing


async def things(desk: ProjectFixture, *names: str) -> list[UUID]:
    return [await make_thing(desk, name, status="running") for name in names]


async def supersede(desk: ProjectFixture, one: UUID, other: UUID, since: datetime) -> str:
    """Return the id of a reference by which one thing supersedes another."""
    payload = await create(Api(desk.memory), one, "SUPERSEDES", other, validFrom=since.isoformat())
    assert payload["problems"] == []
    return str(payload["reference"]["id"])


async def fact(desk: ProjectFixture, entity: UUID, value: str, since: datetime) -> None:
    said = {"entity": str(entity), "property": "status", "value": value}
    await done(Api(desk.memory), "recordFact", validFrom=since.isoformat(), **said)


async def said(desk: ProjectFixture, entity: UUID, *years: int) -> list[Any]:
    """Return the status of an entity in the middle of each year."""
    return [await status(desk, entity, day(year, 6)) for year in years]


@pytest.mark.parametrize("word", ["deprecated", "superseded", "paused"])
async def test_what_somebody_stated_before_is_what_it_was_then(desk: ProjectFixture, word: str) -> None:
    """Superseding erases nothing, and withdrawing brings back what was stated."""
    old, new = await things(desk, "Old", "New")
    await fact(desk, old, word, day(2021))
    reference = await supersede(desk, new, old, day(2022))
    after = "superseded" if word == "paused" else word
    assert await said(desk, old, 2020, 2021, 2022) == ["running", word, after]
    await withdraw(Api(desk.memory), reference)
    assert await said(desk, old, 2020, 2021, 2022) == ["running", word, after]
    assert await status(desk, old) == word


async def test_what_a_draft_said_is_what_it_was_once_it_was_sealed(desk: ProjectFixture) -> None:
    api = Api(desk.memory)
    old, new = await things(desk, "Old", "New")
    saved = await done(api, "saveWip", entity=str(old), props={"status": "deprecated"})
    await done(api, "sealWip", state=saved["state"]["id"])
    await supersede(desk, new, old, day(2999))
    assert [*await said(desk, old, 2021), await status(desk, old)] == ["running", "deprecated"]


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
@pytest.mark.parametrize("starts", [(2022, 2023), (2023, 2022)])
async def test_what_two_superseded_is_what_it_was_once_neither_does(
    desk: ProjectFixture, starts: tuple[int, int], order: tuple[int, int]
) -> None:
    old, *others = await things(desk, "Old", "One", "Two")
    references = [
        await supersede(desk, one, old, day(year)) for one, year in zip(others, starts, strict=True)
    ]
    assert await said(desk, old, 2021, 2022, 2023) == ["running", "superseded", "superseded"]
    await withdraw(Api(desk.memory), references[order[0]])
    assert await status(desk, old) == "superseded"
    await withdraw(Api(desk.memory), references[order[1]])
    assert await said(desk, old, 2021, 2022, 2023) == ["running", "superseded", "superseded"]
    assert [await status(desk, old), await status(desk, old, day(2999))] == ["running", "running"]


@pytest.mark.parametrize("is_later_first", [False, True])
async def test_what_is_to_be_superseded_is_so_then_when_an_earlier_reference_is_withdrawn(
    desk: ProjectFixture, is_later_first: bool
) -> None:
    old, one, two = await things(desk, "Old", "One", "Two")
    if is_later_first:
        await supersede(desk, two, old, day(2999))
    reference = await supersede(desk, one, old, day(2022))
    if not is_later_first:
        await supersede(desk, two, old, day(2999))
    await withdraw(Api(desk.memory), reference)
    assert [await status(desk, old), *await said(desk, old, 2998, 2999)] == [
        "running",
        "running",
        "superseded",
    ]


async def test_what_one_no_longer_superseded_the_other_still_does(desk: ProjectFixture) -> None:
    """One turns out never to have been in force: it superseded nothing."""
    old, one, two = await things(desk, "Old", "One", "Two")
    await supersede(desk, one, old, day(2022))
    await supersede(desk, two, old, day(2023))
    await fact(desk, one, "proposed", day(2020))
    assert await said(desk, old, 2021, 2022, 2023) == ["running", "running", "superseded"]
    await fact(desk, one, "running", day(2020))
    assert await said(desk, old, 2021, 2022, 2023) == ["running", "superseded", "superseded"]


async def test_a_withdrawal_leaves_a_fact_of_later_days(desk: ProjectFixture) -> None:
    old, new = await things(desk, "Old", "New")
    await fact(desk, old, "superseded", day(2999))
    reference = await supersede(desk, new, old, day(2022))
    await withdraw(Api(desk.memory), reference)
    assert [await status(desk, old), *await said(desk, old, 2021, 2998, 2999)] == [
        "running",
        "running",
        "running",
        "superseded",
    ]


async def test_a_withdrawal_leaves_a_fact_that_was_stated_meanwhile(desk: ProjectFixture) -> None:
    old, new = await things(desk, "Old", "New")
    await fact(desk, old, "Superseded by X", day(2021))
    reference = await supersede(desk, new, old, day(2020, 3))
    assert await said(desk, old, 2020, 2021) == ["superseded", "Superseded by X"]
    await withdraw(Api(desk.memory), reference)
    assert await status(desk, old) == "Superseded by X"


async def test_a_fact_that_says_again_what_was_holds_while_something_supersedes(desk: ProjectFixture) -> None:
    """Whether it is stated before or after: it says so of a time at which the other was there."""
    old, new = await things(desk, "Old", "New")
    await fact(desk, old, "running", day(2024))
    await supersede(desk, new, old, day(2022))
    assert await said(desk, old, 2021, 2023, 2024) == ["running", "superseded", "running"]
