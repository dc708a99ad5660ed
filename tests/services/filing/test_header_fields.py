"""The fields of a header are kept and found, and a document without a date shows none."""

from __future__ import annotations

import pytest

from app.domain.artifact import DatePrecision, DateSource, Document
from app.domain.recall import StateFlag
from app.services.parsing import parse_markdown
from tests.documents import ProjectFixture, adr, day, hit_of, identifiers

MADR_4 = """---
status: accepted
date: 2026-03-05
decision-makers: [Ursula Quint, "@platform-crew"]
consulted: Ottokar Brandl
informed: guild-of-testers
---
# ADR-3: Use a queue

## Context and Problem Statement

Work piles up.
"""


@pytest.mark.parametrize("name", ["Ursula Quint", "platform-crew", "Ottokar", "guild-of-testers"])
async def test_people_and_teams_of_a_header_are_found(desk: ProjectFixture, name: str) -> None:
    await desk.file(parse_markdown(MADR_4, path="adr/3-queue.md"))
    await desk.file(adr(4, "Use a lake", "Nobody is named here."))
    (first, *_) = (await desk.ask(name)).hits
    assert first.artifact.identifier == "ADR-3"
    assert any(share.leg == "LEXICAL" for share in first.contributions)


async def test_a_header_is_kept_as_it_was_written(desk: ProjectFixture) -> None:
    filed = await desk.file(parse_markdown(MADR_4, path="adr/3-queue.md"))
    kept = (await desk.ask("ADR-3")).hits[0].artifact
    assert kept == filed.artifact
    assert kept.meta["decision-makers"] == ["Ursula Quint", "@platform-crew"]
    assert (kept.meta["consulted"], kept.meta["status"]) == ("Ottokar Brandl", "accepted")
    assert (kept.date_source, kept.date_precision) == (DateSource.HEADER, DatePrecision.DAY)


@pytest.mark.parametrize(
    ("text", "path", "source", "precision"),
    [
        ("# T\n\nDate: March 2026\n", "a.md", DateSource.HEADER, DatePrecision.MONTH),
        ("# T\n", "2026-W14.md", DateSource.FILE_NAME, DatePrecision.WEEK),
        ("# T\n", "a.md", DateSource.FILED, None),
    ],
)
async def test_a_date_says_where_it_is_from(
    desk: ProjectFixture, text: str, path: str, source: DateSource, precision: DatePrecision | None
) -> None:
    document = parse_markdown(text, kind="ADR", path=path)
    filed = await desk.file(document)
    assert (filed.artifact.date_source, filed.artifact.date_precision) == (source, precision)
    assert filed.artifact.is_undated == (source is DateSource.FILED)


async def test_a_document_without_a_date_is_neither_young_nor_old(desk: ProjectFixture) -> None:
    await desk.file(adr(1, "Use a queue"))
    await desk.file(adr(2, "Use a queue too", created_at=None))
    result = await desk.ask("use a queue")
    legs = {hit.artifact.identifier: {share.leg for share in hit.contributions} for hit in result.hits}
    assert "RECENCY" in legs["ADR-1"]
    assert "RECENCY" not in legs["ADR-2"]


async def test_a_document_waits_for_its_successor_and_is_historical(desk: ProjectFixture) -> None:
    text = "# ADR-7: Old\n\nDate: 2026-01-01\nStatus: Accepted\nSuperseded by: ADR-8\n"
    await desk.file(parse_markdown(text, path="adr/7-old.md"))
    note = hit_of(await desk.ask("ADR-7"), "ADR-7").annotation
    assert note.flag is StateFlag.HISTORICAL
    assert note.summary == "[historical: ADR-7 says that ADR-8 superseded it, which is not filed]"
    assert note.state is not None
    assert note.state.props["status"] == "Accepted"
    await desk.file(adr(8, "New", created_at=day(2026, 2)))
    found = await desk.ask("ADR-7")
    assert identifiers(found)[:2] == ["ADR-7", "ADR-8"]
    note = hit_of(found, "ADR-7").annotation
    assert note.summary is not None
    assert "is superseded by ADR-8" in note.summary


async def test_a_status_that_nobody_knows_gives_no_flag(desk: ProjectFixture) -> None:
    filed = await desk.file(Document("ADR", "ADR-9", "Odd", "Text.", status="Blessed", created_at=day(2026)))
    assert filed.warnings == ("unknown status Blessed; the document gets no flag",)
    note = hit_of(await desk.ask("ADR-9"), "ADR-9").annotation
    assert (note.flag, note.ground) == (None, None)
    assert note.summary == "[unknown status: the status of ADR-9 is Blessed]"
