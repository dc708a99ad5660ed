"""Information about a ledger for its operator, read by its owner."""

from __future__ import annotations

from dataclasses import dataclass

import asyncpg

from app.stores.named_blocks import sql_blocks

SQL = sql_blocks(__file__)


@dataclass(frozen=True, slots=True)
class Server:
    """The server of a ledger; `vector_version` is None without pgvector, `bytes` is the ledger's size."""

    version: str
    vector_version: str | None
    bytes: int


@dataclass(frozen=True, slots=True)
class ProjectCounts:
    """The numbers of a project's objects, pending references and pending candidates."""

    key: str
    documents: int
    entities: int
    pending_references: int
    alias_candidates: int
    fact_candidates: int


async def inspect_server(owner: asyncpg.Connection) -> Server:
    """Return which server this is and how large the ledger is."""
    row = await owner.fetchrow(SQL["server"])
    return Server(row["server_version"], row["vector_version"], row["bytes"])


async def count_by_project(owner: asyncpg.Connection, tenant_key: str) -> list[ProjectCounts]:
    """Return the counts of each project of a tenant, by key; takes a connection of the ledger's owner."""
    return [ProjectCounts(*row.values()) for row in await owner.fetch(SQL["project_counts"], tenant_key)]
