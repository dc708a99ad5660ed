"""References that a document states to what goes by another name, said before or after."""

from __future__ import annotations

from typing import Any

import pytest

from app.domain.entity import ReferenceType
from tests.documents import SUPERSEDES, ProjectFixture, adr, claims, day, edges, pending
from tests.graphql.api import Api
from tests.graphql.test_create_alias import create
from tests.graphql.test_create_reference import status
from tests.graphql.verbs import done
from tests.things import make_thing

DOCUMENTS = ReferenceType.DOCUMENTS


async def _targets(desk: ProjectFixture, entity: Any) -> list[tuple[str, str]]:
    """Return how a document refers to what, by id."""
    query = "query ($id: ID!) { entity(id: $id) { references { nodes { type target { id } } } } }"
    found = (await Api(desk.memory).ask(query, id=str(entity)))["entity"]["references"]["nodes"]
    return [(node["type"], node["target"]["id"]) for node in found]


@pytest.mark.parametrize("named_first", [True, False])
async def test_a_reference_by_an_alias_leads_to_what_it_means(
    desk: ProjectFixture, named_first: bool
) -> None:
    """EDG-02, ALI-10."""
    prism = await make_thing(desk, "Prism")
    if named_first:
        await create(Api(desk.memory), "PrismGR", prism)
    filed = await desk.file(adr(1, "Guide", references=claims(DOCUMENTS, "prismgr")))
    if not named_first:
        assert await pending(desk) == {("prismgr", False)}
        await create(Api(desk.memory), "PrismGR", prism)
    assert await pending(desk) == set()
    assert await _targets(desk, filed.entity.id) == [("DOCUMENTS", str(prism))]


async def test_a_reference_by_the_name_of_what_gave_way_leads_to_what_it_gave_way_to(
    desk: ProjectFixture,
) -> None:
    one, two = await make_thing(desk, "Prism One"), await make_thing(desk, "Prism Two")
    await create(Api(desk.memory), "PrismGR", one)
    await create(Api(desk.memory), "Prism One", two, source=str(one))
    filed = await desk.file(adr(1, "Guide", references=claims(DOCUMENTS, "PrismGR")))
    assert await _targets(desk, filed.entity.id) == [("DOCUMENTS", str(two))]


@pytest.mark.parametrize("said", [(), ("Old queue",)])
async def test_what_waits_for_a_name_supersedes_when_it_is_given(
    desk: ProjectFixture, said: tuple[str, ...]
) -> None:
    """Whether a caller gives the name or the document itself."""
    if not said:
        old = await desk.file(adr(1, "Queue"))
    new = await desk.file(adr(2, "Stream", created_at=day(2021), references=claims(SUPERSEDES, "Old queue")))
    if said:
        old = await desk.file(adr(1, "Queue", props={"aliases": list(said)}))
    else:
        await create(Api(desk.memory), "Old queue", old.entity.id)
    assert await edges(desk) == {("adr-2", "SUPERSEDES", "adr-1")}
    assert await _targets(desk, new.entity.id) == [("SUPERSEDES", str(old.entity.id))]
    assert await status(desk, old.entity.id, day(2020, 6)) == "Accepted"
    assert await status(desk, old.entity.id, day(2022)) == "superseded"


async def test_what_no_rule_allows_of_a_name_is_kept_as_a_plain_reference(desk: ProjectFixture) -> None:
    prism = await make_thing(desk, "Prism")
    filed = await desk.file(adr(1, "Guide", references=claims(SUPERSEDES, "PrismGR")))
    await create(Api(desk.memory), "PrismGR", prism)
    assert await _targets(desk, filed.entity.id) == [("REFERENCES", str(prism))]


async def _rename(desk: ProjectFixture, entity: Any, name: str, since: str) -> None:
    fact = {"entity": str(entity), "property": "name", "value": name, "validFrom": since}
    await done(Api(desk.memory), "recordFact", **fact)


