"""Read real texts, and make documents from them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from hashlib import blake2b
from pathlib import Path
from random import Random

import orjson

from app.domain.artifact import Document
from app.errors import Invalid
from app.resources import shipped_folder
from app.services.importing.compressed_lines import read_lines
from app.services.importing.folders import MARKDOWN, read_text
from app.services.importing.interruption import never
from app.services.importing.jsonl import is_row_file
from app.services.parsing import parse_markdown

MIN_WORDS = 40
MAX_WORDS = 100
_PROSE = 8
_DOCUMENTS = "docs"
_BLANK_LINES = re.compile(r"\n\s*\n")
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+")
_LAYOUT = re.compile(r"^(#|```|\.\. |\||[=~^*-]{3})")


@dataclass(frozen=True, slots=True)
class Text:
    """A real text: its title and its paragraphs in order, each of about 40 to 100 words."""

    title: str
    paragraphs: tuple[str, ...]


def read_texts(folder: Path | None) -> list[Text]:
    """Return the texts under a folder, of Markdown files and of rows in docs.jsonl, also .gz and .xz.

    Without a folder these are the shipped decision records. Raises Invalid when there is no such folder,
    it holds no text with a paragraph of prose, or a file of it cannot be read.
    """
    folder = shipped_folder("decisions", "docs/decisions") if folder is None else folder
    if not folder.is_dir():
        raise Invalid(f"there is no folder {folder}; give a folder with texts to --corpora")
    found = [Text(title, tuple(paragraphs_of(body))) for title, body in _bodies(folder)]
    texts = [text for text in found if text.paragraphs]
    if not texts:
        raise Invalid(
            f"{folder} has no texts; they are read from .md files and from docs.jsonl (also .gz, .xz)"
        )
    return texts


def paragraphs_of(body: str) -> Iterator[str]:
    """Yield the prose of a body in stretches of 40 to 100 words, split between sentences.

    Neighbouring paragraphs are joined while they are short; headings, code and tables are left out, and
    so is a last stretch that is too short.
    """
    gathered: list[str] = []
    words = 0
    for sentence in _sentences(body):
        length = len(sentence.split())
        if words >= MIN_WORDS and words + length > MAX_WORDS:
            yield " ".join(gathered)
            gathered, words = [], 0
        gathered.append(sentence)
        words += length
    if MIN_WORDS <= words <= 2 * MAX_WORDS:
        yield " ".join(gathered)


def _sentences(body: str) -> Iterator[str]:
    for block in _BLANK_LINES.split(body):
        text = block.strip()
        if not _LAYOUT.match(text) and len(text.split()) >= _PROSE:
            for sentence in _SENTENCE_END.split(text):
                yield " ".join(sentence.split()[:MAX_WORDS])


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


KIND = "SPEC"
FIRST_DAY = datetime(2022, 1, 1, tzinfo=UTC)
LAST_DAY = datetime(2025, 1, 1, tzinfo=UTC)
MIDDLE = FIRST_DAY + (LAST_DAY - FIRST_DAY) / 2
RELATED_SHARE = 0.5
MAX_RELATED = 3
SUPERSEDING_SHARE = 0.05
SUPERSEDED_AMONG = 200
HUB_SKEW = 3
RECOMBINATIONS = 100
MAX_WORDS_JOINED = 200
_TITLE_WORDS = 6


@dataclass(frozen=True, slots=True)
class Body:
    """A document's content: a title made of the text's title and the first words, and paragraphs."""

    title: str
    paragraphs: tuple[str, ...]
    is_recombined: bool = False


def stretches_of(texts: Sequence[Text], seed: int) -> list[Body]:
    """Split texts into bodies of one or two neighbouring paragraphs, each paragraph once, shuffled."""
    random = Random(seed)
    stretches = [stretch for text in texts for stretch in _stretches(text, random)]
    random.shuffle(stretches)
    return stretches


def bodies(stretches: Sequence[Body], seed: int) -> Iterator[Body]:
    """Yield distinct bodies: first the stretches as they are, then recombinations of two.

    A recombination is the beginning of one and the end of another. There are at least a hundred for
    each pair of stretches.
    """
    yield from stretches
    random = Random(seed)
    made = {_digest(" ".join(_words(stretch))) for stretch in stretches}
    while len(made) < RECOMBINATIONS * len(stretches) ** 2:
        first, second = random.choice(stretches), random.choice(stretches)
        joined = _join_middles(_words(first), _words(second), random)
        if (digest := _digest(joined)) not in made:
            made.add(digest)
            yield Body(_title(first.title.partition(": ")[0], joined), (joined,), is_recombined=True)


def made_of(body: Body, number: int, total: int, random: Random) -> Document:
    """Return document `number` of `total`, from 1, as an import parses its Markdown.

    Its date is its share of three years. Half of the documents relate to up to three earlier ones, most
    often to the same few, and one in twenty supersedes one of those shortly before it.
    """
    lines = [
        f"id: {identifier(number)}",
        f"title: {json.dumps(body.title)}",
        "status: Accepted",
        f"date: {_day(number, total).isoformat()}",
    ]
    paragraphs = list(body.paragraphs)
    if number > 1 and random.random() < SUPERSEDING_SHARE:
        lines.append(f"supersedes: {identifier(random.randrange(max(1, number - SUPERSEDED_AMONG), number))}")
    if number > 1 and random.random() < RELATED_SHARE:
        related = {identifier(_hub(number, random)) for _ in range(random.randint(1, MAX_RELATED))}
        lines.append(f"related: {', '.join(sorted(related))}")
        paragraphs.append(f"See also {', '.join(sorted(related))}.")
    text = "\n".join(("---", *lines, "---", "", "\n\n".join(paragraphs)))
    return parse_markdown(text, kind=KIND)


def identifier(number: int) -> str:
    """Return the identifier of the document of a number."""
    return f"{KIND}-{number}"


def _day(number: int, total: int) -> datetime:
    return FIRST_DAY + timedelta(seconds=int((LAST_DAY - FIRST_DAY).total_seconds() * number / (total + 1)))


def _hub(number: int, random: Random) -> int:
    """Return an earlier document: the cube of a fraction makes the first ones hubs."""
    return 1 + int((number - 1) * random.random() ** HUB_SKEW)


def _stretches(text: Text, random: Random) -> Iterator[Body]:
    place = 0
    while place < len(text.paragraphs):
        taken = text.paragraphs[place : place + random.choice((1, 1, 2))]
        yield Body(_title(text.title, taken[0]), taken)
        place += len(taken)


def _words(body: Body) -> list[str]:
    return " ".join(body.paragraphs).split()


def _digest(text: str) -> bytes:
    return blake2b(text.encode(), digest_size=8).digest()


def _join_middles(head: Sequence[str], tail: Sequence[str], random: Random) -> str:
    words = [*head[: _near_middle(head, random)], *tail[_near_middle(tail, random) :]]
    return " ".join(words[:MAX_WORDS_JOINED])


def _near_middle(words: Sequence[str], random: Random) -> int:
    """Return a place in the middle third; each of the 40 words or more leaves a dozen such places."""
    return random.randrange(len(words) // 3, len(words) * 2 // 3)


def _title(title: str, paragraph: str) -> str:
    opening = " ".join(paragraph.split()[:_TITLE_WORDS])
    return f"{' '.join(title.split())[:120]}: {opening}"


MIN_DOCUMENTS = 10
MAX_DOCUMENTS = 1_000_000
SEED = 20


@dataclass(frozen=True, slots=True)
class Corpus:
    """Real texts, split into stretches of one document each."""

    source: str
    texts: int
    stretches: Sequence[Body]

    def bodies(self) -> Iterator[Body]:
        """Return the bodies of a run, the same in every run."""
        return bodies(self.stretches, SEED)

    def description(self) -> dict[str, object]:
        """Return a description of the corpus for the report."""
        return {"source": self.source, "texts": self.texts, "stretches": len(self.stretches), "seed": SEED}


def read_corpus(documents: int, folder: Path | None) -> Corpus:
    """Return the corpus of a folder, or of the shipped decision records, for so many documents.

    Raises Invalid for a number that is too small or too large, and for too few texts.
    """
    if not MIN_DOCUMENTS <= documents <= MAX_DOCUMENTS:
        raise Invalid(f"--documents must be from {MIN_DOCUMENTS} to {MAX_DOCUMENTS:,}, not {documents:,}")
    texts = read_texts(folder)
    stretches = stretches_of(texts, SEED)
    source = "the shipped decision records" if folder is None else f"the texts under {folder}"
    most = RECOMBINATIONS * len(stretches) ** 2 // 4  # the rest is embedded alone or filed one by one
    if documents > most:
        raise Invalid(
            f"the texts of {source} make only {most:,} documents; use fewer documents, or give"
            " more texts with --corpora"
        )
    return Corpus(source, len(texts), stretches)
