"""Work that is done at intervals: prune the outbox, and index the vectors of large projects.

Nothing waits for an index: without one a project is searched exactly, which takes longer the larger it is. An
interrupted build is dropped and made again.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from datetime import timedelta
from functools import partial
from typing import TypeAlias

import asyncpg

from app.domain.numbers import ProjectNumber
from app.errors import Unavailable
from app.settings import Settings
from app.stores.event_loop import background_task
from app.stores.postgres import outbox, passage_vectors, vector_indexes
from app.stores.postgres.connection import owner_connection
from app.stores.postgres.location import locate_ledger

Work: TypeAlias = Callable[[str], Awaitable[object]]
"""Does the due work in the ledger at a URL."""

BROKEN = (asyncpg.PostgresError, asyncpg.InterfaceError, asyncpg.InternalClientError)
"""The driver's errors for a broken connection; the last if it breaks between two of its own steps."""

log = logging.getLogger(__name__)


@asynccontextmanager
async def run_periodically(settings: Settings, work: Work, pause: float, failed: str) -> AsyncIterator[None]:
    """Do the work at once and every `pause` seconds during the block; log a failure and go on."""
    location = await locate_ledger(settings)
    try:
        async with background_task(_repeat(location.url, work, pause, failed)):
            yield
    finally:
        await location.close()


async def _repeat(url: str, work: Work, pause: float, failed: str) -> None:
    while True:
        try:
            await work(url)
        except (Unavailable, *BROKEN, OSError) as error:
            log.warning("%s: %s", failed, error)
        await asyncio.sleep(pause)


AGE = timedelta(days=7)
CHANGES_AT_ONCE = 10_000
PRUNE_INTERVAL = 3600.0


async def forget_old_changes(url: str, age: timedelta = AGE) -> int:
    """Delete outbox changes older than `age`, some thousands at a time, and return how many.

    An interruption keeps what was deleted so far. Raises Unavailable if the ledger does not answer.
    """
    forgotten = 0
    async with owner_connection(url) as owner:
        while count := await outbox.forget(owner, age, CHANGES_AT_ONCE):
            forgotten += count
    return forgotten


def prune_outbox_periodically(settings: Settings) -> AbstractAsyncContextManager[None]:
    """Prune the outbox every hour during the block."""
    return run_periodically(settings, forget_old_changes, PRUNE_INTERVAL, "pruning old changes failed")


LARGE = 20_000
INDEX_INTERVAL = 60.0

log = logging.getLogger(__name__)


async def index_large_projects(url: str, at_least: int = LARGE) -> list[str]:
    """Index every project that has `at_least` vectors and no index yet; return their keys.

    Do nothing if this role may not, or another process is indexing; a project that cannot be indexed is
    logged and skipped. Raises Unavailable if the ledger does not answer.
    """
    made = []
    async with owner_connection(url, seconds=None) as owner:
        model = await passage_vectors.embedding_model(owner)
        todo = await vector_indexes.unindexed_projects(owner, at_least)
        if model is None or not todo or not await _may_index(owner, todo):
            return []
        for project, key in todo.items():
            log.info(
                "building an index of the vectors of project %s; until it is ready, queries"
                " compare all of them",
                key,
            )
            try:
                await vector_indexes.create_index(owner, project, model.dimensions)
            except asyncpg.PostgresError as error:
                log.warning("no index was built for the vectors of project %s: %s", key, error)
            else:
                made.append(key)
    return made


async def index_ledger(settings: Settings, at_least: int = LARGE) -> list[str]:
    """Index the large projects of the ledger that the settings name."""
    location = await locate_ledger(settings)
    try:
        return await index_large_projects(location.url, at_least)
    finally:
        await location.close()


async def _may_index(owner: asyncpg.Connection, todo: dict[ProjectNumber, str]) -> bool:
    if not await vector_indexes.may_index(owner):
        log.info(
            "an index would make the search in %s faster, but this database role may not"
            " create one: see `trigraph doctor`",
            ", ".join(todo.values()),
        )
        return False
    return await vector_indexes.lock(owner)


def index_periodically(settings: Settings, at_least: int = LARGE) -> AbstractAsyncContextManager[None]:
    """Index projects that became large, every minute during the block."""
    look = partial(index_large_projects, at_least=at_least)
    return run_periodically(settings, look, INDEX_INTERVAL, "the search for projects without an index failed")
