"""Whether the hits have the name that a query is, or every word of a question, in their texts or headers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from app.domain.artifact import Artifact
from app.domain.numbers import ArtifactNumber
from app.domain.recall import Hit
from app.services.analysis import is_one_name, query_terms, terms_of
from app.stores.postgres.lexical.block_cache import Postings
from app.stores.postgres.lexical.query_postings import postings_of_terms
from app.stores.postgres.pool import Database
from app.stores.postgres.scope import Scope

MAX_READ = 50_000
"""Characters of texts that are read on the event loop; more would keep other requests waiting."""

MAX_FOLDERS = 16

QUESTION_WORDS = frozenset(
    (
        "about",
        "did",
        "do",
        "doe",
        "how",
        "tell",
        "what",
        "when",
        "where",
        "which",
        "who",
        "whom",
        "whose",
        "whi",
        "why",
    )
)
"""Question words, as terms: an answer need not say them."""


DOCUMENT_WORDS = frozenset(
    query_terms(
        "document documents record records decision decisions decided decide proposal proposals note"
        " file files folder path page wrote write written author authors list show find know call"
    )
)
"""Words for any document and what is done with it, as terms: a header need not say them."""


async def find_name(
    database: Database, scope: Scope, query: str, hits: Sequence[Hit], numbers: Sequence[ArtifactNumber]
) -> bool | None:
    """Return whether one of the hits, whose numbers are given, has all terms of a query that is one name.

    Return None if the query is no such name or there are no hits. Short texts are read; for long ones the
    postings are asked.
    """
    if not hits or not is_one_name(query):
        return None
    terms = query_terms(query)
    if any(_has(_header(hit.artifact), terms) for hit in hits):
        return True
    if sum(len(hit.artifact.body) for hit in hits) <= MAX_READ:
        return any(_has(_whole_text(hit), terms) for hit in hits)
    async with database.reading(scope.tenant) as connection:
        postings = (await postings_of_terms(connection, database.postings_cache, scope, terms)).unpack()
    if len(postings) < len(terms):
        return False
    wanted = np.array(numbers, np.int64)
    holding = np.ones(len(wanted), np.bool_)
    for pieces in postings:
        holding &= _hold(pieces, wanted)
    return bool(holding.any())


def says_every_word(query: str, hits: Sequence[Hit]) -> bool:
    """Return whether some hit says every word of a question in its title and passage, or in what heads it."""
    words = [term for term in query_terms(query) if term not in QUESTION_WORDS]
    if not words:
        return False
    telling = [term for term in words if term not in DOCUMENT_WORDS]
    return any(
        _has(f"{hit.artifact.title}\n{hit.passage.text}", words) or _is_headed(hit.artifact, telling)
        for hit in hits
    )


def _is_headed(artifact: Artifact, words: Sequence[str]) -> bool:
    """Return whether title, header and path of a document say these words, and not the title alone."""
    header = terms_of(_header(artifact)).terms
    titled = terms_of(f"{artifact.identifier or ''}\n{artifact.title}").terms
    return any(word in header for word in words) and all(word in header or word in titled for word in words)


def _header(artifact: Artifact) -> str:
    """Return the path of a document, its author, and the names and values of its header fields."""
    fields = (text for name, value in artifact.meta.items() for text in (name, *_texts(value)))
    return "\n".join((*_paths(artifact.source_uri or ""), artifact.author or "", *fields))[:MAX_READ]


def _paths(source: str) -> Iterator[str]:
    """Yield a path and the folders on it, and what follows each, with and without the ending of the file."""
    parts = source.split("/")[-MAX_FOLDERS:]
    for place in range(len(parts)):
        below = "/".join(parts[place:])
        yield from ("/".join(parts[: place + 1]), below, below.rpartition(".")[0])


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, Mapping):
        for name, inner in value.items():
            yield from (str(name), *_texts(inner))
    elif isinstance(value, list):
        for inner in value:
            yield from _texts(inner)
    elif value is not None:
        yield str(value)


def _whole_text(hit: Hit) -> str:
    return f"{hit.artifact.identifier or ''}\n{hit.artifact.title}\n{hit.artifact.body}"


def _has(text: str, terms: Sequence[str]) -> bool:
    held = terms_of(text).terms
    return all(term in held for term in terms)


def _hold(pieces: Sequence[Postings], wanted: np.ndarray) -> np.ndarray:
    """Return which of the wanted artifacts have a posting in one of these pieces, whose artifacts rise."""
    found = np.zeros(len(wanted), np.bool_)
    for postings in pieces:
        places = np.searchsorted(postings.artifacts, wanted)
        inside = places < len(postings.artifacts)
        found[inside] |= postings.artifacts[places[inside]] == wanted[inside]
    return found
