"""Documents without a date: each was there before what supersedes it, whichever is filed first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import permutations
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest

from app.domain.artifact import DateSource, Document
from app.domain.entity import Reference, ReferenceType
from app.domain.recall import StateFlag
from app.domain.temporal import UNKNOWN_BEGINNING, is_unknown
from app.errors import Invalid
from app.services.catalog import RequestedMoment
from app.services.importing import ImportRequest
from app.services.references.create import StatedReference
from app.services.states.change import StateChange, StatedCause
from tests.documents import SUPERSEDES, ProjectFixture, adr, claims, day, edges, hit_of
from tests.services.importing.test_one_set import meaning

CURRENT, HISTORICAL = StateFlag.CURRENT, StateFlag.HISTORICAL
BEFORE = (day(2025, 2), day(2026, 1), day(2026, 2, 28))
AFTER = (day(2026, 3), day(2026, 9))
QUERY = "which queue do workers read"
OLD = adr(1, "Workers read one queue", created_at=None)
NEW = adr(2, "Workers read a queue each", created_at=day(2026, 3), references=claims(SUPERSEDES, "ADR-1"))
NEWEST = adr(
    3, "Workers read a queue of queues", created_at=day(2026, 3), references=claims(SUPERSEDES, "ADR-2")
)


async def flags_at(
    desk: ProjectFixture, identifier: str, moments: Sequence[datetime]
) -> list[StateFlag | None]:
    return [hit_of(await desk.ask(QUERY, as_of=moment), identifier).annotation.flag for moment in moments]


async def timeline(desk: ProjectFixture, key: str) -> list[tuple[Any, datetime]]:
    """Return the status of each state that is believed of a document, and when it begins."""
    async with desk.reading() as connection:
        rows = await connection.fetch(
            "SELECT props ->> 'status', valid_from FROM entity_state AS held"
            " JOIN entity ON entity.tenant_id = held.tenant_id AND entity.id = held.entity"
            " JOIN project ON project.tenant_id = entity.tenant_id"
            " AND project.project_id = entity.project_id"
            " WHERE project.key = $1 AND entity.key = $2 AND retracted_at IS NULL ORDER BY valid_from",
            desk.project,
            key,
        )
    return [tuple(row) for row in rows]


SAYS = {
    "the new one": (OLD, NEW),
    "the old one": (
        adr(
            1,
            OLD.title,
            created_at=None,
            status="Superseded by ADR-2",
            references=claims(SUPERSEDES, "ADR-2", inverted=True),
        ),
        adr(2, NEW.title, created_at=day(2026, 3)),
    ),
    "both": (
        adr(1, OLD.title, created_at=None, references=claims(SUPERSEDES, "ADR-2", inverted=True)),
        NEW,
    ),
}


@pytest.mark.parametrize("says", SAYS)
@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
async def test_it_is_in_force_before_what_supersedes_it(
    desk: ProjectFixture, says: str, order: tuple[int, int]
) -> None:
    await desk.file_all(*[SAYS[says][place] for place in order])
    assert await flags_at(desk, "ADR-1", BEFORE) == [CURRENT] * 3
    assert await flags_at(desk, "ADR-1", AFTER) == [HISTORICAL] * 2
    (first, begins), (last, since) = await timeline(desk, "adr-1")
    assert (first in ("Accepted", None), begins) == (True, UNKNOWN_BEGINNING)
    assert (str(last).startswith("Superseded") or last == "superseded", since) == (True, day(2026, 3))
    for moment in (None, BEFORE[0]):
        artifact = hit_of(await desk.ask(QUERY, as_of=moment), "ADR-1").artifact
        assert (artifact.date, artifact.date_source) == (None, DateSource.FILED)


@pytest.mark.parametrize("order", list(permutations(range(3))))
async def test_a_chain_of_undated_ones_begins_one_before_the_other(
    desk: ProjectFixture, order: Sequence[int]
) -> None:
    chain = (
        OLD,
        adr(2, NEW.title, created_at=None, references=claims(SUPERSEDES, "ADR-1")),
        adr(
            3,
            "Workers read a queue of queues",
            created_at=day(2026, 3),
            references=claims(SUPERSEDES, "ADR-2"),
        ),
    )
    await desk.file_all(*[chain[place] for place in order])
    assert await flags_at(desk, "ADR-2", BEFORE) == [CURRENT] * 3
    assert await flags_at(desk, "ADR-1", BEFORE) == [HISTORICAL] * 3
    assert await flags_at(desk, "ADR-2", AFTER) == [HISTORICAL] * 2
    oldest = await timeline(desk, "adr-1")
    newer = await timeline(desk, "adr-2")
    assert [status for status, _ in oldest] == ["Accepted", "superseded"]
    assert oldest[0][1] < newer[0][1] == oldest[1][1]
    assert is_unknown(oldest[0][1])


@pytest.mark.parametrize("order", list(permutations(range(3))))
async def test_one_between_dated_ones_takes_over_when_it_was_certainly_there(
    desk: ProjectFixture, order: Sequence[int]
) -> None:
    """Nobody knows when: it is there before the third supersedes it, so the first is over by then."""
    chain = (
        adr(1, OLD.title, created_at=day(2024)),
        adr(2, NEW.title, created_at=None, references=claims(SUPERSEDES, "ADR-1")),
        adr(
            3,
            "Workers read a queue of queues",
            created_at=day(2026, 3),
            references=claims(SUPERSEDES, "ADR-2"),
        ),
    )
    await desk.file_all(*[chain[place] for place in order])
    assert await timeline(desk, "adr-1") == [
        ("Accepted", day(2024)),
        ("superseded", day(2026, 3)),
    ]
    assert await timeline(desk, "adr-2") == [
        ("Accepted", UNKNOWN_BEGINNING),
        ("superseded", day(2026, 3)),
    ]


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
async def test_undated_ones_alone_count_from_their_filing(
    desk: ProjectFixture, order: tuple[int, int]
) -> None:
    pair = (OLD, adr(2, NEW.title, created_at=None, references=claims(SUPERSEDES, "ADR-1")))
    filed = await desk.file_all(*[pair[place] for place in order])
    (first, begins), (last, since) = await timeline(desk, "adr-1")
    assert (first, last) == ("Accepted", "superseded")
    of_new = filed[order.index(1)].artifact.created_at
    assert (begins < since, since) == (True, of_new)
    assert of_new - begins < timedelta(minutes=1)


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
async def test_what_was_filed_is_told_as_it_is(desk: ProjectFixture, order: tuple[int, int]) -> None:
    filed = await desk.file_all(*[(OLD, NEW)[place] for place in order])
    (stated,) = filed[order.index(1)].references or filed[order.index(0)].references or (None,)
    if stated is not None:
        assert stated.valid.start == day(2026, 3)
    last = filed[-1]
    async with desk.reading() as connection:
        hidden = await connection.fetch("SELECT FROM absence WHERE artifact = $1", last.artifact.id)
        begins = await connection.fetchval("SELECT created_at FROM entity WHERE id = $1", last.entity.id)
    assert (hidden, begins) == ([], last.entity.created_at)
    assert last.artifact.created_at == begins


async def test_a_past_question_knows_nothing_of_it(desk: ProjectFixture) -> None:
    await desk.file(OLD)
    known = (await desk.ask(QUERY)).known_at
    await desk.file(NEW)
    assert (await desk.ask(QUERY, as_of=BEFORE[0], known_at=known)).hits == ()
    assert hit_of(await desk.ask(QUERY, known_at=known), "ADR-1").annotation.flag is CURRENT


@pytest.mark.parametrize("status", ["Proposed", "Rejected"])
async def test_what_is_never_in_force_changes_nothing(desk: ProjectFixture, status: str) -> None:
    await desk.file_all(
        OLD, adr(2, NEW.title, status=status, created_at=day(2026, 3), references=NEW.references)
    )
    assert [status for status, _ in await timeline(desk, "adr-1")] == ["Accepted"]
    await desk.file(NEW)
    found = await timeline(desk, "adr-1")
    assert [status for status, _ in found] == ["Accepted", "superseded"]


async def test_a_later_version_and_the_same_again(desk: ProjectFixture) -> None:
    await desk.file_all(NEW, OLD)
    found = await timeline(desk, "adr-1")
    for document in (OLD, NEW, OLD):
        assert not (await desk.file(document)).created
    assert await timeline(desk, "adr-1") == found
    changed = adr(1, OLD.title, "Other words about a queue.", created_at=None)
    filed = await desk.file(changed)
    assert filed.created
    later = await timeline(desk, "adr-1")
    assert later[:2] == found
    assert await flags_at(desk, "ADR-1", (*BEFORE, *AFTER)) == [CURRENT] * 3 + [HISTORICAL] * 2


OTHER = adr(5, "Pick a broker for the queue", created_at=day(2023))
REFERS = adr(1, OLD.title, created_at=None, references=claims(ReferenceType.DEPENDS_ON, "ADR-5"))


@pytest.mark.parametrize("order", list(permutations(range(4))))
async def test_its_references_hold_since_both_ends_are_there(
    desk: ProjectFixture, order: Sequence[int]
) -> None:
    journal = Document(
        kind="Journal",
        identifier=None,
        title="Day",
        body="See it.",
        created_at=day(2025),
        source_uri="journal/day.md",
        references=claims(ReferenceType.REFERENCES, "ADR-1"),
    )
    documents = (REFERS, NEW, OTHER, journal)
    await desk.file_all(*[documents[place] for place in order])
    assert len(await edges(desk)) == 3
    async with desk.reading() as connection:
        rows = await connection.fetch(
            "SELECT type, valid_from, valid_until FROM reference JOIN project USING (tenant_id, project_id)"
            " WHERE project.key = $1 AND retracted_at IS NULL ORDER BY valid_from",
            desk.project,
        )
    assert [tuple(row) for row in rows] == [
        ("DEPENDS_ON", day(2023), None),
        ("REFERENCES", day(2025), None),
        ("SUPERSEDES", day(2026, 3), None),
    ]


FOLDER = {
    "0001-one.md": "# Workers read one queue\n\nStatus: Superseded by [ADR-2](0002-each.md)\n",
    "0002-each.md": "# Workers read a queue each\n\nStatus: Accepted\n\nSupersedes [ADR-1](0001-one.md)\n",
    "0003-many.md": "# Workers read many\n\nDate: 2026-03-01\n\nStatus: Accepted\n\nSupersedes ADR-2.\n",
    "0004-note.md": "# Name the queue\n\nAs in [the first](0001-one.md) and ADR-3.\n",
    "0005-dead.md": "# Workers retry\n\nRequires ADR-1.\n",
    "0006-alive.md": "# Workers do not retry\n\nDate: 2025-06-01\n\nSupersedes ADR-5\n\nSee ADR-4.\n",
}


@pytest.mark.parametrize("parts", [1, 2, 3, 6])
async def test_a_folder_gives_one_ledger_in_any_parts(
    desk: ProjectFixture, tmp_path: Path, parts: int
) -> None:
    begun = datetime.now(UTC)

    async def said(project: str) -> dict[str, list[tuple[Any, ...]]]:
        return {
            of: sorted(
                (
                    tuple("filed" if isinstance(each, datetime) and each >= begun else each for each in row)
                    for row in rows
                ),
                key=repr,
            )
            for of, rows in (await meaning(desk, project)).items()
        }

    async def imported(project: str, names: Sequence[str], place: str) -> int:
        folder = tmp_path / place / "adr"
        folder.mkdir(parents=True, exist_ok=True)
        for name in names:
            (folder / name).write_text(FOLDER[name], encoding="utf-8")
        summary = await desk.memory.imports.run(desk.memory.caller, ImportRequest((folder,), project))
        assert summary.refused == []
        return summary.filed

    await imported(desk.project, sorted(FOLDER), "whole")
    expected = await said(desk.project)
    assert await imported(desk.project, sorted(FOLDER), "whole") == 0
    assert await said(desk.project) == expected
    for seed, names in enumerate(list(permutations(sorted(FOLDER)))[::97]):
        project = f"{desk.project}-{seed}"
        size = len(names) // parts
        for place in range(parts):
            await imported(project, names[place * size : (place + 1) * size], f"{seed}-{place}")
        assert await said(project) == expected, names


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
async def test_a_transition_that_puts_its_successor_in_force_lets_it_begin_before(
    desk: ProjectFixture, order: tuple[int, int]
) -> None:
    draft = adr(2, NEW.title, status="Proposed", created_at=day(2026, 2), references=NEW.references)
    filed = await desk.file_all(*[(OLD, draft)[place] for place in order])
    assert [status for status, _ in await timeline(desk, "adr-1")] == ["Accepted"]
    accepted = StateChange({"status": "Accepted"}, day(2026, 3))
    await desk.memory.states.transition(
        desk.memory.caller, filed[order.index(1)].entity.id, accepted, StatedCause("acceptance")
    )
    assert await flags_at(desk, "ADR-1", BEFORE) == [CURRENT] * 3
    assert await flags_at(desk, "ADR-1", AFTER) == [HISTORICAL] * 2
    assert (await timeline(desk, "adr-1"))[0] == ("Accepted", UNKNOWN_BEGINNING)


async def test_a_supersession_that_a_caller_states_lets_it_begin_before(desk: ProjectFixture) -> None:
    old, new, draft = await desk.file_all(
        replace(OLD, props={"aliases": ["The old queue"]}),
        replace(NEW, references=()),
        adr(4, "Drop it", status="Proposed", created_at=day(2026, 2)),
    )

    async def state(source: UUID, since: datetime) -> Reference:
        stated = StatedReference(source, old.entity.id, SUPERSEDES, valid_from=since)
        return (await desk.memory.references.create(desk.memory.caller, stated)).reference

    with pytest.raises(Invalid, match="the target begins on"):
        await state(draft.entity.id, day(2026, 3))
    with pytest.raises(Invalid, match="the source begins on"):
        await state(new.entity.id, day(2026, 2))
    reference = await state(new.entity.id, day(2026, 3))
    assert reference.valid.start == day(2026, 3)
    assert await flags_at(desk, "ADR-1", BEFORE) == [CURRENT] * 3
    assert await flags_at(desk, "ADR-1", AFTER) == [HISTORICAL] * 2
    found = await desk.memory.catalog.resolve_alias(
        desk.memory.caller, "The old queue", desk.project, RequestedMoment(as_of=day(2025))
    )
    assert found is not None
    assert found.entity.id == old.entity.id
    assert not (await desk.file(replace(OLD, props={"aliases": ["The old queue"]}))).created


WRITTEN = {
    "new": (
        OLD,
        adr(2, NEW.title, created_at=None, references=(replace(NEW.references[0], since=day(2026, 3)),)),
    ),
    "old": (
        adr(
            1,
            OLD.title,
            created_at=None,
            status="Superseded by ADR-2 (2026-03-01)",
            references=(replace(claims(SUPERSEDES, "ADR-2", inverted=True)[0], since=day(2026, 3)),),
        ),
        adr(2, NEW.title, created_at=None),
    ),
}


@pytest.mark.parametrize("says", WRITTEN)
async def test_a_written_date_between_two_undated_ones_tells_that_both_were_there(
    desk: ProjectFixture, says: str
) -> None:
    third = adr(7, "Workers read it all", created_at=day(2026, 6), references=claims(SUPERSEDES, "ADR-2"))
    documents = (*WRITTEN[says], third)
    expected = None
    for number, order in enumerate(list(permutations(range(3)))):
        project = replace(desk, project=f"{desk.project}-{number}")
        await project.file_all(*[documents[place] for place in order])
        found = [await timeline(project, f"adr-{each}") for each in (1, 2)]
        if expected is None:
            expected = found
            (_, begins), (_, since) = found[0]
            assert (is_unknown(begins), since) == (True, day(2026, 3))
            (_, begins), (_, since) = found[1]
            assert (is_unknown(begins), since) == (True, day(2026, 6))
            assert await flags_at(project, "ADR-1", BEFORE) == [CURRENT] * 3
            assert await flags_at(project, "ADR-2", AFTER) == [CURRENT, HISTORICAL]
        assert found == expected, order
