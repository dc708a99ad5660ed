"""English words: the ones that say nothing, and the stem that the forms of one word share."""

from __future__ import annotations

import threading
from functools import lru_cache

import Stemmer

STOP_WORDS = frozenset(
    """
    a an and are as at be but by for if in into is it no not of on or such that the their then there
    these they this to was will with
    """.split()  # noqa: SIM905
)


class _Stemmers(threading.local):
    """One stemmer a thread: a stemmer works in a buffer of its own and must not be shared."""

    def __init__(self) -> None:
        self.english = Stemmer.Stemmer("english")


_stemmers = _Stemmers()


@lru_cache(maxsize=32_768)
def stem(word: str) -> str:
    """Answer the English stem of a folded word; a stop word stays as it is."""
    if word in STOP_WORDS:
        return word
    stemmed: str = _stemmers.english.stemWord(word)
    return stemmed
