"""Prepare a document without the database: check it, and make its key, hash, passages, vectors and terms."""

from __future__ import annotations

import hashlib
import pickle
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from datetime import datetime
from types import MappingProxyType
from typing import Any, TypeAlias

import numpy as np
import orjson

from app.domain.artifact import (
    DatePrecision,
    DateSource,
    Document,
    MemoryDomain,
    Passage,
    ReferenceClaim,
    TermCounts,
)
from app.domain.bounds import (
    MAX_COMMIT,
    MAX_IDENTIFIER,
    MAX_NAME,
    MAX_SOURCE,
    MAX_TITLE,
    MAX_TYPE_NAME,
    require_length,
)
from app.domain.identifier import identifier_key
from app.domain.temporal import require_in_calendar
from app.domain.text import fold, short_key
from app.embedding import Embedder, Vector, Vectors
from app.errors import Invalid
from app.services.aliases.mentions import NOTHING_SOUGHT, SoughtForms
from app.services.document_reader import document_reader
from app.services.parsing.cut_document import MAX_PASSAGES as MAX_PASSAGES
from app.services.parsing.cut_document import CutDocument, UnknownModel, cut_for_model
from app.services.parsing.document import accepted_prefixes, parse_markdown
from app.services.parsing.identifiers import whole_identifier
from app.services.parsing.target_readings import TargetReading
from app.services.parsing.text import clean_path, clean_text


@dataclass(frozen=True, slots=True)
class StatedDocument:
    """Markdown of a kind; every other part that is given wins over the text, a blank one counts as absent."""

    kind: str
    body: str
    identifier: str | None = None
    title: str | None = None
    status: str | None = None
    domain: MemoryDomain | None = None
    created_at: datetime | None = None
    source_uri: str | None = None
    source_commit: str | None = None


def document_from(stated: StatedDocument, known_prefixes: frozenset[str] = frozenset()) -> Document:
    """Read the text and apply the stated fields over it; accepts any text.

    `known_prefixes` are accepted in identifiers beside the shipped ones. Raises Invalid when there
    is neither text nor title.
    """
    require_length("kind", stated.kind, MAX_NAME)
    kind = clean_text(stated.kind).strip()
    title, source_uri = _one_line(stated.title), _clean_optional(stated.source_uri)
    if title is None and not stated.body.strip():
        raise Invalid("a document needs a title or a body", field="body")
    parsed = parse_markdown(stated.body, kind=kind, known_prefixes=known_prefixes)
    identifier = _clean_optional(stated.identifier) or parsed.identifier
    return replace(
        parsed,
        kind=kind,
        identifier=identifier,
        title=title or _own_title(parsed.title, identifier, accepted_prefixes(known_prefixes)),
        status=_clean_optional(stated.status) or parsed.status,
        domain=stated.domain or parsed.domain,
        created_at=stated.created_at or parsed.created_at,
        date_source=DateSource.HEADER if stated.created_at else parsed.date_source,
        date_precision=DatePrecision.INSTANT if stated.created_at else parsed.date_precision,
        source_uri=clean_path(source_uri) if source_uri else None,
        source_commit=_clean_optional(stated.source_commit),
    )


def _own_title(title: str, identifier: str | None, prefixes: frozenset[str]) -> str:
    """Return a title that was read; the identifier of another document at the start of a text is not one."""
    return identifier if identifier is not None and whole_identifier(title, prefixes) else title


def _one_line(text: str | None) -> str | None:
    """Return a cleaned title with its lines joined, as a title of a header is read; None for a blank one."""
    lines = (line.strip() for line in clean_text(text or "").splitlines())
    return " ".join(filter(None, lines)) or None


def _clean_optional(text: str | None) -> str | None:
    return None if text is None else clean_text(text).strip() or None


MAX_BODY_BYTES = 8 * 1024 * 1024
"""Reading a malicious text takes two hundred times its size in memory."""


@dataclass(frozen=True, slots=True)
class PreparedDocument:
    """A document with everything that recall searches; `vectors` has one row per passage.

    Every name that its text uses begins with one of its `words`, one per line. `ways` are the ways to read
    each of its references.
    """

    document: Document
    key: str
    content_hash: str
    passages: tuple[Passage, ...]
    vectors: Vectors
    terms: TermCounts
    length: int
    words: str
    ways: Mapping[ReferenceClaim, Sequence[TargetReading]]
    sought: SoughtForms = NOTHING_SOUGHT


