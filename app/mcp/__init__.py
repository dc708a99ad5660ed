"""The MCP face over HTTP: it is loaded when somebody first asks for it."""

from __future__ import annotations

import asyncio
import importlib
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from app.domain.entity import Caller
from app.errors import CHALLENGE, TrigraphError, Unauthenticated, Unavailable
from app.services.container import Memory

if TYPE_CHECKING:
    from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
    from starlette.types import Receive, Scope, Send

MAX_BODY = 1024 * 1024  # bytes, as for GraphQL
_ORIGIN_PORTS = {"http": 80, "https": 443}


class McpEndpoint:
    """An ASGI application that serves the tools of a profile to whoever has a token.

    Each request stands alone: it has its own token, and any worker answers it.
    """

    def __init__(self, profile: str, origins: Sequence[str]) -> None:
        self._profile = profile
        self._origins = frozenset(origins)
        self._wanted = asyncio.Event()
        self._manager: asyncio.Future[StreamableHTTPSessionManager] | None = None

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Serve while the block runs; nothing is loaded before the first request."""
        self._wanted = asyncio.Event()
        self._manager = asyncio.get_running_loop().create_future()
        task = asyncio.create_task(self._serve(self._manager))
        try:
            yield
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)

    async def _serve(self, ready: asyncio.Future[StreamableHTTPSessionManager]) -> None:
        await self._wanted.wait()
        async with AsyncExitStack() as stack:
            try:
                manager = await asyncio.to_thread(_manager_of, self._profile)
                await stack.enter_async_context(manager.run())
            except Exception as error:
                ready.set_exception(error)
                return
            ready.set_result(manager)
            await asyncio.Event().wait()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let in whom the token names, then serve the request."""
        request = Request(scope, receive)
        refusal = await self._refusal(request)
        if refusal is not None:
            await refusal(scope, receive, send)
            return
        assert self._manager is not None
        self._wanted.set()
        manager = await asyncio.shield(self._manager)
        await manager.handle_request(scope, receive, send)

    async def _refusal(self, request: Request) -> Response | None:
        """Return the refusal of a request; None if it may pass, with its caller in its state."""
        origin = request.headers.get("origin")
        if origin is not None and not self._is_own(request, origin):
            return _error(403, "FORBIDDEN", "pages of this origin may not use it; see TRIGRAPH_CORS_ORIGINS")
        try:
            identify = request.state.authenticator.identify
            request.state.caller = await identify(request.headers.getlist("authorization"))
        except Unauthenticated as error:
            return _error(401, error.code, error.message, CHALLENGE)
        except TrigraphError as error:
            after = error.retry_after if isinstance(error, Unavailable) else None
            headers = {} if after is None else {"retry-after": str(after)}
            return _error(503, error.code, error.message, headers)
        if request.method != "POST":
            return _error(405, "BAD_REQUEST", "send each message by POST", {"allow": "POST"})
        return None

    def _is_own(self, request: Request, origin: str) -> bool:
        """Return whether an origin is that of the address itself, or one of the settings."""
        if origin in self._origins:
            return True
        parts = urlsplit(origin)
        return parts.scheme in _ORIGIN_PORTS and parts.netloc == request.headers.get("host")


def _error(status: int, code: str, message: str, headers: Any = None) -> Response:
    error = {"code": -32000, "message": message, "data": {"code": code}}
    body = {"jsonrpc": "2.0", "id": None, "error": error}
    return JSONResponse(body, status, headers={"cache-control": "no-store", **(headers or {})})


def _manager_of(profile: str) -> StreamableHTTPSessionManager:
    """Load the protocol and return its manager; takes a second of computing."""
    managers = importlib.import_module("mcp.server.streamable_http_manager")
    server = importlib.import_module("app.mcp.server").create_server(profile, _of_request)
    manager: StreamableHTTPSessionManager = managers.StreamableHTTPSessionManager(
        server, stateless=True, max_request_body_size=MAX_BODY
    )
    return manager


async def _of_request(context: Any) -> tuple[Memory, Caller]:
    """Return the memory of a request as its caller sees it."""
    state = context.request.state
    return state.memory.of_caller(state.caller), state.caller
