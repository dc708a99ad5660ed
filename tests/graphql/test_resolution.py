from __future__ import annotations

import asyncpg

from tests.documents import adr, file
from tests.graphql.api import Api, ids_by_label

RESOLVE = """
query ($form: String!, $project: String, $asOf: DateTime) {
  resolveAlias(surfaceForm: $form, project: $project, asOf: $asOf) {
    surfaceForm entity { label } chain { surfaceForm target { label } }
  }
}
"""


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
    assert error["extensions"] == {"code": "BAD_USER_INPUT", "field": "surfaceForm"}
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
            INSERT INTO alias (tenant_id, id, project_id, surface_form, folded_form, target, source,
                authority_tier, valid_from, recorded_at, actor)
            SELECT $1, gen_random_uuid(), project_id, $2, lower($2), $4, $3, 1, '2020-01-01',
                ledger_clock.recorded_at, 'ada'
            FROM ledger_clock JOIN project USING (tenant_id) WHERE tenant_id = $1
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
