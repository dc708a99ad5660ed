"""Named Cypher blocks, kept in a file beside the module that speaks them."""

from __future__ import annotations

import re
from pathlib import Path

_HEADING = re.compile(r"^// name: (?P<name>[a-z][a-z0-9_]*)\s*$", re.MULTILINE)


def blocks_beside(module_file: str) -> dict[str, str]:
    """Read the .cypher file of the same stem and answer its blocks by name.

    A block begins at a line `// name: word` and ends where the next begins.
    """
    text = Path(module_file).with_suffix(".cypher").read_text(encoding="utf-8")
    headings = list(_HEADING.finditer(text))
    ends = [heading.start() for heading in headings[1:]] + [len(text)]
    return {
        heading["name"]: text[heading.end() : end].strip()
        for heading, end in zip(headings, ends, strict=True)
    }
