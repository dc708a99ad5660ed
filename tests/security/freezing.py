"""A server that hangs: all its processes are stopped for a while, and go on afterwards."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress


@contextmanager
def frozen(leader: int) -> Iterator[None]:
    """Stop a process and its children while the block lasts; all of them go on, however it ends."""
    stopped = [leader]
    try:
        os.kill(leader, signal.SIGSTOP)  # first, so that it has no more children
        stopped += _children(leader)
        for each in stopped[1:]:
            _send(each, signal.SIGSTOP)
        yield
    finally:
        for each in stopped:
            _send(each, signal.SIGCONT)


def _children(parent: int) -> list[int]:
    listed = subprocess.run(["ps", "-e", "-o", "pid=,ppid="], capture_output=True, text=True, check=True)
    pairs = (map(int, line.split()) for line in listed.stdout.splitlines())
    return [pid for pid, above in pairs if above == parent]


def _send(process: int, sent: signal.Signals) -> None:
    with suppress(ProcessLookupError):
        os.kill(process, sent)
