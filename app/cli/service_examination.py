"""A look at the service's connection: its role, whether it can write, and the clocks."""

from __future__ import annotations

from collections.abc import AsyncIterator

import asyncpg

from app.cli.finding import Finding
from app.errors import TrigraphError
from app.stores.disk_room import lack_of_room
from app.stores.postgres.clocks import Clocks, read_clocks
from app.stores.postgres.database_rights import is_superuser, open_rights
from app.stores.postgres.location import LedgerLocation
from app.stores.postgres.pool import Database
from app.stores.postgres.service_role import let_service_sign_in
from app.stores.postgres.tenants import find_tenant


async def examine_service(
    owner: asyncpg.Connection, location: LedgerLocation, key: str
) -> AsyncIterator[Finding]:
    """Yield what the service's role may do, whether it can write, and whether the clocks agree."""
    if location.embedded is not None:
        await let_service_sign_in(owner)
    try:
        database = await Database.open(location.service_url, size=1)
    except TrigraphError as error:
        yield Finding("role", False, error.message)
        return
    try:
        yield await _role(owner, is_embedded=location.embedded is not None)
        tenant = await find_tenant(owner, key)
        if tenant is not None:
            yield await _writes(database, tenant, location)
            yield _clock(await read_clocks(owner, tenant))
    finally:
        await database.close()


async def _role(owner: asyncpg.Connection, *, is_embedded: bool) -> Finding:
    bound = "ordinary, and bound by row level security"
    if rights := await open_rights(owner):
        may = ", ".join(sorted(set(rights)))
        told = f"{bound}, but it may make {may}; run `trigraph migrate` as the owner of the database"
        return Finding("role", True, told, is_doubtful=True)
    if not is_embedded and await is_superuser(owner):
        told = f"{bound}, but TRIGRAPH_DATABASE_URL signs in as a superuser; let it name an ordinary owner"
        return Finding("role", True, told, is_doubtful=True)
    return Finding("role", True, bound)


async def _writes(database: Database, tenant: int, location: LedgerLocation) -> Finding:
    no_room = None if location.embedded is None else lack_of_room(location.embedded.data)
    refusal = no_room or await database.write_probe.refusal(tenant)
    if refusal is not None:
        return Finding("writes", False, f"nothing can be written: {refusal}")
    return Finding("writes", True, "one was tried, and rolled back")


def _clock(clocks: Clocks) -> Finding:
    oddity = clocks.lead or clocks.difference
    return Finding("clock", oddity is None, oddity or "database, process and ledger agree")
