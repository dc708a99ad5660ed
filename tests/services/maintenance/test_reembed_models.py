"""A ledger and an encoder of different widths never work together, and say so at once."""

from __future__ import annotations

from collections.abc import Sequence

import asyncpg
import numpy as np
import pytest
from httpx2 import AsyncClient

from app.domain.numbers import TenantNumber
from app.embedding import Embedder, Vector, Vectors
from app.errors import Conflict
from app.main import create_app
from app.services import container as opening
from app.services.container import Memory
from app.settings import Settings
from tests.conftest import memory_on
from tests.documents import adr, ask, file, identifiers
from tests.e2e.serving import served

WIDER = 768
BOTH = r"384 dimensions.*768 dimensions"
FILE = """
mutation {
  fileArtifact(input: {kind: "ADR", body: "# ADR-2: Another\\n\\nText."}) {
    created artifact { id } problems { code message }
  }
}
"""


class Twice:
    """The real encoder with each vector said twice, at length 1 again: a model of another width."""

    name = "all-MiniLM-L6-v2, twice"
    dimensions = WIDER

    def __init__(self, single: Embedder) -> None:
        self._single = single
        self.longest_passage = single.longest_passage
        self.fingerprint = f"twice {single.fingerprint}"
        self.piece_offsets = single.piece_offsets

    async def embed_query(self, text: str) -> Vector:
        return _twice(await self._single.embed_query(text))

    async def embed_passages(self, texts: Sequence[str]) -> Vectors:
        return _twice(await self._single.embed_passages(texts))

    async def close(self) -> None:
        """Leave the real one open."""


def _twice(vectors: Vectors) -> Vectors:
    twice: Vectors = (np.concatenate([vectors, vectors], axis=-1) / np.sqrt(2)).astype(np.float32)
    return twice


@pytest.fixture
def wider(embedder: Embedder, monkeypatch: pytest.MonkeyPatch) -> Embedder:
    """A wider model, which every service that opens now is configured with."""
    twice = Twice(embedder)
    monkeypatch.setattr(opening, "open_embedder", lambda settings: twice)
    return twice


async def _filed(owner: asyncpg.Connection) -> list[str]:
    rows = await owner.fetch("SELECT identifier FROM artifact ORDER BY number")
    return [row["identifier"] for row in rows]


async def test_vec_08_a_service_of_another_width_does_not_start(
    memory: Memory, wider: Embedder, database_url: str
) -> None:
    """VEC-08: it names both numbers and what to do."""
    await file(memory, adr(1, "Queue"))
    app = create_app(Settings(database_url=database_url))
    with pytest.raises(Conflict, match=f"{BOTH}.*trigraph reembed"):
        async with app.router.lifespan_context(app):
            raise AssertionError("it started")


async def test_vec_08_a_service_that_runs_turns_red_and_files_nothing_without_its_vector(
    memory: Memory, wider: Embedder, database_url: str, owner: asyncpg.Connection
) -> None:
    """VEC-08: as when somebody files with another model meanwhile."""
    app = create_app(Settings(database_url=database_url, pool_size=4))
    with served(app, starts=True) as address:
        async with AsyncClient(base_url=address, timeout=30) as client:
            assert (await client.get("/readyz")).status_code == 200
            await file(memory, adr(1, "Queue"))
            red = await client.get("/readyz")
            assert red.status_code == 503
            (reason,) = red.json()["reasons"]
            assert "384 dimensions" in reason
            assert "768 dimensions" in reason
            answer = (await client.post("/graphql", json={"query": FILE})).json()["data"]["fileArtifact"]
    assert (answer["created"], answer["artifact"]) == (False, None)
    (problem,) = answer["problems"]
    assert problem["code"] == "CONFLICT"
    assert "384 dimensions" in problem["message"]
    assert await _filed(owner) == ["ADR-1"]


async def test_vec_08_a_wider_model_has_a_ledger_of_its_own(
    wider: Embedder, memory: Memory, tenant: TenantNumber, owner: asyncpg.Connection
) -> None:
    """VEC-08: any width is kept, and one ledger has one."""
    wide = memory_on(memory.database, wider, tenant)
    await file(wide, adr(1, "Queue"))
    assert identifiers(await ask(wide, "queue")) == ["ADR-1"]
    assert await owner.fetchval("SELECT DISTINCT vector_dims(vector) FROM embedding") == WIDER
    with pytest.raises(Conflict, match=r"768 dimensions.*384 dimensions"):
        await file(memory, adr(2, "Another"))
    assert await _filed(owner) == ["ADR-1"]
