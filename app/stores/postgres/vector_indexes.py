"""Vector indexes, one for each large project: find, search, create and drop them.

One index over all vectors would lose small projects, because it returns the nearest vectors of all projects.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import isqrt

import asyncpg
import numpy as np
from numpy.typing import NDArray
from pgvector import HalfVector

from app.domain.numbers import ProjectNumber
from app.domain.recall import Proposal
from app.stores.named_blocks import sql_blocks
from app.stores.postgres.connection import unwrapped
from app.stores.postgres.scope import Scope, proposal_from

SQL = sql_blocks(__file__)

_LOCK = 0x7665_6374_6F72_6978  # "vectorix" in ASCII
_NARROWEST, _WIDEST = 400, 1_000  # pgvector looks at no more than a thousand at once
_MORE = 4
_BYTES_BESIDE_A_VECTOR = 512  # its neighbours and their bookkeeping while an index is made
_LEAST_MEMORY, _MAX_MEMORY = 64, 2_048  # MiB


@dataclass(frozen=True, slots=True)
class VectorIndex:
    """A valid index, and about how many vectors it has."""

    project: ProjectNumber
    vectors: int

    @property
    def width(self) -> int:
        """How many candidates a search keeps: the more vectors, the more candidates it needs."""
        return min(max(_NARROWEST, 3 * isqrt(self.vectors) // 2), _WIDEST)


@dataclass(frozen=True, slots=True)
class LargeProject:
    """A project with many vectors, and the state of its index."""

    project: ProjectNumber
    key: str
    vectors: int
    has_index: bool
    is_building: bool


async def valid_indexes(connection: asyncpg.Connection) -> dict[ProjectNumber, VectorIndex]:
    """Return the valid indexes, by project."""
    rows = await connection.fetch(SQL["valid_indexes"])
    return {row["project"]: VectorIndex(row["project"], row["vectors"]) for row in rows}


async def nearest_in_project(
    connection: asyncpg.Connection,
    index: VectorIndex,
    scope: Scope,
    vector: NDArray[np.float32],
    model: str,
    limit: int,
) -> Proposal | None:
    """Return the artifacts of a project with the passage nearest to a vector, as its index finds them.

    None if it finds fewer than requested, as under a narrow filter: there may be more. More passages are
    read when a few artifacts have all the nearest ones.
    """
    await unwrapped(connection).set_search_width(index.width)
    statement = for_project(SQL["nearest_in_project"], index.project, len(vector))
    moment = scope.moment
    passages = max(index.width, 2 * limit)
    while True:
        rows = await connection.fetch(
            statement,
            scope.tenant,
            moment.valid,
            moment.known,
            HalfVector(vector),
            model,
            passages,
            limit,
            scope.types,
            scope.domains,
            list(scope.absent),
        )
        if len(rows) >= limit:
            return proposal_from(rows)
        if not rows or rows[0]["passages"] < passages:
            return None
        passages *= _MORE


async def may_index(owner: asyncpg.Connection) -> bool:
    """Return whether this role may create vector indexes."""
    may: bool = await owner.fetchval(SQL["may_index"])
    return may


async def lock(owner: asyncpg.Connection) -> bool:
    """Keep others from creating indexes until the connection closes; return False if another process does."""
    is_alone: bool = await owner.fetchval(SQL["try_lock"], _LOCK)
    return is_alone


async def large_projects(
    owner: asyncpg.Connection, at_least: int, tenant_key: str | None = None
) -> list[LargeProject]:
    """Return the projects with at least so many vectors, of all tenants or of one, by key."""
    rows = await owner.fetch(SQL["large_projects"], at_least, tenant_key)
    return [LargeProject(*row.values()) for row in rows]


async def unindexed_projects(owner: asyncpg.Connection, at_least: int) -> dict[ProjectNumber, str]:
    """Return the keys of the projects with at least so many vectors and no valid index."""
    rows = await owner.fetch(SQL["unindexed_projects"], at_least)
    return {row["project"]: row["key"] for row in rows}


async def create_index(owner: asyncpg.Connection, project: ProjectNumber, dimensions: int) -> None:
    """Index a project's vectors concurrently with reads and writes; drop the rest of a failed try first."""
    await owner.execute(for_project(SQL["drop_index"], project, dimensions))
    vectors: int = await owner.fetchval(SQL["count_vectors"], project)
    needed = vectors * (2 * dimensions + _BYTES_BESIDE_A_VECTOR) >> 20
    await owner.execute(SQL["allow_memory"], f"{min(max(_LEAST_MEMORY, needed), _MAX_MEMORY)}MB")
    await owner.execute(for_project(SQL["create_index"], project, dimensions))


async def drop_indexes(owner: asyncpg.Connection) -> None:
    """Drop every project's index in the caller's transaction."""
    for row in await owner.fetch(SQL["indexed_projects"]):
        await owner.execute(for_project(SQL["drop_index_at_once"], row["project"], 0))


def for_project(block: str, project: ProjectNumber, dimensions: int) -> str:
    """Return the SQL of a block written for project 0 and 384 dimensions, adapted to another project."""
    return (
        block.replace("of_project_0", f"of_project_{project}")
        .replace("project_id = 0", f"project_id = {project}")
        .replace("halfvec(384)", f"halfvec({dimensions})")
    )
