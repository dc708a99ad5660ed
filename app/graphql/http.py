"""The ASGI view of the GraphQL API: GraphQL over HTTP for programs, GraphiQL for people.

Queries come by GET or POST, mutations by POST alone, bodies as application/json alone: a foreign web page can
send none of these to change anything without the browser asking first, which nothing here allows.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from types import MappingProxyType
from typing import Any

import orjson
from graphql import GraphQLError
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send
from strawberry.schema.exceptions import CannotGetOperationTypeError, InvalidOperationTypeError
from strawberry.types import ExecutionResult
from strawberry.types.graphql import OperationType

from app.domain.bounds import excerpt
from app.graphql.errors import BAD_USER_INPUT, INTERNAL, reported
from app.graphql.execution import GuardedSchema
from app.graphql.negotiation import GRAPHQL_RESPONSE, JSON, answer_type, prefers_page
from app.graphql.request import OperationRequest, Refused, read_operation

NO_HEADERS: Mapping[str, str] = MappingProxyType({})
HEADERS = {"cache-control": "no-store", "vary": "Accept", "x-content-type-options": "nosniff"}
READS = frozenset({OperationType.QUERY})
ALLOWED: dict[str, frozenset[OperationType]] = {
    "GET": READS,
    "HEAD": READS,
    "POST": frozenset({OperationType.QUERY, OperationType.MUTATION}),
}
STATUSES = {"FORBIDDEN": 403, "UNAVAILABLE": 503, INTERNAL: 500}


class GraphQLView:
    """An ASGI application that answers one GraphQL operation a request."""

    def __init__(
        self,
        schema: GuardedSchema,
        context: Callable[[Request], Awaitable[object]],
        page: Callable[[], Response],
    ) -> None:
        self.schema = schema
        self.context = context
        self.page = page

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request; one that its client left before it was read is dropped."""
        request = Request(scope, receive)
        try:
            response = await self.respond(request)
        except ClientDisconnect:
            return
        await response(scope, receive, send)

    async def respond(self, request: Request) -> Response:
        """Answer the page to a browser, a GraphQL response to anything else."""
        accept = request.headers.get("accept")
        try:
            _check_method(request.method)
            if request.method != "POST" and prefers_page(accept):
                return self.page()
            media = _check_accept(accept)
            operation = await read_operation(request)
            return _answer(await self.execute(request, operation), media)
        except Refused as refused:
            return _refusal(refused, answer_type(accept) or JSON)

    async def execute(self, request: Request, operation: OperationRequest) -> ExecutionResult:
        """Run an operation of a kind its method allows; raises Refused for the others."""
        try:
            return await self.schema.execute(
                operation.query,
                variable_values=operation.variables,
                context_value=await self.context(request),
                operation_name=operation.operation_name,
                allowed_operation_types=ALLOWED[request.method],
            )
        except InvalidOperationTypeError as error:
            raise _not_allowed(error.operation_type) from None
        except CannotGetOperationTypeError as error:
            raise _not_found(error.operation_name) from None
        except Exception as error:
            located = GraphQLError(str(error), original_error=error)
            return ExecutionResult(data=None, errors=[located])


def _check_method(method: str) -> None:
    if method not in ALLOWED:
        message = "Send queries by GET or POST, mutations by POST."
        raise Refused(405, message, headers={"allow": ", ".join(ALLOWED)})


def _check_accept(accept: str | None) -> str:
    media = answer_type(accept)
    if media is None:
        raise Refused(406, f"This address answers with {GRAPHQL_RESPONSE} or {JSON}.")
    return media


def _not_allowed(kind: OperationType) -> Refused:
    if kind is OperationType.SUBSCRIPTION:
        return Refused(400, "Subscriptions are not served by a single request.", code=BAD_USER_INPUT)
    return Refused(405, "Send mutations by POST.", headers={"allow": "POST"})


def _not_found(name: str | None) -> Refused:
    missing = "no operation" if name is None else f"no operation named '{excerpt(name)}'"
    return Refused(400, f"The document holds {missing}.", code=BAD_USER_INPUT)


def _answer(result: ExecutionResult, media: str) -> Response:
    """Answer the response; what failed before execution has no data, and a status where the type has room."""
    errors = [reported(error) for error in result.errors or ()]
    never_ran = result.data is None and all(error.path is None for error in result.errors or ())
    if not never_ran:
        return _encoded({"data": result.data} | ({"errors": errors} if errors else {}), media)
    usual = 400 if media == GRAPHQL_RESPONSE else 200
    extensions = errors[0]["extensions"]
    after = extensions.get("retryAfter")
    headers = NO_HEADERS if after is None else {"retry-after": str(after)}
    return _encoded({"errors": errors}, media, STATUSES.get(extensions["code"], usual), headers)


def _refusal(refused: Refused, media: str) -> Response:
    error = {"message": refused.message, "extensions": {"code": refused.code}}
    return _encoded({"errors": [error]}, media, refused.status, refused.headers)


def _encoded(
    payload: dict[str, Any], media: str, status: int = 200, headers: Mapping[str, str] = NO_HEADERS
) -> Response:
    try:
        body = orjson.dumps(payload)
    except TypeError as error:
        failure = GraphQLError("", original_error=error)
        body, status = orjson.dumps({"errors": [reported(failure)]}), 500
    return Response(body, status, {**HEADERS, **headers}, f"{media}; charset=utf-8")
