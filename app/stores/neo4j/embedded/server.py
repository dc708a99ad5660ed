"""The embedded Neo4j in the user's data folder, shared by every process that uses it."""

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
from app.stores.file_locks import hold_lock, is_locked, open_lock_file
from app.stores.neo4j.embedded.jars import MEGABYTES, VERSION, install_jars
from app.stores.neo4j.embedded.layout import NOBODY, Address, Layout, read_address, write_address

_TIMEOUT = 180.0  # seconds; a busy machine, or a server that was killed and replays its log
_LOOK = 0.05
_PROGRAM = "app.stores.neo4j.embedded.process"

log = logging.getLogger(__name__)


class Neo4jServer:
    """The server of one home; the process that starts or stops it holds `layout.starting`."""

    def __init__(self, layout: Layout) -> None:
        self._layout = layout

    def is_alive(self) -> bool:
        """Return whether the server's process lives, ready or not."""
        return self._layout.serving.exists() and is_locked(self._layout.serving)

    def ensure_running(self) -> Address:
        """Start the server unless it already lives; return its address once it accepts connections.

        Raises Unavailable when it does not start.
        """
        was_launched = False
        deadline = time.monotonic() + _TIMEOUT
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
        """Return the address at which the server accepts connections now, or None."""
        address = self.last_address()
        if address is None or not self.is_alive():
            return None
        with suppress(OSError), socket.create_connection(("127.0.0.1", address.port), timeout=1):
            return address
        return None

    def last_address(self) -> Address | None:
        """Return the address that the latest ready server wrote; None while another one starts."""
        address = read_address(self._layout)
        return None if address is None or address.process == NOBODY else address

    def stop(self) -> bool:
        """Stop the server cleanly and wait for its end; return whether one was running."""
        deadline = time.monotonic() + _TIMEOUT
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
    """Log once why the first start takes long."""
    if done == 0:
        log.warning("downloading Neo4j %s, up to %d MB, once: %d files", VERSION, MEGABYTES, total)


def _ensure_password(layout: Layout) -> None:
    """Create the password together with the folder, and never again: the server keeps its first password."""
    if layout.password.exists():
        return
    if (layout.folder / "data").exists():
        raise Unavailable(
            f"{layout.password} is missing, and the graph cannot be opened without it; move"
            f" {layout.folder} away: Trigraph builds a new graph from the ledger"
        )
    unfinished = layout.password.with_suffix(".unfinished")
    unfinished.unlink(missing_ok=True)
    descriptor = os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w", encoding="ascii") as file:
        file.write(secrets.token_urlsafe(32))
    unfinished.rename(layout.password)


def _free_port(before: Address | None) -> int:
    """Return the previous port if it is free, so that users of the server find it again, or another one."""
    for wanted in (before.port if before is not None else 0, 0):
        with suppress(OSError), socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(("127.0.0.1", wanted))
            return int(probe.getsockname()[1])
    raise Unavailable("no port is free on 127.0.0.1 for Neo4j")


class EmbeddedNeo4j:
    """One process's share in the server of a home; the server stops by itself when no share is left.

    Each share is a lock that the system releases however the process ends. The server checks for shares and
    stops some seconds after the last one ends, so that the next command finds it running.
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
            with hold_lock(layout.starting):
                return cls._join(layout)
        except OSError as error:
            raise Unavailable(
                f"the home {home} cannot be used: {error.strerror}; set TRIGRAPH_HOME to a"
                " folder that you may write to"
            ) from error

    @classmethod
    def _join(cls, layout: Layout) -> EmbeddedNeo4j:
        users = open_lock_file(layout.users)
        try:
            fcntl.flock(users, fcntl.LOCK_SH)
            return cls(layout, Neo4jServer(layout).ensure_running(), users)
        except BaseException:
            os.close(users)
            raise

    @property
    def uri(self) -> str:
        """Its Bolt address; a restart keeps the port unless another program took it."""
        return self._address.uri

    @property
    def process(self) -> int:
        """The server's process number, as last read."""
        return self._address.process

    @property
    def password(self) -> str:
        """The password of the user neo4j."""
        return self._layout.password.read_text(encoding="ascii")

    def keep_running(self) -> None:
        """Start the server again if it died; while it lives this only checks a lock and a file.

        If another process already restarted it, only the new address is read. Raises Unavailable
        when the server cannot start.
        """
        if self._users < 0:
            return
        if self._server.is_alive():
            self._address = self._server.last_address() or self._address
            return
        with hold_lock(self._layout.starting):
            if self._users >= 0:
                self._address = self._server.ensure_running()

    def stop(self) -> None:
        """Release this share of the server, which stops by itself when nobody else uses it."""
        users, self._users = self._users, -1
        if users >= 0:
            os.close(users)
