"""Report failures to GraphQL clients: coded errors from queries, problems from mutations."""

from __future__ import annotations

import logging
import uuid
from collections.abc import Iterable, Iterator, Mapping
from enum import Enum
from types import MappingProxyType
from typing import Any

import strawberry
from graphql import GraphQLError

from app.domain.text import beginning
from app.errors import Conflict, Forbidden, Invalid, NotFound, TrigraphError, Unavailable

logger = logging.getLogger(__name__)

PARSE_FAILED = "GRAPHQL_PARSE_FAILED"
VALIDATION_FAILED = "GRAPHQL_VALIDATION_FAILED"
BAD_REQUEST = "BAD_REQUEST"
BAD_USER_INPUT = "BAD_USER_INPUT"
INTERNAL = "INTERNAL"

MAX_MESSAGE = 2_000
MAX_LIBRARY_MESSAGE = 300

# Clients and test suites know this code for a caller's mistake; the other families keep their names.
CODES: Mapping[str, str] = MappingProxyType({Invalid.code: BAD_USER_INPUT})


@strawberry.enum(description="The category of a problem.")
class ProblemCode(Enum):
    """The families of app.errors, as a mutation's payload names them."""

    INVALID = strawberry.enum_value("INVALID", description="The input is not valid. Change it.")
    NOT_FOUND = strawberry.enum_value(
        "NOT_FOUND", description="The object does not exist, or the caller may not see it."
    )
    CONFLICT = strawberry.enum_value(
        "CONFLICT", description="Somebody changed the data after the caller read it. Read it again and retry."
    )
    FORBIDDEN = strawberry.enum_value("FORBIDDEN", description="The caller may not do this.")
    UNAVAILABLE = strawberry.enum_value(
        "UNAVAILABLE", description="A service that this request needs does not respond. Retry later."
    )


@strawberry.interface(description="The reason why a mutation wrote nothing.")
class Problem:
    """A failure, with a message for people and a code for programs."""

    code: ProblemCode = strawberry.field(description="The category of the problem.")
    message: str = strawberry.field(description="What is wrong and how to correct it.")
    field: str | None = strawberry.field(
        description="The input field with the problem; null if it is not one field."
    )


@strawberry.type(description="The input is not valid.")
class InvalidProblem(Problem):
    """The problem of app.errors.Invalid."""


@strawberry.type(description="The object does not exist, or the caller may not see it.")
class NotFoundProblem(Problem):
    """The problem of app.errors.NotFound."""


@strawberry.type(description="Somebody changed the data after the caller read it.")
class ConflictProblem(Problem):
    """The problem of app.errors.Conflict."""


@strawberry.type(description="The caller may not do this.")
class ForbiddenProblem(Problem):
    """The problem of app.errors.Forbidden."""


@strawberry.type(description="A service that this request needs does not respond.")
class UnavailableProblem(Problem):
    """The problem of app.errors.Unavailable."""

    retry_after: int | None = strawberry.field(
        default=None, description="The number of seconds to wait before a retry; null if it is unknown."
    )

    @classmethod
    def of(cls, error: Unavailable) -> UnavailableProblem:
        """Wrap an error."""
        code = ProblemCode[error.code]
        return cls(code=code, message=error.message, field=error.field, retry_after=error.retry_after)


PROBLEMS: Mapping[type[TrigraphError], type[Problem]] = MappingProxyType(
    {
        Invalid: InvalidProblem,
        NotFound: NotFoundProblem,
        Conflict: ConflictProblem,
        Forbidden: ForbiddenProblem,
        Unavailable: UnavailableProblem,
    }
)


def problem_from(error: TrigraphError) -> Problem:
    """Return the problem a mutation reports for an error of one of the five families.

    Any other error is a bug and is raised again.
    """
    if isinstance(error, Unavailable):
        return UnavailableProblem.of(error)
    for ancestor in type(error).__mro__:
        if ancestor in PROBLEMS:
            return PROBLEMS[ancestor](code=ProblemCode[error.code], message=error.message, field=error.field)
    raise error


ANSWER_LIMIT = "answer"


def without_repeats(errors: Iterable[GraphQLError]) -> Iterator[GraphQLError]:
    """Yield errors, and only the first of those that say that the answer is too long: each text has one."""
    is_reported = False
    for error in errors:
        is_about_length = (error.extensions or {}).get("limit") == ANSWER_LIMIT
        if not (is_reported and is_about_length):
            yield error
        is_reported = is_reported or is_about_length


def client_error(error: GraphQLError) -> dict[str, Any]:
    """Return the JSON of an error for the client, always with `extensions.code`.

    An unexpected error is logged under a new id, and only the id is reported.
    """
    if "code" in (error.extensions or {}):
        return _shorten(error)
    cause = _cause(error)
    if isinstance(cause, TrigraphError):
        after = cause.retry_after if isinstance(cause, Unavailable) else None
        code = CODES.get(cause.code, cause.code)
        return _with_code(error, code, field=cause.field, rule=cause.rule, retryAfter=after)
    if _is_input_mistake(error, cause):
        return _with_code(error, BAD_USER_INPUT)
    return _mask(error, cause)


def _cause(error: GraphQLError) -> Exception:
    """Return the original error, without the located errors around it."""
    cause: Exception = error
    while isinstance(cause, GraphQLError) and cause.original_error is not None:
        cause = cause.original_error
    return cause


def _is_input_mistake(error: GraphQLError, cause: Exception) -> bool:
    """Return whether an error is a refused variable or argument and not a failure of a resolver.

    Before execution (no path) the library names the variable's node; during it, only a refused argument
    is a GraphQLError that knows its node before it is located.
    """
    if error.path is None:
        return bool(error.nodes) or cause is error
    return isinstance(cause, GraphQLError) and cause is not error and bool(cause.nodes)


def _with_code(error: GraphQLError, code: str, **details: str | int | None) -> dict[str, Any]:
    extensions = {"code": code, **{name: value for name, value in details.items() if value is not None}}
    return {**_shorten(error), "extensions": extensions}


def _shorten(error: GraphQLError) -> dict[str, Any]:
    """Return the JSON of an error, with its message shortened where the library quotes a whole value."""
    most = MAX_MESSAGE if isinstance(_cause(error), TrigraphError) else MAX_LIBRARY_MESSAGE
    if len(error.message) <= most:
        return dict(error.formatted)
    return {**error.formatted, "message": f"{beginning(error.message, most)}…"}


def _mask(error: GraphQLError, cause: Exception) -> dict[str, Any]:
    error_id = str(uuid.uuid4())
    logger.error("internal error %s at %s", error_id, error.path, exc_info=cause)
    message = f"Internal error {error_id}. The log of the server has the details under this id."
    extensions = {"code": INTERNAL, "id": error_id}
    return {**error.formatted, "message": message, "extensions": extensions}
