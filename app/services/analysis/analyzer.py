"""From text to terms, the same way for a document and for a query.

Words are folded (NFKC, case, accents), stop words dropped, the rest stemmed as English. Names add terms
that keep their words together, and scripts without spaces are read by character and by pair. Only
words count towards a document's length, so the added terms do not make a document seem long. No
character is an operator. A term is text of 1 to 128 UTF-8 bytes; what is longer is left out.
"""

from __future__ import annotations

import re
import threading
import unicodedata
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

import Stemmer

from app.domain.identifier import identifier_key
from app.domain.text import MARKS, safe_cut, without_stacks

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
    """Return the English stem of a folded word; a stop word stays as it is."""
    if word in STOP_WORDS:
        return word
    stemmed: str = _stemmers.english.stemWord(word)
    return stemmed


MAX_NAME_LENGTH = 32
MIN_PIECE_LENGTH = 3

_PIECE = re.compile(r"[A-Z]+s(?![a-z])|[A-Z]+(?![a-z])[0-9]*|[A-Z]?[a-z]+[0-9]*")
_PADDED = re.compile(r"([a-z]{2,16})(0[0-9]{1,9})")
_MAX_PIECES = 8  # more than these is encoded data, not a name
# A plain first character lets the search skip to it; the look-behind then asks that a word begins there.
_SPACED_IDENTIFIER = re.compile(
    r"(?P<prefix>[A-Za-z](?<![^\W_][A-Za-z])[A-Za-z]{1,15})\s{1,40}#?(?P<number>[0-9]{1,9})(?!\w|[.,:/-][0-9])"
)


def joined(words: Sequence[str]) -> list[str]:
    """Return the terms that keep a name's words together: each pair of neighbours, then the whole.

    Words come folded. One word alone, or more than 32, make no name.
    """
    if not 1 < len(words) <= MAX_NAME_LENGTH:
        return []
    stems = [stem(word) for word in words]
    pairs = [f"{left}-{right}" for left, right in pairwise(stems)]
    return pairs if len(stems) == 2 else [*pairs, "-".join(stems)]


def camel_case_terms(word: str) -> list[str]:
    """Return the terms inside MissingTenantScope: its pieces of three letters or more, and those joined.

    Shorter pieces, as in PyPI or mRNA, count only joined. The word comes with its case.
    """
    if word.islower() or word.isupper() or not word.isascii():
        return []
    pieces = _PIECE.findall(word)
    if not 1 < len(pieces) <= _MAX_PIECES or sum(map(len, pieces)) != len(word):
        return []
    folded = [piece.casefold() for piece in pieces]
    stems = [stem(piece) for piece in folded if len(piece) >= MIN_PIECE_LENGTH and piece not in STOP_WORDS]
    return stems + joined(folded)


def identifier_keys(words: Sequence[str]) -> list[str]:
    """Return the keys of the identifiers in a name: tdr-32 for [tdr, 0032], [tdr0032] and [docs, tdr, 32].

    With [tdr0032] comes tdr-0032 too, as it is where the name is parted.
    """
    glued = [identifier_key(word) for word in words if word[-1].isdigit()]
    parted = [
        identifier_key(f"{prefix}-{number}")
        for prefix, number in pairwise(words)
        if number.isdigit() and prefix.isalpha()
    ]
    padded = [f"{stem(match[1])}-{match[2]}" for match in map(_PADDED.fullmatch, words) if match]
    return [key for key in glued if "-" in key] + parted + padded


def spaced_identifier_keys(text: str) -> list[str]:
    """Return the key of every word that a number follows after a space: pep-484 for `PEP 484`."""
    return [
        identifier_key(f"{prefix}-{number}")
        for prefix, number in _SPACED_IDENTIFIER.findall(text)
        if prefix.casefold() not in STOP_WORDS
    ]


def is_spaced_identifier(text: str) -> bool:
    """Return whether a text is a word and a number and nothing else: `PEP 484`."""
    match = _SPACED_IDENTIFIER.fullmatch(text)
    return match is not None and match["prefix"].casefold() not in STOP_WORDS


