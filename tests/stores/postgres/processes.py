"""Programs of their own, as other processes that work in one home or one database."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

_PATIENCE = 60.0


class Program:
    """A Python program that says a line and then waits to be told to go on."""

    def __init__(self, code: str, *arguments: str) -> None:
        self._process = subprocess.Popen(
            (sys.executable, "-W", "error", "-c", code, *arguments),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def __enter__(self) -> Program:
        return self

    def __exit__(self, *_reason: Any) -> None:
        self._process.kill()
        self._process.communicate()

    def said(self) -> str:
        """Wait for the next line; an empty one means that the program is gone."""
        assert self._process.stdout is not None
        return self._process.stdout.readline().strip()

    def go_on(self) -> None:
        """Tell the program to go on, without waiting."""
        assert self._process.stdin is not None
        self._process.stdin.write("go on\n")
        self._process.stdin.flush()

    def finish(self) -> int:
        """Let the program go on to its end and answer its exit status."""
        self._process.communicate("go on\n", timeout=_PATIENCE)
        return self._process.returncode

    def kill(self) -> None:
        """End it as the system does, without a chance to tidy up."""
        self._process.kill()
        self._process.wait(_PATIENCE)
