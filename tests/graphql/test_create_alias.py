"""Giving names to entities over the API."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any
from uuid import UUID, uuid4

import pytest

from app.domain.entity import Role
from tests.documents import ProjectFixture, adr, ask, day, hit_of
from tests.graphql.api import Api
from tests.services.states.things import Thing
from tests.things import make_thing

CREATE = """
mutation ($input: CreateAliasInput!) {
  createAlias(input: $input) {
    alias { id surfaceForm authorityTier validFrom validUntil target { id } source { id }
            canonical { id } sourceArtifact { id } }
    candidate { id surfaceForm status quote entity { id } artifact { id } }
    position
    problems { __typename code message field }
  }
}
"""
RESOLVE = """
query ($form: String!, $project: String) {
  resolveAlias(surfaceForm: $form, project: $project) { entity { id label } chain { surfaceForm } }
}
"""


def as_agent(desk: ProjectFixture) -> Api:
    caller = replace(desk.memory.caller, role=Role.AGENT, principal="bot")
    return Api(replace(desk.memory, caller=caller))


async def create(api: Api, form: str, target: UUID | str, **said: Any) -> dict[str, Any]:
    """Return what createAlias gives."""
    data = await api.ask(CREATE, input={"surfaceForm": form, "target": str(target), **said})
    payload: dict[str, Any] = data["createAlias"]
    return payload


async def refused(api: Api, form: str, target: UUID | str, **said: Any) -> dict[str, Any]:
    """Return the one problem of an alias that is not written."""
    payload = await create(api, form, target, **said)
    assert (payload["alias"], payload["candidate"], payload["position"]) == (None, None, None)
    (problem,) = payload["problems"]
    return dict(problem)


async def resolved(desk: ProjectFixture, form: str) -> tuple[str, list[str]] | None:
    """Return the id of what a form means, and the aliases that lead there."""
    found = (await Api(desk.memory).ask(RESOLVE, form=form, project=desk.project))["resolveAlias"]
    if found is None:
        return None
    return found["entity"]["id"], [alias["surfaceForm"] for alias in found["chain"]]


async def test_a_name_means_its_entity_from_now_on(desk: ProjectFixture) -> None:
    prism = await make_thing(desk, "Prism")
    payload = await create(Api(desk.memory), " PrismGR ", prism)
    assert payload["problems"] == []
    assert int(payload["position"]) > 0
    alias = payload["alias"]
    assert (alias["surfaceForm"], alias["authorityTier"], alias["validUntil"]) == ("PrismGR", 1, None)
    assert alias["target"] == alias["canonical"] == {"id": str(prism)}
    assert alias["source"] is alias["sourceArtifact"] is None
    assert await resolved(desk, "prismgr") == (str(prism), ["PrismGR"])


@pytest.mark.parametrize(
    ("first", "second"),
    [
        pytest.param("STRASSE", "Straße", id="ALI-07 sharp s"),
        pytest.param("ΣΊΣΥΦΟΣ", "σίσυφος", id="ALI-07 final sigma"),
        pytest.param("Wide Gate", "  ｗｉｄｅ \t gate", id="width and white space"),
        pytest.param("Cafe\u0301", "CAFÉ", id="composed"),
    ],
)
async def test_the_same_alias_again_changes_nothing(desk: ProjectFixture, first: str, second: str) -> None:
    api, thing = Api(desk.memory), await make_thing(desk, "Harbor")
    written = await create(api, first, thing)
    again = await create(api, second, thing)
    assert again["problems"] == []
    assert again["alias"] == written["alias"]
    assert again["position"] is None


async def test_a_dotted_capital_i_is_another_letter(desk: ProjectFixture) -> None:
    """ALI-07: İ folds to i and a dot, so that it is one alias beside the other, and none is lost."""
    one, other = await make_thing(desk, "İzmir Gateway"), await make_thing(desk, "izmir gateway")
    assert await resolved(desk, "İZMIR GATEWAY") == (str(one), [])
    assert await resolved(desk, "IZMIR gateway") == (str(other), [])


async def test_the_tier_is_the_callers(desk: ProjectFixture) -> None:
    thing = await make_thing(desk, "Harbor")
    person, agent = Api(desk.memory), as_agent(desk)
    assert (await create(agent, "Quay", thing))["alias"]["authorityTier"] == 2
    assert (await create(person, "Pier", thing, authorityTier=2))["alias"]["authorityTier"] == 2
    assert (await create(agent, "Mole", thing, authorityTier=2))["alias"]["authorityTier"] == 2
    problem = await refused(agent, "Dock", thing, authorityTier=1)
    assert (problem["code"], problem["field"]) == ("FORBIDDEN", "authorityTier")
    for tier in (0, 4, -1):
        problem = await refused(person, "Dock", thing, authorityTier=tier)
        assert (problem["code"], problem["field"]) == ("INVALID", "authorityTier")


async def test_a_reader_writes_no_alias(desk: ProjectFixture) -> None:
    thing = await make_thing(desk, "Harbor")
    reader = replace(desk.memory, caller=replace(desk.memory.caller, role=Role.READER))
    assert (await refused(Api(reader), "Quay", thing))["code"] == "FORBIDDEN"


async def test_a_name_of_tier_3_awaits_review(desk: ProjectFixture) -> None:
    filed = await desk.file(adr(1, "Queue", "First line.\nThe old  Line was our queue.\nLast."))
    artifact = str(filed.artifact.id)
    for api in (as_agent(desk), Api(desk.memory)):
        payload = await create(api, "the OLD line", filed.entity.id, authorityTier=3)
        assert payload["alias"] is None
        assert payload["problems"] == []
        assert payload["candidate"]["status"] == "PENDING"
        assert payload["candidate"]["entity"] == {"id": str(filed.entity.id)}
        assert payload["candidate"]["artifact"] == {"id": artifact}
    assert payload["candidate"]["quote"] == "Queue"
    payload = await create(api, "The old Line", filed.entity.id, authorityTier=3)
    assert payload["candidate"]["surfaceForm"] == "the OLD line"
    assert await resolved(desk, "The old Line") is None


async def test_what_awaits_review_is_quoted_from_its_document(desk: ProjectFixture) -> None:
    thing = await make_thing(desk, "Harbor")
    filed = await desk.file(adr(1, "Queue", "First line.\nThe old  Line was Harbor.\nLast."))
    payload = await create(
        Api(desk.memory), "old Line", thing, authorityTier=3, sourceArtifact=str(filed.artifact.id)
    )
    assert payload["candidate"]["quote"] == "The old  Line was Harbor."
    problem = await refused(Api(desk.memory), "older Line", thing, authorityTier=3)
    assert (problem["code"], problem["field"]) == ("INVALID", "sourceArtifact")


async def test_what_is_an_alias_already_does_not_await_review(desk: ProjectFixture) -> None:
    filed = await desk.file(adr(1, "Queue"))
    written = await create(Api(desk.memory), "Line", filed.entity.id)
    queued = await create(as_agent(desk), "LINE", filed.entity.id, authorityTier=3)
    assert (queued["alias"], queued["candidate"]) == (written["alias"], None)


async def test_a_name_of_something_else_is_refused_with_what_it_could_mean(desk: ProjectFixture) -> None:
    api = Api(desk.memory)
    harbor, beacon = await make_thing(desk, "Harbor"), await make_thing(desk, "Beacon")
    record = await desk.file(adr(7, "Retry policy"))
    await create(api, "Quay", harbor)
    is_named, is_alias = "so use another name", "or withdraw the existing alias first"
    for form, meant, remedy in (
        ("harbor", f"Component Harbor ({harbor})", is_named),
        ("QUAY", f"Component Harbor ({harbor})", is_alias),
        ("adr 0007", f"ADR Retry policy ({record.entity.id})", is_named),
        ("retry  Policy", f"ADR Retry policy ({record.entity.id})", is_named),
    ):
        for tier in (None, 3):
            problem = await refused(api, form, beacon, authorityTier=tier)
            assert (problem["code"], problem["field"]) == ("CONFLICT", "surfaceForm")
            assert meant in problem["message"]
            assert f"Component Beacon ({beacon})" in problem["message"]
            assert problem["message"].endswith(remedy)


async def test_one_form_may_mean_two_things_in_two_projects(desk: ProjectFixture) -> None:
    api, other = Api(desk.memory), ProjectFixture(desk.memory, f"{desk.project}-other")
    here, there = await make_thing(desk, "Harbor"), await make_thing(other, "Beacon")
    assert (await create(api, "Quay", here, project=desk.project))["problems"] == []
    assert (await create(api, "Quay", there, project=other.project))["problems"] == []
    assert await resolved(desk, "quay") == (str(here), ["Quay"])
    assert await resolved(other, "quay") == (str(there), ["Quay"])
    problem = await refused(api, "Pier", here, project=other.project)
    assert (problem["code"], problem["field"]) == ("INVALID", "project")
    problem = await refused(api, "Pier", here, project="nowhere")
    assert (problem["code"], problem["field"]) == ("NOT_FOUND", "project")


@pytest.mark.parametrize(
    "form",
    [
        "",
        " ",
        "a",
        " a ",
        "x" * 513,
        "ﷺ" * 40,
        "ab\x00",
        "a\x07b",
        "a\x9bb",
        "\u200b\u200b\u200b",
        pytest.param("İ" * 300, id="longer once folded"),
    ],
)
async def test_a_form_that_can_be_no_name_is_refused(desk: ProjectFixture, form: str) -> None:
    thing = await make_thing(desk, "Harbor")
    problem = await refused(Api(desk.memory), form, thing)
    assert (problem["code"], problem["field"]) == ("INVALID", "surfaceForm")


async def test_half_a_character_is_refused(desk: ProjectFixture) -> None:
    thing = await make_thing(desk, "Harbor")
    problem = await refused(Api(desk.memory), "Quay\ud83d", thing)
    assert (problem["code"], problem["field"]) == ("INVALID", "surfaceForm")


@pytest.mark.parametrize("form", ["ab", "é" * 512, "C++", "  two words ", "名前", "👩‍🚀 crew"])
async def test_any_other_form_is_a_name(desk: ProjectFixture, form: str) -> None:
    thing = await make_thing(desk, "Harbor")
    payload = await create(Api(desk.memory), form, thing)
    assert payload["problems"] == []
    assert await resolved(desk, form) == (str(thing), [form.strip()])


@pytest.mark.parametrize("field", ["target", "source", "sourceArtifact"])
@pytest.mark.parametrize("id", [pytest.param(str(uuid4()), id="new"), "no id", ""])
async def test_what_is_not_there_is_told_by_its_field(desk: ProjectFixture, field: str, id: str) -> None:
    thing = await make_thing(desk, "Harbor")
    said = {"target": str(thing), field: id}
    problem = await refused(Api(desk.memory), "Quay", said.pop("target"), **said)
    assert (problem["code"], problem["field"]) == ("NOT_FOUND", field)


async def test_the_names_of_what_gave_way_lead_on(desk: ProjectFixture) -> None:
    """A form of A, where A gave way to B and B to C, means C."""
    api = Api(desk.memory)
    first, second, third = [
        await make_thing(desk, name) for name in ("Prism One", "Prism Two", "Prism Three")
    ]
    await create(api, "PrismGR", first)
    await create(api, "Prism One", second, source=str(first))
    payload = await create(api, "Prism Two", third, source=str(second))
    assert payload["alias"]["source"] == {"id": str(second)}
    assert await resolved(desk, "prismgr") == (str(third), ["PrismGR", "Prism One", "Prism Two"])
    assert await resolved(desk, "prism one") == (str(third), ["Prism One", "Prism Two"])
    again = await create(api, "PrismGR", first)
    assert again["alias"]["canonical"] == {"id": str(third)}


async def test_no_chain_leads_back_to_itself(desk: ProjectFixture) -> None:
    api = Api(desk.memory)
    first, second, third = [await make_thing(desk, name) for name in ("Aa", "Bb", "Cc")]
    await create(api, "Aa", second, source=str(first))
    await create(api, "Bb", third, source=str(second))
    for target in (first, second):
        problem = await refused(api, "Cc", target, source=str(third))
        assert (problem["code"], problem["field"]) == ("INVALID", "source")
        assert "the target was replaced by the source already, through Component " in problem["message"]
        assert "Component Bb" in problem["message"]
    problem = await refused(api, "itself", first, source=str(first))
    assert (problem["code"], problem["field"]) == ("INVALID", "source")


async def test_nothing_gives_way_by_what_it_never_was_called(desk: ProjectFixture) -> None:
    """A slip of the pen merges no two things."""
    api = Api(desk.memory)
    pier, delta = Thing(desk.memory, await make_thing(desk, "Pier")), await make_thing(desk, "Delta")
    record = (await desk.file(adr(7, "Queue"))).entity.id
    await create(api, "Mole", pier.id)
    await pier.change(day(2023), name="Jetty")
    for form, source in (("Zulu", pier.id), ("Delta", pier.id), ("ADR-8", record), ("Jetty", record)):
        problem = await refused(api, form, delta if form != "Delta" else record, source=str(source))
        assert (problem["code"], problem["field"]) == ("INVALID", "source")
        assert f"never had the name {form}" in problem["message"]
    assert (await create(api, "adr 7", delta, source=str(record)))["problems"] == []
    for form in ("jetty", "Pier"):
        assert (await create(api, form, delta, source=str(pier.id)))["problems"] == []
    assert await resolved(desk, "Mole") == (str(delta), ["Mole", "jetty"])


async def test_what_gave_way_gives_way_to_one(desk: ProjectFixture) -> None:
    api = Api(desk.memory)
    first, second, third = [await make_thing(desk, name) for name in ("Aa", "Bb", "Cc")]
    await create(api, "Aa", second, source=str(first))
    problem = await refused(api, "old Aa", third, source=str(first))
    assert (problem["code"], problem["field"]) == ("CONFLICT", "source")
    assert f"Component Bb ({second})" in problem["message"]
    problem = await refused(api, "Aa", second, source=str(third))
    assert (problem["code"], problem["field"]) == ("CONFLICT", "source")


async def test_older_texts_that_use_the_name_are_noted(desk: ProjectFixture) -> None:
    """ALI-10: whatever resolves names takes the alias, and recall tells who uses it."""
    prism = await make_thing(desk, "Prism")
    await desk.file(adr(1, "Install", "How to install PrismGR on a server."))
    assert (await desk.ask("prismgr install")).anchors == ()
    await create(Api(desk.memory), "PrismGR", prism)
    await desk.file(adr(2, "Upgrade", "How to upgrade PrismGR."))
    result = await ask(desk.memory, "prismgr install", project=desk.project)
    assert [anchor.entity.id for anchor in result.anchors] == [prism]
    for identifier in ("ADR-1", "ADR-2"):
        summary = hit_of(result, identifier).annotation.summary
        assert summary == "[historical: current Component is Prism, this reflects PrismGR]"


async def test_an_alias_that_became_the_name_dates_nothing(desk: ProjectFixture) -> None:
    prism = await make_thing(desk, "Prism")
    await create(Api(desk.memory), "prism", prism)
    await desk.file(adr(1, "Install", "How to install Prism on a server."))
    result = await desk.ask("Prism install")
    assert hit_of(result, "ADR-1").annotation.summary is None


async def test_of_many_at_once_one_gets_the_name(desk: ProjectFixture) -> None:
    things = [await make_thing(desk, f"Thing {number}") for number in range(8)]
    payloads = await asyncio.gather(*(create(Api(desk.memory), "The one", thing) for thing in things))
    assert len([payload for payload in payloads if payload["alias"]]) == 1
    problems = [problem for payload in payloads for problem in payload["problems"]]
    assert [problem["code"] for problem in problems] == ["CONFLICT"] * 7


async def test_the_same_key_gives_the_first_answer_again(desk: ProjectFixture) -> None:
    api, thing = Api(desk.memory), await make_thing(desk, "Harbor")
    key = {"idempotencyKey": f"name {desk.project}"}
    first = await create(api, "Quay", thing, **key)
    assert await create(api, "Quay", thing, **key) == first
    problem = await refused(api, "Pier", thing, **key)
    assert (problem["code"], problem["field"]) == ("CONFLICT", "idempotencyKey")
