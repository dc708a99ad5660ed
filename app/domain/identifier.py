"""Identifiers such as ADR-7: many spellings, one key."""

from __future__ import annotations

import re

from app.domain.surface_form import fold

LONGEST_IDENTIFIER = 256

_NUMBERED = re.compile(
    r"(?P<space>(?:[^\s/]+/)*)(?P<prefix>[a-z][a-z]{0,15})(?:[\s_#\u2010-\u2015\u2212-])*0*(?P<number>[0-9]{1,9})"
)

_INVISIBLE = re.compile("[\u200b-\u200f\u2060\ufeff\u00ad]")


def identifier_key(identifier: str) -> str:
    """Answer the key that every spelling of an identifier shares.

    `ADR-0007`, `adr 7` and `ADR7` give `adr-7`; `forms/ADR-002` gives `forms/adr-2`; what is not a
    word and a number keeps its folded spelling.
    """
    folded = fold(_INVISIBLE.sub("", identifier))
    match = _NUMBERED.fullmatch(folded)
    if match is None:
        return folded
    return f"{match['space']}{match['prefix']}-{match['number']}"


def is_numbered(key: str) -> bool:
    """Tell whether a key is a word and a number, as in a series that others may have as well."""
    return _NUMBERED.fullmatch(key) is not None


def may_mean(written: str, own_key: str, candidate: str) -> bool:
    """Tell whether a key, written in the document of `own_key`, can mean the candidate.

    A key with a namespace means itself. One without is looked for in the document's own namespace and
    among those without; a number of a series means nothing in the namespace of somebody else, unless
    the document has none.
    """
    if "/" in written:
        return candidate == written
    if bare_key(candidate) != written:
        return False
    near = namespace(candidate) in ("", namespace(own_key))
    return near or not namespace(own_key) or not is_numbered(written)


def bare_key(key: str) -> str:
    """Answer a key without the namespace before its last slash."""
    return key.rpartition("/")[2]


def namespace(key: str) -> str:
    """Answer the namespace of a key with its closing slash, empty when it has none."""
    return key[: len(key) - len(bare_key(key))]
