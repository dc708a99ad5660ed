from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from tests.graphql.api import Api

RECALL = """
query ($query: String!, $asOf: DateTime, $flags: [StateFlag!], $kinds: [String!], $domains: [MemoryDomain!],
       $first: Int, $tokenBudget: Int, $project: String, $preferWip: Boolean, $knownAt: DateTime) {
  recall(query: $query, asOf: $asOf, flags: $flags, kinds: $kinds, domains: $domains, first: $first,
         tokenBudget: $tokenBudget, project: $project, preferWip: $preferWip, knownAt: $knownAt) {
    id asOf knownAt tokensUsed advisories
    anchors { surfaceForm entity { label } state { props } }
    legs { leg candidates milliseconds served problem }
    hits {
      rank score content stateFlag stateSummary flagGround
      artifact { identifier } entity { label } passage { ordinal heading text } state { branch props }
      supersededBy { label } explanation { leg rank score contribution }
    }
  }
}
"""


async def recall(api: Api, query: str, **asked: Any) -> dict[str, Any]:
    found: dict[str, Any] = (await api.ask(RECALL, query=query, **asked))["recall"]
    return found


def cited(result: Mapping[str, Any]) -> list[str]:
    return [hit["artifact"]["identifier"] for hit in result["hits"]]


async def test_recall_tells_current_from_historical(records: Api) -> None:
    result = await recall(records, "how do workers get work from the queue")
    hits = {hit["artifact"]["identifier"]: hit for hit in result["hits"]}
    old, new = hits["ADR-1"], hits["ADR-2"]
    assert (old["stateFlag"], old["flagGround"]) == ("HISTORICAL", "OWN_STATE")
    assert "superseded by ADR-2" in old["stateSummary"]
    assert old["supersededBy"] == {"label": "Listen to the queue"}
    assert (new["stateFlag"], new["supersededBy"]) == ("CURRENT", None)
    assert new["rank"] < old["rank"]
    assert new["content"] == new["passage"]["text"]
    assert new["state"]["props"]["status"] == "Accepted"
    assert new["entity"]["label"] == "Listen to the queue"


async def test_recall_explains_itself(records: Api) -> None:
    result = await recall(records, "ADR-2")
    assert [anchor["entity"]["label"] for anchor in result["anchors"]] == ["Listen to the queue"]
    assert [report["leg"] for report in result["legs"]] == ["DENSE", "LEXICAL", "GRAPH", "RECENCY"]
    assert all(report["problem"] is None and report["milliseconds"] >= 0 for report in result["legs"])
    first = result["hits"][0]
    assert first["artifact"]["identifier"] == "ADR-2"
    assert {share["leg"] for share in first["explanation"]} >= {"DENSE", "LEXICAL"}
    assert all(share["rank"] >= 1 for share in first["explanation"])
    assert result["tokensUsed"] > 0


@pytest.mark.parametrize("query", ["are", "it is", "THE", "is it that they were?"])
async def test_deg_03_common_words_match_no_text(records: Api, query: str) -> None:
    """DEG-03: the leg of words finds nothing by them, whatever the encoder makes of them."""
    candidates = {report["leg"]: report["candidates"] for report in (await recall(records, query))["legs"]}
    assert candidates["LEXICAL"] == 0


async def test_recall_answers_as_of_then(records: Api) -> None:
    then = await recall(records, "queue", asOf="2021-01-01T00:00:00Z")
    assert cited(then) == ["ADR-1"]
    assert then["hits"][0]["stateFlag"] == "CURRENT"
    assert then["asOf"] == "2021-01-01T00:00:00Z"
    again = await recall(records, "queue", asOf=then["asOf"], knownAt=then["knownAt"])
    assert again["hits"] == then["hits"]


async def test_an_argument_that_is_null_means_its_default(records: Api) -> None:
    names = ("asOf", "knownAt", "preferWip", "project", "kinds", "domains", "flags", "first", "tokenBudget")
    plain = await recall(records, "queue")
    nulls = await recall(records, "queue", **dict.fromkeys(names))
    assert cited(nulls) == cited(plain)


async def test_recall_is_narrowed_by_its_arguments(records: Api) -> None:
    assert cited(await recall(records, "queue", flags=["HISTORICAL"])) == ["ADR-1"]
    assert cited(await recall(records, "queue", kinds=["spec"])) == []
    assert cited(await recall(records, "queue", domains=["DECISION"])) == []
    assert cited(await recall(records, "queue", first=0)) == []
    assert len(cited(await recall(records, "queue", first=1))) == 1
    assert cited(await recall(records, "queue", tokenBudget=0)) == []


@pytest.mark.parametrize(
    ("asked", "code", "field"),
    [
        ({"first": -1}, "BAD_USER_INPUT", "first"),
        ({"first": 101}, "BAD_USER_INPUT", "first"),
        ({"tokenBudget": -1}, "BAD_USER_INPUT", "tokenBudget"),
        ({"query": "  "}, "BAD_USER_INPUT", "query"),
        ({"project": "nowhere"}, "NOT_FOUND", "project"),
        ({"kinds": ["Nonsense"]}, "BAD_USER_INPUT", "kinds"),
        ({"asOf": "2024-01-01T00:00:00"}, "BAD_USER_INPUT", None),
        ({"asOf": "yesterday"}, "BAD_USER_INPUT", None),
    ],
)
async def test_a_recall_that_cannot_be_answered_says_why(
    records: Api, asked: dict[str, Any], code: str, field: str | None
) -> None:
    error = await records.refused(RECALL, **{"query": "queue", **asked})
    assert error["extensions"].get("field") == field
    assert error["extensions"]["code"] == code


@pytest.mark.parametrize("nothing", ["kinds: []", "domains: []", "flags: []", 'kinds: ["ADR"], flags: []'])
async def test_an_empty_list_means_none(records: Api, nothing: str) -> None:
    query = '{ recall(query: "the queue"%s) { hits { rank } } }'
    assert (await records.ask(query % ""))["recall"]["hits"]
    assert (await records.ask(query % f", {nothing}"))["recall"]["hits"] == []
