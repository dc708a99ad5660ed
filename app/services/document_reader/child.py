"""The reader process: it receives calls one after the other and sends back their results.

It ends itself when a call takes too much processor time, or when the process that started it is gone.
"""

from __future__ import annotations

import fcntl
import os
import pickle
import resource
import signal
import sys
import traceback
from contextlib import suppress
from multiprocessing.connection import Connection

from app.errors import Invalid, TrigraphError

MAX_READING_SECONDS = 20
"""Seconds of processor time, so that a busy machine refuses nothing that an idle one reads."""

MAX_WAITING_SECONDS = 120
"""Seconds by the clock; a process that is stopped or starved uses no processor time."""

MAX_MEMORY_BYTES = 2 * 1024**3
"""Address space of a reader process, its program included."""

MAX_SMALL_CHARACTERS = 32_768
"""Texts up to this length have their own process, so that they never wait behind a long text."""

MAX_QUEUED = 64
"""The maximum number of texts queued for one process."""


READING_NICENESS = 10
"""Reading gives way to the process that answers requests and to the database; 0 is their priority."""


def main() -> None:
    """Serve calls until the connection closes.

    The arguments are the numbers of a socket for them and of a pipe that closes when the parent ends.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # an interrupt is for the process that asks
    os.nice(READING_NICENESS)
    _limit_resources()
    connection = Connection(int(sys.argv[1]))
    _end_with_parent(int(sys.argv[2]))
    with suppress(EOFError, ConnectionError):
        while True:
            call = connection.recv_bytes()
            signal.setitimer(signal.ITIMER_PROF, MAX_READING_SECONDS)
            answer, is_spent = _make_call(call)
            signal.setitimer(signal.ITIMER_PROF, 0)
            connection.send_bytes(answer)
            if is_spent:  # its memory may not be released
                return


def _limit_resources() -> None:
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    most = MAX_MEMORY_BYTES if hard == resource.RLIM_INFINITY else min(MAX_MEMORY_BYTES, hard)
    resource.setrlimit(resource.RLIMIT_AS, (most, hard))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _end_with_parent(lifeline: int) -> None:
    """Let the kernel end this process as soon as the other end of a pipe closes.

    A thread would wait for the interpreter, which a regular expression holds until it is done.
    """
    fcntl.fcntl(lifeline, fcntl.F_SETOWN, os.getpid())
    fcntl.fcntl(lifeline, fcntl.F_SETFL, fcntl.fcntl(lifeline, fcntl.F_GETFL) | os.O_ASYNC)


def _make_call(call: bytes) -> tuple[bytes, bool]:
    """Return the pickled result or failure of a call, and whether the memory ran out."""
    try:
        function, arguments, named = pickle.loads(call)
        return pickle.dumps((function(*arguments, **named), None), pickle.HIGHEST_PROTOCOL), False
    except MemoryError:
        refusal = Invalid(
            f"reading the document took more than {MAX_MEMORY_BYTES // 1024**2} MiB of memory; split it",
            field="body",
        )
        return _failure(refusal), True
    except Exception as error:
        return _failure(error), False


def _failure(error: Exception) -> bytes:
    """Return a pickled error; an unexpected one carries its traceback as a note, because pickles drop it."""
    if not isinstance(error, TrigraphError):
        error.add_note("".join(traceback.format_exception(error)))
    try:
        return pickle.dumps((None, error))
    except Exception:
        return pickle.dumps((None, RuntimeError(f"{type(error).__name__}: {error}")))


if __name__ == "__main__":
    main()
