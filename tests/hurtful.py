"""Documents made to hurt, of about a number of characters each."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

Shape: TypeAlias = Callable[[int], str]


def repeated(piece: str) -> Shape:
    """Return the shape that is one piece again and again."""
    return lambda size: piece * (size // len(piece))


def numbered(piece: str) -> Shape:
    """Return the shape of pieces that each hold a number of their own."""
    return lambda size: "".join(
        piece.replace("%", str(number)) for number in range(1, size // (len(piece) + 4) + 1)
    )


SHAPES: dict[str, Shape] = {
    "wiki links": numbered("[[Page %]]\n\n"),
    "wiki links in a line": numbered("[[Page %]] "),
    "links": numbered("[a](f%.md)\n\n"),
    "the same link": repeated("[a](f.md) "),
    "identifiers": numbered("ADR-% "),
    "identifiers in sections": numbered("## Related\nADR-%\n"),
    "headings without words": repeated("## Related\n"),
    "headings": numbered("# H %\nx\n"),
    "superseded list": numbered("## Supersedes\n\n- ADR-%\n"),
    "list": repeated("- a\n"),
    "nested quotes": repeated("> - > - a\n"),
    "table": lambda size: "|a|b|\n|-|-|\n" + "|c|d|\n" * (size // 6),
    "wide table": lambda size: f"|{'a|' * (size // 6)}\n|{'-|' * (size // 6)}\n|{'b|' * (size // 6)}",
    "emphasis": repeated("*a **b "),
    "back ticks": lambda size: "".join("`" * (at % 1000 + 1) + " " for at in range(size // 500)),
    "brackets": repeated("[a]("),
    "comments": repeated("a <!-- "),
    "definitions": numbered("[r%]: f%.md\n\n[r%]\n\n"),
    "distinct words": numbered("w% "),
    "renames": repeated("Foo (now Bar) "),
    "facts": repeated("The version is now 1.2. "),
    "one word": repeated("a"),
    "no spaces": repeated("漢"),
    "stacked marks": lambda size: "a" + "\u0315\u0300\u0323" * (size // 6),
    "stacked marks of music": lambda size: "a" + "\U0001d165\U0001d16d" * (size // 8),
    "grows when folded": repeated("\ufdfa "),
    "YAML": lambda size: "---\n" + "".join(f"k{at}: v\n" for at in range(9_000)) + "---\na",
    "YAML of aliases": lambda size: "---\na: &a [x]\n" + "b: &b [*a, *a, *a]\n" * 3_000 + "---\nbody",
    "dotted TOML": lambda size: "+++\n" + "a." * 49_000 + "b=1\n+++\nx",
    "deep TOML": lambda size: "+++\n" + f"[{'a.' * 90}b]\n" + "+++\nx",
    "mail header": lambda size: "PEP: 4\nTitle: x\n" + "X: y\n" * 3_900 + "\nbody",
    "carriage returns": repeated("a\r\n"),
    "fields in a line": repeated("**Author:** a **Status:** b "),
    "labels of lists": repeated("Supersedes:\n\n- ADR-1\n\n"),
    "callouts": repeated("> [!warning] Superseded by [[A]]\n\n"),
    "ornaments": repeated("## ✅ I. A) :x: Supersedes ADR-1\n"),
    "history of a status": lambda size: "# T\n## Status\n" + "2024-01-01: Accepted\n" * (size // 21),
    "numbers superseded": lambda size: "# T\n## Status\nsuperseded by " + "1, " * (size // 3),
    "front matter without quotes": lambda size: "---\n" + "a: b: c\n" * 9_000 + "---\nx",
}
