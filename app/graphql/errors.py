"""Report failures to GraphQL clients: coded errors from queries, problems from mutations."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Iterable, Iterator, Mapping
from enum import Enum
from types import MappingProxyType
from typing import Any, Self, cast

import strawberry
from graphql import GraphQLError

from app.domain.text import beginning
from app.errors import Conflict, Forbidden, Interrupted, Invalid, NotFound, TrigraphError, Unavailable, mask
from app.graphql.context import Info
from app.graphql.types.node import EntityType, Node, find_node

PARSE_FAILED = "GRAPHQL_PARSE_FAILED"
VALIDATION_FAILED = "GRAPHQL_VALIDATION_FAILED"
BAD_REQUEST = "BAD_REQUEST"
BAD_USER_INPUT = "BAD_USER_INPUT"
INTERNAL = "INTERNAL"
PERSISTED_QUERY_NOT_FOUND = "PERSISTED_QUERY_NOT_FOUND"

MAX_MESSAGE = 2_000
MAX_LIBRARY_MESSAGE = 200

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

    @classmethod
    def of(cls, error: TrigraphError) -> Self:
        """Wrap an error."""
        return cls(code=ProblemCode[error.code], message=error.message, field=error.field)


@strawberry.type(description="The input is not valid.")
class InvalidProblem(Problem):
    """The problem of app.errors.Invalid."""

    allowed: list[str] | None = strawberry.field(
        default=None,
        description="The values that the input field may have; null if they are not a short list.",
    )

    @classmethod
    def of(cls, error: TrigraphError) -> Self:
        """Wrap an error."""
        allowed = None if error.allowed is None else list(error.allowed)
        return cls(code=ProblemCode[error.code], message=error.message, field=error.field, allowed=allowed)


@strawberry.type(description="The object does not exist, or the caller may not see it.")
class NotFoundProblem(Problem):
    """The problem of app.errors.NotFound."""


@strawberry.type(description="Somebody changed the data after the caller read it.")
class ConflictProblem(Problem):
    """The problem of app.errors.Conflict."""

    current_id: strawberry.Private[uuid.UUID | None] = None

    @classmethod
    def of(cls, error: TrigraphError) -> Self:
        """Wrap an error."""
        code = ProblemCode[error.code]
        return cls(code=code, message=error.message, field=error.field, current_id=error.current)

    @strawberry.field(
        description="What is there instead: the state or draft that holds now, the entity that has the name,"
        " or the decided candidate; null if no one object is in the way."
    )
    async def current(self, info: Info) -> Node | None:
        """Load what is in the way."""
        return None if self.current_id is None else await find_node(info, self.current_id)


@strawberry.type(description="A name could mean several entities. Use the id of one instead.")
class AmbiguousProblem(Problem):
    """The problem of an error of any family that has candidates."""

    candidate_ids: strawberry.Private[tuple[uuid.UUID, ...]] = ()

    @classmethod
    def of(cls, error: TrigraphError) -> Self:
        """Wrap an error."""
        code = ProblemCode[error.code]
        return cls(code=code, message=error.message, field=error.field, candidate_ids=error.candidates)

    @strawberry.field(description="The entities that the name could mean.")
    async def candidates(self, info: Info) -> list[EntityType]:
        """Load the entities."""
        found = await asyncio.gather(*(find_node(info, id) for id in self.candidate_ids))
        return [cast(EntityType, each) for each in found if each is not None]


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
    def of(cls, error: TrigraphError) -> Self:
        """Wrap an error."""
        after = error.retry_after if isinstance(error, Unavailable) else None
        return cls(code=ProblemCode[error.code], message=error.message, field=error.field, retry_after=after)


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
    family = next((PROBLEMS[each] for each in type(error).__mro__ if each in PROBLEMS), None)
    if family is None:
        raise error
    return AmbiguousProblem.of(error) if error.candidates else family.of(error)


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
        resume = str(cause.resume_after) if isinstance(cause, Interrupted) else None
        details = {"field": cause.field, "rule": cause.rule, "retryAfter": after, "resumeAfter": resume}
        return _with_code(error, code, **details, **_facts(cause))
    if _is_input_mistake(error, cause):
        return _with_code(error, BAD_USER_INPUT)
    return _mask(error, cause)


def _facts(cause: TrigraphError) -> dict[str, list[str]]:
    """Return what a program needs to go on: the values that are allowed, and the ids of what was meant."""
    facts = {"allowed": list(cause.allowed or ()), "candidates": [str(each) for each in cause.candidates]}
    return {name: values for name, values in facts.items() if values}


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


def _with_code(error: GraphQLError, code: str, **details: str | int | list[str] | None) -> dict[str, Any]:
    extensions = {"code": code, **{name: value for name, value in details.items() if value is not None}}
    return {**_shorten(error), "extensions": extensions}


def _shorten(error: GraphQLError) -> dict[str, Any]:
    """Return the JSON of an error, with its message shortened where the library quotes a whole value."""
    most = MAX_MESSAGE if isinstance(_cause(error), TrigraphError) else MAX_LIBRARY_MESSAGE
    if len(error.message) <= most:
        return dict(error.formatted)
    return {**error.formatted, "message": f"{beginning(error.message, most)}…"}


def _mask(error: GraphQLError, cause: Exception) -> dict[str, Any]:
    error_id, message = mask(cause, error.path)
    extensions = {"code": INTERNAL, "id": error_id}
    return {**error.formatted, "message": message, "extensions": extensions}
