"""Files that are no documents among files that are: each is refused by name, and the rest is filed."""

from __future__ import annotations

import codecs
import json
import os
import stat
from datetime import UTC, datetime
from pathlib import Path

import pytest

from app.errors import Invalid
from app.services.filing.prepare import MAX_BODY_BYTES, MAX_PASSAGES
from app.services.importing import folders, jsonl
from app.services.importing.folders import read_text
from app.services.importing.open_file import NO_FILE
from app.services.parsing.blocks import MAX_LINES
from tests.documents import ProjectFixture
from tests.services.importing.conftest import Importer, Write, reasons

PNG = bytes.fromhex("89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c489")
GIF = b"GIF89a\x01\x00\x01\x00\x00\x00\x00\x00,\x00\x00\x00\x00\x01\x00\x01\x00\x00\x02\x00;"
BINARY = "it is not text: too many of its characters are control characters"

REFUSED = {
    "picture.md": (PNG, "it is not UTF-8 from byte 0 on; if it is text, convert it"),
    "moving.md": (GIF, BINARY),
    "nothing.md": (b"\x00" * 100, BINARY),
    "wide.md": ("# Wide\n".encode("utf-16-le"), BINARY),
    "wide-le.md": (
        codecs.BOM_UTF16_LE + "# Wide\n".encode("utf-16-le"),
        "it is UTF-16, not UTF-8; convert it",
    ),
    "wide-be.md": (
        codecs.BOM_UTF16_BE + "# Wide\n".encode("utf-16-be"),
        "it is UTF-16, not UTF-8; convert it",
    ),
    "wider.md": (codecs.BOM_UTF32_LE + "# Wide\n".encode("utf-32-le"), "it is UTF-32, not UTF-8; convert it"),
    "half.md": (b"# Half\n\n\xed\xa0\xbd\n", "it is not UTF-8 from byte 8 on; if it is text, convert it"),
    "cut.md": ("# Cut: é".encode()[:-1], "it is not UTF-8 from byte 7 on; if it is text, convert it"),
    "unseen.md": ("\u202e\u2066\u200b\n".encode(), "the file is empty"),
}


async def test_what_is_no_text_is_refused_by_name_and_the_rest_is_filed(
    folder: Path, write: Write, imported: Importer, desk: ProjectFixture
) -> None:
    write("nul.md", b"# Nul \x00 here\n\nThe nulword\x00 counts.\n")
    write("folder.md/inside.md", "# Inside\n")
    for name, (content, _) in REFUSED.items():
        write(name, content)
    os.mknod(folder / "socket.md", stat.S_IFSOCK | 0o600)
    summary = await imported(folder)
    assert reasons(summary) == {name: reason for name, (_, reason) in REFUSED.items()} | {
        "socket.md": NO_FILE
    }
    assert summary.filed == 2
    assert [hit.artifact.title for hit in (await desk.ask("nulword", first=1)).hits] == ["Nul \ufffd here"]


@pytest.mark.parametrize("device", ["/dev/null", "/dev/zero"])
def test_a_device_is_never_read(device: str) -> None:
    with pytest.raises(Invalid, match=NO_FILE):
        read_text(Path(device))


def test_a_file_that_vanished_is_named_with_the_reason(folder: Path) -> None:
    with pytest.raises(Invalid, match="it cannot be read: No such file or directory"):
        read_text(folder / "gone.md")


async def test_names_of_any_length_and_depth_are_filed_or_named(
    folder: Path, write: Write, imported: Importer
) -> None:
    write(f"{'a' * 252}.md", "# A long name\n")
    write(f"{'/'.join(['d' * 200] * 12)}/deep.md", "# Deep\n")
    write("line\nend.md", "# Two lines\n")
    write("steering\x1b[31m.md", "# Red\n")
    write("\u202egpj.md", "# Turned\n")
    first, again = await imported(folder), await imported(folder)
    assert (first.filed, first.refused, again.unchanged) == (5, [], 5)


