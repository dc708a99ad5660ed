"""Bodies cut along headings and paragraphs to what an encoder reads whole."""

from __future__ import annotations

from collections.abc import Iterator

from app.domain.artifact import Passage
from app.services.parsing.encoder_text import context_lines
from app.services.parsing.parts import read_parts
from app.services.parsing.pieces import PieceOffsets, Pieces
from app.services.parsing.small_parts import Part
from app.services.parsing.splitting import LONGEST_TEXT, Stretch, split_stretch, tears_word

SMALLEST_LIMIT = 128


def cut_passages(title: str, body: str, piece_offsets: PieceOffsets, longest: int) -> tuple[Passage, ...]:
    """Cut a body so that `passage_text_for_encoder` of each passage is at most `longest` pieces.

    `longest` counts word pieces without the model's own marks and is at least 128. Every character but
    white space and the marks of headings is in the text or the heading of some passage; a body without
    any yields its title. Raises ValueError for a smaller limit.
    """
    if longest < SMALLEST_LIMIT:
        raise ValueError(f"passages need room for {SMALLEST_LIMIT} pieces, not {longest}")
    pieces = Pieces(body, piece_offsets)
    passages: list[Passage] = []
    for part in read_parts(body):
        context = "\n".join(context_lines(title, part.heading))
        room = longest - len(piece_offsets(context))
        for start, end in _packed(body, part, pieces, room, piece_offsets):
            text = body[start:end].strip("\n").rstrip()
            if text:
                torn = tears_word(body, start) or tears_word(body, end)
                tokens = len(piece_offsets(text)) if torn else pieces.count(start, end)
                passages.append(Passage(len(passages), part.heading, text, tokens))
    return tuple(passages) or (Passage(0, None, title, len(piece_offsets(title))),)


def _packed(
    body: str, part: Part, pieces: Pieces, room: int, piece_offsets: PieceOffsets
) -> Iterator[Stretch]:
    """Join neighbouring stretches while they fit; split those that do not fit alone."""
    start: int | None = None
    end = 0
    for stretch in part.stretches:
        if start is not None and _fits(pieces, start, stretch[1], room):
            end = stretch[1]
            continue
        if start is not None:
            yield start, end
        start, end = stretch
        if not _fits(pieces, start, end, room):
            *whole, (start, end) = split_stretch(body, pieces, stretch, room, piece_offsets)
            yield from whole
    if start is not None:
        yield start, end


def _fits(pieces: Pieces, start: int, end: int, room: int) -> bool:
    return end - start <= LONGEST_TEXT and pieces.count(start, end) <= room
