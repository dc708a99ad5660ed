"""Run the command in a process of its own."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

TIMEOUT = 120.0


@dataclass(frozen=True, slots=True)
class Ran:
    """The exit status and the output of a command."""

    code: int
    out: str
    err: str

    @property
    def object(self) -> dict[str, Any]:
        """The output as a JSON object."""
        value: dict[str, Any] = json.loads(self.out)
        return value


@dataclass(frozen=True, slots=True)
class Shell:
    """Runs commands in one home or on one database."""

    home: Path
    variables: dict[str, str]

    def run(self, *words: str | Path, **variables: str) -> Ran:
        done = subprocess.run(
            self.command(*words), env=self.environment(variables), capture_output=True, timeout=TIMEOUT
        )
        return Ran(done.returncode, done.stdout.decode(), done.stderr.decode())

    def start(self, *words: str | Path) -> subprocess.Popen[str]:
        with _interruptible():
            return subprocess.Popen(
                self.command(*words),
                env=self.environment({}),
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
            )

    @contextmanager
    def running(self, *words: str | Path) -> Iterator[subprocess.Popen[str]]:
        """Start a command; kill it at the end of the block."""
        process = self.start(*words)
        try:
            yield process
        finally:
            process.kill()
            process.communicate()

    def command(self, *words: str | Path) -> list[str]:
        return [sys.executable, "-W", "error", "-m", "app", *map(str, words)]

    def environment(self, variables: dict[str, str]) -> dict[str, str]:
        kept = {name: value for name, value in os.environ.items() if not name.startswith("TRIGRAPH_")}
        return kept | {"TRIGRAPH_HOME": str(self.home)} | self.variables | variables


@contextmanager
def _interruptible() -> Iterator[None]:
    """Restore the default SIGINT handler for a child, since a suite in the background ignores the signal."""
    former = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, former)
