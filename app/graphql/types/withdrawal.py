"""Withdrawals of aliases and references, and absences of documents."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

import strawberry

from app.domain import entity as domain
from app.domain.temporal import Interval, known_moment
from app.graphql.context import Info, moment_of
from app.graphql.types.enums import AbsenceSource
from app.services.catalog import RequestedMoment


@strawberry.type(description="The withdrawal of an alias or a reference.")
class Withdrawal:
    """A withdrawal."""

    reason: str | None = strawberry.field(description="The reason, if one was given.")
    at: datetime = strawberry.field(description="The time of the withdrawal.")
    actor: str = strawberry.field(description="The caller that withdrew it.")

    @classmethod
    def of(cls, withdrawal: domain.Withdrawal) -> Withdrawal:
        """Wrap a withdrawal."""
        return cls(reason=withdrawal.reason, at=withdrawal.at, actor=withdrawal.actor)


@strawberry.type(description="A span of time in which a document is not there: withdrawn, or removed.")
class Absence:
    """An absence."""

    valid_from: datetime | None = strawberry.field(
        description="The instant from which recall and lists do not show the document; null if nobody knows."
    )
    valid_until: datetime | None = strawberry.field(
        description="The instant from which they show it again; null if it was not filed again."
    )
    source: AbsenceSource = strawberry.field(description="The source that says so.")
    source_commit: str | None = strawberry.field(
        description="The commit that removed the file, if git says so."
    )
    reason: str | None = strawberry.field(description="The reason, if one is known.")
    recorded_at: datetime = strawberry.field(description="The time when it was recorded.")
    actor: str = strawberry.field(description="The caller that recorded it.")

    @classmethod
    def of(cls, absence: domain.Absence) -> Absence:
        """Wrap an absence."""
        return cls(
            valid_from=known_moment(absence.valid.start),
            valid_until=known_moment(absence.valid.end),
            source=absence.source,
            source_commit=absence.commit,
            reason=absence.reason,
            recorded_at=absence.recorded_at,
            actor=absence.actor,
        )


def begins_by(absence: domain.Absence, moment: RequestedMoment) -> bool:
    """Return whether an absence begins, and was recorded, by a moment."""
    is_known = moment.known_at is None or absence.recorded_at <= moment.known_at
    return is_known and (moment.as_of is None or absence.valid.start <= moment.as_of)


UNTIL = (
    "The instant until which {held}; null if it is open-ended, or if nobody knows when it ended. A withdrawal"
    " ends it. If it was withdrawn before its start, the end equals the start: it was never valid."
)
"""What `validUntil` is of what can be taken back."""


async def held_until(info: Info, id: UUID, valid: Interval) -> datetime | None:
    """Return the end of an alias or a reference, by its record and its withdrawal."""
    withdrawn = await _withdrawal_of(info, id)
    if withdrawn is None:
        return known_moment(valid.end)
    return max(valid.start, withdrawn.at if valid.end is None else min(valid.end, withdrawn.at))


async def _withdrawal_of(info: Info, id: UUID) -> domain.Withdrawal | None:
    """Return a withdrawal, unless it was recorded after what the fields above know."""
    found, known = await info.context.loaders.withdrawal_by_id.load(id), moment_of(info).known_at
    return None if found is None or (known is not None and found.at > known) else found


async def find_withdrawal(info: Info, id: UUID) -> Withdrawal | None:
    """Load the withdrawal of an alias or a reference; None if it was not withdrawn."""
    found = await _withdrawal_of(info, id)
    return None if found is None else Withdrawal.of(found)