@pytest.mark.parametrize("waited", [True, False])
@pytest.mark.parametrize(("kind", "kept_as"), [(DOCUMENTS, "DOCUMENTS"), (SUPERSEDES, "REFERENCES")])
async def test_what_was_joined_by_a_name_that_is_corrected_away_waits_again(
    desk: ProjectFixture, waited: bool, kind: ReferenceType, kept_as: str
) -> None:
    """And finds whatever is called so after that; what was believed before stays answerable."""
    slip, beacon = await make_thing(desk, "Lighthouse"), await make_thing(desk, "Tower")
    since = "2030-01-01T00:00:00Z"
    if not waited:
        await _rename(desk, slip, "Beacon", since)
    guide = adr(1, "Guide", "Of the Beacon.", created_at=day(2021), references=claims(kind, "Beacon"))
    filed = await desk.file(guide)
    if waited:
        await _rename(desk, slip, "Beacon", since)
    assert await _targets(desk, filed.entity.id) == [(kept_as, str(slip))]

    await _rename(desk, slip, "Lighthouse", since)
    assert await _targets(desk, filed.entity.id) == []
    assert await pending(desk) == {("Beacon", False)}
    await _rename(desk, beacon, "Beacon", "2026-01-01T00:00:00Z")
    assert await _targets(desk, filed.entity.id) == [(kept_as, str(beacon))]
    assert await pending(desk) == set()
    await _rename(desk, slip, "Pharos", since)
    assert await _targets(desk, filed.entity.id) == [(kept_as, str(beacon))]


async def test_a_name_that_was_a_name_once_keeps_what_it_joined(desk: ProjectFixture) -> None:
    thing = await make_thing(desk, "Lighthouse")
    filed = await desk.file(adr(1, "Guide", created_at=day(2021), references=claims(DOCUMENTS, "Lighthouse")))
    await _rename(desk, thing, "Beacon", "2024-01-01T00:00:00Z")
    assert await _targets(desk, filed.entity.id) == [("DOCUMENTS", str(thing))]


async def test_what_is_named_otherwise_too_or_stated_by_a_caller_stays(desk: ProjectFixture) -> None:
    api = Api(desk.memory)
    thing = await make_thing(desk, "Lighthouse")
    await _rename(desk, thing, "Beacon", "2023-01-01T00:00:00Z")
    both = await desk.file(adr(1, "Guide", references=claims(DOCUMENTS, "Beacon", "Lighthouse")))
    said = await desk.file(adr(2, "Note", "Beacon."))
    stated = {"source": str(said.entity.id), "target": str(thing), "type": "DOCUMENTS"}
    created = await api.ask(
        "mutation ($input: CreateReferenceInput!) { createReference(input: $input) { problems { code } } }",
        input={**stated, "sourceArtifact": str(said.artifact.id)},
    )
    assert created["createReference"]["problems"] == []
    await _rename(desk, thing, "Lighthouse", "2023-01-01T00:00:00Z")
    for filed in (both, said):
        assert await _targets(desk, filed.entity.id) == [("DOCUMENTS", str(thing))]


async def test_what_waits_for_a_former_name_finds_it_when_it_is_the_name_again(desk: ProjectFixture) -> None:
    thing = await make_thing(desk, "Lighthouse")
    await _rename(desk, thing, "Beacon", "2023-01-01T00:00:00Z")
    filed = await desk.file(adr(1, "Guide", references=claims(DOCUMENTS, "Lighthouse")))
    assert await pending(desk) == {("Lighthouse", False)}
    await _rename(desk, thing, "Lighthouse", "2024-01-01T00:00:00Z")
    assert await _targets(desk, filed.entity.id) == [("DOCUMENTS", str(thing))]


async def test_what_an_older_version_stated_waits_no_longer(desk: ProjectFixture) -> None:
    """Only the version that states a reference now can wait for its target."""
    thing = await make_thing(desk, "Lighthouse")
    await desk.file(adr(1, "Guide", created_at=day(2021), references=claims(DOCUMENTS, "Beacon")))
    await _rename(desk, thing, "Beacon", "2023-01-01T00:00:00Z")
    await desk.file(adr(1, "Guide", "Of nothing.", created_at=day(2022)))
    await _rename(desk, thing, "Lighthouse", "2023-01-01T00:00:00Z")
    assert await pending(desk) == set()
