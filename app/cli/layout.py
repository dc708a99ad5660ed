"""Lay output out for a terminal: rows cut to its width, lines broken between words, a pager for long lists.

Elsewhere than on a terminal nothing is cut, broken or paged.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from enum import IntEnum
from typing import TYPE_CHECKING
from uuid import UUID

from rich.cells import cell_len, chop_cells
from rich.console import Console
from rich.pager import SystemPager
from rich.text import Text

from app.cli.output import printable, styled_text
from app.domain.text import beginning

if TYPE_CHECKING:
    from app.services.catalog import EntityNames

ELLIPSIS = "…"
MIN_CUT = 8
"""Cells. What would keep fewer is left out of a row."""
_WIDE = "\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe4f\uff01-\uff60"
_WORD = re.compile(rf"(?:[{_WIDE}]|[^\s{_WIDE}]+)\s*")  # East Asian text has no spaces and breaks anywhere
_LESS_OPTIONS = "FRX"  # end on a short text, show colours, leave the text on the screen


class Yields(IntEnum):
    """What a row cuts when it is wider than the terminal: titles first, then identifiers."""

    NEVER = 0
    LAST = 1
    FIRST = 2


@dataclass(frozen=True, slots=True)
class RowPart:
    """A piece of a row, with the number of spaces before it."""

    text: str
    style: str = ""
    yields: Yields = Yields.NEVER
    gap: int = 2

    def cut(self, width: int) -> RowPart:
        """Return the cell cut to a width; an identifier keeps its end, which tells paths apart."""
        return replace(self, text=cut_text(self.text, width, keeps_end=self.yields is Yields.LAST))


def name_parts(entities: EntityNames, id: UUID) -> list[RowPart]:
    """Return an entity as cells: its identifier or type, its title, and its project if there are several."""
    first, label, project = entities.parts(id)
    cells = [RowPart(first, "bold", Yields.LAST), RowPart(label, yields=Yields.FIRST, gap=1)]
    return [*cells, RowPart(f"({project})", gap=1)] if project else cells


def cut_text(text: str, width: int, *, keeps_end: bool = False) -> str:
    """Return a text of at most this many cells, two or more, with an ellipsis where it was cut.

    A wide character takes two cells. No grapheme is split.
    """
    if cell_len(text) <= width:
        return text
    if keeps_end:
        start = next(at for at in range(len(text)) if cell_len(text[at:]) < width)
        return ELLIPSIS + text[start:]
    return beginning(text, len(chop_cells(text, width - 1)[0])).rstrip() + ELLIPSIS


def print_row(console: Console, *cells: RowPart, start: str = "", id: UUID | None = None) -> None:
    """Print cells on one line, and the id, if any, on a second one.

    On a terminal titles, then identifiers, are cut to fit.
    """
    row = [replace(cell, text=printable(cell.text)) for cell in cells if cell.text]
    if console.is_terminal:
        row = _fitted(row, console.width - len(start))
    line = styled_text(start)
    for number, cell in enumerate(row):
        line.append(" " * cell.gap if number else "")
        line.append_text(styled_text(cell.text, cell.style))
    print_text(console, line, hang=4)
    if id is not None:
        print_text(console, str(id), "dim", indent=4)


def _fitted(row: list[RowPart], width: int) -> list[RowPart]:
    for yields in (Yields.FIRST, Yields.LAST):
        widths = [cell_len(cell.text) for cell in row if cell.yields is yields]
        room = width - sum(cell.gap for cell in row[1:])
        room -= sum(cell_len(cell.text) for cell in row if cell.yields is not yields)
        share = _share(widths, room)
        if share >= min(MIN_CUT, max(widths, default=0)):
            return [cell.cut(share) if cell.yields is yields else cell for cell in row]
        row = [cell for cell in row if cell.yields is not Yields.FIRST]
    return row


def _share(widths: Sequence[int], room: int) -> int:
    """Return the width to which the longest are cut so that all together fit; at most the longest."""
    share = min(max(widths, default=0), max(room, 0))
    while share and sum(min(width, share) for width in widths) > room:
        share -= 1
    return share


def print_text(
    console: Console, text: Text | str, style: str = "", *, indent: int = 0, hang: int = 0
) -> None:
    """Print a line after `indent` spaces; a terminal breaks it between words, later lines `hang` deeper.

    A word that is wider than the terminal stays whole.
    """
    line = styled_text(text, style) if isinstance(text, str) else text
    width = console.width - indent
    breaks = _breaks(line.plain, width, hang) if console.is_terminal and width > 2 * hang else []
    for number, piece in enumerate(line.divide(breaks)):
        if breaks:
            piece.rstrip()
        start = " " * (indent if number == 0 else indent + hang)
        console.print(styled_text(start).append_text(piece), soft_wrap=True)


def _breaks(text: str, width: int, hang: int) -> list[int]:
    """Return the places between words at which a text breaks into lines, the later ones `hang` shorter."""
    breaks, used, room = [], 0, width
    for word in _WORD.finditer(text):
        if used and used + cell_len(word[0].rstrip()) > room:
            breaks.append(word.start())
            used, room = 0, width - hang
        used += cell_len(word[0])
    return breaks


class _LongTextPager(SystemPager):
    """Shows a text in the pager of the environment if it is longer than the screen."""

    def __init__(self, console: Console) -> None:
        self._console = console

    def show(self, content: str) -> None:
        """Show a text, escaped before."""
        if content.count("\n") < self._console.height:
            self._console.file.write(content)
            return
        os.environ.setdefault("LESS", _LESS_OPTIONS)
        os.environ.pop("MANPAGER", None)  # it would come first, and it is for manual pages
        super().show(content)


@contextmanager
def paged(console: Console) -> Iterator[None]:
    """Collect what the block prints, and show it in a pager if it is longer than the screen of a terminal."""
    is_interactive = console.is_terminal and not console.is_dumb_terminal and sys.stdin.isatty()
    if not is_interactive or not console.file.isatty():
        yield
        return
    with console.pager(_LongTextPager(console), styles=_shows_colours()):
        yield


def _shows_colours() -> bool:
    return "less" in os.environ.get("PAGER", "less") and "r" in os.environ.get("LESS", _LESS_OPTIONS).lower()
