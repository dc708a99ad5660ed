"""Named blocks of SQL and Cypher, read from the file beside the module that runs them.

A block that writes names its parameters, so that a value cannot land in the place of another.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any


def sql_blocks(module_file: str) -> dict[str, str]:
    """Return the blocks of the .sql file beside a module, by name.

    A block begins at a line `-- name: word` and ends where the next begins.
    """
    return _blocks(Path(module_file).with_suffix(".sql"), "--")


def cypher_blocks(module_file: str) -> dict[str, str]:
    """Return the blocks of the .cypher file beside a module, by name.

    A block begins at a line `// name: word` and ends where the next begins.
    """
    return _blocks(Path(module_file).with_suffix(".cypher"), "//")


def _blocks(path: Path, comment: str) -> dict[str, str]:
    heading = re.compile(rf"^{comment} name: (?P<name>[a-z][a-z0-9_]*)\s*$", re.MULTILINE)
    text = path.read_text(encoding="utf-8")
    headings = list(heading.finditer(text))
    ends = [each.start() for each in headings[1:]] + [len(text)]
    return {each["name"]: text[each.end() : end].strip() for each, end in zip(headings, ends, strict=True)}


_NAME = re.compile(r"(?<!:):([a-z][a-z_]*)")  # two colons are a cast
_NUMBER = re.compile(r"\$\d")


@dataclass(frozen=True, slots=True)
class Statement:
    """A statement as the driver takes it, and the names of its parameters in their order."""

    text: str
    names: tuple[str, ...]

    @classmethod
    def read(cls, block: str) -> Statement:
        """Return the statement of a block that names each parameter, such as `:valid_from`.

        Raises ValueError when the block numbers a parameter, or has none.
        """
        names = tuple(dict.fromkeys(_NAME.findall(block)))
        if not names or _NUMBER.search(block):
            raise ValueError(f"name every parameter, such as :tenant, in {block.splitlines()[0]}")
        numbers = {name: f"${number}" for number, name in enumerate(names, start=1)}
        return cls(_NAME.sub(lambda match: numbers[match[1]], block), names)

    def arguments(self, **values: Any) -> tuple[Any, ...]:
        """Return these values in the order of the parameters.

        Raises TypeError unless there is exactly one value for each parameter.
        """
        return in_order(self.names, values)


_KEYSET = re.compile(r"\((?P<by>[\w.]+), (?P<id>[\w.]+)\) (?P<sign>[<>]) \((?P<at>\$\d+), ")
_SORTED = re.compile(r"(?<=ORDER BY )[^;\n]+")
_TURNED = {"<": ">", ">": "<"}


@dataclass(frozen=True, slots=True)
class PageStatement:
    """A statement that reads a page of a list from its start, and the one that reads it from its end."""

    forward: str
    backward: str

    @classmethod
    def read(cls, block: str, text: str | None = None) -> PageStatement:
        """Return the statements of a block that compares `(moment, id)` with a position and sorts by both.

        With `text`, an expression, the list is sorted by that instead of by the moment.
        """
        keyset = _KEYSET.search(block)
        if keyset is None:
            raise ValueError(f"compare a position, such as (created_at, id) < ($1, $2), in {block[:80]}")
        sign = slice(*keyset.span("sign"))
        turned = f"{block[: sign.start]}{_TURNED[keyset['sign']]}{block[sign.stop :]}"
        statements = cls(block, _SORTED.sub(lambda columns: _turn(columns[0]), turned))
        return statements if text is None else statements._by(keyset, text)

    def _by(self, keyset: re.Match[str], text: str) -> PageStatement:
        by, id, at = keyset.group("by", "id", "at")
        changes = {
            f"({by}, {id})": f"({text}, {id})",
            f"ORDER BY {by}": f"ORDER BY {text}",
            f"{at}::timestamptz": f"{at}::text",
        }
        both = [self.forward, self.backward]
        for given, wanted in changes.items():
            both = [each.replace(given, wanted) for each in both]
        return PageStatement(*both)


def _turn(columns: str) -> str:
    """Return the columns of a sort the other way round."""
    return columns.replace(" DESC", "") if " DESC" in columns else columns.replace(", ", " DESC, ") + " DESC"


def in_order(names: tuple[str, ...], values: dict[str, Any]) -> tuple[Any, ...]:
    """Return the values of these names, in their order.

    Raises TypeError unless there is exactly one value for each name.
    """
    if values.keys() != set(names):
        wrong = ", ".join(sorted(values.keys() ^ set(names)))
        raise TypeError(f"the statement takes {', '.join(names)}; missing or unknown: {wrong}")
    return tuple(map(values.__getitem__, names))
