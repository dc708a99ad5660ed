"""Two hundred answers stay what they were through two thousand writes of every verb."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace
from random import Random

import pytest

from app.domain.numbers import TenantNumber
from app.domain.recall import RecallRequest, RecallResult
from app.embedding import Embedder
from app.services.container import Memory
from app.stores.postgres.pool import Database
from tests.conftest import TEMPLATE, Server, memory_on
from tests.graphql.scattering import ScatteringEmbedder
from tests.random_verbs import Writer
from tests.services.recall.replaying import comparable, random_requests

PROJECT = "replay"
SERIES = 60
ANSWERS = 200
WRITES = 2_000


@pytest.fixture
async def light(server: Server, embedder: Embedder, tenant: TenantNumber) -> AsyncIterator[Memory]:
    """A memory on a ledger of its own whose vectors cost nothing."""
    name = await server.create(TEMPLATE)
    database = await Database.open(server.url_of(name), size=4)
    yield memory_on(database, ScatteringEmbedder(embedder), tenant)
    await database.close()
    await server.drop(name)


async def test_answers_stay_what_they_were_whatever_is_written_later(light: Memory) -> None:
    random = Random(5)
    writer = Writer(light, random, PROJECT, SERIES)
    asked: list[tuple[RecallRequest, RecallResult]] = []
    while len(asked) < ANSWERS:
        for _ in range(6):
            await writer.write()
        for request in random_requests(random, PROJECT):
            result = await light.recall.recall(light.caller, request)
            asked.append((replace(request, as_of=result.as_of, known_at=result.known_at), result))
    written = 0
    while written < WRITES:
        written += await writer.write()
    for request, before in asked:
        assert comparable(await light.recall.recall(light.caller, request)) == comparable(before), request