def content_hash(document: Document) -> str:
    """Return the SHA-256 of a document's content, without the place where it was found.

    A text whose last line has no end is the same as one whose last line has.
    """
    body = document.body if document.body.endswith("\n") else f"{document.body}\n"
    content = _fields(document) | {"kind": fold(document.kind), "body": body}
    # Where a date is from says nothing new, and the fields of a header are in what was read from them.
    for whereabouts in (
        "source_uri",
        "source_commit",
        "warnings",
        "meta",
        "date_source",
        "date_precision",
        "stated_identifier",
        "is_edition",
    ):
        del content[whereabouts]
    options = orjson.OPT_SORT_KEYS | orjson.OPT_PASSTHROUGH_DATACLASS
    return hashlib.sha256(orjson.dumps(content, _fields, option=options)).hexdigest()


def _fields(content: object) -> dict[str, Any]:
    if not is_dataclass(content):
        raise TypeError(type(content).__name__)
    return {field.name: getattr(content, field.name) for field in fields(content) if field.compare}


def entity_key(document: Document, hashed: str) -> str:
    """Return the key that makes two filings the same document: identifier, else source, else content."""
    if document.identifier:
        return identifier_key(document.identifier)
    if document.source_uri:
        return short_key(f"source:{document.source_uri}")
    return f"content:{hashed}"


def check_stated_lengths(
    identifier: str | None,
    title: str | None,
    source_uri: str | None,
    source_commit: str | None,
    kind: str | None,
) -> None:
    """Raise Invalid, naming the field, if a name is too long."""
    limits = (
        ("kind", kind, MAX_TYPE_NAME),
        ("identifier", identifier, MAX_IDENTIFIER),
        ("title", title, MAX_TITLE),
        ("sourceUri", source_uri, MAX_SOURCE),
        ("sourceCommit", source_commit, MAX_COMMIT),
    )
    for field, value, longest in limits:
        if value is not None and len(value) > longest:
            raise Invalid(f"{field} has {len(value)} characters; at most {longest} are allowed", field=field)


def check_limits(document: Document) -> None:
    """Raise Invalid, naming the field, if a document is empty or beyond a limit."""
    check_stated_lengths(
        document.identifier, document.title, document.source_uri, document.source_commit, document.kind
    )
    if not fold(document.kind):
        raise Invalid("a document needs a kind, such as ADR or SPEC", field="kind")
    if not document.title.strip() and not document.body.strip():
        raise Invalid("a document needs a title or a body", field="body")
    if document.created_at is not None:
        require_in_calendar(document.created_at, "createdAt")
    if len(document.body.encode()) > MAX_BODY_BYTES:
        raise Invalid(f"the body is larger than {MAX_BODY_BYTES} bytes; split the document", field="body")


KnownVectors: TypeAlias = Mapping[str, Vector]
"""The vectors of texts that were embedded before, by what the encoder read."""

NOTHING_KNOWN: KnownVectors = MappingProxyType({})


async def prepare(
    document: Document, hashed: str, embedder: Embedder, known: KnownVectors = NOTHING_KNOWN
) -> tuple[PreparedDocument, KnownVectors]:
    """Cut, embed and analyse a document; the slow part of filing, done before a connection is taken.

    Only passages whose text has no known vector are embedded. Return the prepared document, and the vectors
    of its texts. Raises Invalid if it has too many passages, or takes too long to read.
    """
    key = entity_key(document, hashed)
    cut = await _cut(document, key, embedder)
    fresh = [text for text in cut.texts if text not in known]
    made = dict(zip(fresh, await embedder.embed_passages(fresh), strict=True)) if fresh else {}
    vectors = [known[text] if text in known else made[text] for text in cut.texts]
    prepared = PreparedDocument(
        document=document,
        key=key,
        content_hash=hashed,
        passages=cut.passages,
        vectors=np.stack([vectors[place] for place in cut.places]),
        terms=cut.terms,
        length=cut.length,
        words=cut.words,
        ways=dict(zip(document.references, cut.ways, strict=True)),
    )
    return prepared, dict(zip(cut.texts, vectors, strict=True))


async def _cut(document: Document, key: str, embedder: Embedder) -> CutDocument:
    reader, longest, model = document_reader(), embedder.longest_passage - 2, embedder.fingerprint
    size = len(document.body)
    try:
        return await reader.run(size, cut_for_model, document, key, longest, model, None)
    except UnknownModel:
        tokenizer = pickle.dumps(embedder.piece_offsets)
        return await reader.run(size, cut_for_model, document, key, longest, model, tokenizer)


async def read_stated(stated: StatedDocument, known_prefixes: frozenset[str]) -> Document:
    """Return what `document_from` returns, computed in another process.

    Raises Invalid for a field that is too long, for a text that takes too much time or memory to read, and if
    there is neither text nor title.
    """
    check_stated_lengths(
        stated.identifier, stated.title, stated.source_uri, stated.source_commit, stated.kind
    )
    size = len(stated.body)
    if size > MAX_BODY_BYTES:
        raise Invalid(f"the body is larger than {MAX_BODY_BYTES} bytes; split the document", field="body")
    return await document_reader().run(size, document_from, stated, known_prefixes)
