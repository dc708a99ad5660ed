"""Readiness checks: do the ledger, the encoder and the disk allow requests now?"""

from __future__ import annotations

from app.errors import TrigraphError
from app.services.container import Memory
from app.services.maintenance.reembed import check_model
from app.stores.disk_room import lack_of_room
from app.stores.postgres import outbox
from app.stores.postgres.ledger_clock import read_clocks
from app.stores.postgres.migrate import pending_migrations


async def reasons_not_to_serve(memory: Memory) -> list[str]:
    """Return the reasons why requests cannot be served now; empty if they can.

    Check the database itself: its migrations, the model of its vectors, and whether it takes writes.
    """
    try:
        async with memory.database.reading(memory.caller.tenant) as connection:
            missing = [migration.label for migration in await pending_migrations(connection)]
            if missing:
                return [f"the ledger lacks {', '.join(missing)}; run `trigraph migrate`"]
            await check_model(connection, memory.embedder)
    except TrigraphError as error:
        return [error.message]
    return await _reasons_not_to_write(memory)


async def _reasons_not_to_write(memory: Memory) -> list[str]:
    no_room = None if memory.data is None else lack_of_room(memory.data)
    refusal = no_room or await memory.database.write_probe.refusal(memory.caller.tenant)
    return [] if refusal is None else [f"writes fail: {refusal}"]


async def oddities(memory: Memory) -> list[str]:
    """Return warnings for an operator although requests are served: clocks that are wrong."""
    try:
        async with memory.database.reading(memory.caller.tenant) as connection:
            clocks = await read_clocks(connection, memory.caller.tenant)
    except TrigraphError as error:
        return [error.message]
    return [oddity for oddity in (clocks.difference, clocks.lead) if oddity is not None]


async def changes_after(memory: Memory, position: int) -> int:
    """Return how many changes of the caller's tenant come after an outbox position."""
    async with memory.database.reading(memory.caller.tenant) as connection:
        return await outbox.count_after(connection, position)
