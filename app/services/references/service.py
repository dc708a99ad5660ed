"""Create and withdraw references; the same request under the same key returns the first response."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

import asyncpg

from app.domain.entity import Caller, Reference, ReferenceType
from app.domain.numbers import TenantNumber
from app.services.catalog.lookup import nothing_has
from app.services.idempotency import SavedAnswer, idempotent_request, write_once
from app.services.references.create import StatedReference, add_reference
from app.services.references.supersession import effective_from, recompute_status
from app.services.unit_of_work import UnitOfWork, fit_reason, note_withdrawal, require_lasting, require_writer
from app.stores.postgres import ledger_clock, references
from app.stores.postgres.pool import Database
from app.stores.postgres.references import RecordedReference


async def end_reference(write: UnitOfWork, id: UUID, reason: str | None) -> Reference:
    """End a reference now and return it as ended; its past stays readable.

    A reference that continues where this one ends, since a document states it too, ends as well. One that has
    not begun is returned as it was. An entity that only this reference superseded gets its earlier status
    back, so this must come last in a write. Raises NotFound for an id that no reference has, and Conflict for
    one that has ended.
    """
    held = await references.recorded_reference(await write.flush(), write.tenant, id)
    if held is None:
        raise nothing_has("reference", id, "reference")
    reference = held.reference
    require_lasting("reference", id, reference.valid, write.recorded_at, is_current=held.is_current)
    now = write.recorded_at
    pieces = await _connected_pieces(write, held)
    since = await _effective_since(write, pieces)
    ended = [await _end(write, each, reason) for each in pieces]
    if since is not None:
        await recompute_status(write, reference.target, max(since, now))
    return ended[0] or reference


async def _connected_pieces(write: UnitOfWork, first: RecordedReference) -> list[RecordedReference]:
    """Return a reference and the ones of its type and ends that continue it without a gap."""
    pieces = [first]
    for later in await references.current_pieces(
        await write.flush(), write.tenant, first.reference.edge, first.reference.valid.start
    ):
        if later.valid.start == pieces[-1].reference.valid.end:
            recorded = await references.recorded_reference(await write.flush(), write.tenant, later.id)
            pieces += [] if recorded is None else [recorded]
    return pieces


async def _effective_since(write: UnitOfWork, pieces: Sequence[RecordedReference]) -> datetime | None:
    """Return from when on references change their target's status; None if they never do."""
    if pieces[0].reference.type is not ReferenceType.SUPERSEDES:
        return None
    effective = [await effective_from(write, each.reference) for each in pieces]
    return min((each for each in effective if each is not None), default=None)


async def _end(write: UnitOfWork, held: RecordedReference, reason: str | None) -> Reference | None:
    now = write.recorded_at
    ended = await references.end_reference(await write.flush(), write.tenant, held, now, now, write.actor)
    await note_withdrawal(write, held.reference.id, None if ended is None else ended.id, reason)
    return ended


@dataclass(frozen=True, slots=True)
class ReferenceAnswer:
    """The reference there is now, or as it ended, and the position of what was written."""

    reference: Reference
    position: int | None


class ReferenceService:
    """Creates and withdraws typed references between entities."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def create(
        self, caller: Caller, stated: StatedReference, idempotency_key: str | None = None
    ) -> ReferenceAnswer:
        """Create a reference between two entities; the same reference again changes nothing.

        Raises Invalid, NotFound, Conflict or Forbidden; nothing is then written.
        """
        require_writer(caller)
        keyed = idempotent_request(caller, "createReference", idempotency_key, stated=stated)

        async def add(write: UnitOfWork) -> ReferenceAnswer:
            return await _answer(write, await add_reference(write, stated))

        return await write_once(self._database, caller, keyed, _SAVED, add)

    async def withdraw(
        self, caller: Caller, reference: UUID, reason: str | None = None, idempotency_key: str | None = None
    ) -> ReferenceAnswer:
        """End a reference now; an entity that only it superseded gets its earlier status back.

        Raises NotFound, Forbidden, or Conflict when it has ended already.
        """
        require_writer(caller)
        reason = fit_reason(reason)
        keyed = idempotent_request(
            caller, "withdrawReference", idempotency_key, reference=reference, reason=reason
        )

        async def end(write: UnitOfWork) -> ReferenceAnswer:
            return await _answer(write, await end_reference(write, reference, reason))

        return await write_once(self._database, caller, keyed, _SAVED, end)


async def _answer(write: UnitOfWork, reference: Reference) -> ReferenceAnswer:
    return ReferenceAnswer(reference, await ledger_clock.finish_write(await write.flush()))


def _to_response(answer: ReferenceAnswer) -> dict[str, Any]:
    return {"reference": str(answer.reference.id), "position": answer.position}


async def _restore(
    connection: asyncpg.Connection, tenant: TenantNumber, response: Mapping[str, Any]
) -> ReferenceAnswer:
    id = UUID(response["reference"])
    found = await references.references_by_id(connection, tenant, [id])
    return ReferenceAnswer(found[id], response["position"])


_SAVED = SavedAnswer(_to_response, _restore)
