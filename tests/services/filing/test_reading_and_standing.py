"""Documents as people write them, filed together: who supersedes whom, and which are current."""

from __future__ import annotations

import pytest

from app.domain.recall import StateFlag
from app.services.filing import StatedDocument, document_from
from tests.documents import ProjectFixture, day, edges, hit_of, pending

HEADINGS = {
    "ADR-0012": "## Context\nThe first queue.\n",
    "ADR-0061": "## Status\nAccepted; replaces (supersedes) ADR-0012\n",
    "ADR-0020": "## Status\nSuperseded by ADR-0063\n",
    "ADR-0063": "## Context\nThe third queue.\n",
    "ADR-0064": "## Context\nADR-0061 had superseded ADR-0012 by then.\n",
}


async def file_texts(desk: ProjectFixture, texts: dict[str, str]) -> None:
    for year, (identifier, text) in enumerate(texts.items(), start=2001):
        stated = StatedDocument("ADR", text, identifier, f"Queue {identifier}", created_at=day(year))
        await desk.file(document_from(stated))


async def flags(desk: ProjectFixture, *named: str) -> dict[str, StateFlag | None]:
    result = await desk.ask("queue", first=50)
    return {identifier: hit_of(result, identifier).annotation.flag for identifier in named}


@pytest.mark.parametrize("backwards", [False, True])
async def test_a_successor_is_current_and_what_it_supersedes_is_not(
    desk: ProjectFixture, backwards: bool
) -> None:
    """REF-03."""
    texts = dict(reversed(HEADINGS.items())) if backwards else HEADINGS
    await file_texts(desk, texts)
    assert {edge for edge in await edges(desk) if edge[1] == "SUPERSEDES"} == {
        ("adr-61", "SUPERSEDES", "adr-12"),
        ("adr-63", "SUPERSEDES", "adr-20"),
    }
    assert {edge for edge in await edges(desk) if edge[0] == "adr-64"} == {
        ("adr-64", "REFERENCES", "adr-61"),
        ("adr-64", "REFERENCES", "adr-12"),
    }
    assert await flags(desk, *HEADINGS) == {
        "ADR-0012": StateFlag.HISTORICAL,
        "ADR-0061": StateFlag.CURRENT,
        "ADR-0020": StateFlag.HISTORICAL,
        "ADR-0063": StateFlag.CURRENT,
        "ADR-0064": StateFlag.CURRENT,
    }


@pytest.mark.parametrize(
    ("text", "expected", "flag"),
    [
        pytest.param(
            "## Status\nAccepted\n\nThis supersedes ADR-0012.\n",
            {("adr-99", "SUPERSEDES", "adr-12")},
            StateFlag.CURRENT,
            id="REF-03 a sentence of its own",
        ),
        pytest.param(
            "Status: Accepted (replaces ADR-0012)\n",
            {("adr-99", "SUPERSEDES", "adr-12")},
            StateFlag.CURRENT,
            id="REF-03 a status line",
        ),
        pytest.param(
            "---\nstatus: accepted, supersedes [ADR-0012](0012-x.md)\n---\n",
            {("adr-99", "SUPERSEDES", "adr-12")},
            StateFlag.CURRENT,
            id="REF-03 a header",
        ),
        pytest.param(
            "## Status\nAccepted. Not superseded by ADR-0012.\n",
            {("adr-99", "REFERENCES", "adr-12")},
            StateFlag.CURRENT,
            id="REF-03 denied",
        ),
        pytest.param(
            "## Status\nAccepted; was to be superseded by ADR-0012, which was rejected\n",
            {("adr-99", "REFERENCES", "adr-12")},
            StateFlag.CURRENT,
            id="REF-03 was to be",
        ),
        pytest.param(
            "## Consequences\nThe queue is superseded by ADR-0012 where it is slow.\n",
            {("adr-99", "REFERENCES", "adr-12")},
            StateFlag.CURRENT,
            id="REF-03 in prose",
        ),
        pytest.param(
            "## Status\nReplaced with ADR-0012\n",
            {("adr-12", "SUPERSEDES", "adr-99")},
            StateFlag.HISTORICAL,
            id="REF-03 replaced with",
        ),
        pytest.param(
            "## Status\n~~Accepted~~ **Superseded** *by* __ADR-0012__\n",
            {("adr-12", "SUPERSEDES", "adr-99")},
            StateFlag.HISTORICAL,
            id="REF-03 struck and bold",
        ),
        pytest.param(
            "## Status\nADR-0012 supersedes this record.\n",
            {("adr-12", "SUPERSEDES", "adr-99")},
            StateFlag.HISTORICAL,
            id="REF-03 the other as subject",
        ),
    ],
)
async def test_a_status_says_which_way_it_supersedes(
    desk: ProjectFixture, text: str, expected: set[tuple[str, str, str]], flag: StateFlag | None
) -> None:
    await file_texts(desk, {"ADR-0012": "## Context\nThe first queue.\n", "ADR-0099": text})
    assert await edges(desk) == expected
    assert await flags(desk, "ADR-0099") == {"ADR-0099": flag}


