"""A ledger of two projects and of more postings than a block holds, filed without passages and vectors."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import datetime, timedelta
from random import Random
from uuid import uuid4

import asyncpg

from app.domain.artifact import Artifact, MemoryDomain
from app.domain.numbers import TenantNumber
from app.domain.recall import Candidate
from app.domain.temporal import AsOf
from app.embedding import Vector
from app.services.container import Memory
from app.services.recall.legs.base import Question
from app.services.recall.legs.lexical import LexicalLeg
from app.services.unit_of_work import unit_of_work
from app.stores.postgres import artifacts
from app.stores.postgres.lexical import postings
from app.stores.postgres.scope import Scope
from tests.documents import adr, day, file

WORDS = [f"word{place}" for place in range(12)]
DOCUMENTS = 1_100
AT_ONCE = 60
GIANT = 70_000
"""More than two bytes count."""


async def fill(memory: Memory, random: Random, documents: int = DOCUMENTS) -> list[datetime]:
    """File so many versions of two documents of two projects; answers when they were recorded."""
    first = [(await file(memory, adr(1, "Word"), project)).artifact for project in ("left", "right")]
    recorded = []
    for start in range(0, documents, AT_ONCE):
        async with unit_of_work(memory.database, memory.caller) as write:
            recorded.append(write.recorded_at)
            for number in range(start, min(start + AT_ONCE, documents)):
                version = replace(
                    random.choice(first),
                    id=uuid4(),
                    created_at=day(2021) + timedelta(minutes=number, days=random.randrange(2000)),
                    recorded_at=write.recorded_at,
                    domain=random.choice([None, *MemoryDomain]),
                )
                await _write(write.connection, memory.caller.tenant, version, random)
    return recorded


async def _write(
    connection: asyncpg.Connection, tenant: TenantNumber, version: Artifact, random: Random
) -> None:
    held = {
        word: random.choice([1, 1, 2, GIANT])
        for place, word in enumerate(WORDS, start=1)
        if random.random() < 1 / place
    }
    length = random.choice([1, 20, 50, 3 * GIANT])
    (number,) = await artifacts.take_numbers(connection, 1)
    version = replace(version, number=number)
    await artifacts.insert_artifact(connection, tenant, version, random.randint(1, 3), length, "ada")
    await postings.insert_postings(connection, tenant, version.project, number, held, length)
    await postings.count_document(
        connection, tenant, version.project, length, version.created_at, version.recorded_at
    )


def random_scope(random: Random, everything: Scope, recorded: list[datetime]) -> Scope:
    """Return some projects at some moment, perhaps of some types and domains only."""
    present = everything.moment
    moment = random.choice(
        [
            present,
            present,
            AsOf(day(2021) + timedelta(days=random.randrange(2000)), present.known),
            AsOf(present.valid, random.choice(recorded)),
            AsOf(day(2021) + timedelta(days=random.randrange(2000)), random.choice(recorded)),
            AsOf(day(1990), present.known),
        ]
    )
    return replace(
        everything,
        projects=random.choice([everything.projects, everything.projects[:1], everything.projects[1:]]),
        moment=moment,
        types=random.choice([None, None, (1,), (2, 3), (99,)]),
        domains=random.choice([None, None, ("RESEARCH",), ("RESEARCH", "DECISION")]),
        sees_everything=moment == present,
    )


async def proposed(memory: Memory, scope: Scope, terms: list[str], limit: int) -> list[Candidate]:
    """Return what the lexical leg proposes for these terms."""
    unread: asyncio.Future[Vector] = asyncio.get_running_loop().create_future()
    question = Question(scope, limit, tuple(terms), unread, ())
    return list((await LexicalLeg().candidates(memory.database, question)).candidates)
