"""Compressed rows of several streams, with something behind them, or cut off."""

from __future__ import annotations

import gzip
import lzma
from pathlib import Path

import pytest

from app.services.importing.items import Readable, Refusal
from app.services.importing.jsonl import read_rows
from tests.security.test_rows_made_to_hurt import row

TAIL = b"and then this"


def packed(content: bytes) -> bytes:
    """Return the content compressed without a time, so that each collecting process sees the same."""
    return gzip.compress(content, mtime=0)


@pytest.mark.parametrize(
    ("content", "filed", "reason"),
    [
        pytest.param(
            lzma.compress(row("RFC-1")) + bytes(8) + lzma.compress(row("RFC-2")), 2, None, id="two of xz"
        ),
        pytest.param(packed(row("RFC-1")) + packed(row("RFC-2")), 2, None, id="two of gz"),
        pytest.param(
            lzma.compress(row("RFC-1")) + TAIL, 1, "the rest of the file cannot be read", id="tail of xz"
        ),
        pytest.param(packed(row("RFC-1")) + TAIL, 1, "the rest of the file cannot be read", id="tail of gz"),
        pytest.param(lzma.compress(row("RFC-1"))[:-20], 1, "truncated here", id="short xz"),
        pytest.param(packed(row("RFC-1"))[:-4], 1, "truncated here", id="short gz"),
        pytest.param(lzma.compress(b"")[:8], 0, "truncated here", id="xz without rows"),
        pytest.param(b"", 0, None, id="nothing"),
    ],
)
def test_what_follows_a_compressed_stream_is_read_or_refused(
    tmp_path: Path, content: bytes, filed: int, reason: str | None
) -> None:
    is_xz = content.startswith(b"\xfd7z")
    path = tmp_path / ("docs.jsonl.xz" if is_xz else "docs.jsonl.gz")
    path.write_bytes(content)
    items = list(read_rows(path, None, frozenset()))
    assert len([each for each in items if isinstance(each, Readable)]) == filed
    refused = [each.reason for each in items if isinstance(each, Refusal)]
    assert len(refused) == (reason is not None)
    assert reason is None or reason in refused[0]
