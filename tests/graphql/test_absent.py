from __future__ import annotations

from typing import Any
from uuid import uuid4

import pytest

from tests.graphql.api import Api
from tests.graphql.verbs import refused

SAID: dict[str, dict[str, Any]] = {
    "recordFact": {"property": "status", "value": "Rejected"},
    "transition": {"props": {"status": "Rejected"}, "eventType": "moved"},
    "saveWip": {"props": {}},
}


@pytest.mark.parametrize("verb", sorted(SAID))
async def test_what_is_no_id_says_how_to_find_one(api: Api, verb: str) -> None:
    refusal = await refused(api, verb, entity="checkout", **SAID[verb])
    assert refusal == (
        "NOT_FOUND",
        "entity",
        "there is no entity checkout; ids are UUIDs; resolveAlias returns the id for a name or identifier",
    )


@pytest.mark.parametrize("verb", sorted(SAID))
async def test_an_id_that_nothing_has_says_where_ids_are_told(api: Api, verb: str) -> None:
    nobody = str(uuid4())
    refusal = await refused(api, verb, entity=nobody, **SAID[verb])
    assert refusal[2] == f"there is no entity {nobody}; resolveAlias returns the id for a name or identifier"


async def test_a_draft_that_is_none_says_where_drafts_are_told(api: Api) -> None:
    nobody = str(uuid4())
    for verb in ("sealWip", "discardWip"):
        code, field, message = await refused(api, verb, state=nobody)
        assert (code, field) == ("NOT_FOUND", "state")
        assert message == (
            f"there is no state {nobody}; stateAsOf, drafts and the field states of an entity return them"
        )
