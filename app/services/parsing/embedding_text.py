"""The text that an encoder gets for a passage: title and nearest headings, cut short, then the text."""

from __future__ import annotations

from app.domain.artifact import Passage
from app.domain.text import fold

TITLE_WEIGHT = 40.0
HEADING_WEIGHT = 24.0
"""Title and headings take about a quarter of the 256 pieces that all-MiniLM-L6-v2 reads."""

JOINT = " > "

_MAX_LINE_LENGTH = 400


def passage_text_for_encoder(title: str, passage: Passage) -> str:
    """Return the text to embed for a passage of a document with this title."""
    if passage.text == title:
        return passage.text
    return "\n".join((*context_lines(title, passage.heading), passage.text))


def context_lines(title: str, heading: str | None) -> list[str]:
    """Return the lines that stand before a passage's text: the title and the nearest headings, cut short."""
    lines = (clip_line(title, TITLE_WEIGHT), _nearest_headings(title, heading))
    return [line for line in lines if line]


def clip_line(text: str, room: float) -> str:
    """Return the start of a text, on one line and whole words where possible, within this weight."""
    line = " ".join(text[:_MAX_LINE_LENGTH].split())
    used = 0.0
    for place, character in enumerate(line):
        used += _weight(character)
        if used > room:
            return line[:place].rpartition(" ")[0] or line[:place]
    return line


def fits_heading(name: str) -> bool:
    """Return whether a heading is short enough to be read whole beside a passage."""
    return len(name) <= _MAX_LINE_LENGTH and clip_line(name, HEADING_WEIGHT) == name


def _nearest_headings(title: str, heading: str | None) -> str:
    """Return the last headings of a path, which are the most specific, without the document's own title."""
    names = heading.split(JOINT) if heading else []
    if names and fold(names[0]).endswith(fold(title)):
        names = names[1:]
    room = HEADING_WEIGHT
    chosen: list[str] = []
    for name in reversed(names):
        short = clip_line(name, room)
        if not short or (chosen and short != name):
            break
        chosen.append(short)
        room -= sum(map(_weight, short)) + 1
    return JOINT.join(reversed(chosen))


def _weight(character: str) -> float:
    """Return the share of a word piece that a character takes: in most words at worst two letters a piece."""
    if character == " ":
        return 0.0
    if character.isascii():
        return 0.5 if character.isalnum() else 1.0
    # A Hangul syllable is taken apart into up to three letters before it is looked up.
    return 3.0 if "\uac00" <= character <= "\ud7a3" else 1.0
