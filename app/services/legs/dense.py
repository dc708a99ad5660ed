"""The dense leg: artifacts whose best passage lies nearest to the query."""

from __future__ import annotations

from app.domain.recall import LegName, Proposal
from app.embedding import Embedder
from app.services.legs.leg import Question
from app.services.models import check_model
from app.stores.postgres import embeddings
from app.stores.postgres.pool import Database


class DenseLeg:
    """Cosine over passage embeddings; an artifact counts once, by its nearest passage."""

    name = LegName.DENSE
    weight = 1.0

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder

    async def candidates(self, database: Database, question: Question) -> Proposal:
        """Answer the nearest artifacts; their scores are cosines.

        Raises Conflict while the ledger's vectors are another model's, as when they are being made again.
        """
        vector = await question.vector
        model = self._embedder.fingerprint
        async with database.reading(question.scope.tenant) as connection:
            found = await embeddings.nearest_artifacts(
                connection, question.scope, vector, model, question.limit
            )
            if not found:
                await check_model(connection, self._embedder)
        return Proposal(found)
