"""The ASGI view of the GraphQL API: GraphQL over HTTP for programs, GraphiQL for people.

Queries come by GET or POST, mutations only by POST, and bodies only as application/json. A foreign web page
cannot send a mutation without a CORS preflight, which is never allowed here.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from types import MappingProxyType
from typing import Any, cast

import orjson
from graphql import GraphQLError
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send
from strawberry.schema.exceptions import CannotGetOperationTypeError, InvalidOperationTypeError
from strawberry.types import ExecutionResult
from strawberry.types.graphql import OperationType

from app.domain.bounds import excerpt
from app.errors import CHALLENGE, Busy, Unauthenticated
from app.graphql.context import Context
from app.graphql.errors import BAD_USER_INPUT, INTERNAL, client_error, without_repeats
from app.graphql.execution import CHECKED, GuardedSchema
from app.graphql.http_request import OperationRequest, Refused, read_operation
from app.graphql.persisted import Documents, PersistedDocuments
from app.graphql.streams import EVENT_STREAM, EventStream
from app.metrics import NOTES, RequestNotes, watched_operation
from app.services.served_operation import ClientGone, OperationLimits

GRAPHQL_RESPONSE = "application/graphql-response+json"
JSON = "application/json"
HTML = "text/html"


def answer_type(accept: str | None) -> str | None:
    """Return the media type for a GraphQL response, or None when the client takes none.

    An old client that accepts anything and names no type gets application/json. A stream of events has to be
    named.
    """
    if not accept or not accept.strip():
        return JSON
    qualities = read_accept(accept)
    stream, *single = (qualities.get(media, 0.0) for media in (EVENT_STREAM, GRAPHQL_RESPONSE, JSON))
    if 0 < stream >= max(single):
        return EVENT_STREAM
    wanted = {media: _quality(qualities, media) for media in (GRAPHQL_RESPONSE, JSON)}
    if GRAPHQL_RESPONSE not in qualities and wanted[JSON] > 0:
        return JSON
    best = max(wanted, key=lambda media: wanted[media])
    return best if wanted[best] > 0 else None


def prefers_page(accept: str | None) -> bool:
    """Return whether a client prefers HTML to a GraphQL response, as browsers do."""
    qualities = read_accept(accept or "")
    page = qualities.get(HTML, 0.0)
    return page > 0 and page >= max(qualities.get(GRAPHQL_RESPONSE, 0.0), qualities.get(JSON, 0.0))


def read_accept(accept: str) -> dict[str, float]:
    """Return the quality of each media range; a malformed one counts as not acceptable."""
    qualities: dict[str, float] = {}
    for entry in accept.split(","):
        media, *parameters = (part.strip().lower() for part in entry.split(";"))
        weight = next((value[2:] for value in parameters if value.startswith("q=")), "1")
        qualities[media] = _read_quality(weight)
    return qualities


def _read_quality(text: str) -> float:
    try:
        quality = float(text)
    except ValueError:
        return 0.0
    return quality if 0 <= quality <= 1 else 0.0


def _quality(qualities: dict[str, float], media: str) -> float:
    """Return the quality of the most specific range that covers a media type."""
    ranges = (media, media.split("/")[0] + "/*", "*/*")
    return next((qualities[name] for name in ranges if name in qualities), 0.0)


_STOPPING = Busy(
    "the service stops, and the operation was not finished; send it again in a moment, a write with its"
    " idempotencyKey"
)
UNAUTHENTICATED = Unauthenticated.code
NO_HEADERS: Mapping[str, str] = MappingProxyType({})
HEADERS = {"cache-control": "no-store", "vary": "Accept", "x-content-type-options": "nosniff"}
READS = frozenset({OperationType.QUERY})
ALLOWED: dict[str, frozenset[OperationType]] = {
    "GET": READS,
    "HEAD": READS,
    "POST": frozenset({OperationType.QUERY, OperationType.MUTATION}),
}
STATUSES = {UNAUTHENTICATED: 401, "FORBIDDEN": 403, "UNAVAILABLE": 503, INTERNAL: 500}


class GraphQLView:
    """An ASGI application that executes one GraphQL operation per request."""

    def __init__(
        self,
        schema: GuardedSchema,
        context: Callable[[Request], Awaitable[object]],
        page: Callable[[], Response],
        documents: Documents | None = None,
        limits: OperationLimits | None = None,
        slow: float = 1.0,
    ) -> None:
        self.schema = schema
        self.context = context
        self.page = page
        self.documents = documents or PersistedDocuments()
        self.limits = limits or OperationLimits()
        self.slow = slow

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle a request; drop it if the client leaves before it has its answer.

        The server cancels what takes longer than it may when the service stops.
        """
        request = Request(scope, receive)
        try:
            response = await self.respond(request)
        except (ClientDisconnect, ClientGone):
            return
        except asyncio.CancelledError:
            response = _answer(_failed(_STOPPING), answer_type(request.headers.get("accept")) or JSON)
        await response(scope, receive, send)

    async def respond(self, request: Request) -> Response:
        """Return the page to a browser, a GraphQL response to anything else."""
        accept = request.headers.get("accept")
        try:
            _check_method(request.method)
            if request.method != "POST" and prefers_page(accept):
                return self.page()
            media = _check_accept(accept)
            try:
                # Who is asking comes first: nothing that a stranger sends is read.
                context = await self.context(request)
            except Exception as error:
                return _answer(_failed(error), media)
            tenant = context.caller.tenant if isinstance(context, Context) else None
            try:
                operation = await read_operation(request, partial(self.documents.find, owner=tenant))
            except GraphQLError as error:
                return _answer(ExecutionResult(data=None, errors=[error]), media)
            if media == EVENT_STREAM and request.method != "HEAD":
                return EventStream(self.schema, operation, cast(Context, context))
            return _answer(await self.execute(request, operation, context), media)
        except Refused as refused:
            return _refusal(refused, answer_type(accept) or JSON)

    async def execute(
        self, request: Request, operation: OperationRequest, context: object
    ) -> ExecutionResult:
        """Run an operation whose kind the method allows; raise Refused for others."""
        notes = request.scope.get(NOTES) or RequestNotes("-")
        try:
            with watched_operation(notes, operation.query, self.slow) as watch:
                checked = self.schema.check(operation.query)
                watch.end_check(checked.name(operation.operation_name))
                demand = checked.demand(operation.operation_name)
                async with self.limits.serving(demand, request.receive) as watch.use:
                    result = await self.schema.execute(
                        operation.query,
                        variable_values=operation.variables,
                        context_value=context,
                        operation_name=operation.operation_name,
                        allowed_operation_types=ALLOWED[request.method],
                        operation_extensions={CHECKED: checked},
                    )
                watch.end(result.errors, result.extensions)
                return result
        except ClientGone:
            raise
        except InvalidOperationTypeError as error:
            raise _not_allowed(error.operation_type) from None
        except CannotGetOperationTypeError as error:
            raise _not_found(error.operation_name) from None
        except Exception as error:
            return _failed(error)


