"""`trigraph references`: what refers to what, and what waits."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from app.cli.app import application
from app.cli.runner import MISUSED
from tests.cli.processes import Shell

GUIDE = "# Guide\n\nDate: 2026-02-01\n\n## Depends on\n\n- ADR-1\n- SPEC-3\n\n## Superseded by\n\n- ADR-9\n"
QUEUE = "# Queue\n\nDate: 2026-01-01\n"


@pytest.fixture
def filed(served_home: Shell, tmp_path: Path) -> Shell:
    """A project `edges` with a guide that depends on a queue, and on what is not there."""
    (tmp_path / "ADR-1.md").write_text(QUEUE)
    (tmp_path / "ADR-2.md").write_text(GUIDE)
    served_home.run("ingest", tmp_path, "--project", "edges")
    return served_home


def test_references_are_listed_of_a_project_or_of_a_thing(filed: Shell) -> None:
    listed = filed.run("references", "--project", "edges")
    assert (listed.code, listed.err) == (0, "")
    assert listed.out == "ADR-2 Guide  DEPENDS_ON  ADR-1 Queue  2026-02-01\n"
    for name in ("ADR-1", "adr 2"):
        assert filed.run("references", name, "--project", "edges").out == listed.out
    shown = filed.run("references", "ADR-1", "--project", "edges", "--json").object
    (reference,) = shown["references"]
    with_ids = filed.run("references", "--project", "edges", "--ids").out
    assert with_ids == f"{listed.out}    {reference['id']}\n"
    source, target = reference["source"], reference["target"]
    assert (source.pop("id"), target.pop("id")) != (None, None)
    assert (source.pop("createdAt"), target.pop("createdAt")) == (
        "2026-02-01T00:00:00Z",
        "2026-01-01T00:00:00Z",
    )
    here = {"type": {"name": "ADR"}, "project": {"key": "edges", "name": "edges"}}
    assert source == {**here, "identifier": "ADR-2", "label": "Guide"}
    assert target == {**here, "identifier": "ADR-1", "label": "Queue"}
    assert reference["type"] == "DEPENDS_ON"
    earlier = filed.run("references", "--project", "edges", "--as-of", "2026-01-15")
    assert earlier.out == "no references\n"
    assert filed.run("references", "--project", "edges", "--first", "0").out.startswith("1 more;")


def test_pending_references_are_listed_with_their_targets(filed: Shell) -> None:
    listed = filed.run("references", "--pending", "--project", "edges")
    assert (listed.code, listed.err) == (0, "")
    assert "ADR-2 Guide  DEPENDS_ON  SPEC-3  unresolved since " in listed.out
    assert "ADR-9  SUPERSEDES  ADR-2 Guide  unresolved since " in listed.out
    shown = filed.run("references", "ADR-2", "--pending", "--project", "edges", "--json").object
    assert shown["count"] == 2
    assert {(each["waitsFor"], each["isInverted"]) for each in shown["pendingReferences"]} == {
        ("SPEC-3", False),
        ("ADR-9", True),
    }
    nothing = filed.run("references", "ADR-1", "--pending", "--project", "edges")
    assert nothing.out == "no unresolved references\n"


def test_a_reference_in_part_says_so(served_home: Shell, tmp_path: Path) -> None:
    (tmp_path / "ADR-1.md").write_text(f"{QUEUE}\n## Status\n\nSuperseded by ADR-2 (section 3 only)\n")
    served_home.run("ingest", tmp_path, "--project", "parts")
    waiting = served_home.run("references", "--pending", "--project", "parts")
    assert waiting.out.startswith("ADR-2  RELATES_TO in part  ADR-1 Queue  unresolved since ")
    (tmp_path / "ADR-2.md").write_text("# Guide\n\nDate: 2026-02-01\n")
    served_home.run("ingest", tmp_path, "--project", "parts")
    listed = served_home.run("references", "--project", "parts")
    assert listed.out == "ADR-2 Guide  RELATES_TO in part  ADR-1 Queue  2026-02-01\n"
    (reference,) = served_home.run("references", "--project", "parts", "--json").object["references"]
    assert (reference["type"], reference["inPart"]) == ("RELATES_TO", True)
    state = served_home.run("state", "ADR-1", "--project", "parts")
    assert "superseded in part by ADR-2 Guide since 2026-02-01" in state.out
    (successor,) = served_home.run("state", "ADR-1", "--project", "parts", "--json").object[
        "successorsInPart"
    ]
    assert successor["label"] == "ADR-2 Guide"


def test_projects_are_shown_where_there_are_several(filed: Shell, tmp_path: Path) -> None:
    for project in ("east", "west"):
        filed.run("ingest", tmp_path, "--project", project, TRIGRAPH_TENANT="compass")
    listed = filed.run("references", TRIGRAPH_TENANT="compass").out
    assert "ADR-2 Guide (east)  DEPENDS_ON  ADR-1 Queue (east)  2026-02-01\n" in listed
    assert "ADR-2 Guide (west)  DEPENDS_ON  ADR-1 Queue (west)  2026-02-01\n" in listed
    pending = filed.run("references", "--pending", TRIGRAPH_TENANT="compass").out
    assert "ADR-9  SUPERSEDES  ADR-2 Guide (west)  unresolved since " in pending


def test_an_unknown_name_is_reported(served_home: Shell) -> None:
    ran = served_home.run("references", "ADR-4711")
    assert (ran.code, ran.out) == (1, "")
    assert "no document or entity is called ADR-4711" in ran.err


def test_pending_references_are_those_of_now() -> None:
    words = ["references", "--pending", "--as-of", "2026-01-01"]
    ran = CliRunner().invoke(application, words, env={"COLUMNS": "200"})
    assert ran.exit_code == MISUSED
    assert "--pending lists what is unresolved now" in ran.output
