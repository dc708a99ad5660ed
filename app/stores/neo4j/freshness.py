"""Whether the graph may be read in place of the ledger: it is a copy of it that has come far enough."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine, Iterable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from time import monotonic
from typing import Any, LiteralString, TypeAlias

from neo4j import Record

from app.errors import Unavailable
from app.stores.named_blocks import cypher_blocks
from app.stores.neo4j.driver import Ask, Graph
from app.stores.postgres.outbox import Head, head_of_tenant
from app.stores.postgres.pool import Database

CYPHER = cypher_blocks(__file__)

WAIT_SECONDS = 0.05  # seconds; what was just written is mostly there by then
_PAUSE = 0.005
_NO_COPY = "the graph is no copy of the ledger yet"

Question: TypeAlias = Callable[[LiteralString, dict[str, Any]], Coroutine[Any, Any, list[Any]]]
"""Puts a query that returns one list, `told`, and answers that list."""


class StaleGraph(Unavailable):
    """The graph answers, but is no copy of the ledger as it is now."""


@dataclass(frozen=True, slots=True)
class _Reached:
    """How far the graph has come; `generation` is another one each time it is filled anew."""

    generation: str
    position: int
    mark: str | None

    def covers(self, other: _Reached) -> bool:
        return self.generation == other.generation and self.position >= other.position


class FreshnessGate:
    """Lends what asks the graph while that says of a tenant what the ledger does."""

    def __init__(self, graph: Graph, database: Database) -> None:
        self._graph = graph
        self._database = database
        self._seen: _Reached | None = None
        self._settled: _Reached | None = None
        self._settling = asyncio.Lock()
        self._waits = True

    @asynccontextmanager
    async def reading(self, tenant: int) -> AsyncIterator[tuple[Question, datetime]]:
        """Yield what asks, and the transaction time up to which it sees all of the tenant's ledger.

        Whatever is recorded later may be seen or not. Raises Behind when the graph is of another ledger or
        does not catch up at once, and where something is asked of it that was filled anew meanwhile.
        """
        async with self._graph.asking() as ask:
            needed, known = await self._needed(ask, tenant)
            if self._settled is None or not self._settled.covers(needed):
                await self._reach(ask, await self._look(ask), needed)
                await self._settle(needed)

            async def question(query: LiteralString, parameters: dict[str, Any]) -> list[Any]:
                record = _only(await ask(_told_with_checkpoint(query), parameters))
                self._seen = seen = _reached(record)
                if record["generationAfter"] != needed.generation or not seen.covers(needed):
                    raise StaleGraph("the graph is being filled anew")
                told: list[Any] = record["told"]
                return told

            yield question, known

    async def try_out(self, asked: Iterable[tuple[LiteralString, dict[str, Any]]]) -> None:
        """Ask something of which the answer is worth nothing, as `reading` would, and wait however long."""
        async with self._graph.asking() as ask:
            with suppress(StaleGraph):
                await self._look(ask)
                await self._look_settled()
            for query, parameters in asked:
                await ask(_told_with_checkpoint(query), parameters)

    async def _needed(self, ask: Ask, tenant: int) -> tuple[_Reached, datetime]:
        """Return how far the graph has to be, by what it was seen to be last, or now if that is outdated."""
        seen = self._seen
        head = None if seen is None else await self._head(tenant, seen)
        if seen is None or head is None or not head.has_change:
            seen = await self._look(ask)
            head = await self._head(tenant, seen)
        if not head.has_change:
            raise StaleGraph("the graph is a copy of another ledger; run `trigraph project rebuild`")
        return _Reached(seen.generation, head.position, None), head.clock

    async def _look(self, ask: Ask) -> _Reached:
        self._seen = _reached(_only(await ask(CYPHER["checkpoint"], {})))
        return self._seen

    async def _head(self, tenant: int, seen: _Reached) -> Head:
        async with self._database.reading(tenant) as connection:
            return await head_of_tenant(connection, tenant, seen.position, seen.mark)

    async def _reach(self, ask: Ask, seen: _Reached, needed: _Reached) -> None:
        """Wait a moment for what is needed, and after that was in vain not again before it was there."""
        deadline = monotonic() + WAIT_SECONDS
        while not seen.covers(needed):
            if not self._waits or monotonic() > deadline or seen.generation != needed.generation:
                self._waits = False
                raise StaleGraph(f"the graph is at {seen.position}, and the ledger at {needed.position}")
            await asyncio.sleep(_PAUSE)
            seen = await self._look(ask)
        self._waits = True

    async def _settle(self, needed: _Reached) -> None:
        """Make sure that what is needed is in place as a whole.

        Neo4j shows parts of a transaction, the position among them, while it puts the rest in place. Who
        writes holds the node of the position until then.
        """
        async with self._settling:
            if self._settled is None or not self._settled.covers(needed):
                self._settled = await self._look_settled()
            if not self._settled.covers(needed):
                raise StaleGraph("the graph is being filled anew")

    async def _look_settled(self) -> _Reached:
        return _reached(_only(await self._graph.write(CYPHER["settled_checkpoint"])))


@cache
def _told_with_checkpoint(query: LiteralString) -> LiteralString:
    return CYPHER["answer_of_checkpoint"].replace("RETURN [] AS told", query.removesuffix(";"))


def _only(records: list[Record]) -> Record:
    if not records:
        raise StaleGraph(_NO_COPY)
    return records[0]


def _reached(record: Record) -> _Reached:
    if not record["isCleared"]:
        raise StaleGraph(_NO_COPY)
    return _Reached(record["generation"], record["position"], record["mark"])
