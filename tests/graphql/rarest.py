"""The rarest word of a document among others, as the analyser counts words."""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from app.services.analysis import query_terms, terms_of

MAX_QUERY_LENGTH = 16_384


@dataclass(frozen=True, slots=True)
class Rarest:
    """A word of a document's text, and how many of the documents hold a term of it."""

    word: str
    documents: int


def rarest_words(artifacts: Sequence[dict[str, Any]]) -> list[Rarest | None]:
    """Return the rarest word of each document; None where no word of its text can be looked up.

    Words are what white space parts and a query can be made of; one is as rare as the commonest of its
    terms, and of equally rare ones any may come.
    """
    held = [terms_of(text_of(artifact)).terms.keys() for artifact in artifacts]
    frequencies = Counter(term for terms in held for term in terms)
    return [_rarest(text_of(artifact), frequencies) for artifact in artifacts]


def text_of(artifact: dict[str, Any]) -> str:
    """Return what a reader of a document sees of it."""
    return "\n".join(filter(None, (artifact["identifier"], artifact["title"], artifact["body"])))


def _rarest(text: str, frequencies: Counter[str]) -> Rarest | None:
    words = sorted({word for word in text.split() if len(word) <= MAX_QUERY_LENGTH}, key=_any_order)
    counted = [
        Rarest(word, max(frequencies[term] for term in terms))
        for word in words
        if (terms := query_terms(word))
    ]
    return min(counted, key=lambda rarest: rarest.documents, default=None)


def _any_order(word: str) -> int:
    return zlib.crc32(word.encode())
