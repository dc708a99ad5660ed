"""Several processes that answer at one address, a processor for each, and one that looks after them."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing import parent_process
from multiprocessing.process import BaseProcess
from socket import socket
from tempfile import TemporaryDirectory
from threading import Thread

import uvicorn
from uvicorn.config import STARTUP_FAILURE
from uvicorn.supervisors import Multiprocess

from app.cli.opening import Opening, opened_at, write_log
from app.cli.running import complain
from app.errors import Invalid, Unavailable
from app.main import LOOPBACK_HOSTS, create_app
from app.measures import SHARED_FOLDER
from app.services.memory import open_memory_at
from app.settings import Settings
from app.stores.postgres.location import LedgerLocation, locate_ledger
from app.stores.postgres.postmaster import most_processes

_SECONDS_TO_BE_HEARD_OF = 60
"""A worker that says nothing for so long is replaced; on a busy machine it takes a while to start."""


@dataclass(frozen=True, slots=True)
class Application:
    """What a worker serves, made in it: nothing that is open can be handed to another process."""

    settings: Settings
    address: tuple[str, int]

    def __call__(self) -> Opening:
        """Answer the application; a failure to open it is told by the worker itself."""
        write_log(self.settings)
        Thread(target=_end_after, args=[parent_process()], daemon=True).start()
        host, _ = self.address
        app = create_app(self.settings, hosts=[*LOOPBACK_HOSTS, host])
        return Opening(app, opened_at(self.address), lambda error: complain(error.message))


def _end_after(parent: BaseProcess) -> None:
    """End in order once the process that looks after this one is gone: nobody else would ever end it."""
    parent.join()
    os.kill(os.getpid(), signal.SIGTERM)


def serve_by(workers: int, settings: Settings, listener: socket) -> None:
    """Let so many processes serve until this one is interrupted or terminated; one that dies is replaced.

    Everything is opened here once beforehand, so that what is wrong is said once, and an embedded server runs
    until the last of them has ended. Raises Invalid for more connections than the embedded server takes,
    and Unavailable when a worker does not start.
    """
    with asyncio.Runner() as runner, _shared_measures():
        location = runner.run(_located(settings, workers))
        try:
            runner.run(_tried(location, settings))
            _supervise(workers, settings, listener)
        finally:
            runner.run(location.close())


async def _located(settings: Settings, workers: int) -> LedgerLocation:
    most = most_processes(settings.pool_size)
    if settings.database_url is None and workers > most:
        raise Invalid(
            f"the embedded database has connections for {most} workers that keep {settings.pool_size} each;"
            " ask for fewer --workers, or set a smaller TRIGRAPH_POOL_SIZE"
        )
    return await locate_ledger(settings)


async def _tried(location: LedgerLocation, settings: Settings) -> None:
    async with open_memory_at(location, settings, migrates=location.embedded is not None):
        pass


def _supervise(workers: int, settings: Settings, listener: socket) -> None:
    host, port = listener.getsockname()[:2]
    supervisor = Multiprocess(
        uvicorn.Config(
            Application(settings, (host, port)),
            factory=True,
            workers=workers,
            loop="uvloop",
            http="httptools",
            log_level=settings.log_level.lower(),
            timeout_worker_healthcheck=_SECONDS_TO_BE_HEARD_OF,
        ),
        [listener],
    )
    supervisor.run()
    if any(process.exitcode == STARTUP_FAILURE for process in supervisor.processes):
        raise Unavailable("a worker did not start; what it said stands above")


@contextmanager
def _shared_measures() -> Iterator[None]:
    """Let the workers of the block count in one folder, so that each can tell what all of them measured."""
    with TemporaryDirectory(prefix="trigraph-measures-") as folder:
        os.environ[SHARED_FOLDER] = folder
        try:
            yield
        finally:
            del os.environ[SHARED_FOLDER]
