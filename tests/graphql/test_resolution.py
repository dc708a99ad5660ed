from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from typing import Any

import asyncpg

from tests.documents import ProjectFixture, adr, day, file
from tests.graphql.api import Api, ids_by_label
from tests.graphql.test_create_alias import create
from tests.graphql.test_withdraw_artifact import withdraw
from tests.things import make_thing

RESOLVE = """
query ($form: String!, $project: String, $asOf: DateTime) {
  resolveAlias(surfaceForm: $form, project: $project, asOf: $asOf) {
    surfaceForm entity { label } chain { surfaceForm target { label } }
  }
}
"""


def ambiguous_between(error: dict[str, Any]) -> set[str]:
    """Return the entities that an error lists as what a name could mean."""
    assert (error["extensions"]["code"], error["extensions"]["field"]) == ("BAD_USER_INPUT", "surfaceForm")
    return set(error["extensions"]["candidates"])


async def test_a_name_is_resolved_however_it_is_spelled(records: Api) -> None:
    for form in ("PrismGR", "prismgr", "ＰＲＩＳＭＧＲ", " Prism   gate "):
        found = (await records.ask(RESOLVE, form=form))["resolveAlias"]
        assert found["surfaceForm"] == form
        assert found["entity"] == {"label": "Name the queue"}
        assert [alias["target"] for alias in found["chain"]] == [{"label": "Name the queue"}]


async def test_a_thing_goes_by_its_own_name_and_identifier_too(records: Api) -> None:
    for form in ("Name the queue", "adr 0003", "ADR-3"):
        found = (await records.ask(RESOLVE, form=form))["resolveAlias"]
        assert (found["entity"], found["chain"]) == ({"label": "Name the queue"}, [])


async def test_what_nothing_goes_by_is_null(records: Api) -> None:
    for form in ("Nonsense", "", "  ", "ADR-99"):
        assert (await records.ask(RESOLVE, form=form))["resolveAlias"] is None
    then = await records.ask(RESOLVE, form="PrismGR", asOf="2021-01-01T00:00:00Z")
    assert then["resolveAlias"] is None


async def test_a_form_of_two_projects_is_refused_with_what_it_could_mean(records: Api) -> None:
    other = await file(records.memory, adr(9, "Another gate", props={"aliases": ["prismgr"]}), "other")
    error = await records.refused(RESOLVE, form="PrismGR")
    assert ambiguous_between(error) == {
        str(other.entity.id),
        (await ids_by_label(records))["Name the queue"],
    }
    assert f"ADR Another gate ({other.entity.id})" in error["message"]
    assert "ADR Name the queue (" in error["message"]
    found = (await records.ask(RESOLVE, form="PrismGR", project="other"))["resolveAlias"]
    assert found["entity"] == {"label": "Another gate"}


async def test_a_chain_of_aliases_is_followed_to_its_end(records: Api, owner: asyncpg.Connection) -> None:
    ids = await ids_by_label(records)
    tenant = records.memory.caller.tenant
    for form, source, target in (
        ("Poller", "Poll the queue", "Listen to the queue"),
        ("Listener", "Listen to the queue", "Name the queue"),
    ):
        await owner.execute(
            """
            WITH moved AS (
                UPDATE ledger_clock SET recorded_at = clock_timestamp() WHERE tenant_id = $1 RETURNING *
            )
            INSERT INTO alias (tenant_id, id, project_id, surface_form, folded_form, target, source,
                authority_tier, valid_from, recorded_at, actor)
            SELECT $1, gen_random_uuid(), project_id, $2, lower($2), $4, $3, 1, '2020-01-01',
                moved.recorded_at, 'ada'
            FROM moved JOIN project USING (tenant_id)
            """,
            tenant,
            form,
            ids[source],
            ids[target],
        )
    found = (await records.ask(RESOLVE, form="POLLER"))["resolveAlias"]
    assert found["entity"] == {"label": "Name the queue"}
    assert [alias["surfaceForm"] for alias in found["chain"]] == ["Poller", "Listener"]
    aliases = await records.ask(
        "query ($id: ID!) { entity(id: $id) { aliases { canonical { label } source { label } } } }",
        id=ids["Listen to the queue"],
    )
    assert aliases["entity"]["aliases"] == [
        {"canonical": {"label": "Name the queue"}, "source": {"label": "Poll the queue"}}
    ]


