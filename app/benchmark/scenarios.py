"""The rows of the benchmark: single legs, and whole ways to answer a question."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from app.benchmark.baseline import Baseline, BaselineHit
from app.benchmark.corpus import MIDDLE, identifier
from app.benchmark.ingest import PROJECT
from app.benchmark.load import Job, RecallClient, Row
from app.benchmark.questions import AskedFor, Wordings
from app.domain.artifact import Document
from app.domain.entity import Entity
from app.domain.identifier import identifier_key
from app.domain.numbers import ArtifactNumber
from app.domain.recall import Ranking, RecallRequest
from app.embedding import Vector
from app.services.analysis import query_terms
from app.services.container import Memory
from app.services.recall import CANDIDATES_PER_LEG
from app.services.recall.fusion import rank_by_recency
from app.services.recall.legs.base import Leg, Question, rank
from app.services.recall.legs.dense import DenseLeg
from app.services.recall.legs.graph import EDGE_WEIGHTS, CooccurrenceLeg, ReferenceLeg
from app.services.recall.legs.lexical import LexicalLeg
from app.stores.postgres import entities
from app.stores.postgres.scope import Scope

_DEADLINE = 60.0


@dataclass(frozen=True, slots=True)
class LegRows:
    """The legs on one ledger; the graph legs start at the document that a question is about."""

    memory: Memory
    scope: Scope

    def rows(self) -> Mapping[str, Row]:
        """Return the row of each leg by its name."""
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
        leg = CooccurrenceLeg(self.memory.graph, await self._rank(LexicalLeg(), question))
        return lambda: leg.candidates(self.memory.database, question)

    async def _recency(self, asked: AskedFor) -> Job:
        question = await self.question(asked)
        legs: tuple[Leg, ...] = (DenseLeg(self.memory.embedder), LexicalLeg())
        rankings = [await self._rank(leg, question) for leg in legs]
        born = {number: moment for ranking in rankings for number, moment in ranking.born.items()}

        async def job() -> Ranking:
            return rank_by_recency(born, self.scope.moment.valid)

        return job

    async def question(self, asked: AskedFor) -> Question:
        """Return a question for the legs, with its vector and its document's entity."""
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

    async def _rank(self, leg: Leg, question: Question) -> Ranking:
        return await rank(leg, self.memory.database, question, _DEADLINE)

    async def _entity(self, asked: AskedFor) -> Entity | None:
        key = identifier_key(identifier(asked.document))
        async with self.memory.database.reading(self.scope.tenant) as connection:
            (project,) = self.scope.projects
            return await entities.entity_by_key(connection, self.scope.tenant, project, key)


HITS = 10
_NAMES = re.compile(r"\b[A-Za-z]+-[0-9]+\b")


@dataclass(frozen=True, slots=True)
class RecallRows:
    """Ways to answer a question on one ledger, each with a wording that no cache has."""

    memory: Memory
    scope: Scope
    baseline: Baseline
    client: RecallClient
    wordings: Wordings
    newcomers: Iterator[Document]

    def rows(self) -> Mapping[str, Row]:
        """Return the row of each way by its name."""
        return {
            "encoder": self._encoder,
            "vector_only": self._vector_only,
            "floor": self._baseline,
            "service": self._service,
            "graphql": self._graphql,
            "graphql_as_of": self._graphql_as_of,
        }

    async def file_one(self, _asked: AskedFor) -> Job:
        """Prepare filing one more document."""
        document = next(self.newcomers)
        return lambda: self.memory.filing.file(self.memory.caller, document, PROJECT)

    async def _encoder(self, asked: AskedFor) -> Job:
        text = self.wordings.fresh(asked)
        return lambda: self.memory.embedder.embed_query(text)

    async def _vector_only(self, asked: AskedFor) -> Job:
        text = self.wordings.fresh(asked)

        async def job() -> list[ArtifactNumber]:
            return await self.baseline.nearest(self.scope, await self.memory.embedder.embed_query(text), HITS)

        return job

    async def _baseline(self, asked: AskedFor) -> Job:
        text = self.wordings.fresh(asked)
        return lambda: best_of_baseline(self.baseline, self.memory, self.scope, text, HITS)

    async def _service(self, asked: AskedFor) -> Job:
        request = RecallRequest(self.wordings.fresh(asked), project=PROJECT, first=HITS)
        return lambda: self.memory.recall.recall(self.memory.caller, request)

    async def _graphql(self, asked: AskedFor) -> Job:
        return await self._over_http(asked, None)

    async def _graphql_as_of(self, asked: AskedFor) -> Job:
        return await self._over_http(asked, MIDDLE)

    async def _over_http(self, asked: AskedFor, as_of: datetime | None) -> Job:
        request = self.client.request(self.wordings.fresh(asked), PROJECT, as_of)
        return lambda: self.client.ask(request)


async def best_of_baseline(
    baseline: Baseline, memory: Memory, scope: Scope, text: str, limit: int
) -> list[BaselineHit]:
    """Embed a question and return the hits of the hybrid statement."""
    vector = await memory.embedder.embed_query(text)
    keys = [identifier_key(name) for name in _NAMES.findall(text)]
    return await baseline.best(
        scope, vector, query_terms(text), keys, EDGE_WEIGHTS, CANDIDATES_PER_LEG, limit
    )


NEAREST = 50


async def dense_recall(legs: LegRows, questions: Sequence[AskedFor], advance: Callable[[], None]) -> float:
    """Return the share of the 50 nearest artifacts that the leg proposes among its first 50."""
    leg = DenseLeg(legs.memory.embedder)
    shares = []
    for asked in questions:
        question = await legs.question(asked)
        exact = replace(question, scope=replace(question.scope, may_approximate=False))
        found, nearest = [
            {each.artifact for each in (await leg.candidates(legs.memory.database, way)).candidates[:NEAREST]}
            for way in (question, exact)
        ]
        shares.append(len(found & nearest) / len(nearest))
        advance()
    return round(sum(shares) / len(shares), 4)
