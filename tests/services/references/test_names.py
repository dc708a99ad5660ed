"""References that a document states to what goes by another name, said before or after."""

from __future__ import annotations

from typing import Any

import pytest

from app.domain.entity import ReferenceType
from tests.documents import SUPERSEDES, Desk, adr, claims, day, edges, pending
from tests.graphql.api import Api
from tests.graphql.test_create_alias import create
from tests.graphql.test_create_reference import status
from tests.things import make_thing

DOCUMENTS = ReferenceType.DOCUMENTS


async def _targets(desk: Desk, entity: Any) -> list[tuple[str, str]]:
    """Answer how a document refers to what, by id."""
    query = "query ($id: ID!) { entity(id: $id) { references { nodes { type target { id } } } } }"
    found = (await Api(desk.memory).ask(query, id=str(entity)))["entity"]["references"]["nodes"]
    return [(node["type"], node["target"]["id"]) for node in found]


@pytest.mark.parametrize("named_first", [True, False])
async def test_a_reference_by_an_alias_leads_to_what_it_means(desk: Desk, named_first: bool) -> None:
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


async def test_a_reference_by_the_name_of_what_gave_way_leads_to_what_it_gave_way_to(desk: Desk) -> None:
    one, two = await make_thing(desk, "Prism One"), await make_thing(desk, "Prism Two")
    await create(Api(desk.memory), "PrismGR", one)
    await create(Api(desk.memory), "Prism One", two, source=str(one))
    filed = await desk.file(adr(1, "Guide", references=claims(DOCUMENTS, "PrismGR")))
    assert await _targets(desk, filed.entity.id) == [("DOCUMENTS", str(two))]


@pytest.mark.parametrize("said", [(), ("Old queue",)])
async def test_what_waits_for_a_name_supersedes_when_it_is_given(desk: Desk, said: tuple[str, ...]) -> None:
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


async def test_what_no_rule_allows_of_a_name_is_kept_as_a_plain_reference(desk: Desk) -> None:
    prism = await make_thing(desk, "Prism")
    filed = await desk.file(adr(1, "Guide", references=claims(SUPERSEDES, "PrismGR")))
    await create(Api(desk.memory), "PrismGR", prism)
    assert await _targets(desk, filed.entity.id) == [("REFERENCES", str(prism))]
