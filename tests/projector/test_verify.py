"""Whatever differs between ledger and graph is found, and damaged by name."""

from __future__ import annotations

import pytest

from app.domain.artifact import ReferenceClaim
from app.projector.verify import ComparedKind
from tests.documents import RELATES_TO, adr, file
from tests.projector.conftest import Copy


@pytest.fixture
async def projected(copy: Copy) -> Copy:
    await file(copy.memory, adr(1, "Poll"))
    await file(copy.memory, adr(2, "Listen", references=(ReferenceClaim(RELATES_TO, "ADR-1", in_part=True),)))
    assert (await copy.verify()).is_equal
    return copy


async def differing(copy: Copy) -> list[ComparedKind]:
    verification = await copy.verify()
    assert not verification.is_equal
    return [kind for kind in verification.kinds if not kind.is_equal]


@pytest.mark.parametrize("label", ["Type", "Entity", "EntityState", "Artifact"])
async def test_a_node_that_says_something_else_is_named(projected: Copy, label: str) -> None:
    (damaged,) = await projected.graph.write(
        f"MATCH (held:{label}) WITH held LIMIT 1 SET held.project = 77"
        " RETURN coalesce(held.key, held.tenant + '/' + held.id) AS name"
    )
    (kind,) = await differing(projected)
    assert (kind.name, kind.different, kind.missing, kind.unexpected) == (label, (damaged["name"],), (), ())


async def test_what_is_missing_and_what_is_too_much_is_named(projected: Copy) -> None:
    await projected.graph.write("MATCH (:Entity)-[edge:RELATES_TO]->() DELETE edge")
    await projected.graph.write(
        "MATCH (a:Entity), (b:Entity) WHERE a <> b WITH a, b ORDER BY a.id LIMIT 1"
        " CREATE (a)-[:RELATES_TO {tenant: 1, id: 'made up'}]->(b), (a)-[:LIKES]->(b)"
        " CREATE (:Entity {tenant: 1, id: 'x'})"
    )
    found = {kind.name: kind for kind in await differing(projected)}
    assert found.keys() == {"Entity", "RELATES_TO", "LIKES"}
    assert found["Entity"].unexpected == ("1/x",)
    assert [len(names) for names in (found["RELATES_TO"].missing, found["RELATES_TO"].unexpected)] == [1, 1]
    assert found["RELATES_TO"].unexpected[0].endswith("made up")
    assert len(found["LIKES"].unexpected) == 1


async def test_what_is_there_twice_is_named(projected: Copy) -> None:
    await projected.graph.write(
        "MATCH (entity:Entity)-[held:HAS_STATE]->(state) WITH entity, held, state LIMIT 1"
        " CREATE (entity)-[twin:HAS_STATE]->(state) SET twin = properties(held)"
    )
    (kind,) = await differing(projected)
    assert (kind.name, len(kind.unexpected), kind.missing) == ("HAS_STATE", 1, ())


async def test_a_rebuild_mends_what_differs(projected: Copy) -> None:
    equal = await projected.verify()
    await projected.graph.write("MATCH (state:EntityState) DETACH DELETE state")
    await differing(projected)
    await projected.rebuild()
    mended = await projected.verify()
    assert (mended.is_equal, mended.digest) == (True, equal.digest)