MAX_TERM_BYTES = 128
MAX_QUERY_LENGTH_READ = 16_384
MAX_QUERY_TERMS = 256
FIRST_CHARACTERS_READ = 4_096

# Naming the plain letters apart lets the search meet them first: it is four times as fast.
_UNBROKEN = rf"[a-zA-Z0-9\w{MARKS}_.'/:#+@&\\\u2010\u2012\u2013\u2019\u02bc\u2212-]"
_CHUNK = re.compile(rf"{_UNBROKEN}{_UNBROKEN}{{0,4095}}")
_MAX_CACHED_LENGTH = 48
_AROUND = " \t\n\"'`“”‘’«»()[]{}<>?!,;*"
_WORD = re.compile(rf"[A-Za-z]\w*\+\+|(?<!\w)[A-Za-z]#|(?<![\w.])\.[A-Za-z]\w*|[a-zA-Z0-9\w{MARKS}]+")
_CONTRACTION = re.compile(r"'(?:s|t|re|ve|ll|d|m)(?![\w'])", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class AnalysedText:
    """The terms of a text with how often each occurs, and its length in words for BM25 to normalise by."""

    terms: Counter[str]
    length: int


@dataclass(frozen=True, slots=True)
class _Chunk:
    """What one unbroken stretch of text gives: the words that count, and the terms added to them."""

    words: tuple[str, ...]
    added: tuple[str, ...]


def terms_of(text: str) -> AnalysedText:
    """Return the terms of a text in order of first appearance, in time linear in its length.

    Every distinct word is a term, however many there are. A stretch of more than 4,096 characters
    without a break is data rather than words, and is read in pieces.
    """
    readable = set_apart(normalise(text))
    terms: Counter[str] = Counter()
    length = 0
    for chunk, times in Counter(map(re.Match[str].group, _CHUNK.finditer(readable))).items():
        read = _remembered(chunk) if len(chunk) <= _MAX_CACHED_LENGTH else _read(chunk)
        length += times * len(read.words)
        for term in read.words + read.added:
            terms[term] += times
    terms.update(spaced_identifier_keys(readable))
    return AnalysedText(terms, length)


def query_terms(text: str) -> list[str]:
    """Return the distinct terms to look up, at most 256, in order of first appearance.

    A lone letter or digit is looked up only when the query has nothing else. A query of stop words or
    of symbols has no terms and so finds nothing. Of a longer query 16,384 characters are read, normalised.
    """
    readable = normalise_beginning(text, MAX_QUERY_LENGTH_READ)
    # A long question mostly has more terms than are looked up in its first words; the rest is then not read.
    first_words = readable[:FIRST_CHARACTERS_READ].rpartition(" ")[0]
    telling = _telling(list(terms_of(first_words).terms)) if len(readable) > FIRST_CHARACTERS_READ else []
    if len(telling) < MAX_QUERY_TERMS:
        terms = list(terms_of(readable).terms)
        telling = _telling(terms) or terms
    return telling[:MAX_QUERY_TERMS]


def _telling(terms: list[str]) -> list[str]:
    return [term for term in terms if not _is_lone(term)]


def is_one_name(query: str) -> bool:
    """Return whether a query is a name made of several parts and nothing else.

    `retry_with_jitter()`, `search/fuse.py`, `TDR-0032`, `tdr 0032`, `MissingTenantScope` and `C++` are.
    """
    written = set_apart(normalise_beginning(query, MAX_QUERY_LENGTH_READ)).strip(_AROUND).rstrip(".:")
    if is_spaced_identifier(written):
        return True
    if _CHUNK.fullmatch(written) is None or is_unspaced(written):
        return False
    read = _read(written)
    parts = any(not _is_lone(term) for term in read.added)
    return parts or any(not word.isalnum() for word in read.words)


def _is_lone(word: str) -> bool:
    return len(word) == 1 and not is_unspaced(word)


def _read(chunk: str) -> _Chunk:
    if is_unspaced(chunk):
        return _Chunk(tuple(chunk), neighbours(chunk))
    plain = _CONTRACTION.sub("", fold_accents(chunk).replace("_", "-"))
    spelled = [word for word in _WORD.findall(plain) if _fits(word)]
    folded = [word.casefold().lstrip(".") for word in spelled]
    words = [stem(word) for word in folded if word not in STOP_WORDS and _fits(word)]
    added = [term for word in spelled for term in _terms_inside(word)]
    added += dict.fromkeys(joined(folded) + identifier_keys(folded))
    return _Chunk(
        tuple(word for word in words if not _is_lone(word)),
        tuple(term for term in added + [word for word in words if _is_lone(word)] if _fits(term)),
    )


_remembered = lru_cache(maxsize=32_768)(_read)


def _terms_inside(word: str) -> list[str]:
    """Return what a word gives beside itself: `notepad` in notepad++, `.net` for .NET, camel-case pieces."""
    if word[0] == ".":
        return [word.casefold(), *camel_case_terms(word[1:])]
    if word.endswith("++"):
        return [stem(word[:-2].casefold())] if len(word) > 3 else []
    return camel_case_terms(word)


def _fits(term: str) -> bool:
    return len(term.encode()) <= MAX_TERM_BYTES


_INVISIBLE = re.compile("[\u00ad\u200c\u200d\u2060\ufe00-\ufe0f\ufeff\U000e0100-\U000e01ef]")
_STRETCH_LENGTH = 1_024
# Accents, and the Hebrew points and Arabic vowels that writers leave out at will.
_ACCENTS = re.compile("[\u0300-\u036f\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u064b-\u065f\u0670]")
_LETTERS = str.maketrans(
    {
        "\u2010": "-",
        "\u2012": "-",
        "\u2013": "-",
        "\u2212": "-",
        "\u2019": "'",
        "\u02bc": "'",
        "æ": "ae",
        "Æ": "AE",
        "œ": "oe",
        "Œ": "OE",
        "ø": "o",
        "Ø": "O",
        "ł": "l",
        "Ł": "L",
        "đ": "d",
        "Đ": "D",
        "ı": "i",
    }
)


def normalise(text: str) -> str:
    """Return the text in NFKC without the characters nobody sees; takes time linear in its length."""
    if text.isascii():
        return text
    visible = without_stacks(_INVISIBLE.sub("", text))
    return unicodedata.normalize("NFKC", visible)


def normalise_beginning(text: str, most: int) -> str:
    """Return at most this many characters of a normalised text; reads no more of it than these come from.

    A few characters become eighteen, so that the beginning is normalised piece by piece.
    """
    pieces: list[str] = []
    start = count = 0
    while start < len(text) and count < most:
        end = safe_cut(text, min(start + _STRETCH_LENGTH, len(text)))
        pieces.append(normalise(text[start:end]))
        count += len(pieces[-1])
        start = end
    return "".join(pieces)[:most]


def fold_accents(text: str) -> str:
    """Return normalised text with its accents dropped and its case kept: Málaga gives Malaga."""
    if text.isascii():
        return text
    bare = _ACCENTS.sub("", unicodedata.normalize("NFD", text))
    return unicodedata.normalize("NFC", bare).translate(_LETTERS)


MAX_RUN_LENGTH = 1_024

_SCRIPTS = (
    "\u0e00-\u0eff"  # Thai, Lao
    "\u1000-\u109f\u1780-\u17ff"  # Myanmar, Khmer
    "\u1100-\u11ff\uac00-\ud7a3"  # Hangul
    "\u3041-\u30fa\u30fc-\u30ff\u31f0-\u31ff"  # Hiragana, Katakana
    "\u3005-\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U000323af"  # Han
)
_RUN = re.compile(f"[{_SCRIPTS}][{_SCRIPTS}]{{0,{MAX_RUN_LENGTH - 1}}}")


def set_apart(text: str) -> str:
    """Return the text with a space on both sides of every run of these scripts.

    A run longer than 1,024 characters is cut, and the pair across the cut is lost.
    """
    return text if text.isascii() else _RUN.sub(r" \g<0> ", text)


def is_unspaced(text: str) -> bool:
    """Return whether the text begins in one of these scripts."""
    return _RUN.match(text) is not None


def neighbours(run: str) -> tuple[str, ...]:
    """Return every pair of neighbouring characters, in order."""
    return tuple(map(str.__add__, run, run[1:]))
