"""Neo4j from packages and jars, in the user's data folder, shared by every process that works in it."""

from __future__ import annotations

import fcntl
import logging
import os
import secrets
import signal
import socket
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

from app.errors import Unavailable
from app.stores.file_locks import is_held_alone, locked, opened
from app.stores.neo4j.embedded.jars import MEGABYTES, VERSION, install_jars
from app.stores.neo4j.embedded.layout import NOBODY, Address, Layout, read_address, write_address

_PATIENCE = 180.0  # seconds; a busy machine, or a server that was killed and replays its log
_LOOK = 0.05
_PROGRAM = "app.stores.neo4j.embedded.process"

log = logging.getLogger(__name__)


class Neo4jServer:
    """The server of one home; whoever starts or stops it holds `layout.starting`."""

    def __init__(self, layout: Layout) -> None:
        self._layout = layout

    def is_alive(self) -> bool:
        """Return whether its process lives, ready or not."""
        return self._layout.serving.exists() and is_held_alone(self._layout.serving)

    def ensure_running(self) -> Address:
        """Start the server unless it lives already; answer its address when it takes connections.

        Raises Unavailable when it does not start.
        """
        was_launched = False
        deadline = time.monotonic() + _PATIENCE
        while (address := self.ready_address()) is None:
            if not self.is_alive():
                if was_launched:
                    raise self._failure("does not start")
                self._launch()
                was_launched = True
            if time.monotonic() > deadline:
                raise self._failure("is not ready in time")
            time.sleep(_LOOK)
        return address

    def ready_address(self) -> Address | None:
        """Return where the server takes connections now, or None."""
        address = self.told_address()
        if address is None or not self.is_alive():
            return None
        with suppress(OSError), socket.create_connection(("127.0.0.1", address.port), timeout=1):
            return address
        return None

    def told_address(self) -> Address | None:
        """Return where the server that was ready last said that it listens; None while another starts."""
        address = read_address(self._layout)
        return None if address is None or address.process == NOBODY else address

    def stop(self) -> bool:
        """Stop the server in order and wait for its end; answer whether there was one to stop."""
        deadline = time.monotonic() + _PATIENCE
        was_alive = False
        while self.is_alive():
            was_alive = True
            # A server that is still starting has not said yet which process it is.
            if (address := self.ready_address()) is not None:
                with suppress(ProcessLookupError):
                    os.kill(address.process, signal.SIGTERM)
            if time.monotonic() > deadline:
                raise self._failure("does not stop")
            time.sleep(_LOOK)
        return was_alive

    def _launch(self) -> None:
        install_jars(_tell)
        layout = self._layout
        layout.folder.mkdir(mode=0o700, exist_ok=True)
        _ensure_password(layout)
        port = _free_port(read_address(layout))
        # Until it is ready its address names no process, for somebody else may listen where it was before.
        write_address(layout, Address(NOBODY, port))
        with layout.log.open("wb") as log:
            # The program goes on by itself, as nobody's child: none of its users waits for its end.
            subprocess.run(
                (sys.executable, "-m", _PROGRAM, str(layout.home), str(port)),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,  # an interrupt at a terminal is not meant for it
                check=False,
            )

    def _failure(self, what: str) -> Unavailable:
        return Unavailable(f"Neo4j in {self._layout.folder} {what}: {self._log_end()}", has_lines=True)

    def _log_end(self) -> str:
        with suppress(OSError):
            lines = self._layout.log.read_text(encoding="utf-8", errors="replace").splitlines()
            return "\n".join(lines[-10:])
        return ""


def _tell(done: int, total: int) -> None:
    """Say once, where it is seen without further ado, what takes so long the first time."""
    if done == 0:
        log.warning("fetching Neo4j %s, up to %d MB, once: %d files", VERSION, MEGABYTES, total)


def _ensure_password(layout: Layout) -> None:
    """Make the password with the folder, and never again: the server keeps what it was given first."""
    if layout.password.exists():
        return
    if (layout.folder / "data").exists():
        raise Unavailable(
            f"{layout.password} is gone, and the graph cannot be opened without it; move {layout.folder}"
            " away: a new graph is made from the ledger"
        )
    unfinished = layout.password.with_suffix(".unfinished")
    unfinished.unlink(missing_ok=True)
    descriptor = os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w", encoding="ascii") as file:
        file.write(secrets.token_urlsafe(32))
    unfinished.rename(layout.password)


def _free_port(before: Address | None) -> int:
    """Return the port of before, so that those who use the server find it again, or another."""
    for wanted in (before.port if before is not None else 0, 0):
        with suppress(OSError), socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(("127.0.0.1", wanted))
            return int(probe.getsockname()[1])
    raise Unavailable("no port is free on 127.0.0.1 for Neo4j")


class EmbeddedNeo4j:
    """One process's share in the server of a home; the server ends by itself when nobody has one.

    Each share is a lock that the system takes back however the process ends. The server looks who holds
    one, and stops some seconds after the last, so that a command that follows another finds it running.
    """

    def __init__(self, layout: Layout, address: Address, users: int) -> None:
        self._layout = layout
        self._server = Neo4jServer(layout)
        self._address = address
        self._users = users

    @classmethod
    def start(cls, home: Path) -> EmbeddedNeo4j:
        """Start the server of this home, or join the one that runs; blocks for some seconds.

        Raises Unavailable when the home cannot be written, Neo4j is not installed or it does not start.
        """
        home = home.expanduser().absolute()
        try:
            home.mkdir(parents=True, exist_ok=True)
            layout = Layout(home.resolve())
            with locked(layout.starting):
                return cls._join(layout)
        except OSError as error:
            raise Unavailable(
                f"the home {home} cannot be used: {error.strerror}; set TRIGRAPH_HOME to one you may write"
            ) from error

    @classmethod
    def _join(cls, layout: Layout) -> EmbeddedNeo4j:
        users = opened(layout.users)
        try:
            fcntl.flock(users, fcntl.LOCK_SH)
            return cls(layout, Neo4jServer(layout).ensure_running(), users)
        except BaseException:
            os.close(users)
            raise

    @property
    def uri(self) -> str:
        """Where it speaks Bolt; it keeps its port when it is started again, unless another took it."""
        return self._address.uri

    @property
    def process(self) -> int:
        """The number of the server's process, as it was when this was last looked at."""
        return self._address.process

    @property
    def password(self) -> str:
        """The password of the user neo4j."""
        return self._layout.password.read_text(encoding="ascii")

    def keep_running(self) -> None:
        """Start the server again if it died; costs a look at a lock and a file while it lives.

        Another process may have done it already: then only where it listens is found out. Raises Unavailable
        when it cannot start.
        """
        if self._users < 0:
            return
        if self._server.is_alive():
            self._address = self._server.told_address() or self._address
            return
        with locked(self._layout.starting):
            if self._users >= 0:
                self._address = self._server.ensure_running()

    def stop(self) -> None:
        """Let go of the server, which stops by itself when nobody else uses it."""
        users, self._users = self._users, -1
        if users >= 0:
            os.close(users)
