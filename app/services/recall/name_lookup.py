"""Whether some hit's text has every part of a name, told by the postings where the texts are long."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from app.domain.recall import Hit
from app.services.analysis import is_one_name, query_terms
from app.stores.postgres.lexical.block_cache import Postings
from app.stores.postgres.lexical.query_postings import postings_of_terms
from app.stores.postgres.pool import Database
from app.stores.postgres.scope import Scope

MAX_READ = 50_000
"""Characters of texts that are read on the event loop; more would keep others waiting."""


async def find_name(
    database: Database, scope: Scope, query: str, hits: Sequence[Hit], numbers: Sequence[int]
) -> bool | None:
    """Return whether one of the hits, whose numbers are given, holds all terms of a query that is one name.

    None where the query is no such name, or the texts are short enough to be read.
    """
    if not is_one_name(query) or sum(len(hit.artifact.body) for hit in hits) <= MAX_READ:
        return None
    terms = query_terms(query)
    async with database.reading(scope.tenant) as connection:
        postings = (await postings_of_terms(connection, database.postings_at_hand, scope, terms)).unpacked()
    if len(postings) < len(terms):
        return False
    wanted = np.array(numbers, np.int64)
    holding = np.ones(len(wanted), np.bool_)
    for pieces in postings:
        holding &= _hold(pieces, wanted)
    return bool(holding.any())


def _hold(pieces: Sequence[Postings], wanted: np.ndarray) -> np.ndarray:
    """Return which of the wanted artifacts have a posting in one of these pieces, whose artifacts rise."""
    found = np.zeros(len(wanted), np.bool_)
    for postings in pieces:
        places = np.searchsorted(postings.artifacts, wanted)
        inside = places < len(postings.artifacts)
        found[inside] |= postings.artifacts[places[inside]] == wanted[inside]
    return found
