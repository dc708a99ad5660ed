"""What a hit is worth at the asked time, and what stands above it."""

from __future__ import annotations

from typing import Any

from app.domain.recall import FlagGround, StateFlag
from tests.documents import SUPERSEDES, ProjectFixture, adr, claims, day, hit_of, identifiers


async def test_a_chain_of_replacements_stands_in_order(desk: ProjectFixture) -> None:
    """The head of the chain first, whichever fits the words best; the steps between stand where they fit."""
    await desk.file_all(
        adr(1, "Retry budget", "retry budget " * 20),
        adr(2, "Second", "Something else.", created_at=day(2021), references=claims(SUPERSEDES, "ADR-1")),
        adr(3, "Third", "Another thing.", created_at=day(2022), references=claims(SUPERSEDES, "ADR-2")),
        *(adr(n, f"Retry {n}", "retry budget too") for n in range(10, 16)),
    )
    result = await desk.ask("retry budget", first=10)
    places = {identifier: place for place, identifier in enumerate(identifiers(result))}
    assert places["ADR-3"] < min(places["ADR-2"], places["ADR-1"])
    flags = {hit.artifact.identifier: hit.annotation.flag for hit in result.hits}
    assert (flags["ADR-1"], flags["ADR-2"], flags["ADR-3"]) == (
        StateFlag.HISTORICAL,
        StateFlag.HISTORICAL,
        StateFlag.CURRENT,
    )
    assert hit_of(result, "ADR-1").annotation.summary == "[historical: ADR-1 is superseded by ADR-2 Second]"


async def test_a_replacement_no_leg_found_is_in_the_answer(desk: ProjectFixture) -> None:
    """However short the answer; and it says what it replaced by standing above."""
    await desk.file_all(*(adr(n, f"Retry {n}", "retry budget") for n in range(10, 16)))
    await desk.file_all(
        adr(1, "Retry budget", "retry budget " * 20),
        adr(2, "Zoo", "Giraffes.", created_at=day(2021), references=claims(SUPERSEDES, "ADR-1")),
    )
    for first in (2, 3, 5):
        result = await desk.ask("retry budget", first=first)
        found = identifiers(result)
        assert len(found) == first
        if "ADR-1" in found:
            assert found.index("ADR-2") < found.index("ADR-1")
    assert identifiers(await desk.ask("ADR-1", first=2)) == ["ADR-1", "ADR-2"]


async def test_a_replacement_counts_from_its_day_and_once_known(desk: ProjectFixture) -> None:
    old = await desk.file(adr(1, "Retry budget"))
    await desk.file(adr(2, "Zoo", created_at=day(2090), references=claims(SUPERSEDES, "ADR-1")))
    for asked in ({}, {"as_of": day(2089)}, {"known_at": old.artifact.recorded_at, "as_of": day(2095)}):
        result = await desk.ask("retry budget", **asked)
        assert [(hit.artifact.identifier, hit.annotation.flag) for hit in result.hits] == [
            ("ADR-1", StateFlag.CURRENT)
        ]
    then = await desk.ask("retry budget", as_of=day(2090))
    assert identifiers(then) == ["ADR-2", "ADR-1"]


async def test_older_versions_stand_below_the_newest(desk: ProjectFixture) -> None:
    await desk.file(adr(1, "Retry budget", "retry budget " * 20, created_at=day(2020)))
    await desk.file(adr(1, "Limits", "retry limits", created_at=day(2021)))
    await desk.file(adr(1, "Colours", "Blue", created_at=day(2022)))
    result = await desk.ask("retry budget")
    assert result.hits[0].artifact.title == "Colours"
    assert [hit.annotation.flag for hit in result.hits] == [
        StateFlag.CURRENT,
        StateFlag.HISTORICAL,
        StateFlag.HISTORICAL,
    ]
    entity = result.hits[0].artifact.entity
    assert {hit.annotation.superseded_by for hit in result.hits[1:]} == {entity}


async def test_versions_of_one_document_take_no_place_from_others(desk: ProjectFixture) -> None:
    """A git history has many; the newest and the best fitting stand where they fit, and the others last."""
    for version in range(12):
        text = f"The retry budget is {version}."
        await desk.file(adr(1, "Retry budget", text, created_at=day(2000 + version)))
    await desk.file(adr(1, "Limits", "There is no such thing.", created_at=day(2020)))
    await desk.file_all(*(adr(n, f"Note {n}", "Clients retry.") for n in range(10, 16)))
    whole = await desk.ask("what is the retry budget", first=30)
    assert (whole.hits[0].artifact.title, whole.hits[1].artifact.title) == ("Limits", "Retry budget")
    assert set(identifiers(whole)[2:8]) == {f"ADR-{n}" for n in range(10, 16)}
    assert identifiers(whole)[8:] == ["ADR-1"] * 11
    for first in (1, 2, 5, 8, 9, 12):
        fewer = await desk.ask("what is the retry budget", first=first)
        assert [hit.artifact.id for hit in fewer.hits] == [hit.artifact.id for hit in whole.hits[:first]]
    then = await desk.ask("what is the retry budget", first=3, as_of=day(2005))
    assert [hit.artifact.created_at for hit in then.hits][:1] == [day(2005)]
    former = await desk.ask("what is the retry budget", first=12, flags=(StateFlag.HISTORICAL,))
    assert identifiers(former) == ["ADR-1"] * 12


async def test_every_version_of_what_was_superseded_is_historical(desk: ProjectFixture) -> None:
    await desk.file(adr(1, "Retry budget", "v1", created_at=day(2020)))
    await desk.file(adr(1, "Retry budget", "v2", created_at=day(2021)))
    new = await desk.file(adr(2, "Retry quota", created_at=day(2022), references=claims(SUPERSEDES, "ADR-1")))
    result = await desk.ask("retry budget")
    assert identifiers(result) == ["ADR-2", "ADR-1", "ADR-1"]
    assert {hit.annotation.superseded_by for hit in result.hits[1:]} == {new.entity.id}


async def test_a_former_name_dates_what_uses_it(desk: ProjectFixture) -> None:
    """The alias form makes a hit historical, by the longest form its text uses."""
    await desk.file(adr(1, "Prism", "The engine.", props={"aliases": ["PrismGR", "PrismGR Classic"]}))
    await desk.file_all(
        adr(2, "Install", "Install PrismGR Classic first; PrismGR follows."),
        adr(3, "Setup", "Install ADR-1."),
    )
    result = await desk.ask("ADR-1 install", first=10)
    former = hit_of(result, "ADR-2").annotation
    assert (former.flag, former.ground) == (StateFlag.HISTORICAL, FlagGround.MENTION)
    assert former.summary == "[historical: current ADR is Prism, this reflects PrismGR Classic]"
    assert hit_of(result, "ADR-3").annotation.flag is StateFlag.CURRENT
    assert hit_of(result, "ADR-1").annotation.flag is StateFlag.CURRENT
    unasked = await desk.ask("install first")
    assert hit_of(unasked, "ADR-2").annotation.flag is StateFlag.CURRENT


async def test_the_state_shown_is_that_of_the_moment(desk: ProjectFixture) -> None:
    first = await desk.file(adr(1, "Retry budget", status="Draft", created_at=day(2020)))
    await desk.file(adr(1, "Retry budget", "final", status="Final", created_at=day(2022)))

    async def status(**asked: Any) -> Any:
        state = (await desk.ask("retry budget", **asked)).hits[0].annotation.state
        return state and state.props["status"]

    assert await status() == "Final"
    assert await status(as_of=day(2021)) == "Draft"
    assert await status(known_at=first.artifact.recorded_at) == "Draft"
