"""The lexical leg answers from blocks what counting every posting in SQL answers, to the last digit."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from random import Random

import asyncpg
import pytest

from app.domain.numbers import TenantNumber
from app.domain.temporal import AsOf
from app.embedding import Embedder
from app.services.container import Memory
from app.stores.postgres.ledger_clock import read_extent
from app.stores.postgres.lexical.block_cache import PostingsCache
from app.stores.postgres.lexical.query_postings import postings_of_terms
from app.stores.postgres.pool import Database
from app.stores.postgres.scope import Scope
from tests.bm25_by_rows import best_by_counting
from tests.conftest import TEMPLATE, Server, memory_on
from tests.packing import pack_all
from tests.services.recall.legs.random_ledger import WORDS, fill, proposed, random_scope
from tests.statements import counted

QUESTIONS = 60
BLOCKS = ("posting_block", "document_block")


@dataclass(frozen=True)
class Filled:
    """A ledger whose blocks the tests take apart, each leaving every answer as it was."""

    memory: Memory
    owner: asyncpg.Connection
    scope: Scope
    recorded: list[datetime]

    async def blocks(self) -> list[list[asyncpg.Record]]:
        """Return every block there is."""
        return [await self.owner.fetch(f"SELECT * FROM {table} ORDER BY 1, 2, 3, 4") for table in BLOCKS]


@pytest.fixture(scope="module")
async def filled(server: Server, embedder: Embedder, tenant: TenantNumber) -> AsyncIterator[Filled]:
    name = await server.create(TEMPLATE)
    owner = await asyncpg.connect(server.url_of(name))
    # Some documents are filed before what 32 bits count comes round, and some after.
    await owner.execute(f"ALTER TABLE artifact ALTER COLUMN number RESTART WITH {2**32 - 300}")
    database = await Database.open(server.url_of(name), size=4)
    memory = memory_on(database, embedder, tenant)
    recorded = await fill(memory, Random(0))
    await owner.execute("ANALYZE")  # what counts is slow by the plans of an empty ledger
    async with database.reading(tenant) as connection:
        extent = await read_extent(connection, tenant, None)
    moment = AsOf(datetime.now(UTC), extent.clock)
    yield Filled(memory, owner, Scope(tenant, extent.projects, moment, sees_everything=True), recorded)
    await database.close()
    await owner.close()
    await server.drop(name)


async def _hold(filled: Filled, seed: int) -> None:
    """Ask at random, and compare with counting."""
    random = Random(seed)
    for _ in range(QUESTIONS):
        scope = random_scope(random, filled.scope, filled.recorded)
        terms = random.sample([*WORDS, "word", "unheardof"], random.randint(1, 5))
        limit = random.choice([1, 10, 1000])
        found = await proposed(filled.memory, scope, terms, limit)
        async with filled.memory.database.reading(scope.tenant) as connection:
            assert found == await best_by_counting(connection, scope, terms, limit)


async def test_every_full_count_of_postings_is_a_block(filled: Filled) -> None:
    for table, counts in zip(BLOCKS, ("term_statistics", "scope_statistics"), strict=True):
        expected = await filled.owner.fetchval(f"SELECT sum(documents / 240) FROM {counts}")
        assert await filled.owner.fetchval(f"SELECT count(*) FROM {table}") == expected > 2


@pytest.mark.parametrize("seed", range(4))
async def test_blocks_and_rows_together_answer_what_counting_answers(filled: Filled, seed: int) -> None:
    await _hold(filled, seed)


async def test_a_question_takes_two_statements_and_one_of_the_past_three(filled: Filled) -> None:
    for expected, scope in ((2, filled.scope), (3, replace(filled.scope, sees_everything=False))):
        async with counted(filled.memory.database) as statements:
            await proposed(filled.memory, scope, WORDS, 100)
        assert len(statements) == expected


async def test_a_full_block_is_read_once(filled: Filled) -> None:
    at_hand = PostingsCache()
    async with filled.memory.database.reading(filled.scope.tenant) as connection:
        first = await postings_of_terms(connection, at_hand, filled.scope, WORDS)
        pieces_of_terms = [[each.artifacts.tolist() for each in pieces] for pieces in first.unpack()]
        again = await postings_of_terms(connection, at_hand, filled.scope, WORDS)
    assert any(block["is_full"] for block in first.blocks)
    assert not any(block["is_full"] for block in again.blocks)
    assert len(again) == len(first)
    assert sorted(map(sorted, pieces_of_terms)) == sorted(
        sorted(each.artifacts.tolist() for each in pieces) for pieces in again.unpack()
    )


async def test_blocks_that_are_missing_or_made_later_change_no_answer(filled: Filled) -> None:
    """What no block holds is read as rows, and a ledger that has none is packed alike."""
    whole = await filled.blocks()
    for table, key in zip(BLOCKS, ("term, project_id", "project_id"), strict=True):
        await filled.owner.execute(
            f"DELETE FROM {table} WHERE (last_number, {key})"
            f" IN (SELECT max(last_number), {key} FROM {table} GROUP BY {key})"
        )
    await _hold(filled, 5)
    await filled.owner.execute("TRUNCATE posting_block, document_block")
    await pack_all(filled.owner)
    assert await filled.blocks() == whole
    await _hold(filled, 6)
