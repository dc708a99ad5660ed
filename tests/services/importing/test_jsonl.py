from __future__ import annotations

import gzip
import json
import lzma
from typing import Any

import pytest

from app.services.importing import compressed_lines
from tests.documents import ProjectFixture, identifiers
from tests.services.importing.conftest import Importer, Write


def row(identifier: str, body: str = "The text.", **said: Any) -> str:
    return json.dumps({"id": identifier, "kind": "rfc", "title": f"About {identifier}", "body": body, **said})


def rows(*lines: str) -> bytes:
    return "\n".join(lines).encode() + b"\n"


@pytest.mark.parametrize("suffix", [".jsonl", ".jsonl.gz", ".jsonl.xz"])
async def test_rows_are_filed_with_their_references_from_any_packing(
    desk: ProjectFixture, write: Write, imported: Importer, suffix: str
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
    assert identifiers(found) == ["RFC-1", "RFC-2"]
    assert found.hits[1].artifact.source_uri == "x:rfc/2.md"


async def test_a_broken_row_is_refused_by_its_number(
    desk: ProjectFixture, write: Write, imported: Importer
) -> None:
    """IDM-08."""
    content = (
        rows(row("RFC-1"), "{", '{"id": 7}', "[]", row("RFC-2")) + b'{"id": "\xff"}\n' + rows(row("RFC-3"))
    )
    path = write("docs.jsonl", content)
    summary = await imported(path)
    assert summary.filed == 3
    assert [refusal.source for refusal in summary.refused] == [f"{path}:{number}" for number in (2, 3, 4, 6)]
    assert summary.refused[1].reason == "a row needs a string in id"
    assert summary.refused[3].reason == "the row is not UTF-8 from byte 8 on"


async def test_a_file_that_is_cut_off_is_read_to_there_and_reported(
    desk: ProjectFixture, write: Write, imported: Importer
) -> None:
    """IDM-08."""
    whole = gzip.compress(rows(*(row(f"RFC-{number}", f"Text {number}") for number in range(1, 200))))
    path = write("docs.jsonl.gz", whole[: len(whole) * 3 // 4])
    summary = await imported(path)
    assert 0 < summary.filed < 199
    assert summary.refused[-1].reason.startswith("the compressed file is truncated here")


async def test_one_name_with_two_texts_is_refused_and_with_one_text_is_not(
    desk: ProjectFixture, write: Write, imported: Importer
) -> None:
    """IDM-05: so the documentation has it; what is refused is listed in the order of the rows."""
    path = write("docs.jsonl", rows(row("RFC-1", "v1"), row("rfc 1", "v2"), row("RFC-2"), row("RFC-2")))
    first, again = await imported(path), await imported(path)
    assert (first.filed, first.unchanged, len(first.refused)) == (2, 1, 1)
    assert (again.filed, again.unchanged, len(again.refused)) == (0, 3, 1)
    assert first.refused[0].reason == (
        f"rfc 1 is in {path}:1 with another text; give one of them another name"
    )


async def test_what_is_odd_is_counted_by_what_is_odd(write: Write, imported: Importer) -> None:
    path = write(
        "docs.jsonl",
        rows(
            *(
                row(f"ADR-{n}", kind="ADR", meta={"refs": [{"type": "bogus", "target": f"ADR-9{n}"}]})
                for n in (1, 2, 3, 4, 5)
            )
        ),
    )
    summary = await imported(path)
    ((sort, warned),) = summary.warnings.items()
    assert sort.endswith("is not a reference type; it was recorded as REFERENCES")
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
    desk: ProjectFixture, write: Write, imported: Importer
) -> None:
    """BYT-03."""
    half, nothing = "\ud83d", "\x00"
    meta = {half: nothing, "tags": [half], "status": f"Accepted{half}", "author": half, "deep": {"x": [half]}}
    path = write("docs.jsonl", rows(row(f"RFC-1{nothing}", meta=meta), row("RFC-2")))
    first, again = await imported(path), await imported(path)
    assert (first.filed, first.refused) == (2, [])
    assert again.unchanged == 2
    assert len((await desk.ask("About RFC")).hits) == 2


@pytest.mark.parametrize(
    ("batch", "refused"),
    [
        pytest.param([("adr/7", "v1"), ("adr/7", "v2")], [2], id="IDM-05"),
        pytest.param([("adr/7", "v1"), ("adr/7", "v2"), ("ADR/7", "v3")], [2, 3], id="IDM-05 three"),
        pytest.param(
            [("adr/7", "v1"), ("adr/8", "x"), ("adr/7", "v2"), ("adr/7", "v1")],
            [3],
            id="IDM-05 the first again",
        ),
        pytest.param([("ADR-7", "v1"), ("adr 007", "v2"), ("ADR-70", "v2")], [2], id="IDM-05 spelling"),
    ],
)
@pytest.mark.parametrize("width", [1, 4])
async def test_of_rows_with_one_key_the_first_is_filed_and_the_others_are_told(
    desk: ProjectFixture,
    write: Write,
    imported: Importer,
    batch: list[tuple[str, str]],
    refused: list[int],
    width: int,
) -> None:
    path = write("docs.jsonl", rows(*(row(key, body) for key, body in batch)))
    for _ in range(2):
        summary = await imported(path, width=width)
        assert [refusal.source for refusal in summary.refused] == [f"{path}:{line}" for line in refused]
        assert all("with another text" in refusal.reason for refusal in summary.refused)
    assert (await desk.ask(batch[0][0])).hits[0].artifact.body == "v1"


async def test_refusals_stand_in_the_order_of_the_rows_whichever_is_known_first(
    write: Write, imported: Importer
) -> None:
    """IDM-05: a row of another kind is refused late, one that is no JSON at once."""
    await imported(write("before.jsonl", rows(row("RFC-1"))))
    path = write("docs.jsonl", rows(row("RFC-1", "Another text. " * 200, kind="ADR"), "{", row("RFC-2"), "["))
    summary = await imported(path, width=4)
    assert [refusal.source for refusal in summary.refused] == [f"{path}:{line}" for line in (1, 2, 4)]
    assert "has the type rfc in this project already" in summary.refused[0].reason


async def test_rows_made_to_hurt_are_refused_by_their_number(
    write: Write, imported: Importer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compressed_lines, "MAX_LINE", 1_000)
    deep = '{"id": "RFC-1", "title": "T", "body": "B", "meta": ' + "[" * 450 + "]" * 450 + "}"
    lines = (
        row("RFC-1", "word " * 1_000),
        row("RFC-2"),
        deep,
        '{"id": ' + "9" * 900 + "}",
        "NaN",
        row("RFC-3"),
    )
    path = write("docs.jsonl", rows(*lines))
    summary = await imported(path)
    assert (summary.filed, summary.total) == (2, 6)
    assert [refusal.source for refusal in summary.refused] == [f"{path}:{number}" for number in (1, 3, 4, 5)]
    assert summary.refused[0].reason == "the row is longer than 1000 bytes"


@pytest.mark.parametrize("encoding", ["utf-16", "utf-8-sig"])
async def test_rows_in_another_encoding_are_refused_and_a_mark_is_passed_over(
    write: Write, imported: Importer, encoding: str
) -> None:
    path = write("docs.jsonl", f"{row('RFC-1')}\n".encode(encoding))
    summary = await imported(path)
    assert summary.filed == (encoding == "utf-8-sig")
    assert len(summary.refused) + summary.filed == summary.total
