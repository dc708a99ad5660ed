"""The rows of the legs: each leg alone, with everything that it needs prepared."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass

from app.domain.entity import Entity
from app.domain.identifier import identifier_key
from app.domain.recall import Ranking
from app.embedding import Vector
from app.services.analysis import query_terms
from app.services.benchmarking.documents import identifier
from app.services.benchmarking.questions import AskedFor
from app.services.benchmarking.timing import Job, Row
from app.services.legs.dense import DenseLeg
from app.services.legs.graph import CooccurrenceLeg, ReferenceLeg
from app.services.legs.leg import Leg, Question, rank
from app.services.legs.lexical import LexicalLeg
from app.services.legs.recency import rank_by_recency
from app.services.memory import Memory
from app.services.recall import CANDIDATES_PER_LEG
from app.stores.postgres import entities
from app.stores.postgres.scope import Scope

_DEADLINE = 60.0


@dataclass(frozen=True, slots=True)
class LegRows:
    """The legs on one ledger; references are followed from the document that a question is about."""

    memory: Memory
    scope: Scope

    def rows(self) -> Mapping[str, Row]:
        """Answer the row of each leg by its name."""
        return {
            "leg_dense": self._dense,
            "leg_lexical": self._lexical,
            "leg_graph": self._references,
            "leg_cooccurrence": self._cooccurrence,
            "leg_recency": self._recency,
        }

    async def _dense(self, asked: AskedFor) -> Job:
        leg, question = DenseLeg(self.memory.embedder), await self.question(asked)
        return lambda: leg.candidates(self.memory.database, question)

    async def _lexical(self, asked: AskedFor) -> Job:
        leg, question = LexicalLeg(), await self.question(asked)
        return lambda: leg.candidates(self.memory.database, question)

    async def _references(self, asked: AskedFor) -> Job:
        leg, question = ReferenceLeg(self.memory.graph, named_exactly=True), await self.question(asked)
        return lambda: leg.candidates(self.memory.database, question)

    async def _cooccurrence(self, asked: AskedFor) -> Job:
        question = await self.question(asked)
        leg = CooccurrenceLeg(self.memory.graph, await self._ranked(LexicalLeg(), question))
        return lambda: leg.candidates(self.memory.database, question)

    async def _recency(self, asked: AskedFor) -> Job:
        question = await self.question(asked)
        legs: tuple[Leg, ...] = (DenseLeg(self.memory.embedder), LexicalLeg())
        rankings = [await self._ranked(leg, question) for leg in legs]
        born = {number: moment for ranking in rankings for number, moment in ranking.born.items()}

        async def job() -> Ranking:
            return rank_by_recency(born, self.scope.moment.valid)

        return job

    async def question(self, asked: AskedFor) -> Question:
        """Answer what the legs share of a question, its vector made and its document looked up."""
        vector: asyncio.Future[Vector] = asyncio.get_running_loop().create_future()
        vector.set_result(await self.memory.embedder.embed_query(asked.text))
        entity = await self._entity(asked)
        return Question(
            scope=self.scope,
            limit=CANDIDATES_PER_LEG,
            terms=tuple(query_terms(asked.text)),
            vector=vector,
            anchors=() if entity is None else (entity.id,),
        )

    async def _ranked(self, leg: Leg, question: Question) -> Ranking:
        return await rank(leg, self.memory.database, question, _DEADLINE)

    async def _entity(self, asked: AskedFor) -> Entity | None:
        key = identifier_key(identifier(asked.document))
        async with self.memory.database.reading(self.scope.tenant) as connection:
            (project,) = self.scope.projects
            return await entities.entity_by_key(connection, self.scope.tenant, project, key)
