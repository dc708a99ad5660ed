"""Names that another thing goes by, given by any verb; and names that are only drafted."""

from __future__ import annotations

from typing import Any

import pytest

from tests.documents import ProjectFixture, adr
from tests.graphql.api import Api
from tests.graphql.test_create_alias import create as create_alias
from tests.graphql.test_create_entity import create_with
from tests.graphql.verbs import done, refused
from tests.things import make_thing

RESOLVE = """
query ($form: String!, $project: String) {
  resolveAlias(surfaceForm: $form, project: $project) { entity { id } }
}
"""
RECALL = """
query ($query: String!, $preferWip: Boolean, $project: String) {
  recall(query: $query, preferWip: $preferWip, project: $project) { anchors { entity { id } } }
}
"""


async def resolved(desk: ProjectFixture, form: str) -> str | None:
    found = (await Api(desk.memory).ask(RESOLVE, form=form, project=desk.project))["resolveAlias"]
    return None if found is None else str(found["entity"]["id"])


async def anchors(desk: ProjectFixture, query: str, *, prefer_wip: bool) -> list[str]:
    asked = {"query": query, "preferWip": prefer_wip, "project": desk.project}
    found = (await Api(desk.memory).ask(RECALL, **asked))["recall"]["anchors"]
    return [anchor["entity"]["id"] for anchor in found]


def renaming(verb: str, entity: Any, name: str, since: str | None = None) -> dict[str, Any]:
    """Return what a verb takes to call a thing so."""
    said: dict[str, Any] = {"entity": str(entity), "validFrom": since}
    if verb == "recordFact":
        return {**said, "property": "name", "value": name}
    return {**said, "props": {"name": name}, "eventType": "rename"}


@pytest.mark.parametrize("verb", ["recordFact", "transition"])
@pytest.mark.parametrize("name", ["Beacon", "beacon ", "Mole"])
async def test_a_thing_is_not_renamed_to_what_another_goes_by(
    desk: ProjectFixture, verb: str, name: str
) -> None:
    beacon, pier = await make_thing(desk, "Beacon"), await make_thing(desk, "Pier")
    await create_alias(Api(desk.memory), "Mole", beacon)
    code, _, message = await refused(Api(desk.memory), verb, **renaming(verb, pier, name))
    assert code == "CONFLICT"
    assert f"Component Beacon ({beacon})" in message
    assert "give this one another name" in message
    assert await resolved(desk, name) == str(beacon)


async def test_a_draft_may_have_any_name_and_is_not_sealed_with_one_that_is_taken(
    desk: ProjectFixture,
) -> None:
    api = Api(desk.memory)
    await make_thing(desk, "Beacon")
    pier = await make_thing(desk, "Pier")
    draft = (await done(api, "saveWip", entity=str(pier), props={"name": "Beacon"}))["state"]
    code, _, message = await refused(api, "sealWip", state=draft["id"])
    assert code == "CONFLICT"
    assert "exists already" in message
    await done(api, "sealWip", state=draft["id"], props={"name": "Jetty"})
    assert await resolved(desk, "Jetty") == str(pier)


async def test_a_name_is_free_where_nothing_has_it_then(desk: ProjectFixture) -> None:
    api = Api(desk.memory)
    beacon, pier = await make_thing(desk, "Beacon"), await make_thing(desk, "Pier")
    await done(api, "transition", **renaming("transition", beacon, "Torch", "2023-01-01T00:00:00Z"))
    await refused(api, "transition", **renaming("transition", pier, "Beacon", "2022-01-01T00:00:00Z"))
    await refused(api, "transition", **renaming("transition", beacon, "Pier", "2021-01-01T00:00:00Z"))
    await done(api, "transition", **renaming("transition", pier, "Beacon", "2023-01-01T00:00:00Z"))
    assert await resolved(desk, "Beacon") == str(pier)


async def test_a_thing_takes_its_own_names_and_those_of_other_types(desk: ProjectFixture) -> None:
    api = Api(desk.memory)
    pier = await make_thing(desk, "Pier")
    await make_thing(desk, "Beacon", type_name="Location")
    await create_alias(api, "Mole", pier)
    for name in ("PIER", "Mole", "Beacon", "Pier"):
        await done(api, "transition", **renaming("transition", pier, name))


