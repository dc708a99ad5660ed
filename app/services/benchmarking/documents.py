"""Documents made of real paragraphs, the same ones for the same seed, as many as are wanted."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from hashlib import blake2b
from random import Random

from app.domain.artifact import Document
from app.services.benchmarking.texts import Text
from app.services.parsing import parse_markdown

KIND = "SPEC"
FIRST_DAY = datetime(2022, 1, 1, tzinfo=UTC)
LAST_DAY = datetime(2025, 1, 1, tzinfo=UTC)
MIDDLE = FIRST_DAY + (LAST_DAY - FIRST_DAY) / 2
RELATED_SHARE = 0.5
MOST_RELATED = 3
SUPERSEDING_SHARE = 0.05
SUPERSEDED_AMONG = 200
HUB_SKEW = 3
RECOMBINATIONS = 100
MOST_WORDS_JOINED = 200
_TITLE_WORDS = 6


@dataclass(frozen=True, slots=True)
class Body:
    """What a document will say: a title, of the text's own and the first words, and its paragraphs."""

    title: str
    paragraphs: tuple[str, ...]
    is_recombined: bool = False


def stretches_of(texts: Sequence[Text], seed: int) -> list[Body]:
    """Cut texts into bodies of one or two neighbouring paragraphs, each paragraph once, in mixed order."""
    random = Random(seed)
    stretches = [stretch for text in texts for stretch in _stretches(text, random)]
    random.shuffle(stretches)
    return stretches


def bodies(stretches: Sequence[Body], seed: int) -> Iterator[Body]:
    """Answer bodies, each another: first the stretches as they are, then recombinations of two.

    A recombination is the beginning of one and the end of another. There are at least a hundred for
    each pair of stretches.
    """
    yield from stretches
    random = Random(seed)
    made = {_digest(" ".join(_words(stretch))) for stretch in stretches}
    while len(made) < RECOMBINATIONS * len(stretches) ** 2:
        first, second = random.choice(stretches), random.choice(stretches)
        joined = _joined(_words(first), _words(second), random)
        if (digest := _digest(joined)) not in made:
            made.add(digest)
            yield Body(_title(first.title.partition(": ")[0], joined), (joined,), is_recombined=True)


def made_of(body: Body, number: int, total: int, random: Random) -> Document:
    """Answer document `number` of `total`, from 1, as an import would read its Markdown.

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
        related = {identifier(_hub(number, random)) for _ in range(random.randint(1, MOST_RELATED))}
        lines.append(f"related: {', '.join(sorted(related))}")
        paragraphs.append(f"See also {', '.join(sorted(related))}.")
    text = "\n".join(("---", *lines, "---", "", "\n\n".join(paragraphs)))
    return parse_markdown(text, kind=KIND)


def identifier(number: int) -> str:
    """Answer the identifier of the document of a number."""
    return f"{KIND}-{number}"


def _day(number: int, total: int) -> datetime:
    return FIRST_DAY + timedelta(seconds=int((LAST_DAY - FIRST_DAY).total_seconds() * number / (total + 1)))


def _hub(number: int, random: Random) -> int:
    """Answer an earlier document: the cube of a fraction makes the first ones hubs."""
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


def _joined(head: Sequence[str], tail: Sequence[str], random: Random) -> str:
    words = [*head[: _near_middle(head, random)], *tail[_near_middle(tail, random) :]]
    return " ".join(words[:MOST_WORDS_JOINED])


def _near_middle(words: Sequence[str], random: Random) -> int:
    """Answer a place in the middle third; each of the 40 words or more leaves a dozen such places."""
    return random.randrange(len(words) // 3, len(words) * 2 // 3)


def _title(title: str, paragraph: str) -> str:
    opening = " ".join(paragraph.split()[:_TITLE_WORDS])
    return f"{' '.join(title.split())[:120]}: {opening}"
