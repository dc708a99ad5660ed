"""What Trigraph promises on real corpora; run by `make test-corpora`, which names their folder.

Each corpus is ingested once, by the command a person would type, into a home of its own.
"""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys
from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from random import Random
from typing import Any
from uuid import UUID

import bm25s
import numpy as np
import pytest
import Stemmer

from app.domain.recall import LegName, RecallRequest
from app.domain.temporal import EVERYTHING_KNOWN, AsOf
from app.evaluation.judgements import Judged, read_judged
from app.evaluation.scoring import mean, measure, score
from app.services.container import Memory, open_memory
from app.settings import Settings
from app.stores.neo4j.driver import Graph
from app.stores.neo4j.location import locate_graph
from app.stores.neo4j.traversal import Neo4jTraversal
from app.stores.postgres.graph_reader import PostgresTraversal

CORPORA = Path(os.environ["TRIGRAPH_CORPORA"])
Documents = list[dict[str, Any]]


def documents_of(corpus: str) -> Documents:
    with gzip.open(CORPORA / corpus / "docs.jsonl.gz", "rt", encoding="utf-8") as rows:
        return [json.loads(row) for row in rows]


@pytest.fixture(scope="session")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("home")


@pytest.fixture(scope="session")
def trigraph(home: Path) -> Callable[..., subprocess.CompletedProcess[str]]:
    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "app", *arguments],
            env={**os.environ, "TRIGRAPH_HOME": str(home)},
            capture_output=True,
            text=True,
            check=False,
        )

    return run


Trigraph = Callable[..., subprocess.CompletedProcess[str]]


def ingest(trigraph: Trigraph, corpus: str) -> dict[str, Any]:
    documents, states = CORPORA / corpus / "docs.jsonl.gz", CORPORA / corpus / "states.jsonl.gz"
    done = trigraph("ingest", str(documents), "--states", str(states), "--project", corpus, "--json")
    assert done.returncode == 0, done.stderr
    summary: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return summary


@pytest.mark.parametrize(
    ("corpus", "documents", "states"), [("adrs", 269, 398), ("keps", 647, 2087), ("peps", 736, 2119)]
)
def test_every_document_and_every_state_of_it_is_kept_once(
    trigraph: Trigraph, corpus: str, documents: int, states: int
) -> None:
    first = ingest(trigraph, corpus)
    assert (first["filed"], first["unchanged"], first["refused"]) == (documents, 0, [])
    assert (first["statesRecorded"], first["statesUnchanged"]) == (states, 0)
    again = ingest(trigraph, corpus)
    assert (again["filed"], again["unchanged"], again["refused"]) == (0, documents, [])
    assert (again["statesRecorded"], again["statesUnchanged"]) == (0, states)


@pytest.fixture
async def memory(home: Path) -> AsyncIterator[Memory]:
    async with open_memory(Settings(home=home)) as memory:
        yield memory


@pytest.mark.parametrize("query", ["PEP 484", "pep484", "pep-0484", "what is PEP 484"])
async def test_an_identifier_leads_in_every_spelling(memory: Memory, query: str) -> None:
    result = await memory.recall.recall(memory.caller, RecallRequest(query))
    assert result.hits[0].artifact.identifier == "PEP-484"


async def test_recall_answers_the_questions_about_peps(memory: Memory) -> None:
    judged = read_judged(CORPORA / "peps")
    report = await score(memory, judged, 736, lambda: None)
    assert report.forbidden == 0
    assert report.wrong == []
    assert report.answers["status_asof"].asked == 30
    # A document that was superseded stands right below what replaced it, the others stand first.
    assert report.categories["identifier"]["recall@10"] == 1.0
    assert report.categories["identifier"]["mrr"] > 0.9
    assert report.categories["prefer_successor"]["mrr"] == 1.0
    assert report.scores["fused"]["ndcg@10"] > report.scores["lexical"]["ndcg@10"]


async def test_the_dense_leg_is_exact(memory: Memory) -> None:
    """Its order is that of exact cosines over all vectors, computed here without the database's help."""
    async with memory.database.reading(memory.caller.tenant) as connection:
        rows = await connection.fetch(
            "SELECT artifact.identifier, vector FROM embedding JOIN artifact ON number = artifact_number"
            " WHERE artifact.project_id = (SELECT project_id FROM project WHERE key = 'peps')"
        )
    identifiers = np.array([row["identifier"] for row in rows])
    vectors = np.stack([row["vector"].to_numpy().astype(np.float32) for row in rows])
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    judged = [query for query in read_judged(CORPORA / "peps") if query.relevance and not query.as_of]
    report = await score(memory, judged, 736, lambda: None)
    exact = [await _exact(memory, query, identifiers, vectors) for query in judged]
    assert report.scores["dense"]["ndcg@10"] == pytest.approx(mean(exact)["ndcg@10"], abs=0.01)


