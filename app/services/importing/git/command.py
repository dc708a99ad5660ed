"""Running git in a closed environment, so that a repository can neither run nor fetch anything."""

from __future__ import annotations

import os
import resource
import select
import selectors
import subprocess
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

from app.errors import Invalid, Unavailable
from app.services.importing.interruption import IsStopped, Stopped, never
from app.services.importing.items import printable_name

NO_GIT = "git is not installed; install it to import a repository"
MAX_WORDS = 200
"""At most this many characters of git's messages are passed on: they may quote the repository."""
MAX_MEMORY_BYTES = 2 * 1024**3
"""At most this much memory is git's, not counting the packs that it maps."""

MAX_ANSWER_BYTES = 512 * 1024**2
"""At most this much of what git prints is kept."""

# What a repository sets for those who work in it must not count here, above all no program that it names.
_SETTINGS = (
    "protocol.allow=never",
    "core.fsmonitor=false",
    f"core.hooksPath={os.devnull}",
    "core.sshCommand=false",
    "core.alternateRefsCommand=false",
    "credential.helper=",
    "maintenance.auto=false",
    "gc.auto=0",
)
_OPTIONS = ("--no-pager", "--no-optional-locks", "--no-replace-objects")
_KEPT = ("LD_LIBRARY_PATH", "TMPDIR", "SUDO_UID")
"""What git needs of the environment; with SUDO_UID it knows whose repositories are those of root's caller."""

_CLOSED = {
    "HOME": os.devnull,
    "LC_ALL": "C",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_SYSTEM": os.devnull,
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_ATTR_NOSYSTEM": "1",
    "GIT_ALLOW_PROTOCOL": "none",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_TERMINAL_PROMPT": "0",
    # No single object can make git take all of the memory: the base of a delta may be a bomb.
    "GIT_ALLOC_LIMIT": "512m",
    "GIT_TRACE2": "0",
    "GIT_TRACE2_EVENT": "0",
    "GIT_TRACE2_PERF": "0",
}
_POLL_SECONDS = 0.2
_PIECE = 65536
_NO_MEMORY = (b"out of memory", b"cannot allocate memory")


class TooMuch(Invalid):
    """A repository needs more of the machine than one is given: nested folders can unpack to billions."""


