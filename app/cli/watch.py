"""`trigraph watch`: keep a project like a folder, while its files change."""

from __future__ import annotations

import asyncio
import os
from collections import Counter
from collections.abc import AsyncGenerator, Collection, Iterator
from contextlib import aclosing, suppress
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Annotated, TypeAlias

import typer
from rich.console import Console

from app.cli.import_output import stop_on_interrupt
from app.cli.layout import RowPart, Yields, print_row, print_text
from app.cli.output import console, error_console, printable
from app.cli.runner import run_async, settings
from app.errors import Invalid

if TYPE_CHECKING:
    from app.services.container import Memory
    from app.services.filing import FiledDocument
    from app.services.importing import ImportRequest, ImportSummary
    from app.services.importing.items import Refusal

QUIET_MILLISECONDS = 300
"""A burst of changes ends when nothing changed for so long."""

MAX_BURST_MILLISECONDS = 10_000
MAX_LOOKS = 6
"""So often an empty file is looked at again before it counts as empty."""

POLL_MILLISECONDS = 1_000
"""How often to look whether the folder is there, and whether somebody asked for an end."""

LOOK_SECONDS = 10.0
"""How often to compare the files themselves: a network drive reports no changes that others make."""

ENDINGS = frozenset({".md", ".markdown", ".mdx", ".txt", ".rst", ".yaml", ".yml", ""})
"""A file that can change an import, or a folder, has one of these."""

OUTCOMES = ("filed", "new version", "unchanged", "removed", "refused")
WIDTH = max(map(len, OUTCOMES))


@dataclass(slots=True)
class Watch:
    """A watched folder: what to import of it, how often each outcome occurred, and what is there now."""

    folder: Path
    request: ImportRequest
    screen: Console
    counts: Counter[str] = field(default_factory=Counter)
    sources: frozenset[str] | None = None
    refused: frozenset[Refusal] = frozenset()

    async def import_changes(
        self, memory: Memory, stop: asyncio.Event, changed: Collection[str] = ()
    ) -> ImportSummary:
        """Import the folder; print a line for each changed or moved document, and for each changed file."""
        sources = set[str]()

        def report(source: str, filed: FiledDocument) -> None:
            sources.add(source)
            # The system may miss the change of a file that moves into a folder which was just made.
            has_moved = self.sources is not None and source not in self.sources
            if filed.created or has_moved or source in changed:
                self._print(_outcome(filed), source, filed.artifact.title)

        summary = await memory.imports.run(memory.caller, self.request, stop=stop, report=report)
        self.sources = frozenset(sources)
        for source in summary.removed:
            self._print("removed", str(self.folder / source))
        for refusal in summary.refused:
            if refusal not in self.refused or refusal.source in changed:
                self._print("refused", refusal.source, refusal.reason)
        self.refused = frozenset(summary.refused)
        return summary

    async def follow_changes(self, memory: Memory, stop: asyncio.Event, changed: Collection[str]) -> None:
        """Import what a burst changed; print why if the whole is refused, such as an emptied folder."""
        try:
            await self.import_changes(memory, stop, changed)
        except Invalid as error:
            self._print("refused", str(self.folder), error.message)

    def _print(self, outcome: str, source: str, says: str = "") -> None:
        self.counts[outcome] += 1
        place = os.path.relpath(source, self.folder)
        if outcome == "refused":
            line = f"{outcome.ljust(WIDTH)}  {printable(place)}: {printable(says)}"
            print_text(self.screen, line, "red", hang=WIDTH + 2)
        else:
            parts = (RowPart(place, "bold", Yields.LAST), RowPart(says, yields=Yields.FIRST))
            print_row(self.screen, *parts, start=f"{outcome.ljust(WIDTH)}  ")


def _outcome(filed: FiledDocument) -> str:
    if not filed.created:
        return "unchanged"
    return "filed" if filed.artifact.id == filed.entity.source_artifact else "new version"


def watch(
    path: Annotated[Path, typer.Argument(metavar="PATH", help="A folder of Markdown files.")],
    project: Annotated[
        str | None, typer.Option(help="The project to import into; it is created if it does not exist.")
    ] = None,
    kind: Annotated[
        str | None, typer.Option(help="The kind (document type) of documents that do not state one.")
    ] = None,
) -> None:
    """Import a folder, and import it again whenever its files change.

    A line says what became of each file. Documents whose files are gone end. Ctrl-C ends the command.
    """
    run_async(_watch(path, project, kind))


async def _watch(path: Path, project: str | None, kind: str | None) -> None:
    from app.services.container import open_memory
    from app.services.importing import ImportRequest

    folder = _folder(path)
    request = ImportRequest((folder,), project, kind, prunes=True)
    watched = Watch(folder, request, console())
    stop = asyncio.Event()
    async with open_memory(settings()) as memory:
        with stop_on_interrupt(stop, error_console()):
            await _follow(memory, watched, stop)
    print_text(watched.screen, _summary_line(watched.counts), "bold")


