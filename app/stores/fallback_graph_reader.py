"""The graph reader that asks Neo4j first, and Postgres when Neo4j is unavailable or stale."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from time import monotonic
from typing import TypeVar
from uuid import UUID

from app.domain.breadth_first_search import Neighbour
from app.domain.entity import Reference, ReferenceType
from app.domain.numbers import ArtifactNumber, TenantNumber
from app.domain.recall import Proposal
from app.domain.temporal import AsOf
from app.errors import Unavailable
from app.stores.graph_reader import GraphReader
from app.stores.neo4j.driver import refuses_the_query
from app.stores.neo4j.freshness import StaleGraph
from app.stores.neo4j.traversal import Neo4jTraversal
from app.stores.postgres.scope import Scope


class Breaker:
    """Opens after `failures` in a row; every `seconds` it allows one call, and a success closes it."""

    def __init__(
        self, failures: int = 3, seconds: float = 5.0, clock: Callable[[], float] = monotonic
    ) -> None:
        self._most = failures
        self._seconds = seconds
        self._clock = clock
        self._failures = 0
        self._tried_at = 0.0

    @property
    def is_open(self) -> bool:
        """Return whether the breaker blocks calls."""
        return self._failures >= self._most

    def allow_request(self) -> bool:
        """Return whether a call may be made now; the caller then reports success or failure."""
        if not self.is_open:
            return True
        if self._clock() - self._tried_at < self._seconds:
            return False
        self._tried_at = self._clock()
        return True

    def succeed(self) -> None:
        """Record that a call succeeded."""
        self._failures = 0

    def fail(self) -> None:
        """Record that a call failed."""
        self._failures += 1
        self._tried_at = self._clock()


Answer = TypeVar("Answer")
Ask = Callable[[GraphReader], Awaitable[Answer]]

log = logging.getLogger(__name__)


class FallbackGraphReader:
    """A GraphReader that reads from `preferred` while it is available and up to date, else from the ledger.

    A read that fails or takes more than `deadline` seconds is repeated on the ledger in the same request;
    `fallbacks` counts those reads. After a few failures in a row the breaker keeps calls from Neo4j until
    `try_again` succeeds.
    """

    def __init__(self, ledger: GraphReader, deadline: float, breaker: Breaker | None = None) -> None:
        self.preferred: Neo4jTraversal | None = None
        self.fallbacks = 0
        self._ledger = ledger
        self._deadline = deadline
        self._breaker = breaker or Breaker()
        self._problem: str | None = None

    @property
    def is_breaker_open(self) -> bool:
        """Return whether the breaker is open, because Neo4j failed several times in a row."""
        return self._breaker.is_open

    async def try_again(self) -> None:
        """Try Neo4j if the breaker allows it; once Neo4j answers, it is read again.

        No request waits for that. Raises Unavailable when it does not answer.
        """
        if self.preferred is not None and self.is_breaker_open and self._breaker.allow_request():
            await self.preferred.warm_up()
            self._recover()

    async def artifacts_beside(
        self, scope: Scope, anchors: Sequence[UUID], strengths: Mapping[ReferenceType, float], limit: int
    ) -> Proposal:
        """Return what GraphReader specifies; the proposal names the store that served it."""
        return await self._read(lambda graph: graph.artifacts_beside(scope, anchors, strengths, limit))

    async def artifacts_sharing_mentions(
        self, scope: Scope, seeds: Sequence[ArtifactNumber], limit: int
    ) -> Proposal:
        """Return what GraphReader specifies; the proposal names the store that served it."""
        return await self._read(lambda graph: graph.artifacts_sharing_mentions(scope, seeds, limit))

    async def neighbours(
        self, tenant: TenantNumber, entities: Sequence[UUID], depth: int, most: int, moment: AsOf
    ) -> Mapping[UUID, list[Neighbour]]:
        """Return what GraphReader specifies."""
        return await self._read(lambda graph: graph.neighbours(tenant, entities, depth, most, moment))

    async def path(
        self, tenant: TenantNumber, source: UUID, target: UUID, longest: int, moment: AsOf
    ) -> tuple[Reference, ...] | None:
        """Return what GraphReader specifies."""
        return await self._read(lambda graph: graph.path(tenant, source, target, longest, moment))

    async def _read(self, ask: Ask[Answer]) -> Answer:
        graph = self.preferred
        if graph is not None and not self.is_breaker_open:
            try:
                async with asyncio.timeout(self._deadline):
                    answer = await ask(graph)
            except Exception as error:
                self._note(error)
            else:
                self._recover()
                return answer
        self.fallbacks += 1
        return await ask(self._ledger)

    def _note(self, error: Exception) -> None:
        """Record a failure; only one that an absent or slow server would cause counts for the breaker."""
        if isinstance(error, StaleGraph):
            log.debug("reading the graph from Postgres: %s", error.message)
            self._breaker.succeed()
        elif isinstance(error, TimeoutError):
            self._fail(f"Neo4j does not respond within {self._deadline:g} seconds")
        elif isinstance(error, Unavailable) and not refuses_the_query(error):
            self._fail(error.message)
        else:
            log.error("Neo4j cannot run this query", exc_info=error)

    def _fail(self, problem: str) -> None:
        self._breaker.fail()
        if self._problem is None:
            log.warning("reading the graph from Postgres: %s", problem)
        self._problem = problem

    def _recover(self) -> None:
        self._breaker.succeed()
        if self._problem is not None:
            log.info("reading the graph from Neo4j again")
        self._problem = None
