"""Names that somebody decided about, stated once more for review."""

from __future__ import annotations

import pytest

from tests.documents import ProjectFixture, adr
from tests.graphql.api import Api
from tests.graphql.test_create_alias import create as create_alias
from tests.graphql.test_review import problem, review_alias
from tests.graphql.test_withdraw_alias import withdraw as withdraw_alias


@pytest.mark.parametrize("status", ["REJECTED", "PROMOTED"])
async def test_a_name_that_was_decided_about_awaits_no_review_again(
    desk: ProjectFixture, status: str
) -> None:
    api = Api(desk.memory)
    record = (await desk.file(adr(1, "Queue"))).entity.id
    asked = (api, "the old line", record)
    queued = (await create_alias(*asked, authorityTier=3))["candidate"]
    reviewed = await review_alias(api, queued["id"], status)
    if status == "PROMOTED":
        await withdraw_alias(api, reviewed["alias"]["id"])
    refused = await create_alias(*asked, authorityTier=3)
    assert refused["candidate"] is refused["alias"] is refused["position"] is None
    assert problem(refused)["code"] == "CONFLICT"
    assert problem(refused)["field"] == "surfaceForm"
    assert f"ada {status.lower()} this candidate at" in problem(refused)["message"]
    assert (await create_alias(*asked))["problems"] == []
