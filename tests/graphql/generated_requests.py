"""Requests that schemathesis generates from the schema, sent to the whole application.

The number is that of the requests to each operation: `python -m tests.graphql.generated_requests 28`.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from app.main import create_app
from app.settings import Settings
from tests.e2e.serving import served
from tests.e2e.test_api import FILE, NEW, OLD, ask

ROOT = Path(__file__).parents[2]
NOT_IN_A_SCHEMA = "positive_data_acceptance"
"""The check that all data of the right types is accepted: a schema cannot say what a cursor or a cost is."""

CONFIGURATION = Path(__file__).with_name("schemathesis.toml")


def run_schemathesis(settings: Settings, cases_of_operation: int, *, seed: int = 7) -> dict[str, Any]:
    """Return the report of schemathesis after so many requests to each operation."""
    with served(create_app(settings), starts=True) as address:
        for body in (OLD, NEW):
            assert ask(address, FILE, body=body)["fileArtifact"]["created"]
        with tempfile.TemporaryDirectory(prefix="trigraph-schemathesis-") as folder:
            report = Path(folder) / "report.json"
            command = [
                *(sys.executable, "-m", "schemathesis.cli", "--config-file", str(CONFIGURATION)),
                *("run", f"{address}/graphql", "--continue-on-failure", "--no-color"),
                *("--exclude-checks", NOT_IN_A_SCHEMA),
                *("--max-examples", str(cases_of_operation), "--seed", str(seed)),
                *("--generation-database", "none", "--suppress-health-check", "all"),
                *("--report", "json", "--report-json-path", str(report)),
            ]
            environment = {**os.environ, "PYTHONPATH": str(ROOT)}
            done = subprocess.run(
                command, cwd=folder, env=environment, capture_output=True, text=True, check=False
            )
            assert report.exists(), done.stdout + done.stderr
            sys.stdout.write(done.stdout)
            result: dict[str, Any] = json.loads(report.read_text(encoding="utf-8"))
            return result


if __name__ == "__main__":
    with tempfile.TemporaryDirectory(prefix="trigraph-generated-") as home:
        sys.exit(run_schemathesis(Settings(home=Path(home)), int(sys.argv[1]))["exit_code"])
