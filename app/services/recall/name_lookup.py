"""Whether the texts of the hits have the name that a query is, or every word of a question."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from app.domain.numbers import ArtifactNumber
from app.domain.recall import Hit
from app.services.analysis import is_one_name, query_terms, terms_of
from app.stores.postgres.lexical.block_cache import Postings
from app.stores.postgres.lexical.query_postings import postings_of_terms
from app.stores.postgres.pool import Database
from app.stores.postgres.scope import Scope

MAX_READ = 50_000
"""Characters of texts that are read on the event loop; more would keep other requests waiting."""

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
    """Return whether some hit says every word of a question in its title and passage."""
    words = [term for term in query_terms(query) if term not in QUESTION_WORDS]
    return bool(words) and any(_has(f"{hit.artifact.title}\n{hit.passage.text}", words) for hit in hits)


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
