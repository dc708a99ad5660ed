from __future__ import annotations

from pathlib import Path

from tests.e2e.node import run_node
from tests.e2e.serving import served
from tests.graphql.sample import sample_app


def test_graphiql_works_in_a_browser_that_reaches_this_machine_alone(tmp_path: Path) -> None:
    picture = tmp_path / "graphiql.png"
    with served(sample_app()) as address:
        seen = run_node("graphiql.cjs", f"{address}/graphql", str(picture))
    assert seen["foreign"] == []
    assert seen["complaints"] == []
    assert seen["tabs"] == ["Recall", "RecallAsOf", "RecallExplained"]
    assert "recall(query: $query)" in seen["example"]
    assert '"greeting": "Hello, Ada"' in seen["result"]
    assert "What can be asked." in seen["docs"]
    assert "A greeting." in seen["docs"]
    assert picture.stat().st_size > 0
