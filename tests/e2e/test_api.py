"""The whole way over HTTP: a server in a process-like thread, a home of its own, the real encoder."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from httpx2 import Client, Response

from app.main import create_app
from app.settings import Settings
from tests.e2e.node import run_node
from tests.e2e.serving import served

OLD = """---
status: Accepted
date: 2023-01-10
---
# ADR-1: Poll the queue

Workers poll the queue every second and take what is due.
"""
NEW = """---
status: Accepted
date: 2024-06-01
---
# ADR-2: Listen to the queue

Workers are woken by the queue as soon as something is due.

## Supersedes

- ADR-1
"""
FILE = """
mutation File($body: String!) {
  fileArtifact(input: { kind: "ADR", body: $body }) {
    created position artifact { id identifier } references { type target { label } } problems { message }
  }
}
"""
RECALL = """
query Recall($query: String!, $asOf: DateTime) {
  recall(query: $query, asOf: $asOf) {
    asOf
    hits {
      rank stateFlag stateSummary content
      artifact { identifier } supersededBy { label }
      explanation { leg rank score contribution }
    }
    legs { leg candidates problem }
  }
}
"""


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """The address of the real application on a new embedded ledger, with two records filed over HTTP."""
    with (
        tempfile.TemporaryDirectory(prefix="trigraph-api-") as home,
        served(create_app(Settings(home=Path(home))), starts=True) as address,
    ):
        for body in (OLD, NEW):
            payload = ask(address, FILE, body=body)["fileArtifact"]
            assert (payload["created"], payload["problems"]) == (True, [])
        yield address


def post(address: str, operation: str, variables: Mapping[str, Any]) -> Response:
    """Return what comes back when an operation is sent as a client sends it."""
    with Client(timeout=60) as client:
        return client.post(
            f"{address}/graphql",
            json={"query": operation, "variables": variables},
            headers={"accept": "application/graphql-response+json"},
        )


def ask(address: str, operation: str, /, **variables: Any) -> dict[str, Any]:
    """Return the data of an operation that succeeds."""
    answer = post(address, operation, variables)
    assert answer.status_code == 200, answer.text
    said: dict[str, Any] = answer.json()
    assert "errors" not in said, said
    data: dict[str, Any] = said["data"]
    return data


def test_what_was_filed_is_recalled_with_its_standing(address: str) -> None:
    result = ask(address, RECALL, query="how do workers learn of work in the queue")["recall"]
    assert [hit["artifact"]["identifier"] for hit in result["hits"]] == ["ADR-2", "ADR-1"]
    new, old = result["hits"]
    assert (new["stateFlag"], new["supersededBy"]) == ("CURRENT", None)
    assert "woken by the queue" in new["content"]
    assert (old["stateFlag"], old["supersededBy"]) == ("HISTORICAL", {"label": "Listen to the queue"})
    assert "superseded by ADR-2" in old["stateSummary"]


def test_the_past_is_recalled_as_it_was(address: str) -> None:
    result = ask(address, RECALL, query="queue", asOf="2023-12-31T00:00:00Z")["recall"]
    assert [(hit["artifact"]["identifier"], hit["stateFlag"]) for hit in result["hits"]] == [
        ("ADR-1", "CURRENT")
    ]
    assert result["asOf"] == "2023-12-31T00:00:00Z"


def test_every_hit_is_explained_by_its_legs(address: str) -> None:
    result = ask(address, RECALL, query="ADR-2")["recall"]
    assert [leg["leg"] for leg in result["legs"]] == ["DENSE", "LEXICAL", "GRAPH", "RECENCY"]
    assert all(leg["problem"] is None for leg in result["legs"])
    first = result["hits"][0]
    assert first["artifact"]["identifier"] == "ADR-2"
    assert {"DENSE", "LEXICAL"} <= {share["leg"] for share in first["explanation"]}


def test_it_says_that_it_lives_and_is_ready(address: str) -> None:
    with Client(base_url=address) as client:
        assert client.get("/healthz").json() == {"status": "alive"}
        assert client.get("/readyz").json() == {"status": "ready", "reasons": []}


def test_a_browser_is_served_graphiql_and_its_files(address: str) -> None:
    with Client(base_url=address) as client:
        page = client.get("/graphql", headers={"accept": "text/html"})
        assert page.headers["content-type"].startswith("text/html")
        assert client.get("/graphiql/graphiql.min.js").status_code == 200


def test_the_first_example_of_graphiql_runs_on_the_first_visit_and_the_second(
    address: str, tmp_path: Path
) -> None:
    seen = run_node("graphiql_recall.cjs", f"{address}/graphql", str(tmp_path / "recall.png"))
    assert seen["foreign"] == []
    assert seen["complaints"] == []
    for result in (seen["result"], seen["again"]):
        assert '"stateFlag": "CURRENT"' in result
        assert '"identifier": "ADR-2"' in result
    assert seen["tabs"] == ["Recall", "RecallAsOf", "RecallExplained"]


@pytest.mark.parametrize(
    "query",
    [
        "Who's on call & why?",
        "foo & | ! ( ) :*",
        "a:b <-> c",
        "'",
        "queue' OR 1=1; --",
        'title:"queue" AND (NOT body:*)',
        r"\ % _ $1 {{7*7}} ${x}",
        "🚀 queue",
        "are",
    ],
)
def test_deg_04_any_question_is_answered_without_an_error(address: str, query: str) -> None:
    """DEG-04: no character is an operator of a search."""
    result = ask(address, RECALL, query=query)["recall"]
    assert all(leg["problem"] is None for leg in result["legs"])
    assert {hit["artifact"]["identifier"] for hit in result["hits"]} <= {"ADR-1", "ADR-2"}


@pytest.mark.parametrize("query", ["", "   ", "\u200b", " \t\n ", "\u3164", "\u0301", None])
def test_deg_06_a_blank_question_is_refused_in_one_way(address: str, query: str | None) -> None:
    """DEG-06, DEG-07: whatever it is blank with, and when it is not there at all."""
    said = post(address, RECALL, {"query": query}).json()
    assert (said.get("data") or {"recall": None}) == {"recall": None}
    (error,) = said["errors"]
    assert error["extensions"]["code"] == "BAD_USER_INPUT"
