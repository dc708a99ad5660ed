"""Ledgers made while the schema was 18 migrations, up to 0023, which are now the one file 0001_ledger.sql.

Both ways lead to the same schema, so such a ledger is adopted: only the record of its migrations changes.
"""

from __future__ import annotations

import hashlib
from typing import TypeAlias

import asyncpg

from app.errors import Conflict

Recorded: TypeAlias = dict[int, tuple[str, str]]
"""Name and hash of each recorded migration, by number."""

_FIRST = ("ledger", "2de65ee742593843c8206873b496f7c2ef4ae30e886f6c8de4c04aa444e97418")
_ALL = "96e8e1c0e896cd0ef762682efccdf66cf7ce3e17f6369806a1f84e52f88e17fe"


def is_complete_earlier_ledger(recorded: Recorded) -> bool:
    """Return whether exactly the earlier migrations are recorded, each with the hash that it had.

    Raises Conflict when the ledger began with them but stands elsewhere.
    """
    if recorded.get(1) != _FIRST:
        return False
    rows = [f"{version:04}_{name} {sha256}" for version, (name, sha256) in sorted(recorded.items())]
    if hashlib.sha256("\n".join(rows).encode()).hexdigest() != _ALL:
        last = max(recorded)
        raise Conflict(
            f"an earlier trigraph made this ledger; it stands at {last:04}_{recorded[last][0]}, and this one"
            " goes on only from 0023_a_second_clock; bring it there with the trigraph that has that migration"
        )
    return True


async def adopt_earlier_ledger(owner: asyncpg.Connection, sha256: str) -> None:
    """Record the one migration, with this hash, in the place of the earlier ones."""
    async with owner.transaction():
        await owner.execute("DELETE FROM public.schema_migration WHERE version > 1")
        await owner.execute("UPDATE public.schema_migration SET sha256 = $1", sha256)
