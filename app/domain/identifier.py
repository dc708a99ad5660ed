"""Identifiers such as ADR-7: many spellings, one key."""

from __future__ import annotations

import re
from collections.abc import Sequence

from app.domain.text import fold, short_key

_NUMBERED = re.compile(
    r"(?P<space>(?:[^\s/]+/)*)(?P<prefix>[a-z][a-z]{0,15})(?:[\s_#\u2010-\u2015\u2212-])*0*(?P<number>[0-9]{1,9})"
)

_KEPT_APART = str.maketrans({"%": "%25", ":": "%3A", "/": "%2F"})

_INVISIBLE = re.compile("[\u200b-\u200f\u2060\ufeff\u00ad]")


def identifier_key(identifier: str) -> str:
    """Return the key that every spelling of an identifier shares.

    `ADR-0007`, `adr 7` and `ADR7` give `adr-7`; `forms/ADR-002` gives `forms/adr-2`; what is not a
    word and a number keeps its folded spelling, shortened if it is too long for an index.
    """
    folded = fold(_INVISIBLE.sub("", identifier))
    match = _NUMBERED.fullmatch(folded)
    if match is None:
        return short_key(folded)
    return short_key(f"{match['space']}{match['prefix']}-{match['number']}")


def is_numbered(key: str) -> bool:
    """Return whether a key is a word and a number, as in a series that other projects may also have."""
    return _NUMBERED.fullmatch(key) is not None


def thing_key(type_name: str, parts: Sequence[str]) -> str:
    """Return the key of a thing without an identifier or namespace: its type and distinguishing text."""
    return short_key(":".join(part.translate(_KEPT_APART) for part in (fold(type_name), *parts)))


def may_mean(written: str, own_key: str, candidate: str, folder: str = "") -> bool:
    """Return whether a key, written in the document of `own_key`, can mean the candidate.

    A key with a namespace means itself. A number of a series means the one in the document's own
    namespace or folder, or the one without a namespace, and never one in another namespace; other names
    are searched everywhere. `folder` is a namespace: the document's folder with a closing slash.
    """
    if "/" in written:
        return candidate == written
    if bare_key(candidate) != written:
        return False
    return namespace(candidate) in ("", namespace(own_key), folder) or not is_numbered(written)


def folder_namespace(source_uri: str | None) -> str:
    """Return the namespace of a source's folder; empty at the root and without a source."""
    folder = (source_uri or "").rpartition("/")[0]
    return f"{fold(folder)}/" if folder else ""


def bare_key(key: str) -> str:
    """Return a key without the namespace before its last slash."""
    return key.rpartition("/")[2]


def namespace(key: str) -> str:
    """Return the namespace of a key with its closing slash; empty if it has none."""
    return key[: len(key) - len(bare_key(key))]