def _failed(error: Exception) -> ExecutionResult:
    if not isinstance(error, GraphQLError):
        error = GraphQLError(str(error), original_error=error)
    return ExecutionResult(data=None, errors=[error])


def _check_method(method: str) -> None:
    if method not in ALLOWED:
        message = "Send queries by GET or POST, mutations by POST."
        raise Refused(405, message, headers={"allow": ", ".join(ALLOWED)})


def _check_accept(accept: str | None) -> str:
    media = answer_type(accept)
    if media is None:
        raise Refused(406, f"This URL responds with {GRAPHQL_RESPONSE}, {JSON} or {EVENT_STREAM}.")
    return media


def _not_allowed(kind: OperationType) -> Refused:
    if kind is OperationType.SUBSCRIPTION:
        message = (
            "A subscription has many responses. Send it over WebSocket (graphql-transport-ws), or with the"
            f" header Accept: {EVENT_STREAM}."
        )
        return Refused(400, message, code=BAD_USER_INPUT)
    return Refused(405, "Send mutations by POST.", headers={"allow": "POST"})


def _not_found(name: str | None) -> Refused:
    missing = "no operation" if name is None else f"no operation named '{excerpt(name)}'"
    return Refused(400, f"The document has {missing}.", code=BAD_USER_INPUT)


def _answer(result: ExecutionResult, media: str) -> Response:
    """Return the response; a failure before execution has no data, and a status if the media type allows."""
    errors = [client_error(error) for error in without_repeats(result.errors or ())]
    payload: dict[str, Any] = {"errors": errors} if errors else {}
    if result.extensions:
        payload["extensions"] = result.extensions
    never_ran = result.data is None and all(error.path is None for error in result.errors or ())
    if not never_ran:
        return _encode({"data": result.data, **payload}, media)
    usual = 400 if media == GRAPHQL_RESPONSE else 200
    extensions = errors[0]["extensions"]
    headers = _explaining_headers(extensions)
    return _encode(payload, media, STATUSES.get(extensions["code"], usual), headers)


def _explaining_headers(extensions: Mapping[str, Any]) -> Mapping[str, str]:
    """Return the headers that belong to the status of a failure."""
    if extensions["code"] == UNAUTHENTICATED:
        return CHALLENGE
    after = extensions.get("retryAfter")
    return NO_HEADERS if after is None else {"retry-after": str(after)}


def _refusal(refused: Refused, media: str) -> Response:
    error = {"message": refused.message, "extensions": {"code": refused.code}}
    return _encode({"errors": [error]}, media, refused.status, refused.headers)


def _encode(
    payload: dict[str, Any], media: str, status: int = 200, headers: Mapping[str, str] = NO_HEADERS
) -> Response:
    try:
        body = orjson.dumps(payload)
    except TypeError as error:
        failure = GraphQLError("", original_error=error)
        body, status = orjson.dumps({"errors": [client_error(failure)]}), 500
    media = JSON if media == EVENT_STREAM else media  # what comes before a stream, or instead of one
    return Response(body, status, {**HEADERS, **headers}, f"{media}; charset=utf-8")
