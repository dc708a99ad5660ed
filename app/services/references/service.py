"""The verbs of references: one write each, asked again under a key with the same answer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from uuid import UUID

import asyncpg

from app.domain.entity import Caller, Reference
from app.services.references.withdrawing import end_reference
from app.services.references.writing import StatedReference, add_reference
from app.services.repeating import keep_answer, kept_answer, keyed_request
from app.services.withdrawing import fit_reason
from app.services.write import Write, require_writer, writing
from app.stores.postgres import ledger, references
from app.stores.postgres.idempotency import KeyedRequest
from app.stores.postgres.pool import Database


@dataclass(frozen=True, slots=True)
class ReferenceAnswer:
    """The reference there is now, or as it ended, and the position of what was written."""

    reference: Reference
    position: int | None


class ReferenceService:
    """Joins entities by typed references, and parts them."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def create(
        self, caller: Caller, stated: StatedReference, idempotency_key: str | None = None
    ) -> ReferenceAnswer:
        """Let an entity refer to another; the same reference again changes nothing.

        Raises Invalid, NotFound, Conflict or Forbidden; nothing is then written.
        """
        require_writer(caller)
        keyed = keyed_request(caller, "createReference", idempotency_key, stated=stated)
        async with writing(self._database, caller) as write:
            if kept := await kept_answer(write.connection, caller.tenant, keyed):
                return await _restored(write.connection, caller.tenant, kept)
            return await _settled(write, keyed, await add_reference(write, stated))

    async def withdraw(
        self, caller: Caller, reference: UUID, reason: str | None = None, idempotency_key: str | None = None
    ) -> ReferenceAnswer:
        """Let a reference be true only until now; what only it superseded is again what it was.

        Raises NotFound, Forbidden, or Conflict when it has ended already.
        """
        require_writer(caller)
        reason = fit_reason(reason)
        keyed = keyed_request(
            caller, "withdrawReference", idempotency_key, reference=reference, reason=reason
        )
        async with writing(self._database, caller) as write:
            if kept := await kept_answer(write.connection, caller.tenant, keyed):
                return await _restored(write.connection, caller.tenant, kept)
            return await _settled(write, keyed, await end_reference(write, reference, reason))


async def _settled(write: Write, keyed: KeyedRequest | None, reference: Reference) -> ReferenceAnswer:
    answer = ReferenceAnswer(reference, await ledger.settle(write.connection))
    await keep_answer(write, keyed, {"reference": str(reference.id), "position": answer.position})
    return answer


async def _restored(connection: asyncpg.Connection, tenant: int, kept: dict[str, Any]) -> ReferenceAnswer:
    id = UUID(kept["reference"])
    found = await references.references_by_id(connection, tenant, [id])
    return ReferenceAnswer(found[id], kept["position"])
