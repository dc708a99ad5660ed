from __future__ import annotations

from importlib.resources import files

from app.embedding import word_pieces

_VOCABULARY = files("app.embedding").joinpath("data", "vocab.txt").read_text(encoding="utf-8")
_TOKENIZER = word_pieces.uncased_word_pieces(_VOCABULARY)


def piece_offsets(text: str) -> list[tuple[int, int]]:
    """Answer the pieces that the shipped encoder reads a text as."""
    return word_pieces.piece_offsets(_TOKENIZER, text)
