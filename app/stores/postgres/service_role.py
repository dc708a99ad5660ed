"""The ordinary role the service works as."""

from __future__ import annotations

from urllib.parse import urlsplit, urlunsplit

import asyncpg

SERVICE_ROLE = "trigraph_service"

_CAN_SIGN_IN = "SELECT rolcanlogin FROM pg_roles WHERE rolname = $1"
_ONE_AT_A_TIME = "SELECT pg_advisory_xact_lock(hashtextextended('trigraph service role', 0))"


async def let_service_sign_in(owner: asyncpg.Connection) -> None:
    """Let the role connect by itself, so that no session of the service ever belongs to the owner."""
    async with owner.transaction():
        await owner.execute(_ONE_AT_A_TIME)
        if not await owner.fetchval(_CAN_SIGN_IN, SERVICE_ROLE):
            await owner.execute(f"ALTER ROLE {SERVICE_ROLE} LOGIN")


def as_service(url: str) -> str:
    """Answer an address for the same database as the service's own role."""
    parts = urlsplit(url)
    host = parts.netloc.rpartition("@")[2]
    return urlunsplit(parts._replace(netloc=f"{SERVICE_ROLE}@{host}"))
