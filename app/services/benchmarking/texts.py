"""Real texts as paragraphs of a like length: from a folder, or from the shipped decision records."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import orjson

from app.errors import Invalid
from app.resources import shipped_folder
from app.services.importing.files import MARKDOWN, read_text
from app.services.importing.row_lines import read_lines
from app.services.importing.rows import is_row_file
from app.services.importing.stopping import never
from app.services.parsing import parse_markdown

FEWEST_WORDS = 40
MOST_WORDS = 100
_PROSE = 8
_DOCUMENTS = "docs"
_BLANK_LINES = re.compile(r"\n\s*\n")
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+")
_LAYOUT = re.compile(r"^(#|```|\.\. |\||[=~^*-]{3})")


@dataclass(frozen=True, slots=True)
class Text:
    """The title of a real text and its paragraphs in order, each of 40 to 100 words or a little more."""

    title: str
    paragraphs: tuple[str, ...]


def read_texts(folder: Path | None) -> list[Text]:
    """Answer the texts under a folder, of Markdown files and of rows in docs.jsonl, also .gz and .xz.

    Without a folder these are the shipped decision records. Raises Invalid when there is no such folder,
    it holds no text with a paragraph of prose, or a file of it cannot be read.
    """
    folder = shipped_folder("decisions", "docs/decisions") if folder is None else folder
    if not folder.is_dir():
        raise Invalid(f"there is no folder {folder}; name one that holds texts with --corpora")
    found = [Text(title, tuple(paragraphs_of(body))) for title, body in _bodies(folder)]
    texts = [text for text in found if text.paragraphs]
    if not texts:
        raise Invalid(
            f"{folder} holds no texts; they are read from .md files and from docs.jsonl, also .gz and .xz"
        )
    return texts


def paragraphs_of(body: str) -> Iterator[str]:
    """Answer the prose of a body in stretches of 40 to 100 words, cut between sentences.

    Neighbouring paragraphs are joined while they are short; headings, code and tables are left out, and
    so is a last stretch that is too short.
    """
    gathered: list[str] = []
    words = 0
    for sentence in _sentences(body):
        length = len(sentence.split())
        if words >= FEWEST_WORDS and words + length > MOST_WORDS:
            yield " ".join(gathered)
            gathered, words = [], 0
        gathered.append(sentence)
        words += length
    if FEWEST_WORDS <= words <= 2 * MOST_WORDS:
        yield " ".join(gathered)


def _sentences(body: str) -> Iterator[str]:
    for block in _BLANK_LINES.split(body):
        text = block.strip()
        if not _LAYOUT.match(text) and len(text.split()) >= _PROSE:
            for sentence in _SENTENCE_END.split(text):
                yield " ".join(sentence.split()[:MOST_WORDS])


def _bodies(folder: Path) -> Iterator[tuple[str, str]]:
    for path in sorted(folder.rglob("*")):
        if path.suffix.lower() in MARKDOWN and path.is_file():
            yield _page(path)
        elif is_row_file(path.name) and path.name.startswith(_DOCUMENTS):
            yield from _rows(path)


def _page(path: Path) -> tuple[str, str]:
    try:
        read = parse_markdown(read_text(path), path=path.name)
    except Invalid as error:
        raise Invalid(f"{path}: {error.message}") from error
    return read.title, read.body


def _rows(path: Path) -> Iterator[tuple[str, str]]:
    try:
        for _, line in read_lines(path, never):
            if isinstance(line, Invalid):
                raise line
            row = orjson.loads(line)
            if isinstance(row, dict):
                title, body = row.get("title"), row.get("body")
                if isinstance(title, str) and isinstance(body, str):
                    yield title, body
    except (Invalid, orjson.JSONDecodeError) as error:
        raise Invalid(f"{path} cannot be read as rows: {error}") from error
