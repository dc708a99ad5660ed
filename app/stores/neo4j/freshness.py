"""Decide whether the graph is fresh enough to be read instead of the ledger."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine, Iterable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from functools import cache
from time import monotonic
from typing import Any, LiteralString, TypeAlias

from neo4j import Record

from app.domain.numbers import TenantNumber
from app.errors import Unavailable
from app.stores.named_blocks import cypher_blocks
from app.stores.neo4j.driver import Ask, Graph
from app.stores.postgres.outbox import TenantPosition, tenant_position
from app.stores.postgres.pool import Database

CYPHER = cypher_blocks(__file__)

WAIT_SECONDS = 0.05  # seconds; what was just written is mostly there by then
_PAUSE = 0.005
_NO_COPY = "the graph is not a copy of the ledger yet"

Question: TypeAlias = Callable[[LiteralString, dict[str, Any]], Coroutine[Any, Any, list[Any]]]
"""Runs a query that returns one list, `found`, and returns that list."""


class StaleGraph(Unavailable):
    """The graph is available, but is not a current copy of the ledger."""


@dataclass(frozen=True, slots=True)
class _GraphPosition:
    """The position of the graph; `generation` changes each time the graph is filled anew."""

    generation: str
    position: int
    mark: str | None

    def covers(self, other: _GraphPosition) -> bool:
        return self.generation == other.generation and self.position >= other.position


class FreshnessGate:
    """Allows reads of the graph while it agrees with the ledger about a tenant."""

    def __init__(self, graph: Graph, database: Database) -> None:
        self._graph = graph
        self._database = database
        self._seen: _GraphPosition | None = None
        self._settled: _GraphPosition | None = None
        self._settling = asyncio.Lock()
        self._waits = True

    @asynccontextmanager
    async def reading(self, tenant: TenantNumber) -> AsyncIterator[Question]:
        """Yield a query function, which sees all that the tenant's ledger holds now.

        Later records may be seen or not. Raises StaleGraph when the graph belongs to another ledger or does
        not catch up at once; the query function raises it if the graph was filled anew meanwhile.
        """
        async with self._graph.asking() as ask:
            needed = await self._needed(ask, tenant)
            if self._settled is None or not self._settled.covers(needed):
                await self._reach(ask, await self._look(ask), needed)
                await self._settle(needed)

            async def question(query: LiteralString, parameters: dict[str, Any]) -> list[Any]:
                record = _only(await ask(_with_checkpoint(query), parameters))
                self._seen = seen = _position_of(record)
                if record["generationAfter"] != needed.generation or not seen.covers(needed):
                    raise StaleGraph("the graph is being rebuilt")
                found: list[Any] = record["found"]
                return found

            yield question

    async def try_out(self, asked: Iterable[tuple[LiteralString, dict[str, Any]]]) -> None:
        """Run queries as `reading` would, without a time limit, and ignore their results."""
        async with self._graph.asking() as ask:
            with suppress(StaleGraph):
                await self._look(ask)
                await self._look_settled()
            for query, parameters in asked:
                await ask(_with_checkpoint(query), parameters)

    async def _needed(self, ask: Ask, tenant: TenantNumber) -> _GraphPosition:
        """Return the position that the graph must have reached, looking at the graph again if necessary."""
        seen = self._seen
        current = None if seen is None else await self._tenant_position(tenant, seen)
        if seen is None or current is None or not current.has_change:
            seen = await self._look(ask)
            current = await self._tenant_position(tenant, seen)
        if not current.has_change:
            raise StaleGraph("the graph is a copy of another ledger; run `trigraph projection rebuild`")
        return _GraphPosition(seen.generation, current.position, None)

    async def _look(self, ask: Ask) -> _GraphPosition:
        self._seen = _position_of(_only(await ask(CYPHER["checkpoint"], {})))
        return self._seen

    async def _tenant_position(self, tenant: TenantNumber, seen: _GraphPosition) -> TenantPosition:
        async with self._database.reading(tenant) as connection:
            return await tenant_position(connection, tenant, seen.position, seen.mark)

    async def _reach(self, ask: Ask, seen: _GraphPosition, needed: _GraphPosition) -> None:
        """Wait briefly for the needed position; after a wait in vain, wait again only once it was reached."""
        deadline = monotonic() + WAIT_SECONDS
        while not seen.covers(needed):
            if not self._waits or monotonic() > deadline or seen.generation != needed.generation:
                self._waits = False
                raise StaleGraph(f"the graph is at {seen.position}, and the ledger at {needed.position}")
            await asyncio.sleep(_PAUSE)
            seen = await self._look(ask)
        self._waits = True

    async def _settle(self, needed: _GraphPosition) -> None:
        """Make sure that the needed transaction is completely applied.

        Neo4j may show part of a transaction, the position included, while it applies the rest. The writer
        holds a lock on the position's node until then.
        """
        async with self._settling:
            if self._settled is None or not self._settled.covers(needed):
                self._settled = await self._look_settled()
            if not self._settled.covers(needed):
                raise StaleGraph("the graph is being rebuilt")

    async def _look_settled(self) -> _GraphPosition:
        return _position_of(_only(await self._graph.write(CYPHER["settled_checkpoint"])))


@cache
def _with_checkpoint(query: LiteralString) -> LiteralString:
    return CYPHER["answer_of_checkpoint"].replace("RETURN [] AS found", query.removesuffix(";"))


def _only(records: list[Record]) -> Record:
    if not records:
        raise StaleGraph(_NO_COPY)
    return records[0]


def _position_of(record: Record) -> _GraphPosition:
    if not record["isCleared"]:
        raise StaleGraph(_NO_COPY)
    return _GraphPosition(record["generation"], record["position"], record["mark"])