def _folder(path: Path) -> Path:
    try:
        folder = path.resolve(strict=True)
    except (OSError, RuntimeError) as error:
        raise Invalid(f"{printable(str(path))} does not exist; give a folder that exists") from error
    if not folder.is_dir():
        raise Invalid(
            f"{printable(str(path))} is not a folder; `trigraph ingest` imports a file, and `trigraph watch`"
            " the folder that it is in"
        )
    return folder


async def _follow(memory: Memory, watched: Watch, stop: asyncio.Event) -> None:
    async with aclosing(_bursts(watched.folder, stop)) as bursts:
        await anext(bursts)  # from here on no change is missed
        first = await watched.import_changes(memory, stop)
        same = f"{first.unchanged} unchanged; watching {printable(str(watched.folder))}; Ctrl-C ends"
        print_text(watched.screen, same, "dim")
        async for changed in bursts:
            await watched.follow_changes(memory, stop, changed)


async def _bursts(folder: Path, stop: asyncio.Event) -> AsyncGenerator[Collection[str], None]:
    """Yield nothing once the folder is watched, then the files of each burst of changes.

    Raises Invalid when the folder is gone.
    """
    from watchfiles import awatch

    from app.services.importing.items import printable_name

    inode, looks = _inode(folder), Looks(folder, await asyncio.to_thread(stamps_of, folder))
    changes = awatch(
        folder,
        stop_event=stop,
        debounce=MAX_BURST_MILLISECONDS,
        step=QUIET_MILLISECONDS,
        rust_timeout=POLL_MILLISECONDS,
        yield_on_timeout=True,
        ignore_permission_denied=True,
    )
    coming = asyncio.ensure_future(anext(changes, None))
    try:
        await asyncio.sleep(0)  # the folder is watched as soon as this task has begun
        yield ()
        while (burst := await coming) is not None:
            coming = asyncio.ensure_future(anext(changes, None))
            _require_same(folder, inode)
            if names := await looks.changes({name for _, name in burst if _may_matter(Path(name))}):
                await _await_text(names)
                yield frozenset(map(printable_name, names))
    finally:
        stop.set()
        await asyncio.wait([coming])
        await changes.aclose()


Stamp: TypeAlias = tuple[str, int, int]
"""The path, the time of change and the size of a file."""


@dataclass(slots=True)
class Looks:
    """Looks at the files of a folder for changes that the system did not report."""

    folder: Path
    seen: frozenset[Stamp]
    at: float = field(default_factory=monotonic)

    async def changes(self, reported: set[str]) -> set[str]:
        """Return the reported names; if there are none, now and then, those that changed all the same."""
        if not reported and monotonic() < self.at + LOOK_SECONDS:
            return reported
        before, self.seen = self.seen, await asyncio.to_thread(stamps_of, self.folder)
        self.at = monotonic()
        return reported or {name for name, _, _ in before ^ self.seen}


def stamps_of(folder: Path) -> frozenset[Stamp]:
    """Return the stamps of the files in a folder that can change an import."""
    return frozenset(_walk(folder))


def _walk(folder: Path) -> Iterator[Stamp]:
    for place, _, names in os.walk(folder):
        for path in (Path(place, name) for name in names):
            with suppress(OSError):
                if path.suffix and _may_matter(path):
                    found = path.stat()
                    yield str(path), found.st_mtime_ns, found.st_size


def _may_matter(path: Path) -> bool:
    """Return whether a changed path may be a document, what belongs to one, or a folder."""
    return path.suffix.lower() in ENDINGS and not path.name.startswith(".")


async def _await_text(names: Collection[str]) -> None:
    """Wait a moment for files that are empty: somebody may be about to write them."""
    for _ in range(MAX_LOOKS):
        if not any(_is_empty(name) for name in names):
            return
        await asyncio.sleep(QUIET_MILLISECONDS / 1_000)


def _is_empty(name: str) -> bool:
    try:
        return os.path.isfile(name) and os.path.getsize(name) == 0
    except OSError:
        return False


def _inode(folder: Path) -> int | None:
    try:
        return folder.stat().st_ino
    except OSError:
        return None


def _require_same(folder: Path, inode: int | None) -> None:
    """Raise Invalid if a folder is gone or another one is in its place: nothing of it is then removed."""
    if _inode(folder) != inode:
        raise Invalid(
            f"{printable(str(folder))} is gone or was replaced, and nothing was removed; run"
            " `trigraph watch` again when it is there"
        )


def _summary_line(counts: Counter[str]) -> str:
    return "ended: " + ", ".join(f"{outcome} {counts[outcome]}" for outcome in OUTCOMES)
