from __future__ import annotations

import gzip
import json
import lzma
from typing import Any

import pytest

from tests.documents import Desk, identifiers
from tests.services.importing.conftest import Importer, Write


def row(identifier: str, body: str = "The text.", **said: Any) -> str:
    return json.dumps({"id": identifier, "kind": "rfc", "title": f"About {identifier}", "body": body, **said})


def rows(*lines: str) -> bytes:
    return "\n".join(lines).encode() + b"\n"


@pytest.mark.parametrize("suffix", [".jsonl", ".jsonl.gz", ".jsonl.xz"])
async def test_rows_are_filed_with_their_references_from_any_packing(
    desk: Desk, write: Write, imported: Importer, suffix: str
) -> None:
    refs = [{"type": "supersedes", "target": "RFC-1"}]
    content = rows(
        row("RFC-1", created_at="2020-01-01T00:00:00Z"),
        "",
        row("RFC-2", created_at="2021-01-01T00:00:00Z", meta={"refs": refs, "source": "x:rfc/2.md"}),
    )
    packed = {".jsonl": content, ".jsonl.gz": gzip.compress(content), ".jsonl.xz": lzma.compress(content)}
    path = write(f"docs{suffix}", packed[suffix])
    first, again = await imported(path), await imported(path)
    assert (first.filed, first.refused, first.total) == (2, [], 2)
    assert (again.filed, again.unchanged) == (0, 2)
    found = await desk.ask("RFC 1")
    assert identifiers(found) == ["RFC-2", "RFC-1"]
    assert found.hits[0].artifact.source_uri == "x:rfc/2.md"


async def test_a_broken_row_is_refused_by_its_number(desk: Desk, write: Write, imported: Importer) -> None:
    content = (
        rows(row("RFC-1"), "{", '{"id": 7}', "[]", row("RFC-2")) + b'{"id": "\xff"}\n' + rows(row("RFC-3"))
    )
    path = write("docs.jsonl", content)
    summary = await imported(path)
    assert summary.filed == 3
    assert [refusal.source for refusal in summary.refused] == [f"{path}:{number}" for number in (2, 3, 4, 6)]
    assert summary.refused[1].reason == "a row needs a text under id"
    assert summary.refused[3].reason == "the row is not UTF-8 from byte 8 on"


async def test_a_file_that_is_cut_off_is_read_to_there_and_reported(
    desk: Desk, write: Write, imported: Importer
) -> None:
    whole = gzip.compress(rows(*(row(f"RFC-{number}", f"Text {number}") for number in range(1, 200))))
    path = write("docs.jsonl.gz", whole[: len(whole) * 3 // 4])
    summary = await imported(path)
    assert 0 < summary.filed < 199
    assert summary.refused[-1].reason.startswith("the file is cut off here")


async def test_one_name_with_two_texts_is_refused_and_with_one_text_is_not(
    desk: Desk, write: Write, imported: Importer
) -> None:
    path = write("docs.jsonl", rows(row("RFC-1", "v1"), row("rfc 1", "v2"), row("RFC-2"), row("RFC-2")))
    first, again = await imported(path), await imported(path)
    assert (first.filed, first.unchanged, len(first.refused)) == (2, 1, 1)
    assert (again.filed, again.unchanged, len(again.refused)) == (0, 3, 1)
    assert first.refused[0].reason == (
        f"rfc 1 stands in {path}:1 with another text; give one of them another name"
    )


async def test_what_is_odd_is_counted_by_what_is_odd(write: Write, imported: Importer) -> None:
    path = write("docs.jsonl", rows(*(row(f"ADR-{n}", kind="ADR", meta={"x_1": n}) for n in (1, 2, 3, 4, 5))))
    summary = await imported(path)
    ((sort, warned),) = summary.warnings.items()
    assert sort.startswith("left out header …")
    assert (warned.count, len(warned.examples)) == (5, 3)
    assert all(example.startswith(f"{path}:") for example in warned.examples)


def _nested(levels: int) -> object:
    value: object = "deep"
    for _ in range(levels):
        value = [value]
    return value


@pytest.mark.parametrize(
    ("odd", "reason"),
    [
        ({"summary": 10**30}, "more than 64 bits"),
        ({"summary": _nested(300)}, "nested deeper"),
        ({"summary": float("inf")}, "finite"),
    ],
)
async def test_a_row_that_no_store_can_keep_is_refused_and_stops_nothing(
    write: Write, imported: Importer, odd: dict[str, object], reason: str
) -> None:
    path = write("docs.jsonl", rows(row("RFC-1", meta=odd), row("RFC-2")))
    summary = await imported(path)
    assert summary.filed == 1
    (refusal,) = summary.refused
    assert reason in refusal.reason


async def test_half_characters_anywhere_in_a_row_are_replaced(
    desk: Desk, write: Write, imported: Importer
) -> None:
    """BYT-03."""
    half, nothing = "\ud83d", "\x00"
    meta = {half: nothing, "tags": [half], "status": f"Accepted{half}", "author": half, "deep": {"x": [half]}}
    path = write("docs.jsonl", rows(row(f"RFC-1{nothing}", meta=meta), row("RFC-2")))
    first, again = await imported(path), await imported(path)
    assert (first.filed, first.refused) == (2, [])
    assert again.unchanged == 2
    assert len((await desk.ask("About RFC")).hits) == 2
