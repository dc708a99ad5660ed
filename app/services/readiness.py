"""Whether the parts answer, and fit together, at this moment."""

from __future__ import annotations

from app.errors import TrigraphError
from app.services.memory import Memory
from app.services.models import check_model
from app.stores.postgres import outbox
from app.stores.postgres.migrate import pending


async def reasons_not_to_serve(memory: Memory) -> list[str]:
    """Answer why requests cannot be answered now, empty when they can.

    Asks the database itself, whether every migration is applied, and whose vectors it holds.
    """
    try:
        async with memory.database.reading(memory.caller.tenant) as connection:
            missing = [migration.label for migration in await pending(connection)]
            if missing:
                return [f"the ledger lacks {', '.join(missing)}; run `trigraph migrate`"]
            await check_model(connection, memory.embedder)
    except TrigraphError as error:
        return [error.message]
    return []


async def changes_after(memory: Memory, position: int) -> int:
    """Answer how many changes of the caller's tenant stand after a position of the ledger."""
    async with memory.database.reading(memory.caller.tenant) as connection:
        return await outbox.count_after(connection, position)
