"""Index the vectors of large projects in the background, from any process that files or serves.

Nothing waits for an index: without one a project is searched exactly, which takes longer the larger it is. An
interrupted build is dropped and made again.
"""

from __future__ import annotations

import logging
from contextlib import AbstractAsyncContextManager
from functools import partial

import asyncpg

from app.domain.numbers import ProjectNumber
from app.services.maintenance.periodic import run_periodically
from app.settings import Settings
from app.stores.postgres import passage_vectors, vector_indexes
from app.stores.postgres.connection import owner_connection
from app.stores.postgres.location import locate_ledger

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
