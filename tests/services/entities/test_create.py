from __future__ import annotations

from uuid import UUID

import pytest

from app.domain.entity import ReferenceType
from app.domain.identifier import bare_key, thing_key
from app.domain.temporal import Branch
from app.services.entities import CanonicalService, StatedEntity, StatedType
from app.stores.postgres import states
from tests.documents import RELATES_TO, ProjectFixture, adr, claims, day, edges, pending


@pytest.fixture
def canonical(desk: ProjectFixture) -> CanonicalService:
    return desk.memory.canonical


def test_a_key_tells_types_and_names_apart_and_has_no_namespace() -> None:
    keys = [
        thing_key("EnvVar", ["port"]),
        thing_key("Persona", ["port"]),
        thing_key("EnvVar", ["a/b"]),
        thing_key("EnvVar", ["a%2Fb"]),
        thing_key("EnvVar", ["a", "b"]),
        thing_key("EnvVar", ["a:b"]),
    ]
    assert len(set(keys)) == len(keys)
    assert all(bare_key(key) == key for key in keys)
    assert thing_key("ENVVAR", ["port"]) == keys[0] == "envvar:port"
    assert len(thing_key("EnvVar", ["x" * 5_000]).encode()) <= 2_048


async def test_a_first_state_is_the_only_one_and_named_by_whoever_wrote_it(
    desk: ProjectFixture, canonical: CanonicalService
) -> None:
    stated = StatedEntity("Component", {"name": "Harbor"}, day(2019))
    created = await canonical.create_entity(desk.memory.caller, stated, desk.project)
    async with desk.reading() as connection:
        held = await states.current_states(connection, desk.tenant, created.entity.id, Branch.COMMITTED)
    assert held == [created.state]
    assert (held[0].actor, held[0].valid.start, held[0].valid.end) == ("ada", day(2019), None)


async def test_what_waited_holds_from_when_both_are_there(
    desk: ProjectFixture, canonical: CanonicalService
) -> None:
    await desk.file(adr(1, "Move", references=claims(RELATES_TO, "Harbor", "Nowhere")))
    stated = StatedEntity("Component", {"name": "Harbor"}, day(2024))
    created = await canonical.create_entity(desk.memory.caller, stated, desk.project)
    async with desk.reading() as connection:
        starts = await connection.fetch(
            "SELECT valid_from FROM reference WHERE target = $1", created.entity.id
        )
    assert [row["valid_from"] for row in starts] == [day(2024)]
    assert await pending(desk) == {("Nowhere", False)}


async def test_what_could_mean_several_documents_waits_on(
    desk: ProjectFixture, canonical: CanonicalService
) -> None:
    for folder in ("a", "b"):
        await desk.file(adr(2, "Two", identifier=f"{folder}/ADR-2"))
    await desk.file(adr(1, "One", references=claims(RELATES_TO, "ADR-2")))
    assert await pending(desk) == {("ADR-2", True)}
    await canonical.create_entity(
        desk.memory.caller, StatedEntity("Component", {"name": "ADR-2"}), desk.project
    )
    assert await pending(desk) == {("ADR-2", True)}
    assert await edges(desk) == set()


async def test_an_inverted_reference_to_a_thing_is_one_that_the_rules_allow(
    desk: ProjectFixture, canonical: CanonicalService
) -> None:
    """A thing implements a document; that it documents one is recorded as REFERENCES."""
    for name in ("Harbor", "Beacon"):
        await canonical.create_entity(
            desk.memory.caller, StatedEntity("Component", {"name": name}), desk.project
        )
    filed = await desk.file(
        adr(
            1,
            "Move",
            references=(
                *claims(ReferenceType.IMPLEMENTS, "Harbor", inverted=True),
                *claims(ReferenceType.DOCUMENTS, "Beacon", inverted=True),
            ),
        )
    )
    assert sorted(reference.type for reference in filed.references) == ["IMPLEMENTS", "REFERENCES"]
    assert any("DOCUMENTS Beacon is recorded as REFERENCES" in warning for warning in filed.warnings)


async def test_a_type_of_a_project_is_in_the_outbox(
    desk: ProjectFixture, canonical: CanonicalService
) -> None:
    stated = StatedType("Ship", mutable_props=("name",))
    first = await canonical.define_type(desk.memory.caller, stated, desk.project)
    wider = StatedType("Ship", mutable_props=("name", "flag"))
    second = await canonical.define_type(desk.memory.caller, wider, desk.project)
    async with desk.reading() as connection:
        number = await connection.fetchval(
            "SELECT type_id FROM type JOIN project USING (tenant_id, project_id)"
            " WHERE type.name = 'Ship' AND project.key = $1",
            desk.project,
        )
        rows = await connection.fetch(
            "SELECT position FROM outbox WHERE kind = 'type' AND row_id = $1 ORDER BY position",
            UUID(int=number),
        )
    defined, widened = (row["position"] for row in rows)
    assert first.position is not None
    assert second.position is not None
    assert defined <= first.position < widened <= second.position
