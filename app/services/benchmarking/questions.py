"""Questions about documents that were filed: some words of theirs, or their identifiers."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from random import Random

from app.services.benchmarking.documents import Body, identifier

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
    """Answer the numbers of the documents to ask for, evenly spread over so many."""
    asked = min(QUESTIONS, documents)
    return [1 + place * documents // asked for place in range(asked)]


def make_questions(found: Mapping[int, Body], seed: int) -> list[AskedFor]:
    """Answer a question for each body by its number; every tenth names the identifier instead of words."""
    random = Random(seed)
    return [
        _naming(number, random) if place % NAMING_EVERY == 0 else _wording(number, body, random)
        for place, (number, body) in enumerate(found.items())
    ]


def _naming(number: int, random: Random) -> AskedFor:
    return AskedFor(random.choice(_NAMING).format(identifier(number)), number, names_it=True)


def _wording(number: int, body: Body, random: Random) -> AskedFor:
    words = _WORD.findall(random.choice(body.paragraphs))
    count = random.randint(*_WORDS)
    start = random.randrange(max(1, len(words) - count))
    chosen = " ".join(words[start : start + count])
    return AskedFor(f"{random.choice(_PREFIXES)} {chosen}", number, names_it=False)


class Wordings:
    """A new wording of a question for each use, so that no memory of questions answers for the encoder.

    Three marks at its end differ: they are no terms, name nothing, and cost the encoder three pieces
    each time.
    """

    def __init__(self) -> None:
        self._used: dict[str, Iterator[str]] = {}

    def fresh(self, question: AskedFor) -> str:
        """Answer a wording that was not used yet; after 125 they come again."""
        marks = self._used.get(question.text)
        ending = None if marks is None else next(marks, None)
        if ending is None:
            marks = self._used[question.text] = map("".join, product(_MARKS, repeat=3))
            ending = next(marks)
        return f"{question.text} {ending}"