async def test_a_document_has_no_title_that_is_an_alias_of_another(desk: ProjectFixture) -> None:
    api = Api(desk.memory)
    await create_alias(api, "Mole", await make_thing(desk, "Pier"))
    record = (await desk.file_all(adr(1, "Queue"), adr(2, "Stream")))[0].entity.id
    fact = {"entity": str(record), "property": "title"}
    assert (await refused(api, "recordFact", **fact, value="Mole"))[0] == "CONFLICT"
    await done(api, "recordFact", **fact, value="Stream")


async def test_a_draft_owns_no_name(desk: ProjectFixture) -> None:
    api = Api(desk.memory)
    pier = await make_thing(desk, "Pier")
    draft = (await done(api, "saveWip", entity=str(pier), props={"name": "Quay"}))["state"]
    assert await resolved(desk, "Quay") is None
    assert await anchors(desk, "Quay", prefer_wip=False) == []
    assert await anchors(desk, "Quay", prefer_wip=True) == [str(pier)]
    filed = await desk.file(adr(1, "Plan", "We build the Quay."))
    made = await create_with(api, project=desk.project, props={"name": "Quay"})
    assert made["problems"] == []
    assert await resolved(desk, "Quay") == made["entity"]["id"]
    assert (await refused(api, "sealWip", state=draft["id"]))[0] == "CONFLICT"
    await done(api, "discardWip", state=draft["id"])
    assert await anchors(desk, "Quay", prefer_wip=True) == [made["entity"]["id"]]
    mentioned = "SELECT entity FROM mention WHERE tenant_id = $1 AND artifact = $2"
    async with desk.reading() as connection:
        rows = await connection.fetch(mentioned, desk.tenant, filed.artifact.id)
    assert [str(row["entity"]) for row in rows] == [made["entity"]["id"]]


async def test_an_alias_may_be_what_a_draft_says(desk: ProjectFixture) -> None:
    api = Api(desk.memory)
    pier, other = await make_thing(desk, "Pier"), await make_thing(desk, "Beacon")
    await done(api, "saveWip", entity=str(pier), props={"name": "Quay"})
    assert (await create_alias(api, "Quay", other))["problems"] == []
    assert await resolved(desk, "Quay") == str(other)


async def test_a_thing_keeps_a_name(desk: ProjectFixture) -> None:
    """What nothing else tells from others is renamed, and never left without a name; a draft may lack one."""
    api = Api(desk.memory)
    pier = str(await make_thing(desk, "Pier"))
    gone: dict[str, Any] = {"entity": pier, "property": "name", "value": None}
    for since in (None, "2022-01-01T00:00:00Z"):
        code, field, message = await refused(api, "recordFact", **gone, validFrom=since)
        assert (code, field) == ("INVALID", "property")
        assert message == (
            "a Component needs name, which distinguishes it from others; give a new value instead"
        )
    draft = (await done(api, "saveWip", entity=pier, props={"name": None}))["state"]["id"]
    assert (await refused(api, "sealWip", state=draft))[:2] == ("INVALID", "props")
    await done(api, "sealWip", state=draft, props={"name": "Jetty"})
    assert await resolved(desk, "Jetty") == pier


async def test_what_never_changes_is_a_name_too(desk: ProjectFixture) -> None:
    api = Api(desk.memory)
    ada = await create_with(api, type="Persona", project=desk.project, props={"handle": "ada", "name": "Ada"})
    fact = {"entity": ada["entity"]["id"], "property": "name", "value": None}
    assert (await done(api, "recordFact", **fact))["entity"]["label"] == "ada"


async def test_what_a_thing_is_told_by_inside_is_no_name(desk: ProjectFixture) -> None:
    """The key of a thing without an identifier is made of its type and what never changes of it."""
    api = Api(desk.memory)
    defined = "mutation ($input: DefineTypeInput!) { defineType(input: $input) { problems { message } } }"
    said = {"name": "Service", "immutableProps": ["slug"], "mutableProps": ["name"], "project": desk.project}
    await api.ask(defined, input=said)
    props = {"slug": "checkout", "name": "Checkout"}
    made = await create_with(api, type="Service", project=desk.project, props=props)
    inside = 'service:"checkout"'
    assert await resolved(desk, inside) is None
    assert await anchors(desk, inside, prefer_wip=False) == []
    assert await resolved(desk, "checkout") == made["entity"]["id"]
    assert (await create_alias(api, inside, await make_thing(desk, "Pier")))["problems"] == []
