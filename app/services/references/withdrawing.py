"""Ending a reference inside an open write."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from app.domain.entity import Reference, ReferenceType
from app.services.absent import nothing_has
from app.services.filing.supersession import settle
from app.services.filing.taking_effect import effective_from
from app.services.withdrawing import note_withdrawal, require_lasting
from app.services.write import Write
from app.stores.postgres import references
from app.stores.postgres.references import RecordedReference


async def end_reference(write: Write, id: UUID, reason: str | None) -> Reference:
    """Let a reference be true only until now, and answer it so; what it said before stays answerable.

    One that goes on where this one ends, since a document states it too, ends as well. One that has not begun
    never was, and is answered as it was. What only it superseded is again what it was before, so this comes
    last in a write. Raises NotFound for an id that no reference has, and Conflict for one that has ended.
    """
    held = await references.recorded_reference(write.connection, write.tenant, id)
    if held is None:
        raise nothing_has("reference", id, "reference")
    reference = held.reference
    require_lasting("reference", reference.valid, write.recorded_at, is_believed=held.is_believed)
    now = write.recorded_at
    pieces = await _unbroken(write, held)
    since = await _effective_since(write, pieces)
    ended = [await _end(write, each, reason) for each in pieces]
    if since is not None:
        await settle(write, reference.target, max(since, now))
    return ended[0] or reference


async def _unbroken(write: Write, first: RecordedReference) -> list[RecordedReference]:
    """Answer a reference and those of its type between the same two that go on without a gap."""
    edge = (first.reference.source, first.reference.target, first.reference.type)
    pieces = [first]
    for later in await references.believed_pieces(
        write.connection, write.tenant, edge, first.reference.valid.start
    ):
        if later.valid.start == pieces[-1].reference.valid.end:
            recorded = await references.recorded_reference(write.connection, write.tenant, later.id)
            pieces += [] if recorded is None else [recorded]
    return pieces


async def _effective_since(write: Write, pieces: Sequence[RecordedReference]) -> datetime | None:
    """Answer from when on references moved their target's state; None when they never do."""
    if pieces[0].reference.type is not ReferenceType.SUPERSEDES:
        return None
    effective = [await effective_from(write, each.reference) for each in pieces]
    return min((each for each in effective if each is not None), default=None)


async def _end(write: Write, held: RecordedReference, reason: str | None) -> Reference | None:
    now = write.recorded_at
    ended = await references.end_reference(write.connection, write.tenant, held, now, now, write.actor)
    await note_withdrawal(write, held.reference.id, None if ended is None else ended.id, reason)
    return ended
