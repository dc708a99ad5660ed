"""Large projects are asked through an index of their own, small ones and the past are scanned."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import UTC, datetime

import asyncpg
import numpy as np
import pytest

from app.domain.numbers import ArtifactNumber, ProjectNumber
from app.domain.recall import LegName, Proposal, Ranking, RecallResult
from app.domain.temporal import AsOf
from app.embedding import Vector
from app.services.container import Memory
from app.services.maintenance.periodic import index_large_projects, index_periodically
from app.services.maintenance.reembed import reembed
from app.services.recall import CANDIDATES_PER_LEG
from app.services.recall.legs.base import Question
from app.services.recall.legs.dense import DenseLeg
from app.settings import Settings
from app.stores.postgres import vector_indexes
from app.stores.postgres.pool import Database
from app.stores.postgres.scope import Scope
from tests.documents import adr, ask, day, file, identifiers
from tests.services.maintenance.test_reembed import FirstDimensions
from tests.stores.postgres.vectors import made_vectors, put_vectors

LARGE = 1_000
LIMIT = 100
NOW = datetime(2030, 1, 1, tzinfo=UTC)


async def project_of(memory: Memory, key: str) -> ProjectNumber:
    """File one document into a project, so that it is there, and answer its number."""
    return (await file(memory, adr(1, "Queue"), key)).artifact.project


async def nearest(
    memory: Memory, vector: Vector, *projects: ProjectNumber, limit: int = LIMIT, **narrowed: object
) -> Proposal:
    """Return what the dense leg proposes for a vector, now unless narrowed otherwise."""
    scope = Scope(memory.caller.tenant, projects, AsOf(NOW, NOW), may_approximate=True)
    made: asyncio.Future[Vector] = asyncio.get_running_loop().create_future()
    made.set_result(vector)
    question = Question(replace(scope, **narrowed), limit, (), made, ())  # type: ignore[arg-type]
    return await DenseLeg(memory.embedder).candidates(memory.database, question)


def numbers(proposal: Proposal) -> list[ArtifactNumber]:
    return [candidate.artifact for candidate in proposal.candidates]


@pytest.fixture
async def large(memory: Memory, owner: asyncpg.Connection, database_url: str) -> ProjectNumber:
    """A project with an index of its own, beside a small one; its number."""
    project = await project_of(memory, "large")
    vectors = made_vectors(3 * LARGE)
    await put_vectors(owner, memory.caller.tenant, project, vectors, day(2020))
    assert await index_large_projects(database_url, LARGE) == ["large"]
    return project


async def plan_of(memory: Memory, project: ProjectNumber) -> str:
    """Return how the server searches a project."""
    statement = vector_indexes.for_project(vector_indexes.SQL["nearest_in_project"], project, 384)
    async with memory.database.reading(memory.caller.tenant) as connection:
        rows = await connection.fetch(
            f"EXPLAIN {statement}",
            memory.caller.tenant,
            NOW,
            NOW,
            np.zeros(384),
            "",
            400,
            100,
            None,
            None,
            [],
        )
    return "\n".join(row[0] for row in rows)


async def test_an_index_finds_nearly_all_that_a_scan_finds_and_says_so(
    memory: Memory, large: ProjectNumber
) -> None:
    assert f"Index Scan using embedding_of_project_{large}" in await plan_of(memory, large)
    shares = []
    for vector in made_vectors(20, seed=2):
        found = await nearest(memory, vector, large)
        exact = await nearest(memory, vector, large, may_approximate=False)
        assert (found.approximate, exact.approximate) == (True, False)
        assert len(found.candidates) == len(exact.candidates) == LIMIT
        scores = [candidate.score for candidate in found.candidates]
        assert scores == sorted(scores, reverse=True)
        shares.append(len(set(numbers(found)[:50]) & set(numbers(exact)[:50])) / 50)
    assert np.mean(shares) >= 0.95


async def test_large_and_small_projects_are_answered_together(
    memory: Memory, owner: asyncpg.Connection, large: ProjectNumber
) -> None:
    small = await project_of(memory, "small")
    vectors = made_vectors(40, seed=3)
    await put_vectors(owner, memory.caller.tenant, small, vectors, day(2020), first_artifact=5_000_000)
    for vector in vectors[::8]:
        found = await nearest(memory, vector, large, small)
        exact = await nearest(memory, vector, large, small, may_approximate=False)
        assert found.approximate
        assert numbers(found)[0] == numbers(exact)[0] >= 5_000_000
        assert len(found.candidates) == LIMIT
    alone = await nearest(memory, vectors[0], small)
    assert not alone.approximate
    assert alone == await nearest(memory, vectors[0], small, may_approximate=False)


async def test_a_filter_never_leaves_fewer_than_asked(memory: Memory, large: ProjectNumber) -> None:
    narrow = [await file(memory, adr(n, f"Queue {n}", kind="SPEC"), "large") for n in range(2, 12)]
    (type_,) = {await _type_of(memory, document.artifact.number) for document in narrow}
    vector = await memory.embedder.embed_query("blue bicycles")
    for limit, approximate in ((10, True), (11, False)):
        found = await nearest(memory, vector, large, limit=limit, types=(type_,))
        assert set(numbers(found)) == {document.artifact.number for document in narrow}
        assert found.approximate == approximate


async def _type_of(memory: Memory, artifact: int) -> int:
    async with memory.database.reading(memory.caller.tenant) as connection:
        type_: int = await connection.fetchval("SELECT type_id FROM artifact WHERE number = $1", artifact)
        return type_


async def test_everything_is_answered_when_more_is_asked_than_is_there(
    memory: Memory, large: ProjectNumber
) -> None:
    vector = made_vectors(1, seed=4)[0]
    found = await nearest(memory, vector, large, limit=10 * LARGE)
    assert len(found.candidates) == 3 * LARGE // 2 + 1
    assert not found.approximate


async def test_who_names_a_moment_is_answered_exactly_and_the_same_again(
    memory: Memory, database_url: str
) -> None:
    for number in range(CANDIDATES_PER_LEG + 5):
        await file(memory, adr(number, f"Bicycle shed {number}"), "large")
    assert await index_large_projects(database_url, 1) == ["large"]
    question = "where do messages wait"
    before = await ask(memory, question, project="large")
    assert dense_of(before).approximate
    for pinned in ({"as_of": before.as_of}, {"known_at": before.known_at}):
        exact = dense_of(await ask(memory, question, project="large", **pinned))
        assert not exact.approximate
        await file(memory, adr(1_000, "Messages", f"Messages wait here: {pinned}", created_at=NOW), "large")
        again = dense_of(await ask(memory, question, project="large", **pinned))
        assert again.candidates == exact.candidates
    filed = await file(memory, adr(2_000, "Where messages wait", "Messages wait in a queue."), "large")
    now = await ask(memory, question, project="large")
    assert identifiers(now)[0] == filed.artifact.identifier
    assert dense_of(now).approximate


def dense_of(result: RecallResult) -> Ranking:
    (found,) = [ranking for ranking in result.legs if ranking.leg is LegName.DENSE]
    return found


async def test_a_build_that_was_cut_off_is_made_again(
    memory: Memory, owner: asyncpg.Connection, database_url: str, large: ProjectNumber
) -> None:
    name = f"embedding_of_project_{large}"
    await owner.execute("UPDATE pg_index SET indisvalid = false WHERE indexrelid = to_regclass($1)", name)
    vector = made_vectors(1, seed=4)[0]
    assert not (await nearest(memory, vector, large)).approximate
    assert await index_large_projects(database_url, LARGE) == ["large"]
    assert (await nearest(memory, vector, large)).approximate
    assert await index_large_projects(database_url, LARGE) == []


async def test_filing_goes_on_while_an_index_is_made(
    memory: Memory, owner: asyncpg.Connection, database_url: str
) -> None:
    project = await project_of(memory, "large")
    await put_vectors(owner, memory.caller.tenant, project, made_vectors(3 * LARGE), day(2020))
    building = asyncio.create_task(index_large_projects(database_url, LARGE))
    filed = [await file(memory, adr(n, f"Bicycle shed {n}"), "large") for n in range(2, 12)]
    assert await building == ["large"]
    filed += [await file(memory, adr(n, f"Bicycle shed {n}"), "large") for n in range(12, 17)]
    found = await nearest(memory, await memory.embedder.embed_query("a bicycle shed"), project)
    assert found.approximate
    assert set(numbers(found)[:15]) == {document.artifact.number for document in filed}


async def test_one_at_a_time_makes_indexes_and_only_an_owner(
    memory: Memory, owner: asyncpg.Connection, database: Database, database_url: str
) -> None:
    await project_of(memory, "large")
    assert await vector_indexes.lock(owner)
    assert await index_large_projects(database_url, 1) == []
    assert await vector_indexes.may_index(owner)
    async with database.reading(memory.caller.tenant) as connection:
        assert not await vector_indexes.may_index(connection)


async def test_another_model_takes_the_indexes_of_the_old_one_away(
    memory: Memory, owner: asyncpg.Connection, database_url: str
) -> None:
    await project_of(memory, "large")
    assert await index_large_projects(database_url, 1) == ["large"]
    assert await reembed(database_url, FirstDimensions(memory.embedder)) == 1
    assert await vector_indexes.valid_indexes(owner) == {}
    assert await index_large_projects(database_url, 1) == ["large"]
    (project,) = await vector_indexes.large_projects(owner, 1)
    assert (project.key, project.vectors, project.has_index, project.is_building) == ("large", 1, True, False)


async def test_whoever_serves_indexes_what_has_grown_large(
    memory: Memory, owner: asyncpg.Connection, database_url: str
) -> None:
    project = await project_of(memory, "large")
    async with index_periodically(Settings(database_url=database_url), 1):
        for _ in range(300):
            if await vector_indexes.valid_indexes(owner):
                break
            await asyncio.sleep(0.1)
    assert list(await vector_indexes.valid_indexes(owner)) == [project]
