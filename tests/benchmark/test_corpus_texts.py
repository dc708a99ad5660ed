from __future__ import annotations

import gzip
import json
import lzma
from pathlib import Path

import pytest

from app.benchmark.corpus import Text, paragraphs_of, read_texts
from app.errors import Invalid

SENTENCE = "Every worker keeps a lease of ten seconds and gives the job back when it ends. "


def test_short_paragraphs_are_joined_and_long_ones_cut_between_sentences() -> None:
    short = "\n\n".join(SENTENCE.strip() for _ in range(5))
    (joined,) = paragraphs_of(short)
    assert joined == " ".join([SENTENCE.strip()] * 5)
    pieces = list(paragraphs_of(SENTENCE * 40))
    assert all(40 <= len(piece.split()) <= 110 and piece.endswith(".") for piece in pieces)
    assert " ".join(pieces) == " ".join((SENTENCE * 40).split())


def test_headings_code_and_tables_are_no_prose() -> None:
    code = "```\n" + SENTENCE * 4 + "\n```"
    body = f"# {SENTENCE}\n\n{code}\n\n| {SENTENCE} |\n\n{SENTENCE * 4}"
    assert list(paragraphs_of(body)) == [(SENTENCE * 4).strip()]


def test_markdown_and_rows_in_every_form_are_read(tmp_path: Path) -> None:
    body = SENTENCE * 4
    row = json.dumps({"id": "1", "title": "A row", "body": body}).encode() + b"\n\n[]\n"
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "one.md").write_text(f"---\ntitle: A file\nid: SPEC-1\n---\n\n{body}")
    (tmp_path / "docs.jsonl").write_bytes(row)
    (tmp_path / "docs-2.jsonl.gz").write_bytes(gzip.compress(row))
    (tmp_path / "docs-3.jsonl.xz").write_bytes(lzma.compress(row))
    (tmp_path / "states.jsonl").write_bytes(row)
    titles = [text.title for text in read_texts(tmp_path)]
    assert titles == ["A row", "A row", "A row", "A file"]


def test_without_a_folder_the_shipped_decisions_are_the_texts() -> None:
    texts = read_texts(None)
    assert len(texts) > 10
    assert Text("Own BM25 postings instead of ts_rank", texts[5].paragraphs) == texts[5]
    assert not any("---" in paragraph for text in texts for paragraph in text.paragraphs)


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("none", b"", "has no texts"),
        ("docs.jsonl", b'{"title": "One", "body": "Too short."}', "has no texts"),
        ("docs.jsonl", b"{", "docs.jsonl cannot be read as rows"),
        ("docs.jsonl.gz", b"no gzip", "docs.jsonl.gz cannot be read as rows"),
        ("docs.jsonl.xz", b"no xz", "docs.jsonl.xz cannot be read as rows"),
        ("one.md", b"\xff", "one.md: it is not UTF-8"),
    ],
)
def test_a_folder_that_gives_no_texts_is_refused(
    tmp_path: Path, name: str, content: bytes, said: str
) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(Invalid, match=said):
        read_texts(tmp_path)


def test_a_folder_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(Invalid, match=r"there is no folder .*/nowhere; give a folder .* --corpora"):
        read_texts(tmp_path / "nowhere")
