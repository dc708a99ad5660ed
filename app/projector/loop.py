"""The loop that keeps the graph a copy of the ledger."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass
from datetime import datetime
from time import monotonic
from typing import NoReturn, Self

import asyncpg
from neo4j.exceptions import AuthError, ClientError

from app.domain.projection import Checkpoint
from app.domain.temporal import from_microseconds
from app.errors import TrigraphError, Unavailable
from app.projector.sync import Watch, catch_up, prepare
from app.settings import Settings
from app.stores.event_loop import background_task
from app.stores.neo4j.driver import Graph
from app.stores.neo4j.projection import ConcurrentProjector, checkpoint_of, failure_of, note_failure
from app.stores.neo4j.shared_connection import GraphLink
from app.stores.postgres import outbox
from app.stores.postgres.connection import owner_connection
from app.stores.postgres.errors import translate_error
from app.stores.postgres.location import LedgerLocation, locate_ledger
from app.stores.postgres.migrate import check
from app.stores.postgres.outbox import CHANNEL, ledger_of, projecting_alone


class Stores:
    """The ledger and the graph that the settings name; an embedded server that died is started again.

    The graph is reached through `link` if the process already has one, which its owner closes.
    """

    def __init__(self, settings: Settings, link: GraphLink | None = None) -> None:
        self._settings = settings
        self._opened = AsyncExitStack()
        self._location: LedgerLocation | None = None
        self._link = link

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._opened.aclose()

    @asynccontextmanager
    async def ledger(self) -> AsyncIterator[asyncpg.Connection]:
        """Yield a connection as the ledger's owner, who sees every tenant.

        Raises Unavailable when the database does not answer, Conflict when it is not migrated.
        """
        if self._location is None:
            self._location = await locate_ledger(self._settings)
            self._opened.push_async_callback(self._location.close)
        elif self._location.embedded is not None:
            await asyncio.to_thread(self._location.embedded.keep_running)
        await check(self._location.url)
        async with owner_connection(self._location.url, seconds=None) as owner:
            yield owner

    async def graph(self) -> Graph:
        """Return the graph; raise Unavailable when an embedded one cannot start, Invalid if there is none."""
        if self._link is None:
            self._link = await self._opened.enter_async_context(GraphLink(self._settings))
        return await self._link.open()


@dataclass(frozen=True, slots=True)
class ProjectionStatus:
    """The graph's position, the ledger's, and the recorded reason why projection fails, if any.

    `position` is None if the graph is not a copy of this ledger.
    """

    position: int | None
    ledger_position: int
    behind: int
    failure: str | None = None
    failed_at: datetime | None = None


async def read_standing(owner: asyncpg.Connection, graph: Graph) -> ProjectionStatus:
    """Return the projection's status; raise Unavailable when Neo4j does not answer."""
    checkpoint = await checkpoint_of(graph)
    last, _ = await outbox.outbox_position(owner)
    if checkpoint is None:
        return ProjectionStatus(None, last, await outbox.count_after(owner, 0))
    if checkpoint.ledger != await outbox.ledger_of(owner):
        other = "the graph is a copy of another ledger; run `trigraph projection rebuild` to replace it"
        return ProjectionStatus(None, last, await outbox.count_after(owner, 0), other)
    behind = await outbox.count_after(owner, checkpoint.position)
    failure = await failure_of(graph)
    if failure is None:
        return ProjectionStatus(checkpoint.position, last, behind)
    return ProjectionStatus(checkpoint.position, last, behind, failure.reason, from_microseconds(failure.at))


def is_outage(error: Exception) -> bool:
    """Return whether a failure may disappear without a change of this program or its data.

    An absent, starting, overloaded or closed server may recover. A refused statement stays refused.
    """
    if isinstance(error, Unavailable):
        refused = isinstance(error.__cause__, ClientError) and not isinstance(error.__cause__, AuthError)
        return not refused
    if isinstance(error, asyncpg.PostgresError):
        return isinstance(translate_error(error), Unavailable)
    return isinstance(error, asyncpg.InterfaceError | asyncpg.InternalClientError | OSError | TimeoutError)


