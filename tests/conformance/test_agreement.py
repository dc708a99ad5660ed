"""Neo4j answers what Postgres answers, number for number, after writes of every verb."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from math import log
from random import Random
from uuid import UUID

from app.domain.numbers import TenantNumber
from app.domain.temporal import EVERYTHING_KNOWN, AsOf
from app.services.recall.legs.graph import EDGE_WEIGHTS
from app.stores.graph_reader import GraphReader
from app.stores.neo4j.traversal import Neo4jTraversal
from app.stores.postgres.graph_reader import PostgresTraversal
from app.stores.postgres.projects import ensure_tenant
from app.stores.postgres.scope import Scope
from tests.conftest import memory_on
from tests.documents import day
from tests.projector.conftest import Copy
from tests.random_verbs import Writer

WRITES = 200
QUESTIONS = 10
INSTANTS = [day(2019), day(2021, 6), day(2024), day(2026)]


async def test_both_answer_the_same_after_writes_of_every_verb(copy: Copy) -> None:
    database, random = copy.memory.database, Random(11)
    theirs = await ensure_tenant(copy.owner, "theirs")
    tenants = (copy.memory.caller.tenant, theirs)
    writers = [
        Writer(memory_on(database, copy.memory.embedder, tenant), random, "shared name", 20)
        for tenant in tenants
    ]
    for _ in range(WRITES):
        await random.choice(writers).write()
    await copy.catch_up()
    ledger, graph = PostgresTraversal(database), Neo4jTraversal(copy.graph, database)
    total = 0
    for tenant in tenants:
        for known in [*await _moments(copy, tenant), EVERYTHING_KNOWN]:
            for instant in INSTANTS:
                scope = await _scope(copy, tenant, AsOf(instant, known))
                answers = await _answers(ledger, copy, scope, Random(3))
                assert await _answers(graph, copy, scope, Random(3)) == answers
                total += sum(map(len, answers.values()))
    assert total > 200


async def test_both_take_the_same_logarithm(copy: Copy) -> None:
    """Scores are sums of logarithms, and one last digit may turn two hits round."""
    numbers = range(1, 20_000)
    rows = await copy.owner.fetch(
        "SELECT ln(1 + number) AS found FROM unnest($1::integer[]) AS number", numbers
    )
    assert [row["found"] for row in rows] == [log(1.0 + number) for number in numbers]


async def _answers(
    reader: GraphReader, copy: Copy, scope: Scope, random: Random
) -> Mapping[object, list[object]]:
    """Return everything that a reader tells of random things, by what was asked."""
    rows = await copy.owner.fetch("SELECT id FROM entity WHERE tenant_id = $1 ORDER BY id", scope.tenant)
    entities: list[UUID] = [row["id"] for row in rows]
    numbers = await copy.owner.fetch("SELECT number FROM artifact WHERE tenant_id = $1", scope.tenant)
    answers: dict[object, list[object]] = {}
    for _ in range(QUESTIONS):
        anchors = tuple(random.sample(entities, random.randint(1, 3)))
        beside = await reader.artifacts_beside(scope, anchors, EDGE_WEIGHTS, 20)
        answers["beside", anchors] = list(beside.candidates)
        seeds = tuple(row["number"] for row in random.sample(numbers, 3))
        shared = await reader.artifacts_sharing_mentions(scope, seeds, 20)
        answers["shared", seeds] = list(shared.candidates)
        source, target = random.sample(entities, 2)
        path = await reader.path(scope.tenant, source, target, 4, scope.moment)
        answers["path", source, target] = [path]
    for entity, near in (await reader.neighbours(scope.tenant, entities, 3, 50, scope.moment)).items():
        answers["near", entity] = list(near)
    return answers


async def _moments(copy: Copy, tenant: TenantNumber) -> list[datetime]:
    """Return when something was recorded: early, in the middle and last."""
    rows = await copy.owner.fetch(
        "SELECT DISTINCT recorded_at FROM reference WHERE tenant_id = $1 ORDER BY recorded_at", tenant
    )
    return [rows[len(rows) // 5]["recorded_at"], rows[len(rows) // 2]["recorded_at"]]


async def _scope(copy: Copy, tenant: TenantNumber, moment: AsOf) -> Scope:
    rows = await copy.owner.fetch("SELECT project_id FROM project WHERE tenant_id = $1", tenant)
    return Scope(tenant, tuple(row["project_id"] for row in rows), moment)
