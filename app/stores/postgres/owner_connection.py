"""A connection as the ledger's owner: for migrations and for what no tenant may do, never for requests."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from urllib.parse import urlsplit, urlunsplit

import asyncpg

from app.errors import Unavailable

_CONNECT_SECONDS = 10.0
_CLOSE_SECONDS = 5.0
MAX_SECONDS = 60.0
_SESSION = {"application_name": "trigraph", "search_path": "public", "timezone": "UTC"}


@asynccontextmanager
async def owner_connection(
    url: str, *, seconds: float | None = MAX_SECONDS
) -> AsyncIterator[asyncpg.Connection]:
    """Connect as the user of the address and close at the end.

    `seconds` is how long one statement may take; None is for what takes as long as it takes, such as a
    migration. Raises Unavailable, naming the address without its password, when no database answers, and when
    a statement takes longer.
    """
    try:
        connection = await asyncpg.connect(
            url, timeout=_CONNECT_SECONDS, command_timeout=seconds, server_settings=_SESSION
        )
    except (ValueError, asyncpg.InterfaceError) as error:
        # The driver's own words may quote the password.
        raise Unavailable(
            "the database URL must read like postgresql://user:password@host:5432/name"
        ) from error
    except (OSError, TimeoutError, asyncpg.PostgresError) as error:
        reason = str(error) or "it took too long"
        raise Unavailable(
            f"no database answers at {without_password(url)}: {reason}; start it, check the address,"
            " or unset TRIGRAPH_DATABASE_URL to use the embedded one"
        ) from error
    try:
        yield connection
    except TimeoutError as error:
        connection.terminate()
        raise Unavailable("the database did not answer in time; retry later") from error
    finally:
        # What was done is done, however the server takes leave; the driver breaks off by itself.
        with suppress(asyncpg.PostgresError, asyncpg.InterfaceError, OSError):
            await connection.close(timeout=_CLOSE_SECONDS)


def without_password(url: str) -> str:
    """Answer the address without what only its owner may know."""
    parts = urlsplit(url)
    user, _, host = parts.netloc.rpartition("@")
    name = user.partition(":")[0]
    return urlunsplit((parts.scheme, f"{name}@{host}" if name else host, parts.path, "", ""))
