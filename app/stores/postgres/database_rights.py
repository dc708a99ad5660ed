"""What others than its owner may do with the ledger's database as a whole.

A dump without `--create` carries none of it, and a copy of a database is made without it. So every migration
run states it again.
"""

from __future__ import annotations

import asyncpg

from app.stores.named_blocks import sql_blocks
from app.stores.postgres.connection import SERVICE_ROLE

SQL = sql_blocks(__file__)


async def close_database(owner: asyncpg.Connection) -> None:
    """Take from everybody but the owner the right to make anything in the database.

    What this role may not take away stays; `open_rights` names it.
    """
    for right in await owner.fetch(SQL["open_rights"], SERVICE_ROLE):
        await _take(owner, right["taken_by"])
    if await is_superuser(owner):
        for right in await owner.fetch(SQL["rights_on_large_objects"]):
            await _take(owner, right["taken_by"])


async def open_rights(owner: asyncpg.Connection) -> list[str]:
    """Return what the service's role may make in the database though it should not, in words."""
    return [right["meaning"] for right in await owner.fetch(SQL["open_rights"], SERVICE_ROLE)]


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
