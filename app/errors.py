"""Every failure Trigraph reports on purpose.

TrigraphError
├── Invalid        the request cannot be carried out as asked; say it differently
├── NotFound       the thing named does not exist or is not visible to the caller
├── Conflict       the world moved on since the caller looked; look again and retry
├── Forbidden      the caller may not do this
└── Unavailable    a part this needs does not answer now; retry later
    ├── Unwritable nothing can be written now, whatever it is
    ├── Busy       others came before and took too long; retry in so many seconds
    └── OutcomeUnknown nobody knows whether a write was kept; send it again under its key
"""

from __future__ import annotations

from typing import ClassVar


class TrigraphError(Exception):
    """The base of every failure that carries a message for the caller.

    A message may quote what anybody wrote, as it is; the face that shows it makes it safe. `has_lines` is for
    one whose line breaks are its own: elsewhere they are what it quotes, and no way to begin another line.
    """

    code: ClassVar[str] = "INTERNAL"

    def __init__(
        self,
        message: str,
        *,
        field: str | None = None,
        rule: str | None = None,
        has_lines: bool = False,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.field = field
        self.rule = rule
        self.has_lines = has_lines


class Invalid(TrigraphError):
    """The request cannot be carried out as asked."""

    code = "INVALID"


class NotFound(TrigraphError):
    """The thing named does not exist or is not visible to the caller."""

    code = "NOT_FOUND"


class Conflict(TrigraphError):
    """The ledger moved on since the caller looked."""

    code = "CONFLICT"


class Forbidden(TrigraphError):
    """The caller may not do this."""

    code = "FORBIDDEN"


class Unavailable(TrigraphError):
    """A part this needs does not answer now.

    `retry_after` is in how many seconds to try again, where that can be told.
    """

    code = "UNAVAILABLE"

    def __init__(
        self,
        message: str,
        *,
        field: str | None = None,
        rule: str | None = None,
        has_lines: bool = False,
        retry_after: int | None = None,
    ) -> None:
        super().__init__(message, field=field, rule=rule, has_lines=has_lines)
        self.retry_after = retry_after


class Unwritable(Unavailable):
    """The ledger answers but keeps nothing now, so that whoever has more to write may stop here."""


class Busy(Unavailable):
    """Others came before and took too long; nothing was written, and the same may be sent again."""

    def __init__(self, message: str, *, retry_after: int = 5) -> None:
        super().__init__(message, retry_after=retry_after)


class OutcomeUnknown(Unavailable):
    """The database broke off while it committed: the write is kept or it is not, and nobody can tell."""