POLL_INTERVAL = 5.0
"""The longest delay of a change for which no notification arrived."""

STARTING = "the projection is starting: it has not caught up with the ledger yet"

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Backoff:
    """The first and the longest wait after a failure, in seconds; each wait is twice the previous one."""

    first: float = 0.5
    longest: float = 30.0


class Projector:
    """Projects each change soon after its commit, until it is cancelled or fails permanently.

    `position` is the graph's position, None until it is read. `failure` is why the last attempt failed, None
    after a success. `is_stopped` means that there will be no further attempt. `failures` counts the failed
    attempts, and `succeeded_at` is the time of the last success, by time.monotonic.
    """

    def __init__(
        self,
        settings: Settings,
        link: GraphLink | None = None,
        watch: Watch = lambda rows: None,
        backoff: Backoff | None = None,
    ) -> None:
        self.position: int | None = None
        self.failure: str | None = None
        self.is_stopped = False
        self.failures = 0
        self.succeeded_at: float | None = None
        self._settings = settings
        self._link = link
        self._watch = watch
        self._backoff = backoff or Backoff()
        self._pause = self._backoff.first
        self._ledger: str | None = None

    @property
    def why_not(self) -> str | None:
        """Why the graph is not projected now: the failure, or that no attempt has ended; None if it is."""
        return STARTING if self.failure is None and self.position is None else self.failure

    async def run(self) -> None:
        """Project until cancelled; retry after outages, and report and stop after any other failure."""
        async with Stores(self._settings, self._link) as stores:
            while True:
                try:
                    await self._follow(stores)
                except ConcurrentProjector:
                    continue
                except Exception as error:
                    if not is_outage(error):
                        await self._stop(stores, error)
                        return
                    self._note(_message(error))
                await asyncio.sleep(self._pause)
                self._pause = min(2 * self._pause, self._backoff.longest)

    async def _follow(self, stores: Stores) -> NoReturn:
        """Project all changes, and again after each new change."""
        async with stores.ledger() as owner:
            graph = await stores.graph()
            changed = asyncio.Event()
            await owner.add_listener(CHANNEL, lambda *_: changed.set())
            owner.add_termination_listener(lambda *_: changed.set())
            self._ledger = await ledger_of(owner)
            async with projecting_alone(owner):
                await prepare(owner, graph)
                checkpoint = await catch_up(owner, graph, self._watch)
                await note_failure(graph, self._ledger, None)
                self._succeed(checkpoint)
            while True:
                changed.clear()
                async with projecting_alone(owner):
                    self._succeed(await catch_up(owner, graph, self._watch))
                with suppress(TimeoutError):
                    await asyncio.wait_for(changed.wait(), POLL_INTERVAL)

    def _succeed(self, checkpoint: Checkpoint) -> None:
        if self.failure is not None:
            log.info("projecting the graph again, up to %s", checkpoint.position)
        self.position, self.failure, self._pause = checkpoint.position, None, self._backoff.first
        self.succeeded_at = monotonic()

    def _note(self, failure: str) -> None:
        if failure != self.failure:
            log.warning("projecting the graph failed: %s", failure)
        self.failure = failure
        self.failures += 1

    async def _stop(self, stores: Stores, error: Exception) -> None:
        self.failure, self.is_stopped = _message(error), True
        self.failures += 1
        trace = None if isinstance(error, TrigraphError) else error
        log.error("the projection stopped: %s", self.failure, exc_info=trace)
        if self._ledger is not None:
            with suppress(TrigraphError):
                await note_failure(await stores.graph(), self._ledger, self.failure)


def _message(error: Exception) -> str:
    return error.message if isinstance(error, TrigraphError) else f"{type(error).__name__}: {error}"


@asynccontextmanager
async def project_in_background(settings: Settings, link: GraphLink) -> AsyncIterator[Projector | None]:
    """Project in the background during the block if the settings name a graph; do not delay the block."""
    if settings.neo4j_uri is None:
        yield None
        return
    projector = Projector(settings, link)
    async with background_task(projector.run()):
        yield projector
