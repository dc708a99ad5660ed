"""`trigraph watch`: a project follows a folder, whatever editors do in it."""

from __future__ import annotations

import asyncio
import io
import os
import shutil
import signal
import subprocess
from pathlib import Path
from threading import Timer
from time import monotonic

import pytest
from rich.console import Console
from typer.testing import CliRunner

from app.cli.app import application
from app.cli.runner import MISUSED
from app.cli.watch import LOOK_SECONDS, Looks, Watch, stamps_of
from app.services.container import Memory
from app.services.importing import ImportRequest
from tests.cli.processes import TIMEOUT, Shell
from tests.security.hostile import steering

HURTFUL = "0009-\x1b]0;owned\x07.md"


def record(number: int, title: str, text: str = "We decided.") -> str:
    return f"# ADR-{number}: {title}\n\n{text}\n"


def until(process: subprocess.Popen[str], *wanted: str) -> list[str]:
    """Return the lines up to the one that completes the wanted beginnings, which come in any order."""
    assert process.stdout is not None
    missing, seen = set(wanted), list[str]()
    while missing:
        ended = Timer(TIMEOUT, process.kill)  # a line that never comes fails the test
        ended.start()
        line = process.stdout.readline()
        ended.cancel()
        assert line, (seen, missing)
        assert steering(line) == set()
        seen.append(line.rstrip("\n"))
        missing -= {each for each in missing if seen[-1].startswith(each)}
    return seen


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "0001-queue.md").write_text(record(1, "Queue"))
    return tmp_path / "notes"


def test_what_changes_in_a_folder_is_filed_line_by_line(served_home: Shell, notes: Path) -> None:
    with served_home.running("watch", notes, "--project", "watched") as watching:
        assert until(watching, "0 unchanged; watching")[0] == "filed        0001-queue.md  Queue"

        # A burst is one import, and what an editor leaves beside a file is no document.
        for number in range(2, 12):
            (notes / f"{number:04}-record.md").write_text(record(number, f"Record {number}"))
        for name in (".0001-queue.md.swp", "0001-queue.md~", "4913", "#0001-queue.md#"):
            (notes / name).write_text(record(77, "Left over"))
        filed = until(watching, *(f"filed        {number:04}-record.md" for number in range(2, 12)))
        assert len(filed) == 10

        (notes / "0001-queue.md.tmp").write_text(record(1, "Queue", "We decided otherwise."))
        os.replace(notes / "0001-queue.md.tmp", notes / "0001-queue.md")
        assert until(watching, "new version") == ["new version  0001-queue.md  Queue"]

        (notes / "0001-queue.md").touch()
        assert until(watching, "unchanged") == ["unchanged    0001-queue.md  Queue"]

        (notes / "older").mkdir()
        (notes / "0002-record.md").rename(notes / "older" / "0002-record.md")
        assert until(watching, "unchanged") == ["unchanged    older/0002-record.md  Record 2"]

        (notes / "0003-record.md").unlink()
        (notes / HURTFUL).write_bytes(b"\xff\xfe\xff")
        lines = until(watching, "removed      0003-record.md", "refused      0009-")
        assert len(lines) == 2

        shutil.rmtree(notes / "older")
        assert until(watching, "removed") == ["removed      older/0002-record.md"]

        watching.send_signal(signal.SIGINT)
        assert until(watching, "ended")[-1] == (
            "ended: filed 11, new version 1, unchanged 2, removed 2, refused 1"
        )
        assert watching.wait(30) == 0
    state = served_home.run("state", "ADR-3", "--project", "watched")
    assert state.code == 1

    # What happened meanwhile is imported at the next start; what stayed is only counted.
    (notes / HURTFUL).unlink()
    (notes / "0004-record.md").unlink()
    (notes / "0001-queue.md").write_text(record(1, "Queue", "Again."))
    with served_home.running("watch", notes, "--project", "watched") as watching:
        *changes, last = until(watching, "7 unchanged; watching")
        assert changes == ["new version  0001-queue.md  Queue", "removed      0004-record.md"]
        assert last.endswith("Ctrl-C ends")

        # A folder that vanishes removes nothing.
        notes.rename(notes.parent / "elsewhere")
        assert watching.wait(30) == MISUSED
        assert watching.stderr is not None
        assert "is gone or was replaced, and nothing was removed" in watching.stderr.read()
    listed = served_home.run("list", "--project", "watched", "--json").object
    assert listed["count"] == 8


@pytest.mark.parametrize(
    ("name", "says"), [("nowhere", "does not exist"), ("notes/0001-queue.md", "is not a folder")]
)
def test_what_cannot_be_watched_is_reported(notes: Path, name: str, says: str) -> None:
    ran = CliRunner().invoke(application, ["watch", str(notes.parent / name)], env={"COLUMNS": "500"})
    assert ran.exit_code == MISUSED
    assert says in ran.stderr


def test_an_emptied_folder_ends_nothing_and_is_watched_on(served_home: Shell, notes: Path) -> None:
    with served_home.running("watch", notes, "--project", "emptied") as watching:
        until(watching, "0 unchanged; watching")
        (notes / "0001-queue.md").unlink()
        (refused,) = until(watching, "refused")
        assert "held documents, and has none that can be read now; nothing was ended" in refused
        (notes / "0002-clock.md").write_text(record(2, "Clock"))
        until(watching, "filed        0002-clock.md", "removed      0001-queue.md")


async def test_what_the_system_does_not_report_is_seen_by_looking(notes: Path) -> None:
    looks = Looks(notes, stamps_of(notes), at=monotonic())
    (notes / "0002-clock.md").write_text(record(2, "Clock"))
    (notes / "0003-picture.png").write_bytes(b"\x89PNG")
    assert await looks.changes(set()) == set()

    looks.at -= LOOK_SECONDS
    assert await looks.changes(set()) == {str(notes / "0002-clock.md")}

    # What was reported meanwhile is not seen once more.
    (notes / "0001-queue.md").unlink()
    assert await looks.changes({str(notes / "0001-queue.md")}) == {str(notes / "0001-queue.md")}
    looks.at -= LOOK_SECONDS
    assert await looks.changes(set()) == set()


async def test_a_file_whose_move_was_not_reported_has_its_line(memory: Memory, notes: Path) -> None:
    shown = io.StringIO()
    screen = Console(file=shown, markup=False, highlight=False, width=80)
    watched = Watch(notes, ImportRequest((notes,), "moved", prunes=True), screen)
    await watched.import_changes(memory, asyncio.Event())
    (notes / "older").mkdir()
    (notes / "0001-queue.md").rename(notes / "older" / "0001-queue.md")
    await watched.import_changes(memory, asyncio.Event(), {str(notes / "older")})
    assert shown.getvalue().splitlines() == [
        "filed        0001-queue.md  Queue",
        "unchanged    older/0001-queue.md  Queue",
    ]
