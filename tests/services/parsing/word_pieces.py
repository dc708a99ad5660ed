from __future__ import annotations

from importlib.resources import files

from app.embedding import tokenizer

_VOCABULARY = files("app.embedding").joinpath("data", "vocab.txt").read_text(encoding="utf-8")
_TOKENIZER = tokenizer.uncased_word_pieces(_VOCABULARY)


def piece_offsets(text: str) -> list[tuple[int, int]]:
    """Return the pieces that the shipped encoder reads a text as."""
    return tokenizer.piece_offsets(_TOKENIZER, text)
