"""Ending an alias inside an open write."""

from __future__ import annotations

from uuid import UUID

from app.domain.entity import Alias
from app.services.absent import nothing_has
from app.services.withdrawing import note_withdrawal, require_lasting
from app.services.write import Write
from app.stores.postgres import aliases


async def end_alias(write: Write, id: UUID, reason: str | None) -> Alias:
    """Let an alias mean its target only until now, and answer it so; what it meant before stays answerable.

    One that has not begun never did, and is answered as it was. Raises NotFound for an id that no alias
    has, and Conflict for one that has ended.
    """
    held = await aliases.recorded_alias(write.connection, write.tenant, id)
    if held is None:
        raise nothing_has("alias", id, "alias")
    require_lasting("alias", held.alias.valid, write.recorded_at, is_believed=held.is_believed)
    ended = await aliases.end_alias(
        write.connection,
        write.tenant,
        held.project,
        held.alias,
        write.recorded_at,
        write.recorded_at,
        write.actor,
    )
    await note_withdrawal(write, id, None if ended is None else ended.id, reason)
    return ended or held.alias