async def test_a_heading_inside_a_document_leads_to_the_document(desk: ProjectFixture) -> None:
    """REF-11."""
    seven = StatedDocument("ADR", "# Seven\n## Decision\nYes.\n", "ADR-0007", source_uri="adr/0007-a.md")
    await desk.file(document_from(seven))
    await file_texts(desk, {"ADR-12": "# Release #12\n", "ADR-0013": "# Release\n"})
    text = "## Related\n[[ADR-0007#Decision]] and [x](0007-a.md#decision), [[Queue ADR-12]]\n"
    await desk.file(document_from(StatedDocument("ADR", text, "ADR-0099", source_uri="adr/0099-b.md")))
    assert await edges(desk) == {
        ("adr-99", "RELATES_TO", "adr-7"),
        ("adr-99", "RELATES_TO", "adr-12"),
    }
    assert await pending(desk) == set()


@pytest.mark.parametrize(
    "link",
    [
        "[[Release #12]]",
        "[[release  #12|the release]]",
        "[[Release #12#Notes]]",
        "[r](0012-release.md#notes)",
        "[r](./0012-release.md)",
        "[r](../adr/0012-release.md?plain=1#notes)",
        "[[0012-release.md#notes]]",
        "[[0012-release#notes]]",
        "[[ADR-12#]]",
        "[[adr/0012-release]]",
        "[r](/adr/0012-release.md#notes)",
    ],
)
@pytest.mark.parametrize("target_first", [True, False])
async def test_a_whole_title_comes_before_a_heading(
    desk: ProjectFixture, link: str, target_first: bool
) -> None:
    """REF-11: the whole first, then what stands before the number sign."""
    stated = [
        StatedDocument("ADR", "# Release #12\n## Notes\nNew.\n", "ADR-12", source_uri="adr/0012-release.md"),
        StatedDocument("ADR", f"## Related\n{link}\n", "ADR-99", "Source", source_uri="adr/0099-b.md"),
    ]
    for each in stated if target_first else stated[::-1]:
        await desk.file(document_from(each))
    assert await edges(desk) == {("adr-99", "RELATES_TO", "adr-12")}
    assert await pending(desk) == set()


@pytest.mark.parametrize(
    "link",
    [
        "[[Kick-off notes#Decisions]]",
        "[[Kick-off notes#Decisions#Second]]",
        "[[kick-off#Decisions|there]]",
        "[[meetings/kick-off#Decisions]]",
        "[[meetings/kick-off.md#Decisions]]",
        "[k](kick-off.md#decisions)",
        "[k](kick-off.md#1-decisions)",
        "[k](/meetings/kick-off.md)",
    ],
)
@pytest.mark.parametrize("target_first", [True, False])
async def test_a_heading_of_a_page_without_identifier_leads_to_the_page(
    desk: ProjectFixture, link: str, target_first: bool
) -> None:
    """REF-11."""
    page = StatedDocument("Journal", "# Kick-off notes\n", source_uri="meetings/kick-off.md")
    source = StatedDocument("ADR", f"## Related\n{link}\n", "ADR-99", "S", source_uri="meetings/b.md")
    for each in (page, source) if target_first else (source, page):
        await desk.file(document_from(each))
    assert await edges(desk) == {("adr-99", "RELATES_TO", "source:meetings/kick-off.md")}
    assert await pending(desk) == set()


async def test_a_name_finds_the_file_in_another_folder(desk: ProjectFixture) -> None:
    """REF-11: a file is named by its name alone, wherever it lies."""
    page = StatedDocument("Journal", "# Notes of June\n", source_uri="june/notes.md")
    source = StatedDocument("ADR", "## Related\n[[notes]]\n", "ADR-99", "S", source_uri="may/b.md")
    for each in (page, source, page):
        await desk.file(document_from(each))
    assert await edges(desk) == {("adr-99", "RELATES_TO", "source:june/notes.md")}
    assert await pending(desk) == set()


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 0, 1), (1, 2, 0), (0, 2, 1)])
async def test_a_name_means_the_same_whichever_document_came_first(
    desk: ProjectFixture, order: tuple[int, ...]
) -> None:
    """The name of a file comes before a title."""
    stated = [
        StatedDocument("Journal", "# Other\n", "c/v5", source_uri="c/v5.md"),
        StatedDocument("ADR", "# v5\n", "ADR-4", source_uri="d/x.md"),
        StatedDocument("ADR", "## Related\n[[v5]]\n", "ADR-99", "S", source_uri="a/r.md"),
    ]
    for place in order:
        await desk.file(document_from(stated[place]))
    assert await edges(desk) == {("adr-99", "RELATES_TO", "c/v-5")}
    assert await pending(desk) == set()
