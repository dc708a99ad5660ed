"""The graph leg: follows references from the anchors, or shared mentions from the best candidates."""

from __future__ import annotations

from collections.abc import Mapping

from app.domain.entity import ReferenceType
from app.domain.recall import LegName, Proposal, Ranking
from app.services.recall.legs.base import Question
from app.stores.graph_reader import GraphReader
from app.stores.postgres.pool import Database

SEEDS = 5
"""How many of the best candidates of another leg the search starts from."""

EDGE_WEIGHTS: Mapping[ReferenceType, float] = {
    ReferenceType.SUPERSEDES: 1.0,
    ReferenceType.IMPLEMENTS: 1.0,
    ReferenceType.EXTENDS: 1.0,
    ReferenceType.DEPENDS_ON: 1.0,
    ReferenceType.SPECIFIES: 1.0,
    ReferenceType.FORMALIZES: 1.0,
    ReferenceType.RESOLVES: 1.0,
    ReferenceType.DOCUMENTS: 0.8,
    ReferenceType.RELATES_TO: 0.5,
    ReferenceType.REFERENCES: 0.2,
}


class ReferenceLeg:
    """Finds artifacts one typed reference away from the anchors, in either direction.

    A question that names a thing exactly is often about its relations, so the leg then counts twice.
    """

    name = LegName.GRAPH

    def __init__(self, graph: GraphReader, *, named_exactly: bool) -> None:
        self._graph = graph
        self.weight = 2.0 if named_exactly else 0.5

    async def candidates(self, database: Database, question: Question) -> Proposal:
        """Return the neighbours' newest artifacts; scores grow with the type and count of references."""
        return await self._graph.artifacts_beside(
            question.scope, question.anchors, EDGE_WEIGHTS, question.limit
        )


class CooccurrenceLeg:
    """Finds artifacts that mention the same entities as the best candidates of another leg.

    It breaks ties and adds at the end what no other leg found: a larger weight costs precision.
    """

    name = LegName.GRAPH
    weight = 0.02

    def __init__(self, graph: GraphReader, ranking: Ranking) -> None:
        self._graph = graph
        self._seeds = [candidate.artifact for candidate in ranking.candidates[:SEEDS]]

    async def candidates(self, database: Database, question: Question) -> Proposal:
        """Return the artifacts that share mentions with the seeds, the rarer the better."""
        if not self._seeds:
            return Proposal()
        return await self._graph.artifacts_sharing_mentions(question.scope, self._seeds, question.limit)
