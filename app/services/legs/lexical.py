"""The lexical leg: true BM25 over the ledger's own postings."""

from __future__ import annotations

from app.domain.recall import LegName, Proposal
from app.services.legs.leg import Question
from app.stores.postgres import postings
from app.stores.postgres.pool import Database


class LexicalLeg:
    """BM25 with the document frequencies of exactly what the question can see."""

    name = LegName.LEXICAL
    weight = 1.0

    async def candidates(self, database: Database, question: Question) -> Proposal:
        """Answer the artifacts that hold the query's terms best; their scores are BM25's."""
        if not question.terms:
            return Proposal()
        async with database.reading(question.scope.tenant) as connection:
            return Proposal(
                await postings.best_by_bm25(connection, question.scope, question.terms, question.limit)
            )
