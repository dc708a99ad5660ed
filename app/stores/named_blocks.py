"""Named blocks of SQL and Cypher, read from the file beside the module that runs them."""

from __future__ import annotations

import re
from pathlib import Path


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
