"""Several processes that answer at one address, a processor for each, and one that looks after them."""

from __future__ import annotations

import asyncio
import logging
import os
import shutil
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from multiprocessing import parent_process
from multiprocessing.process import BaseProcess
from pathlib import Path
from socket import socket
from tempfile import TemporaryDirectory
from threading import Thread
from typing import TYPE_CHECKING

from uvicorn.config import STARTUP_FAILURE
from uvicorn.supervisors import Multiprocess
from uvicorn.supervisors.multiprocess import Process

from app.cli.guarded_streams import guard_output
from app.cli.runner import complain_of
from app.cli.server import opening, server_of
from app.errors import Invalid, Unavailable
from app.metrics import SHARED_FOLDER
from app.services.container import open_memory_at
from app.settings import Settings
from app.stores.file_locks import shared, taken_alone
from app.stores.postgres.embedded.server import most_processes
from app.stores.postgres.location import LedgerLocation, locate_ledger

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send

SECONDS_BEFORE_ANOTHER_TRY = 2.0
_SECONDS_TO_START = 60  # for those that replace others one by one, on a busy machine

_USERS = "workers"  # the file in the folder of measures that those who count there hold together

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Application:
    """What a worker serves, made in it: nothing that is open can be handed to another process."""

    settings: Settings
    address: tuple[str, int]

    def __call__(self) -> Counting:
        """Return the application; a failure to open it is told by the worker itself."""
        guard_output()
        signal.signal(signal.SIGHUP, signal.SIG_IGN)  # a terminal that closes tells all, and one acts on it
        parent = parent_process()
        assert parent is not None
        Thread(target=_end_after, args=[parent], daemon=True).start()
        app = opening(self.settings, self.address, complain_of)
        return Counting(app, Path(os.environ[SHARED_FOLDER]), parent)


class Counting:
    """An application as it is, in a process that shares a folder of measures with its like.

    Of those whose supervisor is gone, the last to have answered everything removes the folder.
    """

    def __init__(self, app: ASGIApp, folder: Path, parent: BaseProcess) -> None:
        self._app = app
        self._folder = folder
        self._parent = parent
        self._share = shared(folder / _USERS)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Return one request, or open and close the application; nothing is counted after that."""
        try:
            await self._app(scope, receive, send)
        finally:
            if scope["type"] == "lifespan":
                self._leave()

    def _leave(self) -> None:
        os.close(self._share)
        if self._parent.is_alive():
            return
        with suppress(FileNotFoundError):  # another one was the last
            alone = taken_alone(self._folder / _USERS)
            if alone is not None:
                shutil.rmtree(self._folder, ignore_errors=True)
                os.close(alone)


def _end_after(parent: BaseProcess) -> None:
    """End in order once the process that looks after this one is gone: nobody else would ever end it."""
    parent.join()
    os.kill(os.getpid(), signal.SIGTERM)


async def serve_by(workers: int, settings: Settings, listener: socket) -> None:
    """Let so many processes serve until this one is interrupted or terminated; one that dies is replaced.

    Everything is opened here once beforehand, so that what is wrong is said once, and an embedded server runs
    until the last of them has ended. Raises Invalid for more connections than the embedded server takes,
    and Unavailable when no worker starts.
    """
    location = await _located(settings, workers)
    try:
        async with open_memory_at(location, settings, migrates=location.embedded is not None):
            pass
        with _shared_measures():
            # From here on signals are the supervisor's, and so is this thread: nothing else runs in it.
            asyncio.get_running_loop().remove_signal_handler(signal.SIGTERM)
            _Supervisor(workers, settings, listener).run()
    finally:
        await location.close()


async def _located(settings: Settings, workers: int) -> LedgerLocation:
    most = most_processes(settings.pool_size)
    if settings.database_url is None and workers > most:
        raise Invalid(
            f"the embedded database has connections for {most} workers that keep {settings.pool_size} each;"
            " ask for fewer --workers, or set a smaller TRIGRAPH_POOL_SIZE"
        )
    return await locate_ledger(settings)


class _Supervisor(Multiprocess):
    """Keeps workers running: a dead one is replaced at once, one that does not start is tried again.

    Whether one answers is not asked: asking one that dies meanwhile would hold up everything else.
    """

    def __init__(self, workers: int, settings: Settings, listener: socket) -> None:
        config = server_of(
            Application(settings, listener.getsockname()[:2]),
            settings,
            factory=True,
            workers=workers,
            timeout_worker_healthcheck=_SECONDS_TO_START,
        )
        super().__init__(config, [listener])
        self._not_before = 0.0

    def run(self) -> None:
        """Look after the workers until a signal ends it; raises Unavailable when none of them starts."""
        super().run()
        if all(process.exitcode == STARTUP_FAILURE for process in self.processes):
            raise Unavailable("no worker starts; what they said stands above")

    def keep_subprocess_alive(self) -> None:
        """Replace the workers that are gone, and end when all of them failed to start."""
        gone = [place for place, each in enumerate(self.processes) if not each.process.is_alive()]
        failed = [place for place in gone if self.processes[place].exitcode == STARTUP_FAILURE]
        if len(failed) == len(self.processes):
            self.should_exit.set()
            return
        for place in gone:
            if place not in failed or time.monotonic() >= self._not_before:
                self._replace(place)

    def _replace(self, place: int) -> None:
        self._not_before = time.monotonic() + SECONDS_BEFORE_ANOTHER_TRY
        gone = self.processes[place]
        log.warning("worker %s ended with status %s; another takes its place", gone.pid, gone.exitcode)
        gone.join()
        self.processes[place] = Process(self.config, self.sockets)
        self.processes[place].start()


@contextmanager
def _shared_measures() -> Iterator[None]:
    """Let the workers of the block count in one folder, so that each can tell what all of them measured."""
    with TemporaryDirectory(prefix="trigraph-measures-", ignore_cleanup_errors=True) as folder:
        os.environ[SHARED_FOLDER] = folder
        try:
            yield
        finally:
            del os.environ[SHARED_FOLDER]
