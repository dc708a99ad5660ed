from __future__ import annotations

import re
from collections.abc import Iterator

from tokenizers import Encoding, Tokenizer
from tokenizers.models import WordPiece
from tokenizers.normalizers import BertNormalizer
from tokenizers.pre_tokenizers import BertPreTokenizer

STRETCH = 8192
"""The most characters that are tokenised at once."""

_SURROGATE = re.compile("[\ud800-\udfff]")
_UP_TO_WHITE_SPACE = re.compile(r".*[ \t\n\r]", re.DOTALL)


def stretches(text: str) -> Iterator[tuple[int, str]]:
    """Cut a text after white space into stretches of at most STRETCH characters, each with its start.

    Tokenising takes about a hundred bytes per character, so a long text is tokenised in stretches.
    No word is split, unless STRETCH characters have no white space at all.
    """
    start = 0
    while len(text) - start > STRETCH:
        found = _UP_TO_WHITE_SPACE.match(text, start, start + STRETCH)
        end = found.end() if found else start + STRETCH
        yield start, text[start:end]
        start = end
    yield start, text[start:]


def replace_surrogates(text: str) -> str:
    """Replace every lone surrogate, which UTF-8 cannot encode, by U+FFFD; the length stays the same."""
    return _SURROGATE.sub("\ufffd", text)


def encodings(tokenizer: Tokenizer, text: str) -> Iterator[tuple[int, Encoding]]:
    """Yield the pieces of a text stretch by stretch, each with its start, without any marks."""
    for start, stretch in stretches(text):
        yield start, tokenizer.encode(replace_surrogates(stretch), add_special_tokens=False)


def piece_offsets(tokenizer: Tokenizer, text: str) -> list[tuple[int, int]]:
    """Return where each piece of the whole text starts and ends, in characters."""
    return [
        (start + first, start + last)
        for start, encoding in encodings(tokenizer, text)
        for first, last in encoding.offsets
    ]


class PieceOffsets:
    """Finds where the word pieces of a text start and end; it can be sent to another process."""

    def __init__(self, tokenizer: Tokenizer) -> None:
        self._tokenizer = tokenizer

    def __call__(self, text: str) -> list[tuple[int, int]]:
        """Return the start and the end of each piece of the whole text, in characters."""
        return piece_offsets(self._tokenizer, text)


def uncased_word_pieces(vocabulary: str) -> Tokenizer:
    """Build BERT's uncased tokenizer: lower case, no accents, CJK characters one by one.

    It has no special tokens, so `[SEP]` in a text is ordinary data.
    """
    pieces = {piece: number for number, piece in enumerate(vocabulary.splitlines())}
    tokenizer = Tokenizer(WordPiece(pieces, unk_token="[UNK]"))
    tokenizer.normalizer = BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = BertPreTokenizer()
    return tokenizer