@dataclass(frozen=True, slots=True)
class Git:
    """Git in one folder, with `environment` added to the closed one and `settings` over a repository's.

    Messages name `shown_folder`. A folder shaped as a bare repository counts as one only with `allows_bare`.
    Git ends once `is_stopped` returns True, or where it is silent for `wait_seconds`.
    """

    folder: Path
    shown_folder: Path
    is_stopped: IsStopped = never
    environment: Mapping[str, str] = field(default_factory=dict)
    settings: tuple[str, ...] = ()
    wait_seconds: float | None = None
    allows_bare: bool = False

    def ask(self, *arguments: str, given: bytes = b"") -> bytes:
        """Return what git prints.

        Raises Invalid with git's message when it fails, TooMuch when it needs too much memory or prints
        too much, Unavailable when there is no git, and Stopped.
        """
        with self.open(*arguments, complaints=subprocess.PIPE) as git:
            try:
                answer, complaint = self._communicate(git, given)
            finally:
                git.kill()
        if git.returncode == 0:
            return answer
        if any(words in complaint.lower() for words in _NO_MEMORY):
            raise self._too_much(f"needs more than {MAX_MEMORY_BYTES // 1024**2} MiB of memory")
        raise Invalid(
            f"git cannot read {printable_name(str(self.shown_folder))}: {_complaint_line(complaint)}"
        )

    def _too_much(self, what: str) -> TooMuch:
        name = printable_name(str(self.shown_folder))
        return TooMuch(f"git {what} to read {name}: it has too many files; give a folder of it")

    def ask_path(self, *question: str) -> Path:
        """Return a path that rev-parse prints; its name may end in a line break of its own."""
        return self.folder / os.fsdecode(self.ask("rev-parse", *question).removesuffix(b"\n"))

    def open(self, *arguments: str, complaints: int = subprocess.DEVNULL) -> subprocess.Popen[bytes]:
        """Start git and return the process; the caller ends it. Raises Unavailable when there is no git."""
        bare = f"safe.bareRepository={'all' if self.allows_bare else 'explicit'}"
        settings = [word for setting in (bare, *_SETTINGS, *self.settings) for word in ("-c", setting)]
        command = ["git", "-C", str(self.folder), *_OPTIONS, *settings, *arguments]
        pipe = subprocess.PIPE
        try:
            process = subprocess.Popen(
                command,
                stdin=pipe,
                stdout=pipe,
                stderr=complaints,
                env={**_closed_environment(), **self.environment},
                # An interrupt from the keyboard would end git too, as if the repository were damaged.
                start_new_session=True,
            )
        except FileNotFoundError:
            raise Unavailable(NO_GIT) from None
        _limit_memory(process)
        return process

    def _communicate(self, git: subprocess.Popen[bytes], given: bytes) -> tuple[bytes, bytes]:
        assert git.stdin is not None
        assert git.stdout is not None
        assert git.stderr is not None
        answer, complaint, left = bytearray(), bytearray(), memoryview(given)
        kept = {git.stdout.fileno(): answer, git.stderr.fileno(): complaint}
        latest = time.monotonic()
        with selectors.DefaultSelector() as pipes:
            for pipe in kept:
                pipes.register(pipe, selectors.EVENT_READ)
            pipes.register(git.stdin, selectors.EVENT_WRITE)
            while pipes.get_map():
                ready = [key for key, _ in pipes.select(_POLL_SECONDS)]
                latest = time.monotonic() if ready else latest
                self._require_going_on(latest)
                for key in ready:
                    if len(answer) + len(complaint) > MAX_ANSWER_BYTES:
                        raise self._too_much(f"prints more than {MAX_ANSWER_BYTES // 1024**2} MiB")
                    if key.fd in kept:
                        is_over = not _keep(key.fd, kept[key.fd])
                    else:
                        left = _give(git.stdin, left)
                        is_over = git.stdin.closed
                    if is_over:
                        pipes.unregister(key.fileobj)
        git.wait()
        return bytes(answer), bytes(complaint)

    def _require_going_on(self, latest: float) -> None:
        """Raise Stopped where somebody asked for an end, and Invalid where git was silent for too long."""
        if self.is_stopped():
            raise Stopped
        if self.wait_seconds is not None and time.monotonic() - latest >= self.wait_seconds:
            name = printable_name(str(self.shown_folder))
            raise Invalid(
                f"git did not respond about {name} for {self.wait_seconds:.0f} s; check"
                " whether a file of the repository is a pipe or a device"
            )


def _limit_memory(process: subprocess.Popen[bytes]) -> None:
    # Mapped packs are no data: a large repository is read as before.
    with suppress(ProcessLookupError):
        _, hard = resource.prlimit(process.pid, resource.RLIMIT_DATA)
        most = MAX_MEMORY_BYTES if hard == resource.RLIM_INFINITY else min(MAX_MEMORY_BYTES, hard)
        resource.prlimit(process.pid, resource.RLIMIT_DATA, (most, hard))


def _give(pipe: IO[bytes], left: memoryview) -> memoryview:
    """Return what is still to be given after one write; the pipe is closed after the last."""
    # A pipe that is ready takes this much at once, so that the write does not block.
    share = left[: select.PIPE_BUF]
    try:
        pipe.write(share)
        pipe.flush()
        left = left[len(share) :]
    except BrokenPipeError:
        left = left[:0]
    if not left:
        with suppress(BrokenPipeError):
            pipe.close()
    return left


def _keep(pipe: int, kept: bytearray) -> bool:
    """Return whether a pipe had more to read, which is kept."""
    piece = os.read(pipe, _PIECE)
    kept += piece
    return bool(piece)


def clean_path() -> str:
    """Return PATH without its relative entries, which may lead into the repository."""
    entries = os.environ.get("PATH", os.defpath).split(os.pathsep)
    return os.pathsep.join(entry for entry in entries if os.path.isabs(entry))


def _closed_environment() -> dict[str, str]:
    kept = {name: os.environ[name] for name in _KEPT if name in os.environ}
    return {**kept, **_CLOSED, "PATH": clean_path()}


def _complaint_line(complaint: bytes) -> str:
    lines = complaint.decode("utf-8", "replace").strip().splitlines() or ["no reason given"]
    fatal = next((line for line in lines if line.startswith("fatal: ")), lines[0])
    return "".join(letter if letter.isprintable() else "\ufffd" for letter in fatal[:MAX_WORDS])
