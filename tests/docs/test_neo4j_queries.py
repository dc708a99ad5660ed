"""The queries that the page on Neo4j shows, over the graph of `trigraph demo`."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import asyncpg
import pytest

from app.cli.demo import demo_import
from app.domain.numbers import TenantNumber
from app.embedding import Embedder
from app.projector.sync import catch_up
from app.services.container import Memory
from app.stores.neo4j.driver import Graph
from app.stores.postgres.outbox import projecting_alone
from app.stores.postgres.pool import Database
from tests.conftest import memory_on
from tests.documents import SUPERSEDES, adr, claims, day, file
from tests.graphql.scattering import ScatteringEmbedder

ROOT = Path(__file__).parents[2]


def queries_of(page: str) -> list[str]:
    text = (ROOT / page).read_text(encoding="utf-8")
    return re.findall(r"^```cypher\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


OTHERS = "others"


@pytest.fixture
async def demo(
    database: Database, owner: asyncpg.Connection, embedder: Embedder, tenant: TenantNumber, graph: Graph
) -> Graph:
    """What the demo imports, and some documents of another project, projected."""
    memory = memory_on(database, ScatteringEmbedder(embedder), tenant)
    imported = await memory.imports.run(memory.caller, demo_import())
    assert not imported.refused
    await file_others(memory)
    async with projecting_alone(owner):
        await catch_up(owner, graph, lambda rows: None)
    return graph


async def file_others(memory: Memory) -> None:
    """File what only seems to replace something, and what did so later than it says.

    ADR-0005, of which another project has one too, is replaced by ADR-2 in 2022; ADR-3 is a proposal to
    replace it. ADR-6 was a proposal to replace ADR-4 from 2021 on and is accepted in 2023, told in two
    versions. That ADR-8 replaces ADR-7 was withdrawn, and that ADR-10 does, which is a proposal, too.
    """
    of_five, of_four = claims(SUPERSEDES, "ADR-0005"), claims(SUPERSEDES, "ADR-4")
    later = adr(6, "Push", status="Proposed", created_at=day(2021), references=of_four)
    documents = [
        adr(5, "Poll", identifier="ADR-0005"),
        adr(2, "Listen", created_at=day(2022), references=of_five),
        adr(3, "Wait", status="Proposed", created_at=day(2022, 6), references=of_five),
        adr(4, "Pull"),
        later,
        replace(later, title="Push it", body="Accepted.", status="Accepted", created_at=day(2023)),
        adr(7, "Ask"),
    ]
    for document in documents:
        await file(memory, document, OTHERS)
    references = memory.references
    for number, status in ((8, "Accepted"), (10, "Proposed")):
        claim = claims(SUPERSEDES, "ADR-7")
        stated = adr(number, f"Tell {number}", status=status, created_at=day(2024), references=claim)
        filed = await file(memory, stated, OTHERS)
        await references.withdraw(memory.caller, filed.references[0].id)


REPLACED_IN_THE_DEMO = [
    ("demo", "PEP-440", "PEP-386", "2014-08-22"),
    ("demo", "PEP-314", "PEP-241", "2022-10-07"),
    ("demo", "PEP-345", "PEP-314", "2022-10-07"),
    ("demo", "PEP-566", "PEP-345", "2022-10-07"),
]
TIMELINE = [
    ("2009-06-04", "Draft", None),
    ("2010-03-21", "Accepted", "b1c944fbd2c1"),
    ("2014-08-22", "Superseded", "df28da700d4b"),
]
REPLACED_ELSEWHERE = [
    (OTHERS, "ADR-2", "ADR-0005", "2022-01-01"),
    (OTHERS, "ADR-6", "ADR-4", "2023-01-01"),
]


async def test_each_query_finds_what_the_page_says(demo: Graph) -> None:
    replaced, timeline, grounds, around = [await demo.read(query) for query in queries_of("docs/neo4j.md")]
    told = [(row["project"], row["new"], row["old"], str(row["since"])) for row in replaced]
    assert told == [*REPLACED_IN_THE_DEMO, *REPLACED_ELSEWHERE]
    assert [(str(row["since"]), row["status"], row["because"]) for row in timeline] == TIMELINE
    assert [(row["steps"], row["identifier"]) for row in grounds] == [
        (1, "PEP-345"),
        (2, "PEP-314"),
        (3, "PEP-241"),
    ]
    assert all(row["title"] for row in grounds)
    beside = {row["paper.identifier"] for row in around}
    assert beside >= {"PEP-386", "PEP-345", "PEP-566"}
    assert "PEP-440" not in beside
