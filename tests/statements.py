"""Counting the statements that a block of code sends to the ledger."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from app.stores.postgres.pool import Database

_BOOKKEEPING = re.compile(
    r"\s*(BEGIN|COMMIT|ROLLBACK|SAVEPOINT|RELEASE|SELECT set_config|SELECT\s+current_setting\('jit'\))"
)
_INTROSPECTION = "typeinfo_tree"  # the driver asks once per connection what a type looks like


class Statements(list[str]):
    """The SQL of every statement in order, without transaction control and the driver's own questions."""

    def note(self, logged: Any) -> None:
        if not _BOOKKEEPING.match(logged.query) and _INTROSPECTION not in logged.query:
            self.append(logged.query)


@asynccontextmanager
async def counted(database: Database) -> AsyncIterator[Statements]:
    """Collect the statements of the block; complete when the block has ended."""
    statements = Statements()
    with database.logging(statements.note):
        yield statements
    await asyncio.sleep(0)  # the driver reports a statement in the loop's next round
