"""Everything about a document that needs no database: its key, its hash, passages, vectors and terms."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import TypeAlias

import orjson

from app.domain.artifact import Document, Passage
from app.domain.bounds import MAX_NAME
from app.domain.identifier import LONGEST_IDENTIFIER, identifier_key
from app.domain.ontology import LONGEST_TYPE_NAME
from app.domain.surface_form import fold, short_key, words_of
from app.embedding import Embedder, Vectors
from app.errors import Invalid
from app.services.analysis import AnalysedText, terms_of
from app.services.parsing import cut_passages, passage_text_for_encoder

LONGEST_TITLE = 1024
LONGEST_SOURCE = 4096
LARGEST_BODY = 8 * 1024 * 1024
"""Reading a text made to hurt takes two hundred times its size in memory."""

MOST_PASSAGES = 5_000
"""Embedding these takes two processor cores two or three minutes."""

# The very ends of the calendar stand for "always" in the database driver.
EARLIEST = datetime.min.replace(tzinfo=UTC)
LATEST = datetime.max.replace(tzinfo=UTC)


_Reading: TypeAlias = tuple[tuple[Passage, ...], AnalysedText, frozenset[str]]


@dataclass(frozen=True, slots=True)
class PreparedDocument:
    """A document with what recall will search it by; `vectors` has one row per passage.

    A name that its text uses begins with one of its `words`.
    """

    document: Document
    key: str
    content_hash: str
    passages: tuple[Passage, ...]
    vectors: Vectors
    analysed: AnalysedText
    words: frozenset[str]


def content_hash(document: Document) -> str:
    """Answer the SHA-256 of everything a document says, where it was found left out."""
    content = asdict(document) | {"kind": fold(document.kind)}
    for whereabouts in ("source_uri", "source_commit", "warnings"):
        del content[whereabouts]
    return hashlib.sha256(orjson.dumps(content, option=orjson.OPT_SORT_KEYS)).hexdigest()


def entity_key(document: Document, hashed: str) -> str:
    """Answer what makes two filings the same thing: identifier, else source, else content."""
    if document.identifier:
        return identifier_key(document.identifier)
    if document.source_uri:
        return short_key(f"source:{document.source_uri}")
    return f"content:{hashed}"


def check_limits(document: Document) -> None:
    """Raise Invalid, naming the field, when a document is empty or beyond a limit."""
    limits = (
        ("kind", document.kind, LONGEST_TYPE_NAME),
        ("identifier", document.identifier, LONGEST_IDENTIFIER),
        ("title", document.title, LONGEST_TITLE),
        ("sourceUri", document.source_uri, LONGEST_SOURCE),
        ("sourceCommit", document.source_commit, MAX_NAME),
    )
    for field, value, longest in limits:
        if value is not None and len(value) > longest:
            raise Invalid(f"{field} has {len(value)} characters; at most {longest} are kept", field=field)
    if not fold(document.kind):
        raise Invalid("a document needs a kind, such as ADR or SPEC", field="kind")
    if not document.title.strip() and not document.body.strip():
        raise Invalid("a document needs a title or a body", field="body")
    if document.created_at is not None and not EARLIEST < document.created_at < LATEST:
        raise Invalid(
            "createdAt lies after the first instant of year 1 and before the last of 9999", field="createdAt"
        )
    if len(document.body.encode()) > LARGEST_BODY:
        raise Invalid(f"the body is larger than {LARGEST_BODY} bytes; split the document", field="body")


async def prepare(document: Document, hashed: str, embedder: Embedder) -> PreparedDocument:
    """Cut, embed and analyse a document; the slow part of filing, done before a connection is taken."""
    passages, analysed, words = await asyncio.to_thread(_read, document, embedder)
    texts = [passage_text_for_encoder(document.title, passage) for passage in passages]
    return PreparedDocument(
        document=document,
        key=entity_key(document, hashed),
        content_hash=hashed,
        passages=passages,
        vectors=await _embedded(texts, embedder),
        analysed=analysed,
        words=words,
    )


async def _embedded(texts: Sequence[str], embedder: Embedder) -> Vectors:
    """Embed passages, each text once, however often a document repeats it."""
    places = {text: place for place, text in enumerate(dict.fromkeys(texts))}
    vectors = await embedder.embed_passages(list(places))
    return vectors[[places[text] for text in texts]]


def _read(document: Document, embedder: Embedder) -> _Reading:
    passages = cut_passages(
        document.title, document.body, embedder.piece_offsets, embedder.longest_passage - 2
    )
    if len(passages) > MOST_PASSAGES:
        raise Invalid(
            f"the body makes {len(passages)} passages; at most {MOST_PASSAGES} are kept: split the document",
            field="body",
        )
    searchable = "\n".join(filter(None, (document.identifier, document.title, document.body)))
    words = words_of(fold(f"{document.title}\n{document.body}"))
    return passages, terms_of(searchable), frozenset(words)
