"""Cutting a document into passages, terms and lookups: all that recall indexes of its text."""

from __future__ import annotations

import pickle
from dataclasses import dataclass

from app.domain.artifact import Document, Passage, TermCounts
from app.domain.text import beginning, fold, words_of
from app.errors import Invalid
from app.services.analysis import terms_of
from app.services.parsing.embedding_text import passage_text_for_encoder
from app.services.parsing.front_matter import field_role
from app.services.parsing.passages import cut_passages
from app.services.parsing.target_readings import TargetReading, all_target_readings
from app.services.parsing.text import texts_of
from app.services.parsing.token_spans import PieceOffsets

MAX_HEADER_TEXT = 2_000
"""Characters of a header field that are searched."""

MAX_PASSAGES = 5_000
"""Embedding these takes two processor cores two or three minutes."""


@dataclass(frozen=True, slots=True)
class CutDocument:
    """The passages of a document, and the names to look up for it.

    `texts` are what the encoder reads, each once, and `places` which of them each passage has. `length`
    counts the words of the document, and a name that it uses begins with one of `words`, one a line. `ways`
    belong to its references, in their order.
    """

    passages: tuple[Passage, ...]
    texts: tuple[str, ...]
    places: tuple[int, ...]
    terms: TermCounts
    length: int
    words: str
    ways: tuple[tuple[TargetReading, ...], ...]


class UnknownModel(Exception):
    """No text was cut for this model yet, and its tokenizer did not come with the document."""


_tokenizers: dict[str, PieceOffsets] = {}


def cut_for_model(
    document: Document, key: str, longest: int, model: str, tokenizer: bytes | None
) -> CutDocument:
    """Cut a document for the model with a fingerprint; its pickled tokenizer is needed only once.

    Raises UnknownModel when the tokenizer is missing, and Invalid when the document makes too many passages.
    """
    if tokenizer is not None:
        _tokenizers[model] = pickle.loads(tokenizer)
    if model not in _tokenizers:
        raise UnknownModel
    return cut_document(document, key, longest, _tokenizers[model])


def _header_texts(document: Document) -> list[str]:
    """Return what the header says of people, teams and subjects, for words to be found by."""
    said = [document.author] if document.author else []
    for name, value in document.meta.items():
        if field_role(name, frozenset()) in (None, "tags", "author", "domain"):
            said.append(beginning("\n".join(_values(value)), MAX_HEADER_TEXT))
    return said


def _values(value: object) -> list[str]:
    """Return every text inside a value, those of a mapping included."""
    if isinstance(value, dict):
        return [text for inner in value.values() for text in _values(inner)]
    if isinstance(value, list):
        return [text for inner in value for text in _values(inner)]
    return texts_of(value)


def searched_terms(document: Document) -> tuple[TermCounts, int]:
    """Return the terms by which a document is found, and how many words it has."""
    searchable = "\n".join(
        filter(None, (document.identifier, document.title, *_header_texts(document), document.body))
    )
    analysed = terms_of(searchable)
    return TermCounts.of(analysed.terms), analysed.length


def cut_document(document: Document, key: str, longest: int, piece_offsets: PieceOffsets) -> CutDocument:
    """Cut a document, to be filed under a key, into passages of at most `longest` word pieces.

    Raises Invalid when there are too many.
    """
    passages = cut_passages(document.title, document.body, piece_offsets, longest)
    if len(passages) > MAX_PASSAGES:
        raise Invalid(
            f"the body has {len(passages)} passages; at most {MAX_PASSAGES} are allowed: split the document",
            field="body",
        )
    texts = [passage_text_for_encoder(document.title, passage) for passage in passages]
    places = {text: place for place, text in enumerate(dict.fromkeys(texts))}
    terms, length = searched_terms(document)
    return CutDocument(
        passages=passages,
        texts=tuple(places),
        places=tuple(places[text] for text in texts),
        terms=terms,
        length=length,
        words="\n".join(sorted(words_of(fold(f"{document.title}\n{document.body}")))),
        ways=all_target_readings(document.references, key, document.source_uri),
    )
