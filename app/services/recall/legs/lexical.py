"""The lexical leg: BM25 over the ledger's own postings."""

from __future__ import annotations

import asyncio

import asyncpg

from app.domain.recall import Candidate, LegName, Proposal
from app.services.recall.legs.base import Question
from app.services.recall.legs.bm25 import best_by_bm25
from app.stores.postgres import artifacts
from app.stores.postgres.lexical.block_cache import PostingsCache
from app.stores.postgres.lexical.query_postings import (
    PackedDocuments,
    PackedPostings,
    documents_of_projects,
    needs_documents,
    postings_of_terms,
)
from app.stores.postgres.pool import Database

SCORED_AT_ONCE = 20_000
"""More postings than these are scored in a thread."""


class LexicalLeg:
    """BM25 with the document frequencies of exactly what the question can see."""

    name = LegName.LEXICAL
    weight = 1.0

    async def candidates(self, database: Database, question: Question) -> Proposal:
        """Return the artifacts with the best BM25 scores for the query's terms."""
        if not question.terms:
            return Proposal()
        async with database.reading(question.scope.tenant) as connection:
            postings, documents = await _read(connection, database.postings_cache, question)
            best = await _best(postings, documents, question.limit)
            # Asked here, while the encoder is still at work.
            numbers = [candidate.artifact for candidate in best]
            return Proposal(
                best, born=await artifacts.creation_times(connection, question.scope.tenant, numbers)
            )


async def _read(
    connection: asyncpg.Connection, cache: PostingsCache, question: Question
) -> tuple[PackedPostings, PackedDocuments | None]:
    """Return the postings of the terms, and the documents if not all of them are seen and wanted.

    Documents are read first: postings that were added meanwhile are then left out.
    """
    scope = question.scope
    if scope.sees_everything and not needs_documents(scope):
        postings = await postings_of_terms(connection, cache, scope, question.terms)
        if postings.sees_everything:
            return postings, None
    documents = await documents_of_projects(connection, scope)
    return await postings_of_terms(connection, cache, scope, question.terms), documents


async def _best(postings: PackedPostings, documents: PackedDocuments | None, limit: int) -> list[Candidate]:
    if len(postings) <= SCORED_AT_ONCE:
        return _score(postings, documents, limit)
    return await asyncio.to_thread(_score, postings, documents, limit)


def _score(packed: PackedPostings, documents: PackedDocuments | None, limit: int) -> list[Candidate]:
    terms = packed.unpack()
    if documents is None:
        return best_by_bm25(terms, packed.documents, packed.total_terms, limit)
    view = documents.visible()
    return best_by_bm25(terms, view.documents, view.total_terms, limit, seen=view.among, wanted=view.wanted)
