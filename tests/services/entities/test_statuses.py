"""A team's own status words: listed, defined for what is there, and as of any date."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from typing import Any

import pytest

from app.domain.page import PageRequest
from app.domain.recall import RecallRequest, StateFlag
from app.errors import Conflict, Invalid, NotFound
from app.services.catalog import RequestedMoment, WantedStanding
from app.services.entities import DefinedStatusWord, StatedStatusWord
from app.services.entities.statuses import MAX_STATUS_LENGTH, MAX_TEAM_WORDS
from app.services.states.change import StateChange, StatedCause
from tests.documents import SUPERSEDES, ProjectFixture, adr, claims, day, hit_of

CURRENT, HISTORICAL, WIP = StateFlag.CURRENT, StateFlag.HISTORICAL, StateFlag.WIP


async def define(
    desk: ProjectFixture, word: str, flag: StateFlag | None, key: str | None = None
) -> DefinedStatusWord:
    canonical = desk.memory.canonical
    return await canonical.define_status(desk.memory.caller, StatedStatusWord(word, flag), desk.project, key)


async def flag_of(desk: ProjectFixture, identifier: str, **asked: Any) -> StateFlag | None:
    """Return the flag that recall gives a document."""
    return hit_of(await desk.ask(identifier, **asked), identifier).annotation.flag


async def listed(desk: ProjectFixture, *flags: StateFlag) -> set[str | None]:
    """Return the keys of the entities whose status gives one of these flags."""
    found = await desk.memory.catalog.entities(
        desk.memory.caller, desk.project, None, RequestedMoment(), PageRequest(50), WantedStanding(flags)
    )
    assert await found.count() == len(found.page.items)
    return {each.key for each in found.page.items}


async def status_of(desk: ProjectFixture, identifier: str, as_of: datetime | None = None) -> object:
    """Return the status that the ledger holds of a document."""
    entity = hit_of(await desk.ask(identifier), identifier).artifact.entity
    held = await desk.memory.states.committed(desk.memory.caller, [entity], as_of)
    return held[entity].props.get("status")


async def test_the_words_met_are_listed_with_flag_and_count(desk: ProjectFixture) -> None:
    await desk.file_all(
        adr(1, "Queue", status="Blessed"),
        adr(2, "Tray", status="blessed!"),
        adr(3, "Clock", status="Blessed"),
        adr(4, "Gate"),
        adr(5, "Door", status="Work in progress"),
        adr(6, "Wall", status=None),
    )
    canonical = desk.memory.canonical
    found = await canonical.statuses(desk.memory.caller, desk.project)
    assert [(each.word, each.flag, each.count, each.is_own) for each in found] == [
        ("Blessed", None, 3, False),
        ("Accepted", CURRENT, 1, False),
        ("Work in progress", WIP, 1, False),
    ]
    assert {each.project for each in found} == {desk.project}
    assert (await define(desk, "under the hammer", WIP)).status.count == 0
    assert (await define(desk, " BLESSED ", CURRENT)).status.count == 3
    found = await canonical.statuses(desk.memory.caller, desk.project)
    assert [(each.word, each.flag, each.count) for each in found if each.is_own] == [
        ("Blessed", CURRENT, 3),
        ("under the hammer", WIP, 0),
    ]
    with pytest.raises(NotFound):
        await canonical.statuses(desk.memory.caller, "no such project")


@pytest.mark.parametrize("flag", StateFlag)
async def test_a_word_gives_its_flag_to_what_is_there_and_to_what_comes(
    desk: ProjectFixture, flag: StateFlag
) -> None:
    (filed,) = await desk.file_all(adr(1, "Queue", status="Blessed by the board"))
    assert filed.warnings == ("unknown status Blessed by the board; the document gets no flag",)
    before = (await desk.ask("ADR-1")).known_at
    assert (await flag_of(desk, "ADR-1"), await listed(desk, flag)) == (None, set())
    assert (await define(desk, "Blessed", flag)).changed
    later = await desk.file(adr(2, "Tray", status="blessed"))
    assert later.warnings == ()
    assert await listed(desk, flag) == {"adr-1", "adr-2"}
    assert [await flag_of(desk, name) for name in ("ADR-1", "ADR-2")] == [flag, flag]
    assert await flag_of(desk, "ADR-1", as_of=day(2020, 6)) is flag
    assert await flag_of(desk, "ADR-1", known_at=before) is None
    assert [hit.artifact.identifier for hit in (await desk.ask("ADR-1", flags=(flag,))).hits][:1] == ["ADR-1"]
    assert (await define(desk, "Blessed", None)).changed
    assert (await flag_of(desk, "ADR-1"), await listed(desk, flag)) == (None, set())


async def test_a_longer_phrase_comes_before_a_shorter_and_a_word_that_ships(desk: ProjectFixture) -> None:
    await desk.file_all(
        adr(1, "Queue", status="Accepted for trial"),
        adr(2, "Tray", status="Accepted"),
        adr(3, "Clock", status="Closed"),
        adr(4, "Gate", status="Accepted, see below"),
    )
    await define(desk, "accepted for trial", WIP)
    await define(desk, "Closed", HISTORICAL)
    assert await listed(desk, WIP) == {"adr-1"}
    assert await listed(desk, HISTORICAL) == {"adr-3"}
    assert await listed(desk, CURRENT) == {"adr-2", "adr-4"}


async def test_what_follows_from_a_supersession_follows_the_word(desk: ProjectFixture) -> None:
    """A document of an unknown status supersedes; one that is work in progress does not."""
    await desk.file_all(
        adr(1, "Poll", created_at=day(2020)),
        adr(2, "Push", status="Blessed", created_at=day(2021), references=claims(SUPERSEDES, "ADR-1")),
        adr(3, "Pull", status="Blessed", created_at=day(2022), references=claims(SUPERSEDES, "ADR-2")),
    )
    known = (await desk.ask("ADR-1")).known_at
    told = []
    for flag in (None, WIP, CURRENT, HISTORICAL, WIP, None):
        await define(desk, "Blessed", flag)
        told.append([await status_of(desk, f"ADR-{number}") for number in (1, 2)])
    over, held = ["superseded", "superseded"], ["Accepted", "Blessed"]
    assert told == [over, held, over, ["superseded", "Blessed"], held, over]
    assert await status_of(desk, "ADR-1", day(2020, 6)) == "Accepted"
    assert await flag_of(desk, "ADR-1") is HISTORICAL
    await define(desk, "Blessed", WIP)
    assert await flag_of(desk, "ADR-1") is CURRENT
    assert await flag_of(desk, "ADR-1", known_at=known) is HISTORICAL
    await desk.file(
        adr(4, "Post", status="Blessed", created_at=day(2023), references=claims(SUPERSEDES, "ADR-3"))
    )
    assert await status_of(desk, "ADR-3") == "Blessed"


async def test_a_fact_with_a_word_of_the_team_gives_no_warning(desk: ProjectFixture) -> None:
    filed = await desk.file(adr(1, "Queue"))
    states, caller = desk.memory.states, desk.memory.caller

    async def warnings(status: str) -> tuple[str, ...]:
        change = StateChange({"status": status})
        return (await states.record_fact(caller, filed.entity.id, change, StatedCause("fact"))).warnings

    assert await warnings("Blessed") == ("unknown status Blessed; the document gets no flag",)
    await define(desk, "blessed", WIP)
    assert await warnings("Blessed, mostly") == ()
    assert await flag_of(desk, "ADR-1") is WIP


async def test_projects_do_not_mix(desk: ProjectFixture) -> None:
    other = replace(desk, project=f"{desk.project}-other")
    for each in (desk, other):
        await each.file(adr(1, "Queue", status="Blessed", body=f"We decided {each.project}."))
    await define(desk, "Blessed", WIP)
    assert (await flag_of(desk, "ADR-1"), await listed(desk, WIP)) == (WIP, {"adr-1"})
    assert (await flag_of(other, "ADR-1"), await listed(other, WIP)) == (None, set())
    await define(other, "Blessed", HISTORICAL)
    found = await desk.memory.recall.recall(desk.memory.caller, RecallRequest(query="ADR-1"))
    numbers = {each.key: each.number for each in await desk.memory.catalog.projects(desk.memory.caller)}
    flags = {hit.artifact.project: hit.annotation.flag for hit in found.hits}
    assert [flags[numbers[each.project]] for each in (desk, other)] == [WIP, HISTORICAL]
    both = await desk.memory.catalog.entities(
        desk.memory.caller, None, None, RequestedMoment(), PageRequest(100), WantedStanding((WIP,))
    )
    projects = {each.project for each in both.page.items}
    assert numbers[desk.project] in projects
    assert numbers[other.project] not in projects
    assert {each.project for each in await desk.memory.canonical.statuses(desk.memory.caller, None)} >= {
        desk.project,
        other.project,
    }


async def test_the_same_definition_changes_nothing(desk: ProjectFixture) -> None:
    assert (await define(desk, "Blessed", WIP, "one")).changed
    assert not (await define(desk, "blessed!", WIP)).changed
    assert not (await define(desk, "Never seen", None)).changed
    assert (await define(desk, "Blessed", CURRENT)).changed
    again = await define(desk, "Blessed", WIP, "one")
    assert (again.changed, again.status.flag) == (True, WIP)
    (held,) = await desk.memory.canonical.statuses(desk.memory.caller, desk.project)
    assert held.flag is CURRENT
    with pytest.raises(Conflict):
        await define(desk, "Blessed", HISTORICAL, "one")


@pytest.mark.parametrize(
    "word", ["", "   ", "!!!", "\u2705", "2024", "x" * (MAX_STATUS_LENGTH + 1), "Superseded", " superseded. "]
)
async def test_what_is_no_status_word_is_refused(desk: ProjectFixture, word: str) -> None:
    with pytest.raises(Invalid) as refused:
        await define(desk, word, CURRENT)
    assert refused.value.field == "word"


async def test_a_project_has_not_too_many_words(desk: ProjectFixture) -> None:
    for number in range(MAX_TEAM_WORDS):
        await define(desk, f"word {number}", CURRENT)
    with pytest.raises(Invalid):
        await define(desk, "one more", CURRENT)
    assert (await define(desk, "word 1", WIP)).changed
