"""Indexes over the vectors of large projects: made in the background by whoever files or serves.

Nothing waits for one: until it is there, and where this role may make none, a project is searched exactly,
which takes longer the larger it is. A build that was cut off is dropped and made again.
"""

from __future__ import annotations

import logging
from contextlib import AbstractAsyncContextManager
from functools import partial

import asyncpg

from app.services.maintenance.periodic import run_periodically
from app.settings import Settings
from app.stores.postgres import passage_vectors, vector_indexes
from app.stores.postgres.connection import owner_connection
from app.stores.postgres.location import locate_ledger

LARGE = 20_000
INDEX_INTERVAL = 60.0

log = logging.getLogger(__name__)


async def index_large_projects(url: str, at_least: int = LARGE) -> list[str]:
    """Index every project with so many vectors and no index yet; answer their keys.

    Does nothing when this role may not, or somebody else does it at the moment; a project that cannot be
    indexed is logged and left. Raises Unavailable when the ledger does not answer.
    """
    made = []
    async with owner_connection(url, seconds=None) as owner:
        model = await passage_vectors.embedding_model(owner)
        todo = await vector_indexes.unindexed_projects(owner, at_least)
        if model is None or not todo or not await _may_index(owner, todo):
            return []
        for project, key in todo.items():
            log.info("indexing the vectors of project %s; until that is done they are all looked at", key)
            try:
                await vector_indexes.create_index(owner, project, model.dimensions)
            except asyncpg.PostgresError as error:
                log.warning("the vectors of project %s stay without an index: %s", key, error)
            else:
                made.append(key)
    return made


async def index_ledger(settings: Settings, at_least: int = LARGE) -> list[str]:
    """Do the same for the ledger that the settings name."""
    location = await locate_ledger(settings)
    try:
        return await index_large_projects(location.url, at_least)
    finally:
        await location.close()


async def _may_index(owner: asyncpg.Connection, todo: dict[int, str]) -> bool:
    if not await vector_indexes.may_index(owner):
        log.info(
            "%s would be searched faster with an index, which this database role may not make: see"
            " `trigraph doctor`",
            ", ".join(todo.values()),
        )
        return False
    return await vector_indexes.lock(owner)


def index_periodically(settings: Settings, at_least: int = LARGE) -> AbstractAsyncContextManager[None]:
    """Look every minute of the block whether a project has so many vectors now, and index it."""
    look = partial(index_large_projects, at_least=at_least)
    return run_periodically(settings, look, INDEX_INTERVAL, "nobody could look for projects without an index")
