"""Send the results of subscriptions: over WebSocket (graphql-transport-ws), and as server-sent events.

The protocols are Strawberry's. What is added here are the limits, the caller of each operation, and errors as
the view over HTTP reports them. Queries and mutations go over HTTP, which has their limits.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from contextlib import aclosing, suppress
from datetime import timedelta
from functools import partial
from json import JSONDecodeError
from typing import Any, cast

import orjson
from graphql import GraphQLError
from starlette.responses import StreamingResponse
from starlette.types import Receive, Scope, Send
from starlette.websockets import WebSocket
from strawberry.asgi import ASGIWebSocketAdapter, GraphQL
from strawberry.exceptions import ConnectionRejectionError
from strawberry.http.exceptions import WebSocketDisconnected
from strawberry.http.streaming import SSETransport, merge_stream_with_heartbeat
from strawberry.schema.exceptions import InvalidOperationTypeError
from strawberry.subscriptions import GRAPHQL_TRANSPORT_WS_PROTOCOL
from strawberry.types import ExecutionResult
from strawberry.types.execution import PreExecutionError
from strawberry.types.graphql import OperationType
from strawberry.types.unset import UNSET

from app.domain.bounds import MAX_NAME
from app.errors import TrigraphError
from app.graphql.context import Context
from app.graphql.errors import BAD_USER_INPUT, client_error
from app.graphql.execution import GuardedSchema
from app.graphql.http_request import (
    MAX_BODY,
    FindDocument,
    OperationRequest,
    Refused,
    decode_json,
    read_parameters,
)
from app.graphql.persisted import Documents

EVENT_STREAM = "text/event-stream"
SECONDS_TO_INIT = timedelta(seconds=10)
SECONDS_TO_SEND = 60.0
"""A client that takes nothing for so long is cut off."""

MAX_SUBSCRIPTIONS = 50  # of one connection

_CUT_OFF = "trigraph.cut_off"

ContextFor = Callable[[WebSocket, Sequence[str]], Awaitable[Context]]


class ReportedError(GraphQLError):
    """An error that is formatted as the client may see it."""

    def __init__(self, error: GraphQLError) -> None:
        super().__init__(error.message, original_error=error)
        self._reported = client_error(error)

    @property
    def formatted(self) -> Any:
        """Return the JSON of the error for the client."""
        return self._reported


async def stream_results(
    schema: GuardedSchema, operation: OperationRequest, context: Context
) -> AsyncGenerator[ExecutionResult, None]:
    """Yield the results of a subscription; of any other operation, one that says where to send it."""
    results = await schema.stream(
        operation.query,
        variable_values=operation.variables,
        context_value=context,
        operation_name=operation.operation_name,
        allowed_operation_types=(OperationType.SUBSCRIPTION,),
    )
    try:
        async with aclosing(cast("AsyncGenerator[ExecutionResult, None]", results)):
            async for result in results:
                assert isinstance(result, ExecutionResult)
                result.errors = [ReportedError(_explained(error)) for error in result.errors or ()] or None
                yield result
    except Exception as error:
        yield _failed(error)


def _failed(error: Exception) -> PreExecutionError:
    failure = error if isinstance(error, GraphQLError) else GraphQLError(str(error), original_error=error)
    return PreExecutionError(data=None, errors=[ReportedError(failure)])


def _explained(error: GraphQLError) -> GraphQLError:
    """Return an error, with a message of our own for an operation that is no subscription."""
    if isinstance(error.original_error, InvalidOperationTypeError):
        message = "Only subscriptions come as a stream. Send queries and mutations by POST, and accept JSON."
        return GraphQLError(message, extensions={"code": BAD_USER_INPUT})
    return error


class EventStream(StreamingResponse):
    """The results of an operation as server-sent events, each with the position of its change as its id."""

    def __init__(self, schema: GuardedSchema, operation: OperationRequest, context: Context) -> None:
        self._events = _events(schema, operation, context)
        merged = merge_stream_with_heartbeat(
            lambda: self._events,
            lambda: _TRANSPORT.heartbeat_message(_encode),
            _TRANSPORT.heartbeat_interval,
            send_initial_heartbeat=True,
        )
        headers = {"vary": "Accept", "x-content-type-options": "nosniff", **_TRANSPORT.headers}
        self._merged = merged()
        super().__init__(self._merged, headers=headers)

    async def stream_response(self, send: Send) -> None:
        """Send the events until they end or the client takes no more, then close what they come from."""

        async def send_in_time(message: Any) -> None:
            async with asyncio.timeout(SECONDS_TO_SEND):
                await send(message)

        try:
            with suppress(TimeoutError):
                await super().stream_response(send_in_time)
        finally:
            # In a task of its own: a client that left has this one cancelled, at every step.
            self._closing = asyncio.create_task(self._close())
            await asyncio.shield(self._closing)

    async def _close(self) -> None:
        await self._merged.aclose()
        await self._events.aclose()


_TRANSPORT = SSETransport()


def _encode(value: object) -> str:
    return orjson.dumps(value).decode()


async def _events(
    schema: GuardedSchema, operation: OperationRequest, context: Context
) -> AsyncGenerator[str, None]:
    async with aclosing(stream_results(schema, operation, context)) as results:
        async for result in results:
            id = "" if context.position is None else f"id: {context.position}\r\n"
            yield id + _TRANSPORT.encode_next(_payload(result), _encode)
    yield _TRANSPORT.encode_complete()


def _payload(result: ExecutionResult) -> Any:
    errors = [error.formatted for error in result.errors or ()]
    data = {} if isinstance(result, PreExecutionError) else {"data": result.data}
    return data | ({"errors": errors} if errors else {})


class SocketClient:
    """A WebSocket connection: what the client said when it opened it, and the caller of each operation."""

    def __init__(self, socket: WebSocket, context_for: ContextFor) -> None:
        self.connection_params: dict[str, object] = {}
        self._socket = socket
        self._context_for = context_for

    async def new_context(self) -> Context:
        """Return a context of its own for an operation; raise Unauthenticated for a bad token."""
        given = self.connection_params.get("authorization", self.connection_params.get("Authorization"))
        sent = self._socket.headers.getlist("authorization")
        return await self._context_for(self._socket, sent if given is None else [str(given)])


async def _only(result: ExecutionResult) -> AsyncGenerator[ExecutionResult, None]:
    yield result


class _Streams:
    """The schema as Strawberry's protocol uses it: each operation has a context of its own."""

    def __init__(self, schema: GuardedSchema) -> None:
        self._schema = schema

    async def stream(
        self,
        query: str | GraphQLError,
        variable_values: dict[str, Any] | None,
        context_value: SocketClient,
        root_value: None,
        operation_name: str | None,
    ) -> AsyncGenerator[ExecutionResult, None]:
        """Return the results of an operation, or the reason why there is none."""
        if isinstance(query, GraphQLError):
            return _only(_failed(query))
        operation = OperationRequest(query, operation_name, variable_values)
        return self._results(operation, context_value)

    async def _results(
        self, operation: OperationRequest, connection: SocketClient
    ) -> AsyncGenerator[ExecutionResult, None]:
        try:
            context = await connection.new_context()
        except TrigraphError as error:
            yield _failed(error)
            return
        async with aclosing(stream_results(self._schema, operation, context)) as results:
            async for result in results:
                yield result


