"""Questions about the documents of a corpus, in a new wording for each use."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from random import Random

from app.benchmark.corpus import Body, identifier

QUESTIONS = 60
NAMING_EVERY = 10
_PREFIXES = ("what is", "how does", "why do we need", "when is", "tell me about", "which part covers")
_NAMING = ("what followed from {}", "what relates to {}", "why was {} replaced")
_WORDS = (3, 8)
_MARKS = "?!.,;"
_WORD = re.compile(r"\w[\w'’-]*")


@dataclass(frozen=True, slots=True)
class AskedFor:
    """A question and the number of the document that it was taken from or names."""

    text: str
    document: int
    names_it: bool


def spread(documents: int) -> list[int]:
    """Return the numbers of the documents to ask for, evenly spread over all."""
    asked = min(QUESTIONS, documents)
    return [1 + place * documents // asked for place in range(asked)]


def make_questions(found: Mapping[int, Body], seed: int) -> list[AskedFor]:
    """Return a question for each body by its number; every tenth names the identifier instead of words."""
    random = Random(seed)
    return [
        _ask_by_identifier(number, random)
        if place % NAMING_EVERY == 0
        else _ask_by_words(number, body, random)
        for place, (number, body) in enumerate(found.items())
    ]


def _ask_by_identifier(number: int, random: Random) -> AskedFor:
    return AskedFor(random.choice(_NAMING).format(identifier(number)), number, names_it=True)


def _ask_by_words(number: int, body: Body, random: Random) -> AskedFor:
    words = _WORD.findall(random.choice(body.paragraphs))
    count = random.randint(*_WORDS)
    start = random.randrange(max(1, len(words) - count))
    chosen = " ".join(words[start : start + count])
    return AskedFor(f"{random.choice(_PREFIXES)} {chosen}", number, names_it=False)


class Wordings:
    """A new wording of a question for each use, so that no query cache replaces the encoder.

    They differ in three marks at the end, which are no terms, name nothing, and always cost the encoder three
    pieces.
    """

    def __init__(self) -> None:
        self._used: dict[str, Iterator[str]] = {}

    def fresh(self, question: AskedFor) -> str:
        """Return an unused wording; they repeat after 125."""
        marks = self._used.get(question.text)
        ending = None if marks is None else next(marks, None)
        if ending is None:
            marks = self._used[question.text] = map("".join, product(_MARKS, repeat=3))
            ending = next(marks)
        return f"{question.text} {ending}"
