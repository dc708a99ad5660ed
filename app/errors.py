"""Every failure Trigraph reports on purpose.

TrigraphError
├── Invalid        the input is not valid
├── NotFound       the object does not exist, or the caller may not see it
├── Conflict       the data changed after the caller read it; read it again and retry
│   └── Interrupted    changes cannot be followed from there; follow them after another position
├── Forbidden      the caller may not do this
│   └── Unauthenticated nobody knows who the caller is
└── Unavailable    a service that this needs does not respond; retry later
    ├── Unwritable no write can succeed now
    ├── Busy       others came before and took too long; retry in so many seconds
    └── OutcomeUnknown nobody knows whether a write was kept; send it again under its key
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import ClassVar
from uuid import UUID, uuid4

_LOG = logging.getLogger(__name__)


class TrigraphError(Exception):
    """The base of every failure that carries a message for the caller.

    A message may quote user input unchanged; the interface that shows it must escape it. `has_lines` marks a
    message whose line breaks are its own: elsewhere a line break is quoted input and must not start a line.
    What a program needs to go on is beside the message: `allowed` are the values that the field may have,
    `candidates` the ids of the entities that a name could mean, `current` the id of what is there instead.
    """

    code: ClassVar[str] = "INTERNAL"

    def __init__(
        self,
        message: str,
        *,
        field: str | None = None,
        rule: str | None = None,
        has_lines: bool = False,
        allowed: Iterable[str] | None = None,
        candidates: Iterable[UUID] = (),
        current: UUID | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.field = field
        self.rule = rule
        self.has_lines = has_lines
        self.allowed = None if allowed is None else tuple(allowed)
        self.candidates = tuple(candidates)
        self.current = current


def mask(cause: BaseException, where: object) -> tuple[str, str]:
    """Log an unexpected error under a new id; return the id, and a message for the caller that names it."""
    id = str(uuid4())
    _LOG.error("internal error %s at %s", id, where, exc_info=cause)
    return id, f"Internal error {id}. The log of the server has the details under this id."


class Invalid(TrigraphError):
    """The input is not valid."""

    code = "INVALID"


class NotFound(TrigraphError):
    """The object does not exist, or the caller may not see it."""

    code = "NOT_FOUND"


class Conflict(TrigraphError):
    """The data changed after the caller read it."""

    code = "CONFLICT"


class Interrupted(Conflict):
    """Changes cannot be followed further; `resume_after` is the position after which they can be."""

    code = "RESUME"

    def __init__(self, message: str, resume_after: int) -> None:
        super().__init__(message, field="after")
        self.resume_after = resume_after


class Forbidden(TrigraphError):
    """The caller may not do this."""

    code = "FORBIDDEN"


class Unauthenticated(Forbidden):
    """Nobody knows who the caller is: there is no token, or it is not good."""

    code = "UNAUTHENTICATED"


CHALLENGE: Mapping[str, str] = MappingProxyType({"www-authenticate": 'Bearer realm="trigraph"'})
"""The header that tells an unauthenticated client over HTTP what to send."""


class Unavailable(TrigraphError):
    """A service that this needs does not respond.

    `retry_after` is the number of seconds after which to retry, if known.
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
    """The ledger is readable but accepts no writes now, so a caller with more to write may stop."""


class Busy(Unavailable):
    """Previous requests took too long; nothing was written, and the request may be sent again."""

    def __init__(self, message: str, *, retry_after: int = 5) -> None:
        super().__init__(message, retry_after=retry_after)


class OutcomeUnknown(Unavailable):
    """The database failed during the commit: whether the write was kept is unknown."""
