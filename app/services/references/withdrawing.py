"""Ending a reference inside an open write."""

from __future__ import annotations

from uuid import UUID

from app.domain.entity import Reference, ReferenceType
from app.errors import NotFound
from app.services.filing.supersession import Revival, revive
from app.services.filing.taking_effect import effective_from
from app.services.withdrawing import note_withdrawal, require_lasting
from app.services.write import Write
from app.stores.postgres import references


async def end_reference(write: Write, id: UUID, reason: str | None) -> Reference:
    """Let a reference be true only until now, and answer it so; what it said before stays answerable.

    One that has not begun never was, and is answered as it was. What only it superseded is again what it
    was before, so this comes last in a write. Raises NotFound for an id that no reference has, and
    Conflict for one that has ended.
    """
    held = await references.recorded_reference(write.connection, write.tenant, id)
    if held is None:
        raise NotFound(f"there is no reference {id}", field="reference")
    reference = held.reference
    require_lasting("reference", reference.valid, write.recorded_at, is_believed=held.is_believed)
    now = write.recorded_at
    since = None
    if reference.type is ReferenceType.SUPERSEDES:
        since = await effective_from(write, reference)
    ended = await references.end_reference(write.connection, write.tenant, held, now, now, write.actor)
    await note_withdrawal(write, id, None if ended is None else ended.id, reason)
    if since is not None:
        await revive(write, Revival(reference.target, since, max(since, now), cause=None))
    return ended or reference
