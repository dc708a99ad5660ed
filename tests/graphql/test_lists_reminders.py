from __future__ import annotations

import asyncpg

from tests.documents import adr, file
from tests.graphql.api import Api
from tests.graphql.verbs import done
from tests.stores.postgres.scene import OLD, TENANT, insert

LONG_AGO = "2024-06-01T00:00:00Z"
QUERY = """
query ($project: String) {
  reminders(project: $project) { category message since entity { id label } }
}
"""


async def _drafted_long_ago(owner: asyncpg.Connection) -> None:
    """Write an entity and its draft in an empty ledger whose clock has not come to this year yet."""
    draft = {"branch": "WIP", "wip_source": "EXPLICIT", "valid_from": LONG_AGO}
    props = '{"identifier": "ADR-1", "title": "Queue"}'
    async with owner.transaction():
        await owner.execute(
            "UPDATE ledger_clock SET recorded_at = $1::text::timestamptz WHERE tenant_id = $2",
            LONG_AGO,
            TENANT,
        )
        await owner.execute(insert("project", key="scene", folded_key="scene"))
        await owner.execute(insert("entity", id=OLD, key="adr-1"))
        await owner.execute(insert("entity_state", valid_from="2020-01-01Z", props=props))
        await owner.execute(insert("entity_state", id=OLD, props=props, **draft))


async def test_a_draft_untouched_for_thirty_days_is_reminded_of(api: Api, owner: asyncpg.Connection) -> None:
    await _drafted_long_ago(owner)
    await file(api.memory, adr(2, "Other"), "elsewhere")
    (reminder,) = (await api.ask(QUERY))["reminders"]
    assert reminder["category"] == "stale_wip"
    assert reminder["since"] == LONG_AGO
    assert reminder["entity"] == {"id": OLD, "label": "Queue"}
    assert reminder["message"].startswith("the draft of Queue has not been saved for ")
    assert (await api.ask(QUERY, project="Scene"))["reminders"] == [reminder]
    assert (await api.ask(QUERY, project="elsewhere"))["reminders"] == []
    assert (await api.refused(QUERY, project="nowhere"))["extensions"]["code"] == "NOT_FOUND"
    await done(api, "saveWip", entity=OLD, props={})
    assert (await api.ask(QUERY))["reminders"] == []
