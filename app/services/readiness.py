"""Whether the parts answer, and fit together, at this moment."""

from __future__ import annotations

from app.errors import TrigraphError
from app.services.container import Memory
from app.services.maintenance.reembed import check_model
from app.stores.disk_room import lack_of_room
from app.stores.postgres import outbox
from app.stores.postgres.ledger_clock import read_clocks
from app.stores.postgres.migrate import pending


async def reasons_not_to_serve(memory: Memory) -> list[str]:
    """Return why requests cannot be answered now, empty when they can.

    Asks the database itself, whether every migration is applied, whose vectors it holds, and whether it takes
    writes.
    """
    try:
        async with memory.database.reading(memory.caller.tenant) as connection:
            missing = [migration.label for migration in await pending(connection)]
            if missing:
                return [f"the ledger lacks {', '.join(missing)}; run `trigraph migrate`"]
            await check_model(connection, memory.embedder)
    except TrigraphError as error:
        return [error.message]
    return await _reasons_not_to_write(memory)


async def _reasons_not_to_write(memory: Memory) -> list[str]:
    no_room = None if memory.data is None else lack_of_room(memory.data)
    refusal = no_room or await memory.database.write_probe.refusal(memory.caller.tenant)
    return [] if refusal is None else [f"nothing can be written: {refusal}"]


async def oddities(memory: Memory) -> list[str]:
    """Return what an operator should look at though requests are answered: clocks that are wrong."""
    try:
        async with memory.database.reading(memory.caller.tenant) as connection:
            clocks = await read_clocks(connection, memory.caller.tenant)
    except TrigraphError as error:
        return [error.message]
    return [oddity for oddity in (clocks.difference, clocks.lead) if oddity is not None]


async def changes_after(memory: Memory, position: int) -> int:
    """Return how many changes of the caller's tenant stand after a position of the ledger."""
    async with memory.database.reading(memory.caller.tenant) as connection:
        return await outbox.count_after(connection, position)
