from __future__ import annotations

from tests.e2e.node import run_node
from tests.e2e.serving import served
from tests.graphql.sample import sample_app


def test_every_audit_of_graphql_over_http_passes() -> None:
    with served(sample_app()) as address:
        results = run_node("audit.cjs", f"{address}/graphql")
    assert [result for result in results if result["status"] != "ok"] == []
    assert len(results) == 61
