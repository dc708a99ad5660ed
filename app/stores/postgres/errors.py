"""What the database refuses, said as an error of Trigraph: one entry per constraint."""

from __future__ import annotations

import asyncpg

from app.errors import Conflict, Invalid, TrigraphError, Unavailable

CONSTRAINTS: dict[str, tuple[type[TrigraphError], str]] = {}

_RETRY = "another write came between; read again and retry"
_FAMILIES: tuple[tuple[type[asyncpg.PostgresError], type[TrigraphError], str], ...] = (
    (asyncpg.TransactionRollbackError, Conflict, _RETRY),
    (asyncpg.LockNotAvailableError, Conflict, _RETRY),
    (
        asyncpg.QueryCanceledError,
        Unavailable,
        "a statement took too long; ask for less or retry",
    ),
    (asyncpg.TooManyConnectionsError, Unavailable, "the database has no connection left; retry later"),
    (asyncpg.OperatorInterventionError, Unavailable, "the database is stopping or starting; retry later"),
    (asyncpg.PostgresConnectionError, Unavailable, "the connection to the database broke; retry"),
    (asyncpg.InsufficientResourcesError, Unavailable, "the database ran out of memory or disk space"),
    (asyncpg.ReadOnlySQLTransactionError, Unavailable, "the database takes no writes now; retry later"),
    (asyncpg.ProgramLimitExceededError, Invalid, "a value is larger than the database can hold; shorten it"),
    (asyncpg.StringDataRightTruncationError, Invalid, "a text is longer than its column; shorten it"),
    (
        asyncpg.CharacterNotInRepertoireError,
        Invalid,
        "a text holds a character that cannot be stored",
    ),
    (
        asyncpg.UntranslatableCharacterError,
        Invalid,
        "a text holds a character that cannot be stored",
    ),
)


def translated(error: asyncpg.PostgresError) -> TrigraphError | asyncpg.PostgresError:
    """Answer the error of Trigraph that this one means, or the error itself when it means a bug."""
    rule = error.constraint_name
    if rule in CONSTRAINTS:
        meaning, message = CONSTRAINTS[rule]
        return meaning(message, rule=rule)
    for cause, meaning, message in _FAMILIES:
        if isinstance(error, cause):
            return meaning(message)
    return error
