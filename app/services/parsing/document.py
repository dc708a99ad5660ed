"""Parsing Markdown text into a document."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from pathlib import PurePosixPath
from types import MappingProxyType

from app.domain.artifact import Document, MemoryDomain
from app.domain.text import beginning, fold
from app.services.parsing.blocks import read_page, read_sections
from app.services.parsing.candidates import read_candidates
from app.services.parsing.context import Reading
from app.services.parsing.front_matter import bounded_fields, field_role, read_header
from app.services.parsing.identity import names_kind, read_identity
from app.services.parsing.references import read_links, read_references
from app.services.parsing.status import read_date, read_status
from app.services.parsing.text import clean_text, text_of, texts_of
from app.services.parsing.vocabulary import vocabulary

EMPTY: tuple[object, ...] = (None, "", [], {})
NOTHING_STATED: Mapping[str, object] = MappingProxyType({})
MAX_WARNINGS = 50


def parse_markdown(
    text: str,
    *,
    kind: str | None = None,
    path: str | None = None,
    known_prefixes: frozenset[str] = frozenset(),
    stated: Mapping[str, object] = NOTHING_STATED,
) -> Document:
    """Parse one Markdown document; accepts any text and reports problems as warnings.

    `path` is the file's path inside its import; kind and identifier are guessed from it where the text
    states none. `known_prefixes` are accepted in identifiers beside the shipped ones. `stated` are header
    fields given beside the text, which win over those in it. Raises Invalid for too many lines.
    """
    prefixes = accepted_prefixes(known_prefixes)
    header = read_header(clean_text(text), prefixes)
    warnings = list(header.warnings)
    fields = bounded_fields({**stated, **header.fields, **stated}, warnings) if stated else header.fields
    reading = open_reading(fields, header.body, prefixes, path, warnings)
    identity = read_identity(reading, kind)
    aliases, facts = read_candidates(reading)
    return Document(
        kind=identity.kind,
        identifier=identity.identifier,
        title=identity.title,
        body=header.body,
        status=read_status(reading),
        created_at=_created(reading),
        domain=domain_of(reading),
        author=_author(reading),
        props=_props(reading),
        references=read_references(reading, identity),
        links=read_links(reading),
        alias_claims=aliases,
        fact_claims=facts,
        warnings=limit_warnings(reading.warnings),
    )


def limit_warnings(warnings: list[str]) -> tuple[str, ...]:
    """Return each warning once, at most `MAX_WARNINGS` of them, and the number of the others."""
    different = list(dict.fromkeys(warnings))
    more = len(different) - MAX_WARNINGS
    return (*different[:MAX_WARNINGS], *([f"and {more} more warnings"] if more > 0 else []))


def accepted_prefixes(known: frozenset[str]) -> frozenset[str]:
    """Return the shipped prefixes and these, in capitals."""
    return vocabulary().prefixes | {prefix.upper() for prefix in known}


def open_reading(
    fields: dict[str, object], body: str, prefixes: frozenset[str], path: str | None, warnings: list[str]
) -> Reading:
    """Read the blocks and sections of a body, and return them with its header."""
    page = read_page(body)
    return Reading(fields, page, read_sections(page), prefixes, path, warnings)


def domain_of(reading: Reading) -> MemoryDomain | None:
    """Return the memory domain a header names; one that does not exist is left out with a warning."""
    for name, value in reading.by_role("domain"):
        text = text_of(value, name, reading.warnings)
        word = fold(text or "").replace("-", "_").replace(" ", "_").upper()
        if word in MemoryDomain.__members__:
            return MemoryDomain[word]
        if word:
            reading.warnings.append(f"there is no memory domain {text}; the field {name} was left out")
    return None


def _created(reading: Reading) -> datetime | None:
    stated = [text for _, value in reading.by_role("created") for text in texts_of(value)[:1]]
    line = reading.opening_fields().get("created")
    for text in (*stated, *([line] if line else [])):
        moment = read_date(text)
        if moment is not None:
            return moment
        quote = beginning(text, 40)
        reading.warnings.append(f"write a date as 2026-01-31; this is not a readable date: {quote!r}")
    return None if reading.path is None else read_date(PurePosixPath(reading.path).name)


def _author(reading: Reading) -> str | None:
    for name, value in reading.by_role("author"):
        names = texts_of(value) if isinstance(value, list) else [text_of(value, name, reading.warnings) or ""]
        if any(names):
            return ", ".join(names)
    return reading.opening_fields().get("author") or None


def _props(reading: Reading) -> dict[str, object]:
    """Return the header fields without a role of their own, and the tags as a list."""
    props: dict[str, object] = {}
    for name, value in reading.fields.items():
        role = field_role(name, reading.prefixes)
        if role == "tags":
            texts = _names(name, value, reading.warnings)
            tags = [tag.strip() for text in texts for tag in text.split(",") if tag.strip()]
            props["tags"] = list(dict.fromkeys(tags))
        elif fold(name) == "aliases" and value not in EMPTY:
            props["aliases"] = _names(name, value, reading.warnings) if isinstance(value, dict) else value
        elif fold(name) == "kind" and not isinstance(value, str) and value not in EMPTY:
            reading.warnings.append(f"the field {name} is not plain text; it was left out")
        elif (role is None or (role == "kind" and not names_kind(name, value))) and value not in EMPTY:
            props[name] = value
    return props


def _names(name: str, value: object, warnings: list[str]) -> list[str]:
    if isinstance(value, dict):
        warnings.append(f"the field {name} is not a list; its names were used")
    return texts_of(value)
