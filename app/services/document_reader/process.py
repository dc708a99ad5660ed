"""Reader processes and their queues, on the side of the process that starts them."""

from __future__ import annotations

import asyncio
import atexit
import os
import pickle
import signal
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from functools import cache
from importlib import import_module
from multiprocessing import Pipe
from threading import Lock
from typing import Any, NoReturn, ParamSpec, TypeVar, cast

from app.errors import Invalid, Unavailable
from app.services.document_reader.child import (
    MAX_QUEUED,
    MAX_READING_SECONDS,
    MAX_SMALL_CHARACTERS,
    MAX_WAITING_SECONDS,
)

TOO_SLOW = f"reading the document took more than {MAX_READING_SECONDS} seconds; split it"


class Ended(Exception):
    """The process ended before it answered; the argument names the signal or status."""


class ReadingProcess:
    """A child process that serves one call at a time; it starts with the object and lives until `kill`."""

    def __init__(self) -> None:
        self._connection, theirs = Pipe()
        lifeline, self._lifeline = os.pipe()
        with theirs, open(lifeline, "rb"):
            # Without -P, Python would import modules from the working folder, which others may have written.
            command = [sys.executable, "-P", "-m", "app.services.document_reader.child"]
            self._child = subprocess.Popen(
                [*command, str(theirs.fileno()), str(lifeline)],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                # Its trace could quote the text; what went wrong comes back as the answer or as the status.
                stderr=subprocess.DEVNULL,
                pass_fds=[theirs.fileno(), lifeline],
            )

    @property
    def number(self) -> int:
        """The process id."""
        return self._child.pid

    @property
    def is_running(self) -> bool:
        """Whether it can serve another call."""
        return self._child.poll() is None

    def call(self, request: bytes) -> Any:
        """Return what a pickled function returns for its arguments, or raise what it raises.

        Blocks. Raises Invalid when reading takes too long, and Ended when the process is gone.
        """
        try:
            self._connection.send_bytes(request)
            if not self._connection.poll(MAX_WAITING_SECONDS):
                self.kill()
                self._child.wait()
                raise Invalid(TOO_SLOW, field="body")
            answer = self._connection.recv_bytes()
        except (EOFError, OSError) as error:
            self._raise_end(error)
        result, failure = pickle.loads(answer)
        if failure is not None:
            raise failure
        return result

    def kill(self) -> None:
        """End the process at once; do nothing when it is gone already."""
        self._child.kill()

    def close(self) -> None:
        """End the process and close its connection and pipe."""
        self.kill()
        self._child.wait()
        self._connection.close()
        os.close(self._lifeline)

    def _raise_end(self, error: Exception) -> NoReturn:
        self.kill()
        status = self._child.wait()
        if status == -signal.SIGPROF:
            raise Invalid(TOO_SLOW, field="body") from error
        raise Ended(f"signal {-status}" if status < 0 else f"status {status}") from error


class Stopped(Exception):
    """A call was ended because somebody asked for an end."""


class Call:
    """A queued or running call; nobody waits for an abandoned one."""

    def __init__(self, function: Callable[..., Any], arguments: Any, named: Any) -> None:
        self._call = (function, arguments, named)
        self.is_abandoned = False

    def request(self) -> bytes:
        """Return the pickled call."""
        return pickle.dumps(self._call, pickle.HIGHEST_PROTOCOL)


