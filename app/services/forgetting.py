"""What was noted of changes, for whoever copies the graph, is forgotten in time.

No copy loses anything by it: one that is further behind is filled anew. So nobody has to know which copies
there are, and where there is none the notes go as well.
"""

from __future__ import annotations

from contextlib import AbstractAsyncContextManager
from datetime import timedelta

from app.services.upkeep import kept_up
from app.settings import Settings
from app.stores.postgres import outbox
from app.stores.postgres.owner_connection import owner_connection

AGE = timedelta(days=7)
CHANGES_AT_ONCE = 10_000
SECONDS_BETWEEN_LOOKS = 3600.0


async def forget_old_changes(url: str, age: timedelta = AGE) -> int:
    """Forget, some thousands at a time, what was noted so long ago; answer how many changes that were.

    Cut off, it has forgotten less. Raises Unavailable when the ledger does not answer.
    """
    forgotten = 0
    async with owner_connection(url) as owner:
        while count := await outbox.forget(owner, age, CHANGES_AT_ONCE):
            forgotten += count
    return forgotten


def kept_short(settings: Settings) -> AbstractAsyncContextManager[None]:
    """Look every hour of the block whether there is something to forget."""
    return kept_up(settings, forget_old_changes, SECONDS_BETWEEN_LOOKS, "old changes are not forgotten now")
