"""Shared steps of withdrawals: check the reason, refuse what has ended, and record who withdrew it."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from app.domain.entity import Withdrawal
from app.domain.temporal import Interval
from app.errors import Conflict, Invalid
from app.services.parsing import clean_text
from app.services.unit_of_work import UnitOfWork
from app.stores.postgres import withdrawals

MAX_REASON_LENGTH = 2_000


def fit_reason(given: str | None) -> str | None:
    """Return a cleaned reason, None for a blank one; raise Invalid if it is too long."""
    reason = clean_text(given or "").strip()
    if len(reason) > MAX_REASON_LENGTH:
        raise Invalid(f"a reason has at most {MAX_REASON_LENGTH} characters", field="reason")
    return reason or None


def require_lasting(what: str, id: UUID, valid: Interval, now: datetime, *, is_current: bool) -> None:
    """Raise Conflict if the alias or reference of an id has ended already, or was retracted."""
    if not is_current or (valid.end is not None and valid.end <= now):
        raise Conflict(f"this {what} was ended already; read the current one", field=what, current=id)


async def note_withdrawal(write: UnitOfWork, withdrawn: UUID, ended: UUID | None, reason: str | None) -> None:
    """Record who withdraws something, and why."""
    withdrawal = Withdrawal(reason, write.recorded_at, write.actor)
    await withdrawals.insert_withdrawal(await write.flush(), write.tenant, withdrawn, ended, withdrawal)
