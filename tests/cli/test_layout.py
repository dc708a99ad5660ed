"""Lines on a terminal: rows cut to its width, text broken between words, nothing of it in a pipe."""

from __future__ import annotations

import io
from uuid import UUID

import pytest
from rich.cells import cell_len
from rich.console import Console

from app.cli.layout import RowPart, Yields, cut_text, print_row, print_text

ID = UUID("00000000-0000-0000-0000-000000000001")
FAMILY = "👩‍👩‍👧‍👦"


def reference(source: tuple[str, str], target: tuple[str, str]) -> list[RowPart]:
    ends = [
        [RowPart(identifier, "", Yields.LAST), RowPart(title, "", Yields.FIRST, gap=1)]
        for identifier, title in (source, target)
    ]
    return [*ends[0], RowPart("DEPENDS_ON"), *ends[1], RowPart("2026-11-29")]


def on_a_terminal(width: int) -> Console:
    return Console(
        file=io.StringIO(), width=width, force_terminal=True, color_system=None, markup=False, highlight=False
    )


def lines(console: Console) -> list[str]:
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue().splitlines()


@pytest.mark.parametrize(
    ("source", "target", "shown"),
    [
        (("ADR-1", "Queue"), ("ADR-2", "Tray"), "ADR-1 Queue  DEPENDS_ON  ADR-2 Tray  2026-11-29"),
        (
            ("ADR-0013", "Rank fusion led by what the query names"),
            ("ADR-0012", "Recency is a bounded nudge and not a decay"),
            "ADR-0013 Rank fusion led b…  DEPENDS_ON  ADR-0012 Recency is a boun…  2026-11-29",
        ),
        (
            ("ADR-0013", "Rank fusion led by what the query names in every leg"),
            ("ADR-2", "Tray"),
            "ADR-0013 Rank fusion led by what the query…  DEPENDS_ON  ADR-2 Tray  2026-11-29",
        ),
        (
            ("ADR-1", "決定" * 40),
            ("ADR-2", FAMILY * 40),
            f"ADR-1 {'決定' * 5}…  DEPENDS_ON  ADR-2 {FAMILY * 10}…  2026-11-29",
        ),
        (
            ("notes/2026/carrier-failover-in-the-north", "Carrier failover"),
            ("notes/2026/carrier-failover-in-the-south", "Carrier failover"),
            "…rier-failover-in-the-north  DEPENDS_ON  …rier-failover-in-the-south  2026-11-29",
        ),
    ],
)
def test_a_reference_is_one_line_of_at_most_eighty_cells(
    source: tuple[str, str], target: tuple[str, str], shown: str
) -> None:
    console = on_a_terminal(80)
    print_row(console, *reference(source, target))
    (line,) = lines(console)
    assert cell_len(line) <= 80
    assert line == shown


def test_a_pipe_gets_whole_titles_and_lines() -> None:
    console = Console(file=io.StringIO(), width=40, markup=False, highlight=False)
    print_row(console, *reference(("ADR-1", "word " * 40), ("ADR-2", "決定" * 40)), id=ID)
    print_text(console, "word " * 40, indent=4, hang=4)
    assert lines(console) == [
        f"ADR-1 {'word ' * 40} DEPENDS_ON  ADR-2 {'決定' * 40}  2026-11-29",
        f"    {ID}",
        f"    {'word ' * 40}",
    ]


@pytest.mark.parametrize("width", [1, 2, 7, 20, 42, 79, 200])
def test_a_row_loses_no_cell_that_never_yields(width: int) -> None:
    console = on_a_terminal(width)
    print_row(console, *reference(("ADR-0013", "Rank fusion " * 9), ("ADR-0012", "決定" * 40)))
    text = " ".join(lines(console))
    assert "DEPENDS_ON" in text
    assert "2026-11-29" in text
    if width >= 42:
        assert len(lines(console)) == 1


def test_lines_break_between_words_and_wide_characters_alone() -> None:
    console = on_a_terminal(20)
    path = "/a/path/that/is/longer/than/the/terminal.md"
    print_text(console, f"refused {path}: it is no text that anybody can read", hang=4)
    print_text(console, "決定" * 9, indent=4)
    assert lines(console) == [
        "refused",
        f"    {path}:",
        "    it is no text",
        "    that anybody can",
        "    read",
        f"    {'決定' * 4}",
        f"    {'決定' * 4}",
        "    決定",
    ]


@pytest.mark.parametrize(
    ("text", "width", "shown"),
    [
        ("Queue", 5, "Queue"),
        ("Queues", 5, "Queu…"),
        ("決定决", 5, "決定…"),
        ("決定决", 4, "決…"),
        ("e\u0301e\u0301e\u0301", 2, "e\u0301…"),
        ("🇩🇪🇫🇷🇮🇹", 4, "🇩🇪…"),
        ("Queue of words", 7, "Queue…"),
        ("Queue", 2, "Q…"),
    ],
)
def test_text_is_cut_by_cells_and_between_graphemes(text: str, width: int, shown: str) -> None:
    assert cut_text(text, width) == shown
    assert cell_len(shown) <= width