async def _exact(
    memory: Memory, query: Judged, identifiers: np.ndarray[Any, Any], vectors: np.ndarray[Any, Any]
) -> dict[str, float]:
    cosines = vectors @ await memory.embedder.embed_query(query.text)
    order = dict.fromkeys(identifiers[np.argsort(-cosines, kind="stable")].tolist())
    return measure([found for found in order if found not in query.excluded][:100], query.relevance)


async def test_the_graph_answers_the_same_from_both_stores(
    trigraph: Trigraph, memory: Memory, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Recalls, neighbours and paths, now and at moments of the past."""
    monkeypatch.setenv("TRIGRAPH_NEO4J_URI", "embedded")
    # What is asked is whether both say the same, however slow a busy machine makes one of them.
    monkeypatch.setattr("app.services.graph_connection.MAX_DEADLINE", 30.0)
    settings = Settings(home=home, leg_timeout=60)
    location = await locate_graph(settings)
    assert location is not None
    try:
        done = trigraph("projection", "rebuild")
        assert done.returncode == 0, done.stderr
        judged = read_judged(CORPORA / "peps")[:200]
        async with open_memory(settings) as other:
            for question in judged:
                request = RecallRequest(question.text, as_of=question.as_of)
                now = await memory.recall.recall(memory.caller, request)
                # With a moment that is named, no index of vectors has a say: it may miss one now and then.
                again = replace(request, as_of=now.as_of, known_at=now.known_at)
                told = await other.recall.recall(memory.caller, again)
                expected = await memory.recall.recall(memory.caller, again)
                assert [hit.artifact.id for hit in told.hits] == [hit.artifact.id for hit in expected.hits]
                graph_legs = [leg for leg in told.legs if leg.leg is LegName.GRAPH and leg.candidates]
                assert all(leg.served == "neo4j" for leg in graph_legs)
        async with Graph(location) as graph:
            ledger, neo4j = PostgresTraversal(memory.database), Neo4jTraversal(graph, memory.database)
            for source, target, at in await _pairs(memory, 200):
                near = [
                    await reader.neighbours(
                        memory.caller.tenant, [source], 3, 100, AsOf(at, EVERYTHING_KNOWN)
                    )
                    for reader in (ledger, neo4j)
                ]
                paths = [
                    await reader.path(memory.caller.tenant, source, target, 4, AsOf(at, EVERYTHING_KNOWN))
                    for reader in (ledger, neo4j)
                ]
                assert (near[0], paths[0]) == (near[1], paths[1])
    finally:
        await location.close()


async def _pairs(memory: Memory, count: int) -> list[tuple[UUID, UUID, datetime]]:
    """Return so many pairs of things that references join to others, each with a moment."""
    async with memory.database.reading(memory.caller.tenant) as connection:
        rows = await connection.fetch("SELECT DISTINCT source FROM reference ORDER BY source")
    random = Random(0)
    entities = [row["source"] for row in rows]
    return [
        (*random.sample(entities, 2), datetime(random.randint(2001, 2026), 6, 1, tzinfo=UTC))
        for _ in range(count)
    ]


def test_recall_beats_its_legs_on_scientific_claims(trigraph: Trigraph) -> None:
    done = trigraph("eval", str(CORPORA / "scifact"), "--json")
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout.splitlines()[-1])
    assert (report["documents"], report["queries"], report["forbidden"]) == (5183, 809, 0)
    assert report["scores"]["fused"]["ndcg@10"] >= 0.70
    assert report["scores"]["lexical"]["ndcg@10"] == pytest.approx(_bm25s()["ndcg@10"], abs=0.01)


def _bm25s() -> dict[str, float]:
    """Score the reference implementation on the same text, with English stems and stop words."""
    documents = documents_of("scifact")
    stemmer = Stemmer.Stemmer("english")
    texts = [f"{row['title']}\n{row['body']}" for row in documents]
    index = bm25s.BM25(method="lucene", k1=1.5, b=0.75)
    index.index(
        bm25s.tokenize(texts, stopwords="en", stemmer=stemmer, show_progress=False), show_progress=False
    )
    judged = [query for query in read_judged(CORPORA / "scifact") if query.relevance]
    asked = bm25s.tokenize(
        [query.text for query in judged], stopwords="en", stemmer=stemmer, show_progress=False
    )
    found, _scores = index.retrieve(asked, k=100, show_progress=False)
    return mean(
        [
            measure([documents[place]["id"] for place in places], query.relevance)
            for places, query in zip(found, judged, strict=True)
        ]
    )
