"""Documents made to hurt: one shape again and again for nine hundred kilobytes, by a seed always the same."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from random import Random

MAX_BYTES = 900_000
"""Bytes of a text as JSON holds it, so that a request with it stays below 1 MiB."""

_WORDS = (
    "harbor",
    "queue",
    "worker",
    "retry",
    "index",
    "cursor",
    "ledger",
    "draft",
    "state",
    "alias",
    "token",
)


def odd_texts(seed: int = 7, size: int = MAX_BYTES) -> Iterator[tuple[str, str]]:
    """Yield the shapes of documents by name, without an end: once round, they come with other words."""
    random = Random(seed)
    while True:
        for name, unit in SHAPES.items():
            yield name, _repeated(unit, random, size)


def _repeated(unit: Callable[[Random, int], str], random: Random, size: int) -> str:
    """Return units side by side until they are as large as asked, written as JSON."""
    parts, length, number = [], 0, 0
    while length < size:
        parts.append(unit(random, number))
        length += _json_length(parts[-1])
        number += 1
    return "".join(parts[:-1]) or parts[0][: size // 8]


def _json_length(text: str) -> int:
    return len(text.encode()) + sum(map(text.count, '"\\\n\r\t')) + 5 * text.count("\0")


def _word(random: Random) -> str:
    return random.choice(_WORDS)


def _sentence(random: Random) -> str:
    return " ".join(_word(random) for _ in range(12))


def _nested(opened: str, closed: str = "") -> Callable[[Random, int], str]:
    """Return a unit that opens something a hundred times and closes it as often."""
    return lambda random, _: opened * 100 + _word(random) + closed * 100 + "\n"


def _plain(text: str) -> Callable[[Random, int], str]:
    return lambda _random, _number: text


SHAPES: dict[str, Callable[[Random, int], str]] = {
    "wiki links": lambda random, n: f"[[{_word(random)} {n}|{_word(random)}]] ",
    "open wiki links": _plain("[["),
    "links": lambda random, n: f"[{_word(random)}](docs/{_word(random)}-{n}.md) ",
    "open links": _plain("[a]("),
    "open brackets": _plain("["),
    "closed brackets": _plain("]"),
    "nested brackets": _nested("[", "]"),
    "nested parentheses": _nested("(", ")"),
    "images": lambda random, n: f"![{_word(random)}](a{n}.png) ",
    "reference definitions": lambda random, n: f"[{_word(random)}{n}]: https://example.org/{n}\n",
    "autolinks": lambda random, n: f"<https://example.org/{_word(random)}/{n}> ",
    "open angles": _plain("<"),
    "tags": lambda random, n: f"<{_word(random)} a={n}>",
    "comments": lambda random, _: f"<!-- {_word(random)} -->\n",
    "open comments": _plain("<!-- "),
    "identifiers": lambda random, n: f"ADR-{n} ",
    "identifiers in words": lambda random, n: f"{_word(random)} {_word(random)}-{n:04} RFC {n} ",
    "related lines": lambda random, n: f"{'## Related' if n % 50 == 0 else '- supersedes'} ADR-{n}\n",
    "related headings": lambda random, n: f"## Related\n\n- depends on ADR-{n}\n\n",
    "status lines": lambda random, n: f"Status: superseded by ADR-{n}\n",
    "front matter": lambda random, n: "---\n" if n == 0 else f"key{n}: {_word(random)}\n",
    "front matter lists": lambda random, n: "---\naliases:\n" if n == 0 else f"  - {_word(random)} {n}\n",
    "front matter anchors": lambda _random, n: "---\na0: &a0 x\n" if n == 0 else f"a{n}: &a{n} [*a{n - 1}]\n",
    "front matter braces": lambda _random, n: "---\na: " if n == 0 else "{a: ",
    "headings": lambda random, n: f"{'#' * (1 + n % 6)} {_word(random)} {n}\n\n",
    "underlined headings": lambda random, _: f"{_word(random)}\n===\n",
    "tables": lambda random, n: f"| {_word(random)} | ADR-{n} |\n" + ("|---|---|\n" if n == 0 else ""),
    "wide table": lambda random, _: f"| {_word(random)} ",
    "rules of tables": _plain("|-"),
    "quotes": lambda random, n: "> " * (n % 60) + _word(random) + "\n",
    "nested quotes": _nested("> "),
    "lists": lambda random, n: "  " * (n % 60) + f"- {_word(random)}\n",
    "numbered lists": lambda random, n: f"{n}. {_word(random)}\n",
    "nested lists": _nested("- "),
    "emphasis": _plain("*a **b"),
    "stars": _plain("*"),
    "underscores": _plain("_"),
    "tildes": _plain("~~a"),
    "mixed emphasis": lambda random, _: "*_**__" + _word(random),
    "backticks": lambda _random, n: "`" * (1 + n % 300) + "a",
    "fences": lambda random, n: f"{'`' * (3 + n % 40)}{_word(random)}\n",
    "one fence": lambda random, n: "```\n" if n == 0 else f"{_sentence(random)}\n",
    "escapes": _plain("\\*\\["),
    "entities": _plain("&amp;&#35;&unknown;"),
    "ligatures": _plain("\ufdfa"),
    "ligatures apart": _plain("\ufdfa "),
    "han": _plain("漢字仮名交文"),
    "hangul": _plain("가나다라마"),
    "thai": _plain("กขคงจ"),
    "accents": _plain("\u0315\u0300"),
    "accented letters": _plain("e\u0315\u0300\u0301"),
    "emoji": _plain("👩‍👩‍👧‍👦"),
    "one long line": lambda random, _: _word(random) + " ",
    "one long word": _plain("a"),
    "hyphens": lambda random, _: _word(random) + "-",
    "dots": lambda random, _: _word(random) + ".",
    "slashes": lambda random, _: _word(random) + "/",
    "camel case": lambda random, _: _word(random).capitalize(),
    "carriage returns": lambda random, _: _word(random) + "\r",
    "both line ends": lambda random, _: _word(random) + "\r\n",
    "empty lines": _plain("\n"),
    "spaces": _plain(" "),
    "spaced lines": _plain(" \n"),
    "tabs": _plain("\ta\n"),
    "nul": _plain("a\0"),
    "digits": _plain("12345678901234567890 "),
    "dates": lambda _random, n: f"2026-01-{1 + n % 28:02} ",
    "quotation marks": _plain("\"'“”"),
    "colons": _plain("a: b: "),
    "sentences": lambda random, _: _sentence(random) + ". ",
    "paragraphs": lambda random, _: _sentence(random) + ".\n\n",
    "distinct words": lambda _random, n: f"w{n} ",
    "names in bold": lambda random, n: (
        f"**{_word(random).capitalize()} {n}** is also known as {_word(random)}. "
    ),
    "also known as": lambda random, n: f'Harbor (also known as "{_word(random)} {n}") ',
    "footnotes": lambda random, n: f"{_word(random)}[^{n}]\n\n[^{n}]: {_word(random)}\n",
    "definitions": lambda random, _: f"{_word(random)}\n: {_word(random)}\n",
    "mathematics": _plain("$a_{b}$ $$"),
    "paths": lambda random, n: f"docs/{_word(random)}/{_word(random)}_{n}.py ",
}
"""What is repeated, by the name of the shape."""
