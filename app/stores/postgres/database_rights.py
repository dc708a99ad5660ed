"""The rights of roles other than the owner on the ledger's database as a whole.

A dump without `--create` and a copy of a database do not contain these rights, so every migration run sets
them again.
"""

from __future__ import annotations

from dataclasses import dataclass

import asyncpg

from app.errors import Unavailable
from app.stores.named_blocks import sql_blocks
from app.stores.postgres.connection import SERVICE_ROLE

SQL = sql_blocks(__file__)


async def close_database(owner: asyncpg.Connection) -> None:
    """Revoke from everybody but the owner the right to create objects in the database.

    Also delete the settings that the service's role stored for its own sessions, as any role may. What this
    role cannot take away remains; `open_rights` and `stored_settings` name it.
    """
    for stored in await _stored_settings(owner):
        await _take(owner, stored["taken_by"])
    for right in await _open_rights(owner):
        await _take(owner, right["taken_by"])
    if await is_superuser(owner):
        for right in await owner.fetch(SQL["rights_on_large_objects"]):
            await _take(owner, right["taken_by"])


async def let_service_sign_in(owner: asyncpg.Connection) -> None:
    """Allow the service's role of the embedded server to log in, so that no session of it is the owner's.

    No other database of the server is open to it. Raises Unavailable when the server has no such role.
    """
    async with owner.transaction():
        await _wait_for_turn(owner)
        can_sign_in = await owner.fetchval(SQL["can_sign_in"], SERVICE_ROLE)
        if can_sign_in is None:
            raise Unavailable(f"the database has no role {SERVICE_ROLE}; run `trigraph migrate`")
        if not can_sign_in:
            await owner.execute(f"ALTER ROLE {SERVICE_ROLE} LOGIN")
        for other in await owner.fetch(SQL["open_databases"]):
            await owner.execute(other["taken_by"])


async def _wait_for_turn(owner: asyncpg.Connection) -> None:
    await owner.execute(SQL["one_at_a_time"])


async def lacks_service_role(owner: asyncpg.Connection) -> bool:
    """Return whether somebody dropped the service's role, or took its rights on a ledger that is migrated."""
    lacks: bool = await owner.fetchval(SQL["lacks_service_role"], SERVICE_ROLE)
    return lacks


async def make_service_role(owner: asyncpg.Connection) -> None:
    """Make the service's role unless it exists.

    Raises Unavailable when this role may not do so.
    """
    try:
        async with owner.transaction():
            await _wait_for_turn(owner)
            await owner.execute(SQL["make_role"])
    except asyncpg.InsufficientPrivilegeError as error:
        raise Unavailable(
            f"the database has no role {SERVICE_ROLE}, and its owner may not create it"
            f" ({error}); let an administrator create it and grant it to the owner, then run"
            " `trigraph migrate` again"
        ) from error


async def give_service_rights(owner: asyncpg.Connection) -> None:
    """Give the service's role its rights on a ledger to which every migration is applied."""
    async with owner.transaction():
        await owner.execute(SQL["give_rights"])


async def open_rights(owner: asyncpg.Connection) -> list[str]:
    """Return, in words, which objects the service's role may create although it should not."""
    return [right["meaning"] for right in await _open_rights(owner)]


async def stored_settings(owner: asyncpg.Connection) -> list[str]:
    """Return the names of the settings that are stored for the service's role, for all databases or one."""
    return [stored["names"] for stored in await _stored_settings(owner)]


async def _stored_settings(owner: asyncpg.Connection) -> list[asyncpg.Record]:
    found: list[asyncpg.Record] = await owner.fetch(SQL["stored_settings"], SERVICE_ROLE)
    return found


async def _open_rights(owner: asyncpg.Connection) -> list[asyncpg.Record]:
    found: list[asyncpg.Record] = await owner.fetch(SQL["open_rights"], SERVICE_ROLE)
    return found


async def is_superuser(owner: asyncpg.Connection) -> bool:
    """Return whether this connection is of a superuser."""
    holds: bool = await owner.fetchval(SQL["is_superuser"])
    return holds


async def _take(owner: asyncpg.Connection, statement: str) -> None:
    try:
        async with owner.transaction():
            await owner.execute(statement)
    except asyncpg.InsufficientPrivilegeError:
        pass  # the database or its schema belongs to somebody else


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
