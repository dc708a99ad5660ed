"""The dense leg: artifacts whose best passage is nearest to the query."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import asyncpg

from app.domain.numbers import ProjectNumber
from app.domain.recall import LegName, Proposal
from app.embedding import Embedder, Vector
from app.services.maintenance.reembed import check_model
from app.services.recall.legs.base import Question
from app.stores.postgres import passage_vectors, vector_indexes
from app.stores.postgres.pool import Database
from app.stores.postgres.scope import Scope
from app.stores.postgres.vector_indexes import VectorIndex


class DenseLeg:
    """Cosine over passage embeddings; an artifact counts once, by its nearest passage.

    A large project is searched through its index, unless the request names the moment: the result of a
    question about the past must not change with later additions to the index. All others are scanned.
    """

    name = LegName.DENSE
    weight = 1.0

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder

    async def candidates(self, database: Database, question: Question) -> Proposal:
        """Return the nearest artifacts; their scores are cosines.

        Raises Conflict while the ledger's vectors are of another model, as during a re-embedding.
        """
        # Looked up first, while the encoder is still at work.
        indexes = await _indexes(database, question.scope)
        vector = await question.vector
        async with database.reading(question.scope.tenant) as connection:
            proposal = await self._nearest(connection, question, indexes, vector)
            if not proposal.candidates:
                await check_model(connection, self._embedder)
        return proposal

    async def _nearest(
        self,
        connection: asyncpg.Connection,
        question: Question,
        indexes: Mapping[ProjectNumber, VectorIndex],
        vector: Vector,
    ) -> Proposal:
        scope, model, limit = question.scope, self._embedder.fingerprint, question.limit
        found: list[Proposal] = []
        scanned = set(scope.projects)
        for project in sorted(scanned & indexes.keys()):
            nearest = await vector_indexes.nearest_in_project(
                connection, indexes[project], scope, vector, model, limit
            )
            if nearest is not None:
                found.append(nearest)
                scanned.remove(project)
        if scanned:
            rest = replace(scope, projects=tuple(sorted(scanned)))
            found.append(await passage_vectors.nearest_artifacts(connection, rest, vector, model, limit))
        return _best(found, limit, approximate=len(scanned) < len(scope.projects))


def _best(found: Sequence[Proposal], limit: int, *, approximate: bool) -> Proposal:
    """Return the best candidates of several searches; each artifact is in one project."""
    candidates = [candidate for each in found for candidate in each.candidates]
    best = sorted(candidates, key=lambda candidate: (-candidate.score, candidate.artifact))[:limit]
    born = {number: moment for each in found for number, moment in each.born.items()}
    return Proposal(best, approximate, born=born)


async def _indexes(database: Database, scope: Scope) -> Mapping[ProjectNumber, VectorIndex]:
    if not scope.may_approximate:
        return {}
    async with database.reading(scope.tenant) as connection:
        return await vector_indexes.valid_indexes(connection)