class SocketAdapter(ASGIWebSocketAdapter):
    """Cuts a client off that takes nothing: the task that reads its messages ends, and closes the rest."""

    def __init__(self, view: Any, request: WebSocket, response: WebSocket) -> None:
        super().__init__(view, request, response)
        self._scope = request.scope
        self._task = asyncio.current_task()

    async def send_json(self, message: Mapping[str, object]) -> None:
        """Send a message in time."""
        try:
            async with asyncio.timeout(SECONDS_TO_SEND):
                await super().send_json(message)
        except TimeoutError:
            assert self._task is not None
            self._scope[_CUT_OFF] = True
            self._task.cancel()
            raise WebSocketDisconnected from None


class SubscriptionSocket(GraphQL[SocketClient, None]):
    """Subscriptions over graphql-transport-ws, for pages of the same origin and of those that are allowed."""

    websocket_adapter_class = SocketAdapter

    def __init__(
        self, schema: GuardedSchema, context_for: ContextFor, origins: Sequence[str], documents: Documents
    ) -> None:
        super().__init__(
            cast("Any", _Streams(schema)),
            graphql_ide=None,
            subscription_protocols=[GRAPHQL_TRANSPORT_WS_PROTOCOL],
            connection_init_wait_timeout=SECONDS_TO_INIT,
            max_subscriptions_per_connection=MAX_SUBSCRIPTIONS,
            allowed_origins=origins,
        )
        self._context_for = context_for
        self._documents = documents

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a connection until it ends, or its client is cut off."""
        try:
            await super().__call__(scope, receive, send)
        except asyncio.CancelledError:
            if _CUT_OFF not in scope:
                raise

    async def get_context(self, request: Any, response: Any) -> SocketClient:
        """Return the connection: its operations have contexts of their own."""
        return SocketClient(request, self._context_for)

    async def on_ws_connect(self, context: SocketClient) -> Any:
        """Refuse a connection without a good token."""
        try:
            await context.new_context()
        except TrigraphError as error:
            raise ConnectionRejectionError from error
        return UNSET

    def encode_json(self, data: object) -> str:
        """Return a message as text: browsers take binary frames for something else."""
        return _encode(data)

    def decode_json(self, data: str | bytes) -> object:
        """Return a message of the protocol; raise JSONDecodeError for anything else."""
        text = data.encode() if isinstance(data, str) else data
        try:
            if len(text) > MAX_BODY:
                raise Refused(413, "The message is too long.")
            return _message(decode_json(text, "The message"), partial(self._documents.find, owner=None))
        except Refused as refused:
            raise JSONDecodeError(refused.message, "", 0) from None


def _message(message: object, find: FindDocument) -> dict[str, Any]:
    """Return a message whose parts have the types that the protocol demands; raise Refused otherwise."""
    if not isinstance(message, dict) or not isinstance(message.get("type"), str):
        raise Refused(400, "A message is an object with a type.")
    id = message.get("id", "")
    if not isinstance(id, str) or len(id) > MAX_NAME:
        raise Refused(400, "The id of a message is a short text.")
    if message["type"] == "subscribe":
        message["payload"] = _payload_of(message.get("payload"), find)
    return message


def _payload_of(payload: object, find: FindDocument) -> dict[str, Any]:
    """Return an operation as Strawberry's protocol reads it; a document that is not found is its error."""
    try:
        operation = read_parameters(payload, find)
    except GraphQLError as error:
        return {"query": error}
    return {
        "query": operation.query,
        "variables": operation.variables,
        "operationName": operation.operation_name,
    }