async def test_an_alias_that_something_else_came_to_be_called_is_refused(desk: ProjectFixture) -> None:
    """The form could mean both from then on, and one as of before."""
    api, thing = Api(desk.memory), await make_thing(desk, "Tower")
    await create(api, "Beacon", thing)
    filed = await desk.file(adr(1, "Beacon", created_at=day(2999)))
    found = (await api.ask(RESOLVE, form="beacon", project=desk.project))["resolveAlias"]
    assert found["entity"] == {"label": "Tower"}
    later = {"form": "beacon", "project": desk.project, "asOf": "2999-01-02T00:00:00Z"}
    error = await api.refused(RESOLVE, **later)
    assert ambiguous_between(error) == {str(filed.entity.id), str(thing)}
    assert f"Component Tower ({thing})" in error["message"]
    assert f"ADR Beacon ({filed.entity.id})" in error["message"]


async def test_a_former_name_gives_way_to_an_alias_and_an_alias_to_an_identifier(
    desk: ProjectFixture,
) -> None:
    api, thing = Api(desk.memory), await make_thing(desk, "Tower")
    old = await desk.file(adr(1, "Lighthouse"))
    await desk.file(adr(1, "Beacon", created_at=day(2021)))
    found = (await api.ask(RESOLVE, form="lighthouse", project=desk.project))["resolveAlias"]
    assert (found["entity"], found["chain"]) == ({"label": "Beacon"}, [])
    await create(api, "Lighthouse", thing)
    found = (await api.ask(RESOLVE, form="lighthouse", project=desk.project))["resolveAlias"]
    assert found["entity"] == {"label": "Tower"}
    await create(api, "ADR-9", old.entity.id)
    await desk.file(adr(9, "Ninth"))
    found = (await api.ask(RESOLVE, form="adr 9", project=desk.project))["resolveAlias"]
    assert found["entity"] == {"label": "Ninth"}


async def label_of(desk: ProjectFixture, form: str, at: datetime | None = None) -> str | None:
    """Return the label of what a form means at a moment, None if it means nothing."""
    moment = None if at is None else at.isoformat()
    found = await Api(desk.memory).ask(RESOLVE, form=form, project=desk.project, asOf=moment)
    entity = (found["resolveAlias"] or {"entity": {"label": None}})["entity"]
    label: str | None = entity["label"]
    return label


async def test_a_document_that_ended_is_resolved_as_of_before(desk: ProjectFixture) -> None:
    document = adr(1, "Queue", props={"aliases": ["Lighthouse"]})
    filed = await desk.file(replace(document, stated_identifier="ADR-77"))
    forms = ("ADR-1", "1", "Queue", "Lighthouse", "ADR-77")
    await withdraw(Api(desk.memory), artifact=str(filed.artifact.id), validFrom=day(2022).isoformat())
    for form in forms:
        there = [await label_of(desk, form, at) for at in (day(2019), day(2021), day(2023), None)]
        assert (form, there) == (form, [None, "Queue", None, None])
    await desk.file(replace(document, stated_identifier="ADR-77", body="It is back."))
    for form in forms:
        assert await label_of(desk, form) == "Queue"
        assert await label_of(desk, form, day(2021)) == "Queue"


async def test_an_alias_that_two_documents_list_is_ambiguous_while_both_are_there(
    desk: ProjectFixture,
) -> None:
    api = Api(desk.memory)
    old = await desk.file(adr(1, "Old", props={"aliases": ["Beacon"]}))
    new = await desk.file(adr(2, "New", props={"aliases": ["beacon"]}, created_at=day(2021)))
    assert await label_of(desk, "Beacon", day(2020, 6)) == "Old"
    for at in (None, day(2022)):
        moment = None if at is None else at.isoformat()
        error = await api.refused(RESOLVE, form="BEACON", project=desk.project, asOf=moment)
        assert ambiguous_between(error) == {str(old.entity.id), str(new.entity.id)}
        assert f"ADR Old ({old.entity.id})" in error["message"]
        assert f"ADR New ({new.entity.id})" in error["message"]
    await withdraw(api, artifact=str(old.artifact.id), validFrom=day(2023).isoformat())
    assert await label_of(desk, "Beacon") == "New"
    assert await label_of(desk, "Beacon", day(2020, 6)) == "Old"
    await api.refused(RESOLVE, form="Beacon", project=desk.project, asOf=day(2022).isoformat())
    await desk.file(adr(2, "New", "It lists none.", created_at=day(2024)))
    assert await label_of(desk, "Beacon") is None
