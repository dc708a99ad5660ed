"""The graph is what the ledger says, whenever it was projected and however often."""

from __future__ import annotations

from random import Random

import asyncpg

from app.domain.projection import Piece, ProjectedEdge, ProjectedNode
from app.domain.temporal import to_microseconds
from app.projector.sync import prepare
from app.stores.neo4j import projection
from app.stores.postgres import outbox
from app.stores.postgres.projects import ensure_tenant
from tests.conftest import memory_on
from tests.documents import SUPERSEDES, adr, claims, day, file
from tests.neo4j_server import empty
from tests.projector.conftest import Copy
from tests.random_verbs import Writer

WRITES = 80


async def test_what_was_projected_step_by_step_equals_what_is_filled_anew(copy: Copy) -> None:
    random = Random(7)
    theirs = await ensure_tenant(copy.owner, "theirs")
    writers = [
        Writer(memory_on(copy.memory.database, copy.memory.embedder, tenant), random, "shared name", 20)
        for tenant in (copy.memory.caller.tenant, theirs)
    ]
    for number in range(WRITES):
        await random.choice(writers).write()
        if number % 20 == 0:
            await copy.catch_up()
    step_by_step = await copy.verify()
    assert step_by_step.is_equal
    kinds = {kind.name for kind in step_by_step.kinds}
    assert kinds >= {"Type", "Entity", "EntityState", "Artifact", "INSTANCE_OF", "CAN_REFERENCE", "HAS_STATE"}
    assert kinds >= {"HAS_VERSION", "SUPERSEDED_BY", "ALIAS_OF", "MENTIONS", "SUPERSEDES", "RELATES_TO"}
    await copy.rebuild()
    anew = await copy.verify()
    assert (anew.is_equal, anew.digest, anew.position) == (True, step_by_step.digest, step_by_step.position)
    assert await copy.count("(a)-[r]->(b) WHERE a.tenant <> b.tenant OR r.tenant <> a.tenant") == 0
    assert await copy.count(f"(n) WHERE n.tenant = {theirs}") > 0


async def test_people_see_what_the_ledger_holds(copy: Copy) -> None:
    await file(copy.memory, adr(1, "Poll", created_at=day(2020), props={"aliases": ["PollGate"]}))
    second = adr(
        2, "Listen", "Instead of PollGate.", created_at=day(2022), references=claims(SUPERSEDES, "ADR-1")
    )
    filed = await file(copy.memory, second)
    assert await copy.catch_up() == filed.position
    (seen,) = await copy.graph.read(
        "MATCH (type:Type {name: 'ADR'})<-[:INSTANCE_OF]-(new:Entity)-[edge:SUPERSEDES]->(old:Entity),"
        " (old)-[:HAS_STATE]->(before {status: 'Accepted'})-[event:SUPERSEDED_BY]->({status: 'superseded'}),"
        " (new)-[:HAS_VERSION]->(artifact:Artifact)-[mention:MENTIONS]->(old)-[alias:ALIAS_OF]->(old)"
        " WHERE before.retractedAt IS NULL"
        " RETURN keys(new) AS identity, edge.validFrom AS since, event.eventType AS event, before,"
        " type.project AS none, artifact.title AS title, mention.surfaceForms AS forms,"
        " alias.surfaceForm AS name"
    )
    assert set(seen["identity"]) == {
        "id",
        "tenant",
        "project",
        "projectKey",
        "createdAt",
        "recordedAt",
        "sourceArtifact",
    }
    assert seen["since"] == to_microseconds(day(2022))
    assert (seen["event"], seen["title"], seen["none"]) == ("superseded", "Listen", None)
    assert (seen["forms"], seen["name"]) == (["ADR-1", "PollGate"], "PollGate")
    assert seen["before"]["title"] == "Poll"
    assert seen["before"]["validUntil"] == to_microseconds(day(2022))


async def test_constraints_and_indexes_are_there_before_anything_is_written(copy: Copy) -> None:
    await empty(copy.graph)
    async with outbox.projecting_alone(copy.owner):
        await prepare(copy.owner, copy.graph)
        await prepare(copy.owner, copy.graph)
    shown = await copy.graph.read("SHOW CONSTRAINTS YIELD name RETURN collect(name) AS names")
    assert sorted(shown[0]["names"]) == [
        "one_absence_per_id",
        "one_artifact_per_id",
        "one_entity_per_id",
        "one_projection_per_graph",
        "one_state_per_id",
        "one_type_per_key",
    ]
    shown = await copy.graph.read(
        "SHOW INDEXES YIELD name, type, owningConstraint WHERE type <> 'LOOKUP' AND owningConstraint IS NULL"
        " RETURN collect(name) AS names"
    )
    assert sorted(shown[0]["names"]) == ["artifact_by_number", "entity_by_project"]
    assert await copy.count("(n)") == 1


async def test_two_tenants_may_hold_the_same_id(copy: Copy) -> None:
    async with outbox.projecting_alone(copy.owner):
        start = await prepare(copy.owner, copy.graph)
    same = tuple(
        ProjectedNode(
            "Entity",
            {"tenant": tenant, "id": "same"},
            ProjectedEdge("INSTANCE_OF", "same", "type", {"tenant": tenant}),
        )
        for tenant in (1, 2)
    )
    await projection.write(copy.graph, start, start, Piece((*same, *same), ()))
    assert await copy.count("(:Entity {id: 'same'})-[:INSTANCE_OF]->()") == 2


async def test_a_transaction_of_the_ledger_comes_whole(copy: Copy) -> None:
    first = await file(copy.memory, adr(1, "One", props={"aliases": ["Uno", "Eins"]}))
    await file(copy.memory, adr(2, "Two"))
    before = await outbox.changes_after(copy.owner, 0, 1)
    assert before is not None  # the types of the tenant
    changes = await outbox.changes_after(copy.owner, before.position, 1)
    assert changes is not None
    assert changes.position == first.position
    assert {change.kind for change in changes.changes} >= {"entity", "entity_state", "artifact", "alias"}


async def test_a_type_is_told_with_what_it_may_reference(copy: Copy, owner: asyncpg.Connection) -> None:
    await copy.catch_up()
    types = await owner.fetchval("SELECT count(*) FROM type")
    rules = await owner.fetchval("SELECT count(*) FROM reference_rule")
    assert await copy.count("(:Type)") == types
    assert await copy.count("(:Type)-[:CAN_REFERENCE]->(:Type)") == rules
