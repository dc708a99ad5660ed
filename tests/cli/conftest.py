from __future__ import annotations

import re
import signal
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.cli.runner import INTERRUPTED
from tests.cli.processes import Shell


@pytest.fixture(scope="package")
def shell() -> Iterator[Shell]:
    """A home of its own, with an embedded server of its own."""
    with tempfile.TemporaryDirectory(prefix="trigraph-cli-") as home:
        yield Shell(Path(home), {})


@pytest.fixture(scope="package")
def folder() -> Iterator[Path]:
    """Two good records, one of which supersedes the other, and a file that is no text."""
    with tempfile.TemporaryDirectory(prefix="trigraph-cli-docs-") as name:
        adr = Path(name) / "adr"
        adr.mkdir()
        (adr / "0001-polling.md").write_text(
            "# Poll for messages\n\nDate: 2026-01-01\n\n## Status\n\nSuperseded by ADR-0002\n\n"
            "## Decision\n\nWorkers poll for messages every second.\n"
        )
        (adr / "0002-pushing.md").write_text(
            "# Push messages\n\nDate: 2026-03-01\n\n## Status\n\nAccepted\n\n## Decision\n\n"
            "Messages are pushed to workers.\n\n## Supersedes\n\n- ADR-0001\n"
        )
        (adr / "0003-broken.md").write_bytes(b"\xff\xfe")
        yield Path(name)


@pytest.fixture(scope="package")
def served_home(shell: Shell) -> Iterator[Shell]:
    """The shell while one process keeps its server running, so that the others start fast."""
    with shell.running("serve", "--port", "0") as serving:
        assert serving.stderr is not None
        lines = iter(serving.stderr.readline, "")
        url = next(found[0] for line in lines if (found := re.search(r"http://\S+/graphql", line)))
        drained = threading.Thread(target=serving.stderr.read)
        drained.start()
        yield Shell(shell.home, {"URL": url})
        serving.send_signal(signal.SIGINT)
        assert serving.wait(30) == INTERRUPTED
        drained.join()
