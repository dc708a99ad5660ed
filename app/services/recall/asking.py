"""Asking the legs, side by side where they need not wait for each other."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from app.domain.recall import Ranking, RecallRequest
from app.embedding import Embedder, Vector
from app.services.analysis import query_terms
from app.services.legs.dense import DenseLeg
from app.services.legs.graph import CooccurrenceLeg, ReferenceLeg
from app.services.legs.leg import Leg, Question, rank
from app.services.legs.lexical import LexicalLeg
from app.services.legs.recency import rank_by_recency
from app.services.recall.anchoring import Anchored
from app.stores.graph_reader import GraphReader
from app.stores.postgres import artifacts
from app.stores.postgres.pool import Database
from app.stores.postgres.scope import Scope


@dataclass(frozen=True, slots=True)
class Asked:
    """A request with everything it was resolved to."""

    request: RecallRequest
    scope: Scope
    anchored: Anchored
    vector: asyncio.Task[Vector]


class Legs:
    """The four legs over one ledger; each has `deadline` seconds."""

    def __init__(self, database: Database, embedder: Embedder, graph: GraphReader, deadline: float) -> None:
        self._database = database
        self._embedder = embedder
        self._graph = graph
        self._deadline = deadline

    async def rankings(self, asked: Asked, limit: int) -> list[Ranking]:
        """Answer what each leg proposes, at most `limit` artifacts, and the ages of all of them."""
        rankings = await self._proposing(asked, limit)
        born = await self._births(asked.scope, rankings)
        return [*rankings, rank_by_recency(born, asked.scope.moment.valid)]

    async def _proposing(self, asked: Asked, limit: int) -> list[Ranking]:
        """Ask the legs side by side; the co-occurrence of mentions needs another's best first."""
        question = _question(asked, limit)
        dense = self._rank(DenseLeg(self._embedder), question)
        if question.anchors:
            beside = ReferenceLeg(self._graph, named_exactly=bool(asked.anchored.leading))
            legs = (dense, self._rank(LexicalLeg(), question), self._rank(beside, question))
            return list(await asyncio.gather(*legs))
        nearest, (lexical, across) = await asyncio.gather(dense, self._lexical_and_across(question))
        if not lexical.candidates:
            across = await self._rank(CooccurrenceLeg(self._graph, nearest), question)
        return [nearest, lexical, across]

    async def _lexical_and_across(self, question: Question) -> tuple[Ranking, Ranking]:
        """Ask which documents have the words and what the best of them mention, while the encoder works."""
        lexical = await self._rank(LexicalLeg(), question)
        return lexical, await self._rank(CooccurrenceLeg(self._graph, lexical), question)

    async def _rank(self, leg: Leg, question: Question) -> Ranking:
        return await rank(leg, self._database, question, self._deadline)

    async def _births(self, scope: Scope, rankings: Sequence[Ranking]) -> dict[int, datetime]:
        """Answer since when the candidates are there; those of which no leg told are looked up."""
        born = {number: moment for ranking in rankings for number, moment in ranking.born.items()}
        proposed = {candidate.artifact for ranking in rankings for candidate in ranking.candidates}
        if unknown := list(proposed - born.keys()):
            async with self._database.reading(scope.tenant) as connection:
                born |= await artifacts.births(connection, scope.tenant, unknown)
        return born


def _question(asked: Asked, limit: int) -> Question:
    searched = [asked.request.query, *asked.anchored.other_forms]
    terms = dict.fromkeys(term for text in searched for term in query_terms(text))
    return Question(
        scope=asked.scope,
        limit=limit,
        terms=tuple(terms),
        vector=asked.vector,
        anchors=tuple(anchor.entity.id for anchor in asked.anchored.anchors),
    )