async def test_a_path_longer_than_the_system_takes_is_refused_by_name(
    folder: Path, write: Write, imported: Importer
) -> None:
    write("good.md", "# Good\n")
    here = os.open(folder, os.O_RDONLY)
    for _ in range(25):
        os.mkdir("d" * 200, dir_fd=here)
        inner = os.open("d" * 200, os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = inner
    os.close(here)
    summary = await imported(folder)
    assert summary.filed == 1
    (refusal,) = summary.refused
    assert refusal.reason == "it cannot be read: File name too long"


async def test_a_document_of_more_passages_than_are_kept_is_refused_and_the_rest_is_filed(
    folder: Path, write: Write, imported: Importer
) -> None:
    """BYT-06."""
    write("good.md", "# Good\n")
    write("long.md", f"# h\n{'text ' * 24}\n" * (MAX_PASSAGES + 1))
    summary = await imported(folder)
    assert summary.filed == 1
    assert reasons(summary) == {
        "long.md": "the body has 5001 passages; at most 5000 are allowed: split the document"
    }


async def test_what_is_too_large_is_refused_before_it_is_read(
    write: Write, imported: Importer, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (folders, jsonl):
        monkeypatch.setattr(module, "MAX_BODY_BYTES", 1_000)
    text = "word " * 300
    large = write("large.md", text)
    row = write("docs.jsonl", json.dumps({"id": "RFC-1", "title": "Large", "body": text}))
    assert reasons(await imported(large)) == {"large.md": "it is larger than 1000 bytes; split it"}
    assert reasons(await imported(row)) == {
        "docs.jsonl:1": "the body is larger than 1000 bytes; split the document"
    }


async def test_rows_from_a_pipe_are_refused_before_anything_waits_for_them(
    folder: Path, imported: Importer
) -> None:
    os.mkfifo(folder / "docs.jsonl")
    with pytest.raises(Invalid, match="is not a regular file"):
        await imported(folder / "docs.jsonl")


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        pytest.param(b"x" * (MAX_BODY_BYTES + 1), "larger than 8388608 bytes", id="BYT-06 bytes"),
        pytest.param("\n" * (MAX_LINES + 1) + "x", "has 200001 lines", id="BYT-06 lines"),
        pytest.param(f"---\nid: {'x' * 300}\n---\ntext\n", "at most 256", id="BYT-06 identifier"),
        pytest.param(f"---\nkind: {'x' * 300}\n---\ntext\n", "at most 64", id="BYT-06 kind"),
    ],
)
async def test_one_beyond_a_limit_holds_up_none_and_is_told_each_time(
    desk: ProjectFixture, folder: Path, write: Write, imported: Importer, content: str | bytes, reason: str
) -> None:
    write("1-ok.md", "# First\n\nA needle.\n")
    big = write("2-big.md", content)
    write("3-ok.md", "# Third\n\nA needle.\n")
    first, again = await imported(folder, width=1), await imported(folder, width=1)
    assert (first.filed, again.filed, again.unchanged) == (2, 0, 2)
    for summary in (first, again):
        (refusal,) = summary.refused
        assert refusal.source == str(big)
        assert reason in refusal.reason
    assert len((await desk.ask("needle")).hits) == 2


async def test_a_date_to_come_is_told(folder: Path, write: Write, imported: Importer) -> None:
    """Such a document is not shown before; most are typing errors."""
    write("adr/0001-a.md", "---\nstatus: accepted\ndate: 2062-04-20\n---\n# A\n\nText.\n")
    write("2063-01-02-b.md", "# B\n\nText.\n")
    write("adr/0003-c.md", "---\nstatus: accepted\ndate: 2026-01-05\n---\n# C\n\nText.\n")
    told = [example for each in (await imported(folder)).warnings.values() for example in each.examples]
    assert [each.rpartition("/")[2] for each in told] == [
        "2063-01-02-b.md: it begins on 2063-01-02 and is not shown before",
        "0001-a.md: it begins on 2062-04-20 and is not shown before",
    ]


async def test_an_edit_under_the_same_date_keeps_the_date(
    folder: Path, write: Write, imported: Importer, desk: ProjectFixture
) -> None:
    text = "---\nid: ADR-1\nstatus: accepted\ndate: 2026-01-05\n---\n# Queue\n\nText.\n"
    for words in (text, text.replace("accepted", "deprecated")):
        write("adr/0001-a.md", words)
        summary = await imported(folder)
        assert (summary.filed, summary.undated) == (1, [])
    hits = [each.artifact for each in (await desk.ask("ADR-1")).hits]
    assert {each.date for each in hits} == {datetime(2026, 1, 5, tzinfo=UTC)}
    assert hits[0].created_at == hits[0].recorded_at
