"""The possible readings of the target of a reference claim: keys, names and files."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from app.domain.artifact import ReferenceClaim
from app.domain.identifier import bare_key, identifier_key
from app.domain.text import name_key, short_key

MARKDOWN_ENDINGS = (".md", ".markdown", ".mdx", ".rst", ".txt")

# "Release #12" is a title, and so is "C# in depth": a heading follows the page without a space.
_HEADING = re.compile(r"(?P<page>.*?[^\s#])#(?=[^\W\d]).*", re.DOTALL)


def path_key(source_uri: str) -> str:
    """Return the key under which references to a missing file are pending."""
    return short_key(f"path:{posixpath.normpath(source_uri)}")


def file_key(path: str) -> str:
    """Return the key of a file by its name alone, without its ending."""
    return identifier_key(posixpath.splitext(posixpath.basename(path))[0])


def target_key(text: str, own_key: str) -> str:
    """Return the key a target names; a bare number is one of the document's own series."""
    key = identifier_key(text)
    series = bare_key(own_key).rpartition("-")[0]
    # Unicode has digits that are no numbers, such as ➊; identifiers are counted in plain ones.
    is_number = key.isascii() and key.isdigit()
    return identifier_key(f"{series}-{key.lstrip('0') or '0'}") if series and is_number else key


@dataclass(frozen=True, slots=True)
class TargetReading:
    """A possible reading of the target of a claim: the key, the name, and the files it can mean.

    `linked` is the file that a link leads to, which comes before the key; other files come after it.
    """

    key: str
    name: str
    linked: tuple[str, ...]
    files: tuple[str, ...]


def target_readings(claim: ReferenceClaim, own_key: str, source_uri: str | None) -> list[TargetReading]:
    """Return the readings of a claim, the most literal first; `own_key` is that of the claiming document."""
    if claim.path is not None:
        files = _places(claim.path, source_uri)
        return [TargetReading(target_key(claim.target, own_key), name_key(claim.target), files[:1], files)]
    heading = _HEADING.fullmatch(claim.target)
    return [
        TargetReading(target_key(text, own_key), name_key(text), (), _files_called(text, source_uri))
        for text in ([claim.target] if heading is None else [claim.target, heading["page"]])
    ]


def _files_called(text: str, source_uri: str | None) -> tuple[str, ...]:
    """Return the files that a name without an ending can stand for."""
    return tuple(place for ending in MARKDOWN_ENDINGS for place in _places(text + ending, source_uri))


def _places(path: str, source_uri: str | None) -> tuple[str, ...]:
    """Return the files that a path leads to: beside the document it stands in, then from the root."""
    if source_uri is None:
        return ()
    from_root = posixpath.normpath(path.lstrip("/"))
    if path.startswith("/"):
        return (from_root,)
    return (posixpath.normpath(posixpath.join(posixpath.dirname(source_uri), path)), from_root)


def all_target_readings(
    claims: Sequence[ReferenceClaim], own_key: str, source_uri: str | None
) -> tuple[tuple[TargetReading, ...], ...]:
    """Return the readings of each claim, in order."""
    return tuple(tuple(target_readings(claim, own_key, source_uri)) for claim in claims)


def claim_keys(of_claim: Iterable[TargetReading]) -> set[str]:
    """Return the keys without a namespace that the target of a claim can have, by any name of it."""
    keys = set()
    for way in of_claim:
        keys.update({bare_key(way.key), *map(file_key, way.linked)})
    return keys


@dataclass(frozen=True, slots=True)
class TargetLookups:
    """The keys, sources, folded names and keys of names to look up for the targets of claims."""

    keys: frozenset[str]
    sources: frozenset[str]
    names: frozenset[str]
    document_names: frozenset[str]


def target_lookups(of_claims: Iterable[Sequence[TargetReading]]) -> TargetLookups:
    """Return the lookups for the targets of claims, given the readings of each."""
    ways = [way for of_claim in of_claims for way in of_claim]
    return TargetLookups(
        keys=frozenset(way.key for way in ways),
        sources=frozenset(file for way in ways for file in (*way.linked, *way.files)),
        names=frozenset(way.name for way in ways),
        document_names=frozenset(claim_keys(ways)),
    )
