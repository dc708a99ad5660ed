"""A date that a later text states: the document begins then, whatever was filed in between."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from itertools import permutations
from typing import Any

import pytest

from app.domain.artifact import DateSource, Document
from app.domain.entity import ReferenceType
from app.domain.recall import StateFlag
from app.domain.temporal import is_unknown
from tests.documents import SUPERSEDES, ProjectFixture, adr, claims, day, hit_of
from tests.services.importing.test_one_set import meaning

CURRENT, HISTORICAL = StateFlag.CURRENT, StateFlag.HISTORICAL
QUERY = "which queue do workers read"
TITLE = "Workers read one queue"
ALIASES: dict[str, Any] = {"props": {"aliases": ["The old queue"]}, "meta": {"aliases": ["The old queue"]}}
OLD = adr(1, TITLE, created_at=None, references=claims(ReferenceType.DEPENDS_ON, "ADR-5"), **ALIASES)
NEW = adr(2, "Workers read a queue each", created_at=day(2026, 3), references=claims(SUPERSEDES, "ADR-1"))
DATED = replace(OLD, created_at=day(2025, 6), body="We decided it on the first of June.")
OTHERS = (
    adr(5, "Pick a broker for the queue", created_at=day(2023)),
    adr(
        6,
        "Workers poll",
        created_at=None,
        references=claims(SUPERSEDES, "ADR-1", inverted=True),
        status="Superseded",
    ),
    Document(
        kind="Journal",
        identifier=None,
        title="Day",
        body="See it.",
        created_at=day(2025),
        source_uri="journal/day.md",
        references=claims(ReferenceType.REFERENCES, "ADR-1"),
    ),
)


async def versions(desk: ProjectFixture, project: str) -> list[tuple[Any, ...]]:
    """Return the versions of the documents of a project that are there, with their dates."""
    async with desk.reading() as connection:
        rows = await connection.fetch(
            "SELECT entity.key, entity.created_at, artifact.created_at, date_source, date_precision,"
            " stated_at, body FROM artifact"
            " JOIN entity ON entity.tenant_id = artifact.tenant_id AND entity.id = artifact.entity"
            " JOIN project ON project.tenant_id = entity.tenant_id AND project.project_id = entity.project_id"
            " WHERE project.key = $1 AND NOT EXISTS ("
            "SELECT FROM absence WHERE absence.artifact = artifact.id AND retracted_at IS NULL)",
            project,
        )
    return [tuple(row) for row in rows]


async def said(desk: ProjectFixture, begun: datetime) -> dict[str, list[tuple[Any, ...]]]:
    """Return what the ledger says of the project; of moments of filing, and of unknown ones, only that."""

    def plain(value: Any) -> Any:
        if not isinstance(value, datetime):
            return value
        return "filed" if value >= begun else "unknown" if is_unknown(value) else value

    found = {**await meaning(desk, desk.project), "versions": await versions(desk, desk.project)}
    return {of: sorted((tuple(map(plain, row)) for row in rows), key=repr) for of, rows in found.items()}


SETS = {
    "alone": (OLD, DATED),
    "superseded": (OLD, DATED, NEW),
    "superseded before": (OLD, DATED, replace(NEW, created_at=day(2025, 2))),
    "with others": (OLD, DATED, NEW, *OTHERS),
    "removed again": (OLD, DATED, replace(OLD, body="Nobody knows the day."), NEW),
    "corrected": (
        replace(OLD, created_at=day(2025, 9)),
        replace(DATED, created_at=day(2025, 8)),
        replace(DATED, body="It was earlier."),
        NEW,
    ),
    "twice": (OLD, replace(OLD, body="Other words, no date."), DATED, NEW),
}


def orders(documents: Sequence[Document]) -> list[tuple[Document, ...]]:
    """Return the orders of filing in which the versions of a document keep theirs."""
    own = [document for document in documents if document.identifier == "ADR-1"]
    return [
        order
        for order in permutations(documents)
        if [document for document in order if document.identifier == "ADR-1"] == own
    ]


@pytest.mark.parametrize("of", SETS)
async def test_it_begins_then_in_any_order(desk: ProjectFixture, of: str) -> None:
    begun, expected = datetime.now(UTC), None
    every = orders(SETS[of])
    for number, order in enumerate(every[:: max(1, len(every) // 6)]):
        project = replace(desk, project=f"{desk.project}-{number}")
        await project.file_all(*order)
        found = await said(project, begun)
        if expected is None:
            expected = found
            assert (await said_of(project))[0] == day(2025, 6)
        assert found == expected, [document.identifier for document in order]
        last = {document.identifier: document for document in order}
        for document in last.values():
            assert not (await project.file(document)).created, document.identifier
        assert await said(project, begun) == expected


async def said_of(desk: ProjectFixture) -> list[datetime]:
    """Return when the versions of the first record take effect."""
    return sorted(row[2] for row in await versions(desk, desk.project) if row[0] == "adr-1")


@pytest.mark.parametrize("order", [(DATED, NEW), (NEW, DATED)])
async def test_recall_finds_it_since_then(desk: ProjectFixture, order: tuple[Document, ...]) -> None:
    await desk.file(OLD)
    known = (await desk.ask(QUERY)).known_at
    filed = await desk.file_all(*order)
    warnings = filed[order.index(DATED)].warnings
    assert not [warning for warning in warnings if warning.startswith("valid from now")]
    for moment, flag in ((day(2025, 7), CURRENT), (day(2026, 2), CURRENT), (day(2026, 4), HISTORICAL)):
        hit = hit_of(await desk.ask(QUERY, as_of=moment), "ADR-1")
        assert (hit.annotation.flag, hit.artifact.date) == (flag, day(2025, 6)), moment
        assert hit.artifact.date_source is DateSource.HEADER
    assert "ADR-1" not in [
        hit.artifact.identifier for hit in (await desk.ask(QUERY, as_of=day(2025, 5))).hits
    ]
    then = await desk.ask(QUERY, known_at=known)
    assert hit_of(then, "ADR-1").artifact.date is None


async def test_a_date_that_a_text_no_longer_states_stays_known(desk: ProjectFixture) -> None:
    _, filed = await desk.file_all(DATED, replace(OLD, body="The date is gone."))
    assert (filed.entity.created_at, filed.artifact.date, filed.artifact.date_source) == (
        day(2025, 6),
        day(2025, 6),
        DateSource.HEADER,
    )


async def test_what_was_believed_before_a_correction_is_told(desk: ProjectFixture) -> None:
    first = replace(DATED, created_at=day(2025, 9))
    await desk.file(first)
    known = (await desk.ask(QUERY)).known_at
    filed = await desk.file(DATED)
    assert filed.entity.created_at == day(2025, 6)
    assert (await desk.ask(QUERY, as_of=day(2025, 7), known_at=known)).hits == ()
    assert hit_of(await desk.ask(QUERY, as_of=day(2025, 7)), "ADR-1").annotation.flag is CURRENT
    await desk.file(first)
    assert (await said_of(desk))[0] == day(2025, 6)
