from __future__ import annotations

from app.settings import Settings
from tests.graphql.generated_requests import run_schemathesis

CASES_OF_OPERATION = 3


def test_generated_requests_of_every_operation_pass_all_checks(database_url: str) -> None:
    report = run_schemathesis(Settings(database_url=database_url, pool_size=4), CASES_OF_OPERATION)
    assert (report["failures"], report["errors"]) == ([], [])
    assert report["exit_code"] == 0
    assert report["operations"]["tested"] == report["operations"]["total"]
    assert report["test_cases"]["generated"] >= 100
