"""The embedded PostgreSQL in the user's data folder, shared by every process that uses it."""

from __future__ import annotations

import asyncio
import atexit
import fcntl
import logging
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from urllib.parse import quote

from app.errors import Unavailable
from app.stores.event_loop import background_task
from app.stores.file_locks import hold_lock, open_lock_file
from app.stores.postgres.embedded.postmaster import DATABASE, PORT, Postmaster

DATA = "postgres"


class EmbeddedPostgres:
    """One process's share in the server of a home; the last process to release it stops the server.

    Each process holds a shared lock on `postgres.users`, which the system releases however the process ends,
    so a killed process neither stops the server nor counts as a user.
    """

    def __init__(self, home: Path, postmaster: Postmaster, users: int) -> None:
        self._home = home
        self._postmaster = postmaster
        self._users = users
        self._process = os.getpid()
        self._url = _url(postmaster)
        atexit.register(self.stop)

    @classmethod
    def start(cls, home: Path) -> EmbeddedPostgres:
        """Start the server of this home, or join the one that runs; blocks for about a second.

        Raises Unavailable when the home cannot be written, has a name that is no UTF-8, or its server cannot
        start.
        """
        home = home.expanduser().absolute()
        _require_text(home)
        try:
            home.mkdir(parents=True, exist_ok=True)
            home = home.resolve()
            with hold_lock(home / "postgres.lock"):
                return cls._join(home)
        except OSError as error:
            raise Unavailable(
                f"the home {home} cannot be used: {error.strerror}; set TRIGRAPH_HOME to a"
                " folder that you may write to"
            ) from error

    @classmethod
    def _join(cls, home: Path) -> EmbeddedPostgres:
        users = open_lock_file(home / "postgres.users")
        try:
            fcntl.flock(users, fcntl.LOCK_SH)
            postmaster = Postmaster(home / DATA)
            postmaster.ensure_initialised()
            postmaster.ensure_running()
            return cls(home, postmaster, users)
        except BaseException:
            os.close(users)
            raise

    @property
    def url(self) -> str:
        """The address of the database, as its owner, in the form asyncpg reads."""
        return self._url

    @property
    def data(self) -> Path:
        """The folder of the server's data."""
        return self._home / DATA

    def keep_running(self) -> None:
        """Start the server again if it died; while it lives this only reads a file.

        Raises Unavailable when it cannot start.
        """
        if self._users < 0 or self._postmaster.is_alive():
            return
        with hold_lock(self._home / "postgres.lock"):
            if self._users >= 0:
                self._postmaster.ensure_running()

    def stop(self) -> None:
        """Release the server, and stop it if nobody else uses it."""
        atexit.unregister(self.stop)
        # A forked child has a copy of this object and of the lock, but no share of its own.
        if self._users < 0 or self._process != os.getpid():
            return
        users, self._users = self._users, -1
        try:
            fcntl.flock(users, fcntl.LOCK_EX | fcntl.LOCK_NB)
            self._postmaster.stop()
        except BlockingIOError:
            pass  # somebody else uses the server
        finally:
            os.close(users)


def _url(postmaster: Postmaster) -> str:
    folder = quote(str(postmaster.socket_folder), safe="")
    return f"postgresql://postgres@/{DATABASE}?host={folder}&port={PORT}"


def _require_text(home: Path) -> None:
    """Raise Unavailable for a name that is not UTF-8: a server address cannot contain it."""
    try:
        str(home).encode()
    except UnicodeEncodeError:
        raise Unavailable(
            f"the home {home} cannot be used: its name is not UTF-8; set TRIGRAPH_HOME to another folder"
        ) from None


POLL_INTERVAL = 1.0

log = logging.getLogger(__name__)


@asynccontextmanager
async def kept_running(embedded: EmbeddedPostgres | None) -> AsyncIterator[None]:
    """Restart the embedded server whenever it dies during the block; without one, do nothing."""
    if embedded is None:
        yield
        return
    async with background_task(_watch(embedded)):
        yield


async def _watch(embedded: EmbeddedPostgres) -> None:
    while True:
        await asyncio.sleep(POLL_INTERVAL)
        try:
            await asyncio.to_thread(embedded.keep_running)
        except (Unavailable, OSError) as error:
            log.warning("the embedded database does not restart: %s", error)
