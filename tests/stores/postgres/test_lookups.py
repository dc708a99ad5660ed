"""What people call things: by the state in force, by the one to come, or by what never changes."""

from __future__ import annotations

from app.domain.temporal import EVERYTHING_KNOWN, AsOf
from app.services.entities import StatedEntity, StatedType
from app.stores.postgres.lookups import labels_as_of
from tests.documents import ProjectFixture, adr, day
from tests.graphql.api import Api
from tests.graphql.test_create_alias import create as create_alias
from tests.graphql.verbs import done
from tests.services.states.things import Thing
from tests.things import make_thing


async def test_a_thing_is_called_by_the_state_of_the_moment_or_the_first_to_come(
    desk: ProjectFixture,
) -> None:
    thing = Thing(desk.memory, await make_thing(desk, "Pier", day(2030)))
    await thing.change(day(2040), name="Quay")
    filed = await desk.file(adr(1, "Queue"))
    ids = [thing.id, filed.entity.id]
    async with desk.reading() as connection:
        for moment, label in ((day(2021), "Pier"), (day(2035), "Pier"), (day(2040), "Quay")):
            found = await labels_as_of(connection, desk.tenant, ids, AsOf(moment, EVERYTHING_KNOWN))
            assert found == {thing.id: label, filed.entity.id: "Queue"}
        before = AsOf(day(2040), day(2020))
        assert await labels_as_of(connection, desk.tenant, ids[:1], before) == {thing.id: str(thing.id)}


async def test_a_thing_without_a_name_is_called_by_what_never_changes(desk: ProjectFixture) -> None:
    service, caller = desk.memory.canonical, desk.memory.caller
    kind = StatedType("Port", immutable_props=("host", "number"), mutable_props=("name",))
    await service.define_type(caller, kind, desk.project)
    said = {"host": "harbor", "number": 80, "name": "Web"}
    made = (await service.create_entity(caller, StatedEntity("Port", said), desk.project)).entity
    api, query = Api(desk.memory), "query ($id: ID!) { entity(id: $id) { label } }"
    assert (await api.ask(query, id=str(made.id)))["entity"]["label"] == "Web"
    await done(api, "recordFact", entity=str(made.id), property="name", value=None)
    assert (await api.ask(query, id=str(made.id)))["entity"]["label"] == "harbor 80"


async def test_a_conflict_names_what_is_to_come(desk: ProjectFixture) -> None:
    coming, other = await make_thing(desk, "Quay", day(2090)), await make_thing(desk, "Pier")
    (problem,) = (await create_alias(Api(desk.memory), "Quay", other))["problems"]
    assert f"Component Quay ({coming})" in problem["message"]
