"""Which failures pass by themselves."""

from __future__ import annotations

import asyncpg
from neo4j.exceptions import AuthError, ClientError

from app.errors import Unavailable
from app.stores.postgres.errors import translated


def is_outage(error: Exception) -> bool:
    """Tell whether a failure may be gone later without anybody's change of this program or its data.

    A server that is away, starting, short of something or lets nobody in may come round. A statement that
    one refuses stays refused.
    """
    if isinstance(error, Unavailable):
        refused = isinstance(error.__cause__, ClientError) and not isinstance(error.__cause__, AuthError)
        return not refused
    if isinstance(error, asyncpg.PostgresError):
        return isinstance(translated(error), Unavailable)
    return isinstance(error, asyncpg.InterfaceError | asyncpg.InternalClientError | OSError | TimeoutError)
