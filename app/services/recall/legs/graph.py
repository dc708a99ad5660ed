"""The graph leg: along references from what the query names, or across shared mentions."""

from __future__ import annotations

from collections.abc import Mapping

from app.domain.entity import ReferenceType
from app.domain.recall import LegName, Proposal, Ranking
from app.services.recall.legs.base import Question
from app.stores.graph_reader import GraphReader
from app.stores.postgres.pool import Database

SEEDS = 5
"""How many of the best of another leg are asked what they mention."""

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
    """What lies one typed reference away from the anchors, either way.

    A question that names a thing beyond doubt is often about its relations, so the leg then counts twice.
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
    """What mentions the same entities as the best candidates of another leg.

    It decides among equals and brings what no other leg found to the end: any more costs precision.
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
