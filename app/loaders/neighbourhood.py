"""Who is near an entity: asked of the graph, wherever it is read, and not of a connection to the ledger."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from uuid import UUID

from strawberry.dataloader import DataLoader

from app.domain.neighbourhood import Neighbour
from app.loaders.batching import Asked, by_question
from app.loaders.present import Present
from app.loaders.questions import NeighbourQuestion
from app.stores.graph_reader import GraphReader
from app.stores.postgres.pool import Database


class Neighbourhood:
    """Reads the entities of a turn together for each question, as one tenant."""

    def __init__(self, database: Database, graph: GraphReader, tenant: int, present: Present) -> None:
        self._database = database
        self._graph = graph
        self._tenant = tenant
        self._present = present

    def loader(self) -> DataLoader[Asked[NeighbourQuestion], list[Neighbour]]:
        """Answer a loader of neighbours, the nearest first."""
        return DataLoader(load_fn=self._load)

    async def _load(self, keys: list[Asked[NeighbourQuestion]]) -> list[list[Neighbour] | BaseException]:
        asked = by_question(keys)
        found = {question: await self._neighbours(entities, question) for question, entities in asked.items()}
        return [found[key.question][key.entity] for key in keys]

    async def _neighbours(
        self, entities: list[UUID], question: NeighbourQuestion
    ) -> Mapping[UUID, list[Neighbour]]:
        at = question.as_of or await self._now()
        return await self._graph.neighbours(self._tenant, entities, question.depth, question.first, at)

    async def _now(self) -> datetime:
        async with self._database.reading(self._tenant) as connection:
            return await self._present.instant(connection, self._tenant, None)
