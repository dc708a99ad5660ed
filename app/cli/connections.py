"""Connections to the service, with bounds: their number, the length of a head, the patience with a client."""

from __future__ import annotations

import asyncio
import resource
import signal
from collections.abc import Iterator
from contextlib import contextmanager

from uvicorn import Server
from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol

from app.settings import read_settings

MAX_HEAD = 65_536
"""Bytes of the address and the headers of a request."""

HEAD_SECONDS = 10.0
BODY_SECONDS = 30.0
STALL_SECONDS = 30.0
MIN_PROGRESS = 65_536
"""Bytes that a client has to read in so many seconds while an answer waits for it."""

WATCH_INTERVAL = 2.5
LINGER_SECONDS = 2.0
MAX_DISCARDED = 16 * 1024 * 1024

REFUSALS = {
    400: "Invalid HTTP request received.",
    408: "The request took too long to arrive.",
    431: f"The address and the headers of a request have at most {MAX_HEAD} bytes. Send long texts by POST.",
    503: "The service has as many connections as it may. Retry in a few seconds.",
}


_PLAIN_TEXT = b"content-type: text/plain; charset=utf-8\r\nconnection: close\r\n"
_OTHER_FILES = 200  # that a process has open, beside its connections


class HeadTooLong(Exception):
    """The head of a request has more bytes than it may."""


class BoundedProtocol(HttpToolsProtocol):
    """Reads requests as uvicorn does, and closes the connection of whoever sends or reads too slowly."""

    transport: asyncio.Transport

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to watch a connection; refuse one that is too many."""
        super().connection_made(transport)
        self._refusal = 400
        self._head = 0
        self._head_is_open = True
        self._arriving_since: float | None = self.loop.time()
        self._may_discard: int | None = None
        self._stalled: tuple[float, int] | None = None
        self._watch: asyncio.TimerHandle | None = self.loop.call_later(WATCH_INTERVAL, self._look)
        if len(self.connections) > read_settings().max_connections:
            self._refuse(503)
            self.transport.close()

    def connection_lost(self, exc: Exception | None) -> None:
        """End the watch."""
        self._end_watch()
        super().connection_lost(exc)

    def handle_websocket_upgrade(self) -> None:
        """Leave the connection to the protocol of WebSockets, which has bounds of its own."""
        self._end_watch()
        super().handle_websocket_upgrade()

    def data_received(self, data: bytes) -> None:
        """Parse what arrived; refuse a head that goes on for too long."""
        if self._may_discard is not None:
            self._discard(len(data))
            return
        was_open = self._head_is_open and self._head > 0
        super().data_received(data)
        if not self._head_is_open or self._may_discard is not None:
            return
        self._head += len(data) if was_open else 1
        if self._head > MAX_HEAD:
            self._refuse(431)

    def on_message_begin(self) -> None:
        """Note when a request began to arrive."""
        super().on_message_begin()
        self._head, self._head_is_open = 1, True
        self._arriving_since = self.loop.time()

    def on_headers_complete(self) -> None:
        """Start the request, unless its head is too long."""
        self._head_is_open = False
        if len(self.url) + sum(len(name) + len(value) for name, value in self.headers) > MAX_HEAD:
            self._refusal = 431
            raise HeadTooLong
        super().on_headers_complete()

    def on_message_complete(self) -> None:
        """Note that the request has arrived."""
        super().on_message_complete()
        self._arriving_since = None

    def pause_writing(self) -> None:
        """Note when a client stopped to read."""
        super().pause_writing()
        self._stalled = (self.loop.time(), self.transport.get_write_buffer_size())

    def resume_writing(self) -> None:
        """Note that the client reads again."""
        super().resume_writing()
        self._stalled = None

    def shutdown(self) -> None:
        """Close the connection once it has its answer, at once if it has not even asked."""
        if self._arriving_since is None:
            super().shutdown()
        else:
            self.transport.close()

    def send_400_response(self, msg: str) -> None:
        """Refuse what is no request, or one whose head is too long."""
        self._refuse(self._refusal)

    def _refuse(self, status: int) -> None:
        """Send a few words, if no answer has begun, and end the connection.

        What the client still sends is read for a moment: it would not get to read the answer otherwise.
        """
        if self.cycle is None or self.cycle.response_complete or not self.cycle.response_started:
            text = REFUSALS[status].encode()
            retry = b"retry-after: 5\r\n" if status == 503 else b""
            length = b"content-length: %d\r\n" % len(text)
            self.transport.write(b"".join((STATUS_LINE[status], _PLAIN_TEXT, length, retry, b"\r\n", text)))
        if self.cycle is not None and not self.cycle.response_complete:
            self.cycle.disconnected = True
            self.cycle.message_event.set()
        self._may_discard, self._arriving_since = MAX_DISCARDED, None
        self.transport.write_eof()
        self.loop.call_later(LINGER_SECONDS, self.transport.close)

    def _discard(self, size: int) -> None:
        assert self._may_discard is not None
        self._may_discard -= size
        if self._may_discard < 0:
            self.transport.close()

    def _look(self) -> None:
        """Close the connection of a client that is too slow; look again in a while."""
        self._watch = self.loop.call_later(WATCH_INTERVAL, self._look)
        now = self.loop.time()
        if self._stalled is not None and now - self._stalled[0] > STALL_SECONDS:
            left = self.transport.get_write_buffer_size()
            if left > self._stalled[1] - MIN_PROGRESS:
                self.transport.abort()
                return
            self._stalled = (now, left)
        if self._arriving_since is None:
            return
        if now - self._arriving_since <= (HEAD_SECONDS if self._head_is_open else BODY_SECONDS):
            return
        if self._head:
            self._refuse(408)
        else:
            self.transport.close()  # it never said a word

    def _end_watch(self) -> None:
        if self._watch is not None:
            self._watch.cancel()
            self._watch = None


def allow_connections(count: int) -> None:
    """Let the process have so many connections open, as far as the system lets it."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = count + _OTHER_FILES
    if soft != resource.RLIM_INFINITY and soft < wanted:
        most = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))


class OrderlyServer(Server):
    """A server whose process ends with the status 0 when it is terminated and has closed everything."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Handle signals in the block; raise again at its end what interrupted the process."""
        with super().capture_signals():
            yield
            self._captured_signals = [each for each in self._captured_signals if each != signal.SIGTERM]
