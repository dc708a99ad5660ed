"""Synthetic vectors are like real ones, and leave the rest of the ledger as filing leaves it."""

from __future__ import annotations

from dataclasses import replace
from itertools import islice
from random import Random

import asyncpg
import numpy as np

from app.benchmark.corpus import made_of, read_corpus
from app.benchmark.environment import SyntheticEmbedder
from app.domain.artifact import Document
from app.embedding import Embedder
from app.services.container import Memory
from tests.documents import file

TEXTS = ["Workers read one queue.", "The bicycle shed is painted blue.", "Backups are taken every night."]
SAME_IN_BOTH = {
    "artifact": "identifier, title, body, created_at, content_hash, term_count",
    "passage": "ordinal, heading, text, tokens",
    "posting": "term, frequency, term_count",
    "term_statistics": "term, documents",
    "entity_state": "branch, valid_from, valid_until, props",
    "reference": "type, valid_from, valid_until, occurrences",
    "mention": "surface_form, occurrences",
    "embedding": "ordinal, created_at, vector_dims(vector)",
}
OWNED = {
    "passage": "artifact_number IN (SELECT number FROM artifact WHERE artifact.project_id = $1)",
    "mention": "artifact IN (SELECT id FROM artifact WHERE artifact.project_id = $1)",
    "entity_state": "entity IN (SELECT id FROM entity WHERE entity.project_id = $1)",
}


async def test_mixtures_are_unit_vectors_seeded_by_their_text(embedder: Embedder) -> None:
    real = await embedder.embed_passages(TEXTS)
    mixing = SyntheticEmbedder(embedder, real)
    made = await mixing.embed_passages([*(str(number) for number in range(50)), "7"])
    assert np.allclose(np.linalg.norm(made, axis=1), 1)
    assert made.dtype == np.float32
    assert (made[7] == made[-1]).all()
    assert len({vector.tobytes() for vector in made}) == 50
    assert (made @ real.T).max(axis=1).min() > 0.5
    assert (await mixing.embed_query("queue") == await embedder.embed_query("queue")).all()


async def test_a_document_with_synthetic_vectors_is_filed_as_any_other(
    memory: Memory, owner: asyncpg.Connection
) -> None:
    real = await memory.embedder.embed_passages(TEXTS)
    mixing = replace(memory, embedder=SyntheticEmbedder(memory.embedder, real))
    for document in documents():
        await file(memory, document, "encoded")
        await file(mixing, document, "mixed")
    for table, columns in SAME_IN_BOTH.items():
        assert (found := await rows_of(owner, table, columns, "mixed")), table
        assert found == await rows_of(owner, table, columns, "encoded"), table


def documents() -> list[Document]:
    random = Random(1)
    bodies = islice(read_corpus(10, None).bodies(), 10)
    return [made_of(body, number, 10, random) for number, body in enumerate(bodies, start=1)]


async def rows_of(owner: asyncpg.Connection, table: str, columns: str, project: str) -> list[str]:
    """Return the columns of a project's rows, in an order of their own."""
    number = await owner.fetchval("SELECT project_id FROM project WHERE key = $1", project)
    where = OWNED.get(table, "project_id = $1")
    found = await owner.fetch(f"SELECT {columns} FROM {table} WHERE {where}", number)
    return sorted(repr(tuple(row.values())) for row in found)
