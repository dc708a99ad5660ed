"""Neo4j from packages and jars, in the user's data folder, shared by every process that works in it."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path

from app.errors import Unavailable
from app.stores.file_locks import locked, opened
from app.stores.neo4j.layout import Address, Layout
from app.stores.neo4j.server import Neo4jServer


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
