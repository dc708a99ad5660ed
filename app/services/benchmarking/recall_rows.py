"""The rows of whole answers: from the encoder alone up to recall over HTTP."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime

from app.domain.artifact import Document
from app.domain.identifier import identifier_key
from app.domain.recall import RecallRequest
from app.services.analysis import query_terms
from app.services.benchmarking.client import RecallClient
from app.services.benchmarking.documents import MIDDLE
from app.services.benchmarking.filling import PROJECT
from app.services.benchmarking.questions import AskedFor, Wordings
from app.services.benchmarking.timing import Job, Row
from app.services.legs.graph import STRENGTH
from app.services.memory import Memory
from app.services.recall import CANDIDATES_PER_LEG
from app.stores.postgres.floor import Floor, FloorHit
from app.stores.postgres.scope import Scope

HITS = 10
_NAMES = re.compile(r"\b[A-Za-z]+-[0-9]+\b")


@dataclass(frozen=True, slots=True)
class RecallRows:
    """Ways to answer a question on one ledger, each with a wording that no memory holds."""

    memory: Memory
    scope: Scope
    floor: Floor
    client: RecallClient
    wordings: Wordings
    newcomers: Iterator[Document]

    def rows(self) -> Mapping[str, Row]:
        """Answer the row of each way by its name."""
        return {
            "encoder": self._encoder,
            "vector_only": self._vector_only,
            "floor": self._floor,
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

        async def job() -> list[int]:
            return await self.floor.nearest(self.scope, await self.memory.embedder.embed_query(text), HITS)

        return job

    async def _floor(self, asked: AskedFor) -> Job:
        text = self.wordings.fresh(asked)
        return lambda: best_of_floor(self.floor, self.memory, self.scope, text, HITS)

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


async def best_of_floor(floor: Floor, memory: Memory, scope: Scope, text: str, limit: int) -> list[FloorHit]:
    """Embed a question and let the hybrid statement answer it."""
    vector = await memory.embedder.embed_query(text)
    keys = [identifier_key(name) for name in _NAMES.findall(text)]
    return await floor.best(scope, vector, query_terms(text), keys, STRENGTH, CANDIDATES_PER_LEG, limit)
