"""The dense leg: artifacts whose best passage lies nearest to the query."""

from __future__ import annotations

from app.domain.recall import Candidate, LegName
from app.services.legs.leg import Question
from app.stores.postgres import embeddings
from app.stores.postgres.pool import Database


class DenseLeg:
    """Cosine over passage embeddings; an artifact counts once, by its nearest passage."""

    name = LegName.DENSE
    weight = 1.0

    async def candidates(self, database: Database, question: Question) -> list[Candidate]:
        """Answer the nearest artifacts; their scores are cosines."""
        vector = await question.vector
        async with database.reading(question.scope.tenant) as connection:
            return await embeddings.nearest_artifacts(connection, question.scope, vector, question.limit)
