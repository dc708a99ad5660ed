"""Documents filed many at once leave what they leave one by one."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from datetime import timedelta
from random import Random
from typing import Any

import asyncpg
import pytest

from app.domain.artifact import AliasClaim, Document, FactClaim, Quote, ReferenceClaim
from app.domain.entity import ReferenceType
from app.domain.numbers import TenantNumber
from app.embedding import Embedder
from app.errors import Conflict, Invalid, TrigraphError
from app.services.container import Memory
from app.services.filing import DocumentBatch, FiledDocument, pipeline
from app.services.filing.pipeline import Outcome
from app.stores.postgres import states
from tests.conftest import Server, new_memory
from tests.documents import RELATES_TO, SUPERSEDES, ProjectFixture, adr, claims, day
from tests.services.filing.books import books

DEPENDS_ON, REFERENCES = ReferenceType.DEPENDS_ON, ReferenceType.REFERENCES

RECORDS = [
    adr(1, "Queue", references=(*claims(RELATES_TO, "ADR-2", "ADR-99"), *claims(DEPENDS_ON, "The clock"))),
    adr(2, "Clock", "It ticks, as ADR-1 says.", props={"aliases": ["The clock", "Ticker"]}),
    adr(3, "Stream", created_at=day(2021), references=claims(SUPERSEDES, "ADR-1")),
    adr(4, "Undated", created_at=None, source_uri="docs/undated.md"),
    adr(5, "Later", created_at=None, references=claims(SUPERSEDES, "ADR-4"), source_uri="docs/later.md"),
    adr(6, "Latest", created_at=None, references=claims(SUPERSEDES, "ADR-5", "ADR-7")),
    adr(2, "Clock of old", "The Ticker ticked.", created_at=day(2022)),
    adr(7, "Given up", references=claims(SUPERSEDES, "ADR-8", inverted=True)),
    adr(1, "Queue", references=(*claims(RELATES_TO, "ADR-2", "ADR-99"), *claims(DEPENDS_ON, "The clock"))),
    adr(8, "Ticker", "The Ticker is another here.", props={"aliases": ["Ticker", "The clock", "Eight"]}),
    adr(
        9,
        "Told",
        "ADR-9 was formerly known as Nine. Its status is now Retired. Eight ticks.",
        alias_claims=(AliasClaim("Nine", "ADR-9", Quote("formerly known as Nine", 10)),),
        fact_claims=(FactClaim("status", "Retired", Quote("status is now Retired", 40), "ADR-8"),),
    ),
    adr(1, "Queue of two", created_at=None, references=claims(RELATES_TO, "ADR-5")),
    Document("Memo", None, "A memo", "See ADR-1.", props={"area": "all"}, source_uri="docs/memo.md"),
    Document(
        "memo",
        None,
        "Another memo",
        "Beside it.",
        props={"scope": "some"},
        source_uri="docs/more/memo.md",
        references=(ReferenceClaim(REFERENCES, "../memo.md", path="../memo.md"),),
    ),
    adr(10, "Undated", references=claims(RELATES_TO, "A memo", "docs/later", "Told")),
    adr(5, "Later", "Another text.", references=claims(RELATES_TO, "ADR-4"), source_uri="docs/later.md"),
]
UNFIT = {
    3: Document("SPEC", "ADR-1", "Queue", "Of another kind."),
    9: Document("ADR", "ADR-20", " ", " "),
    10: Document("Project", "ADR-21", "No kind of document", "Text."),
}
TITLES = ("Queue", "Clock", "Stream", "Harbor", "Old harbor")
ALIASES = (
    "Pier",
    "Quay",
    "Dock",
    "Buoy",
    "Mole",
    "Keel",
    "Helm",
    "Mast",
    "Sail",
    "Oar",
    "Bow",
    "Port",
    "Fog",
    "Tide",
)


async def file_together(memory: Memory, documents: Sequence[Document], width: int = 3) -> list[Outcome]:
    async def batches() -> AsyncIterator[DocumentBatch[None]]:
        for document in documents:
            yield DocumentBatch(None, (document,))

    outcomes: list[Outcome] = []
    await memory.filing.file_all(
        memory.caller,
        batches(),
        "p",
        width=width,
        done=lambda _, outcome: outcomes.append(outcome),
        defines_kinds=True,
    )
    return outcomes


async def file_one_by_one(memory: Memory, documents: Sequence[Document]) -> list[Outcome]:
    outcomes: list[Outcome] = []
    for document in documents:
        try:
            outcomes.append([await memory.filing.file(memory.caller, document, "p", defines_kinds=True)])
        except TrigraphError as error:
            outcomes.append(error)
    return outcomes


def comparable(outcome: Outcome) -> Any:
    if isinstance(outcome, Exception):
        return type(outcome), str(outcome)
    (filed,) = outcome
    stated = [(each.type, each.valid.start.year < 2023) for each in filed.references]
    return filed.created, filed.candidates, filed.entity.key, filed.state.props, stated


async def compare(
    server: Server, embedder: Embedder, tenant: TenantNumber, documents: Sequence[Document], width: int = 3
) -> list[Outcome]:
    """File documents both ways, each in its own ledger, and compare every row; answers what was left."""
    async with new_memory(server, embedder, tenant) as one, new_memory(server, embedder, tenant) as other:
        found = []
        for memory, file in ((one, file_one_by_one), (other, file_together)):
            async with memory.database.reading(tenant) as connection:
                since = await connection.fetchval("SELECT clock_timestamp()")
            outcomes = await file(memory, documents)
            async with memory.database.reading(tenant) as connection:
                found.append((outcomes, await books(connection, since)))
    (alone, alone_held), (together, together_held) = found
    assert [comparable(each) for each in together] == [comparable(each) for each in alone]
    for table, rows in alone_held.items():
        assert together_held[table] == rows, table
    return together


async def test_records_of_every_sort_leave_the_same(
    server: Server, embedder: Embedder, tenant: TenantNumber
) -> None:
    outcomes = await compare(server, embedder, tenant, RECORDS)
    assert not any(isinstance(outcome, Exception) for outcome in outcomes)


@pytest.mark.parametrize("place", UNFIT)
async def test_one_that_cannot_be_filed_is_reported_and_the_others_are_filed(
    server: Server, embedder: Embedder, tenant: TenantNumber, place: int
) -> None:
    documents = [*RECORDS[:place], UNFIT[place], *RECORDS[place:]]
    outcomes = await compare(server, embedder, tenant, documents)
    assert [at for at, each in enumerate(outcomes) if isinstance(each, Exception)] == [place]
    assert isinstance(outcomes[place], Conflict | Invalid)


@pytest.mark.parametrize("seed", range(4))
async def test_random_documents_leave_the_same(
    server: Server, embedder: Embedder, tenant: TenantNumber, seed: int
) -> None:
    random = Random(seed)
    await compare(server, embedder, tenant, [some_document(random) for _ in range(70)])


def some_document(random: Random) -> Document:
    number = random.randrange(14)
    kinds = (RELATES_TO, RELATES_TO, DEPENDS_ON, SUPERSEDES, REFERENCES)
    targets = [f"ADR-{random.randrange(16)}", random.choice(TITLES), "docs/3", random.choice(ALIASES)]
    references = tuple(
        dict.fromkeys(
            ReferenceClaim(random.choice(kinds), random.choice(targets), inverted=random.random() < 0.2)
            for _ in range(random.randrange(3))
        )
    )
    aliases = [ALIASES[number]] if random.random() < 0.5 else []
    return adr(
        number,
        random.choice(TITLES),
        f"{random.choice(['We moor', 'We sail'])} at the {random.choice(ALIASES)}.",
        created_at=random.choice([None, day(2020) + timedelta(days=random.randrange(900))]),
        status=random.choice(["Accepted", "Proposed", "Deprecated", "Superseded"]),
        references=references,
        props={"aliases": aliases} if aliases else {},
        source_uri=random.choice([None, f"docs/{number}.md"]),
    )


async def test_counts_that_pass_a_full_block_at_once_pack_it(
    server: Server, embedder: Embedder, tenant: TenantNumber
) -> None:
    documents = [adr(number, f"Record {number}", "Harbor.") for number in range(1, 260)]
    async with new_memory(server, embedder, tenant) as memory:
        await file_together(memory, documents)
        async with memory.database.reading(tenant) as connection:
            packed = await connection.fetch(
                "SELECT term, last_number, octet_length(packed) FROM posting_block"
                " WHERE term IN ('harbor', 'record')"
            )
            numbers = await connection.fetchval("SELECT array_agg(number ORDER BY number) FROM artifact")
            (block,) = await connection.fetch("SELECT last_number FROM document_block")
    assert {tuple(row) for row in packed} == {(term, numbers[239], 240 * 12) for term in ("harbor", "record")}
    assert block["last_number"] == numbers[239]


async def test_many_at_once_take_fewer_statements(memory: Memory, embedder: Embedder) -> None:
    """And what one costs does not depend on how many there are."""
    counted: list[int] = []
    documents = [adr(number, f"Record {number}", "Harbor.") for number in range(1, 200)]
    with memory.database.logging(lambda query: counted.append(1)):
        await file_together(memory, documents[:1])
        alone = len(counted)
        await file_together(memory, documents[1:], width=pipeline.MAX_BATCH_SIZE)
    assert len(counted) < 12 * alone


async def test_versions_before_one_that_cannot_be_filed_stay(desk: ProjectFixture) -> None:
    versions = (
        adr(1, "Queue"),
        replace(adr(1, "Stream", created_at=day(2021)), kind="SPEC"),
        adr(1, "Log", created_at=day(2022)),
    )
    outcomes: dict[str, Outcome] = {}

    async def batches() -> AsyncIterator[DocumentBatch[str]]:
        yield DocumentBatch("whole", (adr(2, "Clock"),))
        yield DocumentBatch("broken", versions)
        yield DocumentBatch("after", (adr(3, "Tide"), adr(3, "Tides", created_at=day(2021))))

    await desk.memory.filing.file_all(
        desk.memory.caller, batches(), desk.project, width=3, done=outcomes.__setitem__
    )
    assert isinstance(outcomes["broken"], Conflict)
    assert [len(outcome) for outcome in outcomes.values() if isinstance(outcome, list)] == [1, 2]
    async with desk.reading() as connection:
        titles = await connection.fetch(
            "SELECT title FROM artifact JOIN project USING (tenant_id, project_id)"
            " WHERE key = $1 ORDER BY number",
            desk.project,
        )
    assert [row["title"] for row in titles] == ["Clock", "Queue", "Tide", "Tides"]


async def test_a_fault_in_one_of_many_is_its_own(
    desk: ProjectFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    inserted = states.insert_state

    async def struck(connection: asyncpg.Connection, tenant: TenantNumber, state: Any) -> None:
        if state.props["title"] == "Record 7":
            raise RuntimeError("struck")
        await inserted(connection, tenant, state)

    monkeypatch.setattr(states, "insert_state", struck)
    outcomes = await file_together(desk.memory, [adr(n, f"Record {n}", "A text.") for n in range(12)])
    assert [str(each) for each in outcomes if isinstance(each, Exception)] == ["struck"]
    assert sum(isinstance(each, list) and isinstance(each[0], FiledDocument) for each in outcomes) == 11


async def test_others_work_while_many_are_written(memory: Memory) -> None:
    """Cached lookups do not wait for the server, so the write has to let other tasks run."""
    turns = 0

    async def count() -> None:
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0)

    prepared = [adr(number, f"Record {number}", "Harbor.") for number in range(40)]
    counting = asyncio.create_task(count())
    await file_together(memory, prepared)
    counting.cancel()
    assert turns > 2 * len(prepared)
