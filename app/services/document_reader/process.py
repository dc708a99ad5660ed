"""One process that reads documents, seen from the process that started it."""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
from multiprocessing import Pipe
from typing import Any, NoReturn

from app.errors import Invalid
from app.services.document_reader.limits import MAX_READING_SECONDS, MAX_WAITING_SECONDS

TOO_SLOW = f"reading the document took more than {MAX_READING_SECONDS} seconds; split it"


class Ended(Exception):
    """The process ended before it answered, by the signal or with the status that is its argument."""


class ReadingProcess:
    """A child process that makes one call at a time; it starts with the object and lives until `kill`."""

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
                pass_fds=[theirs.fileno(), lifeline],
            )

    @property
    def number(self) -> int:
        """The number by which the operating system knows the process."""
        return self._child.pid

    @property
    def is_running(self) -> bool:
        """Whether it can be called again."""
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
        """End the process at once, whatever it is doing; one that is gone already is no matter."""
        self._child.kill()

    def close(self) -> None:
        """End the process and free what it was reached by."""
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
