"""Cypher as it is typed: where one statement ends and the next begins."""

from __future__ import annotations

import re

_PIECE = re.compile(
    r"""
      "(?:\\.|[^"\\])*(?:"|\Z)          # text in quotes
    | '(?:\\.|[^'\\])*(?:'|\Z)
    | `[^`]*(?:`|\Z)                    # a name in back-quotes; a doubled one reads as two names
    | //[^\n]*                          # a comment to the end of its line
    | /\*.*?(?:\*/|\Z)                  # a comment
    | ;
    | [^"'`/;]+ | /
    """,
    re.VERBOSE | re.DOTALL,
)


def split_statements(text: str) -> tuple[list[str], str]:
    """Answer the statements that a semicolon ends, and what follows the last one.

    A semicolon in quotes, in a name or in a comment ends nothing. What has no words is no statement.
    """
    statements, pieces = [], list[str]()
    for match in _PIECE.finditer(text):
        if match[0] != ";":
            pieces.append(match[0])
            continue
        statements.append("".join(pieces).strip())
        pieces.clear()
    return [statement for statement in statements if has_words(statement)], "".join(pieces)


def has_words(text: str) -> bool:
    """Tell whether a text holds more than white space and comments."""
    return any(match[0].strip() and not match[0].startswith(("//", "/*")) for match in _PIECE.finditer(text))
