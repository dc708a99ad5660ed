"""What a query names: by identifier, by alias, by name; longest first, at the asked time."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

import pytest

from app.domain.entity import Alias, AuthorityTier
from app.domain.temporal import Interval
from app.stores.postgres import aliases, ledger_clock
from tests.documents import ProjectFixture, adr, day, identifiers

TITLE = "Prism install guide"


async def _anchors(desk: ProjectFixture, query: str, **asked: Any) -> list[tuple[str | None, str, bool]]:
    found = (await desk.ask(query, **asked)).anchors
    return [(anchor.entity.key, anchor.surface_form, anchor.exact) for anchor in found]


@pytest.mark.parametrize(
    "spelling", ["ADR-7", "adr-0007", "ADR-07", "ADR 7", "adr7", "what is ADR-7?", "(adr_7)"]
)
async def test_every_spelling_of_an_identifier_leads_to_its_document(
    desk: ProjectFixture, spelling: str
) -> None:
    """ALI-09: once, first, and neither ADR-70 nor ADR-1007."""
    await desk.file_all(
        adr(70, "Other", "ADR 7 is not this one"),
        adr(1007, "Third", identifier="ADR-1007"),
        adr(7, "Queue", identifier="ADR-0007"),
    )
    result = await desk.ask(spelling)
    assert [anchor.entity.key for anchor in result.anchors] == ["adr-7"]
    assert identifiers(result)[0] == "ADR-0007"
    assert identifiers(result).count("ADR-0007") == 1


async def test_a_number_alone_or_inside_another_names_nothing(desk: ProjectFixture) -> None:
    await desk.file(adr(7, "Queue"))
    for query in ("ADR-70", "ADR-1007", "7", "the 7 dwarfs", "XADR-7", "adr"):
        assert await _anchors(desk, query) == []


async def test_several_things_are_named_in_the_order_of_the_query(desk: ProjectFixture) -> None:
    await desk.file_all(adr(1, "Queue"), adr(2, "Clock"), adr(3, "Shed"))
    result = await desk.ask("how does ADR-3 go with adr 1")
    assert [anchor.surface_form for anchor in result.anchors] == ["ADR-3", "adr 1"]
    assert identifiers(result)[:2] == ["ADR-3", "ADR-1"]


async def test_the_longest_form_wins(desk: ProjectFixture) -> None:
    await desk.file_all(
        adr(1, "One", props={"aliases": ["Prism"]}), adr(2, "Two", props={"aliases": ["Prism Engine"]})
    )
    assert await _anchors(desk, "install Prism Engine now") == [("adr-2", "Prism Engine", False)]
    assert await _anchors(desk, "install Prism now") == [("adr-1", "Prism", False)]
    assert [key for key, *_ in await _anchors(desk, "Prism and Prism Engine")] == ["adr-1", "adr-2"]


async def test_an_alias_is_resolved_wherever_it_is_used(desk: ProjectFixture) -> None:
    """ALI-10: and what is called by its new name is found by the old one."""
    await desk.file(adr(1, "Prism", "The engine of everything.", props={"aliases": ["PrismGR"]}))
    await desk.file(adr(2, "Shed", "Blue."))
    assert await _anchors(desk, "prismgr") == [("adr-1", "prismgr", True)]
    assert await _anchors(desk, "PrismGR install") == [("adr-1", "PrismGR", False)]
    assert identifiers(await desk.ask("prismgr"))[0] == "ADR-1"
    assert identifiers(await desk.ask("PrismGR install"))[0] == "ADR-1"


async def test_an_alias_counts_from_its_document_on_and_once_known(desk: ProjectFixture) -> None:
    first = await desk.file(adr(1, "Prism", created_at=day(2020)))
    await desk.file(adr(1, "Prism", "named", created_at=day(2022), props={"aliases": ["Glass Bead"]}))
    named = [("adr-1", "Glass Bead", True)]
    assert await _anchors(desk, "Glass Bead") == named
    assert await _anchors(desk, "Glass Bead", as_of=day(2022)) == named
    assert await _anchors(desk, "Glass Bead", as_of=day(2021)) == []
    assert await _anchors(desk, "Glass Bead", known_at=first.artifact.recorded_at) == []


async def test_a_chain_of_aliases_leads_to_its_end(desk: ProjectFixture) -> None:
    """A form of A, and A an alias of B, means B."""
    old = await desk.file(adr(1, "Old", props={"aliases": ["PrismGR"]}))
    new = await desk.file(adr(2, "New"))
    newest = await desk.file(adr(3, "Newest"))
    async with desk.memory.database.writing(desk.tenant) as connection:
        recorded_at = await ledger_clock.advance_clock(connection, desk.tenant)
        for number, (source, target) in enumerate(((old, new), (new, newest))):
            alias = Alias(
                uuid4(),
                f"step {number}",
                target.entity.id,
                source.entity.id,
                AuthorityTier.PERSON,
                None,
                Interval(day(2021 + number)),
            )
            await aliases.insert_alias(
                connection, desk.tenant, old.artifact.project, alias, recorded_at, "ada"
            )
    assert [key for key, *_ in await _anchors(desk, "PrismGR")] == ["adr-3"]
    assert [key for key, *_ in await _anchors(desk, "PrismGR", as_of=day(2021, 6))] == ["adr-2"]
    assert [key for key, *_ in await _anchors(desk, "PrismGR", as_of=day(2020, 6))] == ["adr-1"]


async def test_a_title_is_a_name_and_a_former_title_too(desk: ProjectFixture) -> None:
    await desk.file(adr(1, "Prism install guide", created_at=day(2020)))
    await desk.file(adr(1, "Prism setup guide", created_at=day(2022)))
    for query in ("Prism install guide", "prism setup guide"):
        assert [key for key, *_ in await _anchors(desk, query)] == ["adr-1"]
    assert await _anchors(desk, "prism setup guide", as_of=day(2021)) == []


async def test_one_name_of_two_things_means_both(desk: ProjectFixture) -> None:
    await desk.file_all(adr(1, "Retry budget"), adr(2, "Retry budget"))
    assert {key for key, *_ in await _anchors(desk, "retry budget")} == {"adr-1", "adr-2"}


async def test_an_identifier_without_its_namespace_means_each_of_its_name(desk: ProjectFixture) -> None:
    await desk.file_all(adr(7, "Form", identifier="forms/ADR-7"), adr(7, "Bill", identifier="billing/ADR-7"))
    assert {key for key, *_ in await _anchors(desk, "ADR-7")} == {"forms/adr-7", "billing/adr-7"}
    assert [key for key, *_ in await _anchors(desk, "forms/adr-07")] == ["forms/adr-7"]


@pytest.mark.parametrize(
    "query",
    ["x" * 16_384, "word " * 3_000, "ADR-7 " * 2_000, "'\";--\\", "a\x00 queue", "\udcff queue", "🦜" * 100],
)
async def test_any_text_is_read(desk: ProjectFixture, query: str) -> None:
    await desk.file(adr(7, "Queue"))
    result = await desk.ask(query)
    assert len(result.anchors) <= 1