class Lane:
    """Runs calls one at a time in its own process, in the order in which they arrive."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._thread: ThreadPoolExecutor | None = None
        self._process: ReadingProcess | None = None
        self._current: Call | None = None
        self._queued = 0

    @property
    def process(self) -> int | None:
        """The number of the process, None while none runs."""
        return None if self._process is None else self._process.number

    async def run(self, call: Call) -> Any:
        """Return what a call returns, or raise what it raises; a cancelled caller ends the call."""
        future = self.submit(call)
        try:
            return await asyncio.wrap_future(future)
        except asyncio.CancelledError:
            self.abandon(call)
            raise

    def wait(self, call: Call, is_stopped: Callable[[], bool], seconds: float = 0.1) -> Any:
        """Return what a call returns, or raise what it raises; blocks, for a thread that has no loop.

        Raises Stopped, and ends the call, soon after `is_stopped` says so, and also when the lane is closed.
        """
        future = self.submit(call)
        while True:
            try:
                return future.result(seconds)
            except CancelledError:
                raise Stopped from None
            except TimeoutError:
                if future.done():
                    raise
                if is_stopped():
                    future.cancel()
                    self.abandon(call)
                    raise Stopped from None

    def abandon(self, call: Call) -> None:
        """End a call that nobody waits for any more."""
        with self._lock:
            call.is_abandoned = True
            if self._current is call and self._process is not None:
                self._process.kill()

    def close(self) -> None:
        """End the running call, the queued calls and the process; the next call starts another process."""
        with self._lock:
            thread, self._thread = self._thread, None
            if self._current is not None:
                self._current.is_abandoned = True
            if self._process is not None:
                self._process.kill()
        if thread is not None:
            thread.shutdown(cancel_futures=True)
        self._replace(None)

    def submit(self, call: Call) -> Future[Any]:
        """Queue a call, and return the future of its result."""
        with self._lock:
            if self._queued >= MAX_QUEUED:
                raise Unavailable(f"{MAX_QUEUED} documents are already waiting to be read; retry later")
            self._queued += 1
            self._thread = self._thread or ThreadPoolExecutor(1, thread_name_prefix="read-document")
            future = self._thread.submit(self._make, call)
        future.add_done_callback(self._leave)
        return future

    def _leave(self, _future: Future[Any]) -> None:
        with self._lock:
            self._queued -= 1

    def _make(self, call: Call) -> Any:
        try:
            return self._attempt(call)
        except Ended:
            if call.is_abandoned:
                raise CancelledError from None
        try:  # somebody else may have ended the process
            return self._attempt(call)
        except Ended as end:
            if call.is_abandoned:
                raise CancelledError from None
            raise Invalid(
                f"the process that reads documents crashed twice on this one ({end}); split the document",
                field="body",
            ) from end

    def _attempt(self, call: Call) -> Any:
        with self._lock:
            if call.is_abandoned:
                raise CancelledError
            process = self._process = self._process or ReadingProcess()
            self._current = call
        try:
            return process.call(call.request())
        except BaseException:
            if not process.is_running:
                self._replace(None)
            raise
        finally:
            with self._lock:
                self._current = None

    def _replace(self, process: ReadingProcess | None) -> None:
        with self._lock:
            ended, self._process = self._process, process
        if ended is not None:
            ended.close()


Params = ParamSpec("Params")
Result = TypeVar("Result")


def load_module(name: str) -> None:
    """Import a module, so that later calls need not wait for it."""
    import_module(name)


class DocumentReader:
    """Makes calls in processes that end when reading takes too much time or memory.

    Functions, which must be importable, their arguments and their results travel as pickles. The processes
    start with the first call and serve later calls too.
    """

    def __init__(self) -> None:
        self._short = Lane()
        self._long = Lane()

    async def run(
        self, size: int, function: Callable[Params, Result], *arguments: Params.args, **named: Params.kwargs
    ) -> Result:
        """Return what a function returns for a text of `size` characters.

        A cancelled caller ends the call. Raises what the function raises, Invalid on `body` when it takes
        too much time or memory, and Unavailable when too many texts are queued.
        """
        return cast(Result, await self._lane(size).run(Call(function, arguments, named)))

    def wait(
        self,
        size: int,
        is_stopped: Callable[[], bool],
        function: Callable[Params, Result],
        *arguments: Params.args,
        **named: Params.kwargs,
    ) -> Result:
        """Return what `run` returns, in a thread that may block.

        Raises what `run` raises, and Stopped soon after `is_stopped` says so.
        """
        return cast(Result, self._lane(size).wait(Call(function, arguments, named), is_stopped))

    def prepare(self, module: str) -> None:
        """Start the process for short texts and let it import a module; returns at once."""
        self._short.submit(Call(load_module, (module,), {}))

    @property
    def processes(self) -> tuple[int, ...]:
        """The numbers of the processes that run."""
        return tuple(lane.process for lane in (self._short, self._long) if lane.process is not None)

    def close(self) -> None:
        """End the processes and their calls; a later call starts them again."""
        self._short.close()
        self._long.close()

    def _lane(self, size: int) -> Lane:
        return self._short if size <= MAX_SMALL_CHARACTERS else self._long


@cache
def document_reader() -> DocumentReader:
    """Return the shared reader of this process; it closes when the process exits."""
    reader = DocumentReader()
    atexit.register(reader.close)
    return reader
