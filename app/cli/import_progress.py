"""An import while it runs: a bar for people who watch, and a way to stop after the documents at hand."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from app.services.importing.summary import ImportSummary

ENDING = (signal.SIGINT, signal.SIGTERM)
STOPPING = "stopping after the documents at hand; interrupt again to stop at once"
STOPPED = "stopped at once; what was filed stays: run it again to go on"


@contextmanager
def import_progress(console: Console) -> Iterator[Callable[[ImportSummary], None]]:
    """Show a bar on the console when that is a terminal; the block hands it the summary so far."""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as progress:
        task = progress.add_task("filing", total=None)

        def watch(summary: ImportSummary) -> None:
            if summary.histories_seen:
                progress.update(
                    task,
                    description="telling the history",
                    total=summary.histories,
                    completed=summary.histories_seen,
                )
            else:
                progress.update(task, total=summary.total, completed=summary.seen)

        yield watch


@contextmanager
def stop_on_interrupt(stop: asyncio.Event, console: Console) -> Iterator[None]:
    """Let the first interrupt ask for a stop and say so on the console; a second one ends the program.

    A request to terminate is an interrupt.
    """
    loop = asyncio.get_running_loop()

    def interrupted() -> None:
        if stop.is_set():
            for sign in ENDING:
                loop.remove_signal_handler(sign)
            console.print(STOPPED, style="yellow", soft_wrap=True)
            raise KeyboardInterrupt
        stop.set()
        console.print(STOPPING, style="yellow", soft_wrap=True)

    for sign in ENDING:
        loop.add_signal_handler(sign, interrupted)
    try:
        yield
    finally:
        for sign in ENDING:
            loop.remove_signal_handler(sign)
