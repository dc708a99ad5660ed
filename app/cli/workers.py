"""Worker processes that serve one address, and the supervisor that restarts them."""

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
from app.cli.runner import print_failure
from app.cli.server import create_served_app, server_config
from app.errors import Invalid, Unavailable
from app.metrics import SHARED_FOLDER
from app.services.container import open_memory_at
from app.settings import Settings
from app.stores.file_locks import share_lock, try_lock
from app.stores.postgres.embedded.postmaster import most_processes
from app.stores.postgres.location import LedgerLocation, locate_ledger

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send

RETRY_SECONDS = 2.0
_STARTUP_SECONDS = 60  # for workers that are replaced one by one, on a busy machine

_USERS_FILE = "workers"  # the file in the metrics folder that each of its users locks shared

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class WorkerApplication:
    """Creates the application inside a worker, since open resources cannot be passed to another process."""

    settings: Settings
    address: tuple[str, int]

    def __call__(self) -> SharedMetricsApp:
        """Return the application; the worker itself prints a failure to start."""
        guard_output()
        signal.signal(signal.SIGHUP, signal.SIG_IGN)  # a closed terminal signals all; the supervisor acts
        parent = parent_process()
        assert parent is not None
        Thread(target=_exit_with_parent, args=[parent], daemon=True).start()
        app = create_served_app(self.settings, self.address, print_failure)
        return SharedMetricsApp(app, Path(os.environ[SHARED_FOLDER]), parent)


class SharedMetricsApp:
    """Wraps an application in a worker that shares a metrics folder with the other workers.

    When the supervisor is gone, the last worker to close removes the folder.
    """

    def __init__(self, app: ASGIApp, folder: Path, parent: BaseProcess) -> None:
        self._app = app
        self._folder = folder
        self._parent = parent
        self._share = share_lock(folder / _USERS_FILE)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on; after shutdown leave the metrics folder, since nothing more is counted."""
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
            alone = try_lock(self._folder / _USERS_FILE)
            if alone is not None:
                shutil.rmtree(self._folder, ignore_errors=True)
                os.close(alone)


def _exit_with_parent(parent: BaseProcess) -> None:
    """Terminate this worker once its supervisor is gone, since nobody else would."""
    parent.join()
    os.kill(os.getpid(), signal.SIGTERM)


async def serve_with_workers(workers: int, settings: Settings, listener: socket, proxies: str | None) -> None:
    """Serve with a number of worker processes until this one is interrupted or terminated.

    This process opens the ledger once beforehand, so that an error is printed once, and keeps an embedded
    server running until the last worker has ended. Raises Invalid when the workers need more connections than
    the embedded server has, and Unavailable when no worker starts.
    """
    location = await _locate(settings, workers)
    try:
        async with open_memory_at(location, settings, migrates=location.embedded is not None):
            pass
        with _shared_metrics_folder():
            # From here on the supervisor handles the signals and blocks this thread.
            asyncio.get_running_loop().remove_signal_handler(signal.SIGTERM)
            _Supervisor(workers, settings, listener, proxies).run()
    finally:
        await location.close()


async def _locate(settings: Settings, workers: int) -> LedgerLocation:
    max_workers = most_processes(settings.pool_size)
    if settings.database_url is None and workers > max_workers:
        raise Invalid(
            f"the embedded database has connections for {max_workers} workers with"
            f" {settings.pool_size} connections each; use fewer --workers, or lower"
            " TRIGRAPH_POOL_SIZE"
        )
    return await locate_ledger(settings)


class _Supervisor(Multiprocess):
    """Keeps workers running: replaces a dead one at once, and retries one that fails to start.

    It does not ping the workers: a worker that dies during a ping would block the supervisor.
    """

    def __init__(self, workers: int, settings: Settings, listener: socket, proxies: str | None) -> None:
        config = server_config(
            WorkerApplication(settings, listener.getsockname()[:2]),
            settings,
            proxies,
            factory=True,
            workers=workers,
            timeout_worker_healthcheck=_STARTUP_SECONDS,
        )
        super().__init__(config, [listener])
        self._retry_at = 0.0

    def run(self) -> None:
        """Supervise the workers until a signal; raises Unavailable when none of them starts."""
        super().run()
        if all(process.exitcode == STARTUP_FAILURE for process in self.processes):
            raise Unavailable("no worker could start; see the messages above")

    def keep_subprocess_alive(self) -> None:
        """Replace dead workers, and stop when all of them failed to start."""
        gone = [place for place, each in enumerate(self.processes) if not each.process.is_alive()]
        failed = [place for place in gone if self.processes[place].exitcode == STARTUP_FAILURE]
        if len(failed) == len(self.processes):
            self.should_exit.set()
            return
        for place in gone:
            if place not in failed or time.monotonic() >= self._retry_at:
                self._replace(place)

    def _replace(self, place: int) -> None:
        self._retry_at = time.monotonic() + RETRY_SECONDS
        gone = self.processes[place]
        log.warning("worker %s ended with status %s; starting another one", gone.pid, gone.exitcode)
        gone.join()
        self.processes[place] = Process(self.config, self.sockets)
        self.processes[place].start()


@contextmanager
def _shared_metrics_folder() -> Iterator[None]:
    """Create a folder in which the workers share their metrics, so that each can report all of them."""
    with TemporaryDirectory(prefix="trigraph-measures-", ignore_cleanup_errors=True) as folder:
        os.environ[SHARED_FOLDER] = folder
        try:
            yield
        finally:
            del os.environ[SHARED_FOLDER]
