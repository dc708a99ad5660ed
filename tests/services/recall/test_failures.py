"""A leg that breaks or is late costs its own answers, never the others'."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import asyncpg
import pytest

from app.domain.numbers import TenantNumber
from app.domain.recall import LegName, RecallResult, StateFlag
from app.embedding import Embedder, Vector, Vectors
from app.errors import Unavailable
from app.services.container import Memory
from app.stores.postgres.pool import Database
from tests.conftest import memory_on
from tests.documents import adr, ask, file, identifiers

DOCUMENTS = [adr(1, "Retry budget for clients"), adr(2, "Colour of the bicycle shed")]


class BrokenEmbedder:
    """Reads passages as the real one does, and fails or dawdles over every query."""

    def __init__(self, real: Embedder, seconds: float = 0.0) -> None:
        self._real = real
        self._seconds = seconds
        self.name = real.name
        self.fingerprint = real.fingerprint
        self.dimensions = real.dimensions
        self.longest_passage = real.longest_passage
        self.piece_offsets = real.piece_offsets

    async def embed_query(self, text: str) -> Vector:
        if self._seconds:
            await asyncio.sleep(self._seconds)
        raise Unavailable("the encoder is out of order")

    async def embed_passages(self, texts: Sequence[str]) -> Vectors:
        return await self._real.embed_passages(texts)

    async def close(self) -> None:
        """Leave the real one open."""


def _problems(result: RecallResult) -> dict[LegName, str | None]:
    return {ranking.leg: ranking.problem for ranking in result.legs}


async def test_an_encoder_out_of_order_leaves_the_other_legs(
    database: Database, embedder: Embedder, tenant: TenantNumber
) -> None:
    memory = memory_on(database, BrokenEmbedder(embedder), tenant)
    for document in DOCUMENTS:
        await file(memory, document)
    result = await ask(memory, "retry budget")
    assert identifiers(result) == ["ADR-1"]
    assert _problems(result)[LegName.DENSE] == "the encoder is out of order"
    assert result.advisories == ("DENSE did not respond: the encoder is out of order",)


async def test_an_encoder_that_dawdles_makes_the_dense_leg_late(
    database: Database, embedder: Embedder, tenant: TenantNumber
) -> None:
    memory = memory_on(database, BrokenEmbedder(embedder, seconds=60.0), tenant, leg_deadline=2.0)
    for document in DOCUMENTS:
        await file(memory, document)
    result = await ask(memory, "retry budget")
    assert identifiers(result) == ["ADR-1"]
    assert _problems(result)[LegName.DENSE] == "late: no result within 2 seconds"


@pytest.mark.parametrize(
    ("table", "leg"),
    [("embedding", LegName.DENSE), ("posting", LegName.LEXICAL), ("mention", LegName.GRAPH)],
)
async def test_a_leg_without_its_table_is_reported_and_the_others_answer(
    memory: Memory, owner: asyncpg.Connection, table: str, leg: LegName
) -> None:
    """OUT-09: never a plain empty success."""
    for document in DOCUMENTS:
        await file(memory, document)
    await owner.execute(f"REVOKE SELECT ON {table} FROM trigraph_service")
    result = await ask(memory, "retry budget")
    assert identifiers(result)[0] == "ADR-1"
    assert result.hits[0].passage.text
    assert {name for name, problem in _problems(result).items() if problem} == {leg}
    assert result.advisories


async def test_a_failed_leg_takes_no_part_in_the_scores(memory: Memory, owner: asyncpg.Connection) -> None:
    for document in DOCUMENTS:
        await file(memory, document)
    await owner.execute("REVOKE SELECT ON posting FROM trigraph_service")
    result = await ask(memory, "retry budget")
    legs = {share.leg for hit in result.hits for share in hit.contributions}
    assert legs == {LegName.DENSE, LegName.RECENCY}


async def test_vectors_of_another_model_are_not_compared(
    database: Database, embedder: Embedder, tenant: TenantNumber, owner: asyncpg.Connection
) -> None:
    """As when somebody makes them again while this service runs."""
    memory = memory_on(database, embedder, tenant)
    for document in DOCUMENTS:
        await file(memory, document)
    await owner.execute("UPDATE embedding_model SET fingerprint = 'another'")
    result = await ask(memory, "retry budget")
    assert identifiers(result) == ["ADR-1"]
    problem = _problems(result)[LegName.DENSE]
    assert problem is not None
    assert "trigraph reembed" in problem


@pytest.mark.parametrize(
    "damage",
    [
        "DELETE FROM passage WHERE artifact_number = $1",
        "DELETE FROM artifact WHERE number = $1",
        "UPDATE artifact SET domain = 'NOWHERE' WHERE number = $1",
    ],
)
@pytest.mark.parametrize("flags", [None, (StateFlag.CURRENT,)])
async def test_a_damaged_document_is_left_out_and_the_others_are_found(
    memory: Memory, owner: asyncpg.Connection, damage: str, flags: tuple[StateFlag, ...] | None
) -> None:
    filed = [await file(memory, adr(number, "Retry budget", f"Text {number}.")) for number in (1, 2, 3)]
    await owner.execute("SET session_replication_role = replica")
    await owner.execute(damage, filed[1].artifact.number)
    await owner.execute("SET session_replication_role = origin")
    result = await ask(memory, "retry budget", flags=flags or ())
    assert sorted(filter(None, identifiers(result))) == ["ADR-1", "ADR-3"]
    assert [hit.rank for hit in result.hits] == [1, 2]
    assert any("1 document is left out" in advisory for advisory in result.advisories)
