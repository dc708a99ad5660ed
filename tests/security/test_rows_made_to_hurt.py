"""Files that were laid out to hold up an import, or to lead it elsewhere: each is refused by name."""

from __future__ import annotations

import asyncio
import gzip
import json
import lzma
import os
import time
import tracemalloc
import zlib
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from app.services.importing import ImportRequest, ImportSummary, compressed_lines
from app.services.importing.compressed_lines import read_lines
from app.services.importing.interruption import Stopped, never
from app.services.importing.items import MAX_IN_A_ROW, MAX_LISTED, Refusal, RefusedRows
from app.services.importing.jsonl import count_rows
from app.services.importing.open_file import NO_FILE
from tests.documents import ProjectFixture

FAR = 20.0
"""Seconds that are far more than the work takes, and far less than what is refused would take."""


def row(name: str) -> bytes:
    return json.dumps({"id": name, "kind": "rfc", "title": f"About {name}", "body": "Text."}).encode() + b"\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "good.md").write_text("# Good\n")
    return folder


async def imported(
    desk: ProjectFixture,
    *paths: Path,
    stop: asyncio.Event | None = None,
    states: Sequence[Path] = (),
    revisions: Sequence[Path] = (),
) -> ImportSummary:
    service = desk.memory.imports
    request = ImportRequest(paths, desk.project, states=tuple(states), revisions=tuple(revisions))
    return await service.run(desk.memory.caller, request, stop=stop)


def bomb_of_rows(path: Path) -> None:
    path.write_bytes(gzip.compress(b"{}\n" * 2_000_000))


def packed_zeros(path: Path) -> None:
    packer = zlib.compressobj(9, wbits=31) if path.suffix == ".gz" else lzma.LZMACompressor(preset=0)
    with path.open("wb") as file:
        for _ in range(12):
            file.write(packer.compress(bytes(16 * 1024**2)))
        file.write(packer.flush())


def blank_lines(path: Path) -> None:
    packer = lzma.LZMACompressor(preset=0)
    with path.open("wb") as file:
        file.write(packer.compress(row("RFC-1")))
        for _ in range(4):
            file.write(packer.compress(b"\n" * 16 * 1024**2))
        file.write(packer.flush())


def sparse(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(1024**4)


def greedy(path: Path) -> None:
    """Ask for 1.5 GB of memory to unpack one row."""
    filters = [{"id": lzma.FILTER_LZMA2, "preset": 1, "dict_size": 64 * 1024**2}]
    data = bytearray(lzma.compress(row("RFC-1"), filters=filters))
    assert data[16] == 28
    data[16] = 37
    end = 12 + (data[12] + 1) * 4 - 4
    data[end : end + 4] = zlib.crc32(data[12:end]).to_bytes(4, "little")
    path.write_bytes(data)


@pytest.mark.parametrize(
    ("name", "make", "reason"),
    [
        ("docs.jsonl.gz", bomb_of_rows, f"{MAX_IN_A_ROW} rows in a row are refused"),
        ("docs.jsonl.gz", packed_zeros, "the file unpacks to more than"),
        ("docs.jsonl.xz", packed_zeros, "the file unpacks to more than"),
        ("docs.jsonl.xz", blank_lines, "lines in a row are blank"),
        ("docs.jsonl", sparse, "the row has another"),
        ("docs.jsonl.xz", greedy, "Memory usage limit"),
    ],
)
async def test_a_bomb_ends_soon_with_a_refusal_and_the_rest_is_filed(
    desk: ProjectFixture, folder: Path, name: str, make: Callable[[Path], None], reason: str
) -> None:
    make(folder / name)
    (folder / "more.jsonl").write_bytes(row("RFC-7"))
    before = time.monotonic()
    summary = await imported(desk, folder / name, folder / "more.jsonl", folder)
    assert time.monotonic() - before < FAR
    assert any(reason in each.reason and name in each.source for each in summary.refused)
    assert summary.filed >= 2


def test_reading_a_bomb_takes_little_memory(folder: Path) -> None:
    packed_zeros(folder / "docs.jsonl.gz")
    tracemalloc.start()
    try:
        rows, _ = count_rows(folder / "docs.jsonl.gz")
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert rows <= 2
    assert most < 8 * compressed_lines.MAX_LINE


@pytest.mark.parametrize("option", ["states", "revisions"])
async def test_rows_of_a_history_are_bounded_too(desk: ProjectFixture, folder: Path, option: str) -> None:
    bomb_of_rows(folder / "told.jsonl.gz")
    os.mkfifo(folder / "pipe.jsonl")
    (folder / "link").symlink_to("pipe.jsonl")
    paths = tuple(folder / name for name in ("told.jsonl.gz", "pipe.jsonl", "link", "gone.jsonl"))
    named = [*paths, Path("/dev/zero")]
    states, revisions = (named, []) if option == "states" else ([], named)
    summary = await imported(desk, folder, states=states, revisions=revisions)
    reasons = [each.reason for each in summary.refused]
    assert (summary.filed, len(reasons)) == (1, MAX_IN_A_ROW + 5)
    assert reasons.count(NO_FILE) == 3
    assert "it cannot be read: No such file or directory" in reasons


def test_refusals_beyond_those_listed_are_counted() -> None:
    summary, rows = ImportSummary(), RefusedRows()
    for number in range(MAX_LISTED + 5):
        each = Refusal(f"docs.jsonl:{number}", "bad")
        summary.refuse(each)
        rows.add(each)
    assert (len(summary.refused), summary.refused_beyond, summary.seen) == (MAX_LISTED, 5, MAX_LISTED + 5)
    assert rows.all()[-1].reason == "5 more rows are refused"
    assert len(rows.all()) == MAX_LISTED + 1


@pytest.mark.parametrize("content", [b"{}\n" * 3_000_000, b"\n" * 200_000_000, b"x" * 200_000_000])
def test_a_stop_is_heeded_between_rows(folder: Path, content: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compressed_lines, "MAX_LINE", 1_000)
    path = folder / "docs.jsonl"
    path.write_bytes(content)
    asked = iter(range(10**9))
    with pytest.raises(Stopped):
        for _ in read_lines(path, lambda: next(asked) >= 20):
            pass
    assert next(asked) == 21


async def test_an_import_that_is_stopped_while_rows_are_refused_ends(
    desk: ProjectFixture, folder: Path
) -> None:
    path = folder / "docs.jsonl"
    path.write_bytes((b"{}\n" * 900 + row("RFC-1")) * 200)
    stop = asyncio.Event()
    asyncio.get_running_loop().call_later(1.0, stop.set)
    before = time.monotonic()
    summary = await imported(desk, path, stop=stop)
    assert summary.was_stopped
    assert time.monotonic() - before < FAR
    assert len(summary.refused) < 900 * 200


def test_a_file_that_grows_while_it_is_read_ends_where_it_ended(folder: Path) -> None:
    path = folder / "docs.jsonl"
    path.write_bytes(row("RFC-1") * 2_000)
    seen = 0
    with path.open("ab") as file:
        for _ in read_lines(path, never):
            seen += 1
            file.write(row("RFC-2") * 5)
            file.flush()
            assert seen < 5_000
    assert seen >= 2_000
