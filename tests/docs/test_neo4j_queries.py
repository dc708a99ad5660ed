"""The queries that the page on Neo4j shows, over the graph of `trigraph demo`."""

from __future__ import annotations

import re
from pathlib import Path

import asyncpg
import pytest

from app.embedding import Embedder
from app.projector.catching_up import catch_up
from app.resources import shipped_folder
from app.services.importing import ImportRequest, ImportService
from app.stores.neo4j.driver import Graph
from app.stores.postgres.outbox import projecting_alone
from app.stores.postgres.pool import Database
from tests.conftest import memory_on
from tests.graphql.scattering import ScatteringEmbedder

ROOT = Path(__file__).parents[2]


def queries_of(page: str) -> list[str]:
    text = (ROOT / page).read_text(encoding="utf-8")
    return re.findall(r"^```cypher\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


@pytest.fixture
async def demo(
    database: Database, owner: asyncpg.Connection, embedder: Embedder, tenant: int, graph: Graph
) -> Graph:
    """The project's own decision records, projected."""
    memory = memory_on(database, ScatteringEmbedder(embedder), tenant)
    folder = shipped_folder("decisions", "docs/decisions")
    imported = await ImportService(database, memory.filing, 2).run(
        memory.caller, ImportRequest((folder,), "trigraph")
    )
    assert not imported.refused
    async with projecting_alone(owner):
        await catch_up(owner, graph, lambda rows: None)
    return graph


async def test_each_query_finds_what_the_page_says(demo: Graph) -> None:
    superseded, timeline, grounds = [await demo.read(query) for query in queries_of("docs/neo4j.md")]
    assert ("ADR-0013", "ADR-0005") in {(row["new"], row["old"]) for row in superseded}
    assert [(str(row["since"]), row["status"], row["because"]) for row in timeline] == [
        ("2026-03-24", None, None),
        ("2026-09-15", "Superseded", "ADR-0013"),
    ]
    assert grounds[0]["steps"] == 1
    assert {row["identifier"] for row in grounds} >= {"ADR-0005", "ADR-0006", "ADR-0002"}
    assert all(row["title"] for row in grounds)


async def test_each_query_of_the_readme_finds_what_it_says(demo: Graph) -> None:
    superseded, timeline, around = [await demo.read(query) for query in queries_of("README.md")]
    assert ("2026-09-15", True) in {(str(row["since"]), row[0] != row[1]) for row in superseded}
    assert [(str(row["since"]), row["state.status"]) for row in timeline] == [
        ("2026-03-24", None),
        ("2026-09-15", "Superseded"),
    ]
    assert "ADR-0005" in {row["paper.identifier"] for row in around}
    assert "ADR-0013" not in {row["paper.identifier"] for row in around}
