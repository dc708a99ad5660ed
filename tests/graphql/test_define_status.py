from __future__ import annotations

from typing import Any

import pytest

from tests.graphql.api import Api

DEFINE = """
mutation ($input: DefineStatusInput!) {
  defineStatus(input: $input) {
    changed problems { __typename code message field }
    status { word flag count isOwn project }
  }
}
"""


async def define(api: Api, **said: Any) -> dict[str, Any]:
    return dict((await api.ask(DEFINE, input=said))["defineStatus"])


async def test_a_word_is_listed_defined_and_taken_back(api: Api) -> None:
    await api.file("# ADR-1: Queue\n\nStatus: Blessed\n", project="team")
    listed = '{ statuses(project: "team") { word flag count isOwn } }'
    held = '{ entities(project: "team", flags: [CURRENT]) { nodes { label } } }'
    met = {"word": "Blessed", "flag": None, "count": 1, "isOwn": False}
    assert (await api.ask(listed))["statuses"] == [met]
    assert (await api.ask(held))["entities"]["nodes"] == []
    said = {"word": "blessed", "flag": "CURRENT", "project": "team"}
    payload = await define(api, **said)
    assert (payload["problems"], payload["changed"]) == ([], True)
    assert payload["status"] == {**met, "flag": "CURRENT", "isOwn": True, "project": "team"}
    assert len((await api.ask(held))["entities"]["nodes"]) == 1
    assert (await define(api, **said))["changed"] is False
    assert (await define(api, word="Blessed", project="team"))["status"]["flag"] is None
    assert (await api.ask(listed))["statuses"] == [met]


@pytest.mark.parametrize("word", ["", "superseded", "x" * 65, "x" * 300])
async def test_a_word_that_is_none_is_a_problem(api: Api, word: str) -> None:
    payload = await define(api, word=word, flag="WIP")
    (problem,) = payload["problems"]
    assert (problem["code"], problem["field"]) == ("INVALID", "word")
    assert payload["status"] is None
