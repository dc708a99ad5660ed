"""Names made of several words: what finds them whole, in parts and in any stretch between.

`edge-eu-west`, `edge_eu_west`, `edge/eu.west` and `EdgeEuWest` share their terms: the words, each
pair of neighbours joined by a hyphen, and the whole. A stretch of a name is found by its pairs.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from app.domain.identifier import identifier_key
from app.services.analysis.normalize import STOP_WORDS, stem

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
