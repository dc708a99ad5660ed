from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from app.cli.app import application
from app.cli.runner import MISUSED
from tests.cli.processes import Shell

NOBODY = "00000000-0000-0000-0000-000000000001"
TEXT = (
    "# Beacon\n\nDate: 2026-03-10\n\nBeacon was formerly known as Lighthouse. The status is now Accepted.\n"
)


@pytest.fixture
def harbor(served_home: Shell, tmp_path: Path) -> Shell:
    """A project `harbor` whose one document suggests a name and a fact."""
    (tmp_path / "ADR-7.md").write_text(TEXT)
    served_home.run("ingest", tmp_path, "--project", "harbor")
    return served_home


def test_candidates_are_listed_and_decided_about_once(harbor: Shell) -> None:
    listed = harbor.run("review", "--project", "harbor")
    assert (listed.code, listed.err) == (0, "")
    assert "Lighthouse may mean ADR-7 Beacon\n    ADR-7: Beacon was formerly known as" in listed.out
    assert "status of ADR-7 Beacon may be Accepted\n    ADR-7: The status is now Accepted." in listed.out
    assert listed.out.splitlines()[-1].endswith("--ids shows the ids")
    found = harbor.run("review", "--project", "harbor", "--json").object
    assert found["pending"] == 2
    (alias,), (fact,) = found["aliasCandidates"], found["factCandidates"]
    with_ids = harbor.run("review", "--project", "harbor", "--ids").out.splitlines()
    assert (with_ids[2], with_ids[5]) == (f"    {alias['id']}", f"    {fact['id']}")
    counted = harbor.run("review", "--project", "harbor", "--first", "0")
    assert counted.out == "2 pending; use --first to list them\n"
    assert (alias["surfaceForm"], alias["entity"]["label"]) == ("Lighthouse", "Beacon")
    assert (alias["entity"]["type"], alias["entity"]["identifier"]) == ({"name": "ADR"}, "ADR-7")
    assert (fact["property"], fact["value"], fact["quoteStart"]) == (
        "status",
        "Accepted",
        TEXT.index("The st"),
    )

    promoted = harbor.run("review", alias["id"], "--promote", "--reason", "We all called it that.", "--json")
    assert promoted.object["status"] == "PROMOTED"
    assert promoted.object["written"]
    assert promoted.object["validFrom"].startswith("2026-03-10T00:00:00")
    rejected = harbor.run("review", fact["id"], "--reject", "--json").object
    assert (rejected["status"], rejected["written"], rejected["validFrom"]) == ("REJECTED", None, None)
    again = harbor.run("review", alias["id"], "--reject")
    assert again.code == 1
    assert "local promoted this candidate at" in again.err


def test_a_promotion_says_from_when_it_holds(harbor: Shell, tmp_path: Path) -> None:
    harbor.run("ingest", tmp_path, "--project", "bay", TRIGRAPH_TENANT="dated")
    found = harbor.run("review", "--project", "bay", "--json", TRIGRAPH_TENANT="dated").object
    for (candidate,) in (found["aliasCandidates"], found["factCandidates"]):
        ran = harbor.run("review", candidate["id"], "--promote", TRIGRAPH_TENANT="dated")
        assert ran.out == "promoted; it holds from 2026-03-10T00:00:00Z\n"


def test_candidates_of_several_projects_name_their_project(harbor: Shell, tmp_path: Path) -> None:
    for project in ("east", "west"):
        harbor.run("ingest", tmp_path, "--project", project, TRIGRAPH_TENANT="compass-review")
    listed = harbor.run("review", TRIGRAPH_TENANT="compass-review").out
    assert "Lighthouse may mean ADR-7 Beacon (east)\n" in listed
    assert "status of ADR-7 Beacon (west) may be Accepted\n" in listed


def test_an_unknown_candidate_is_reported(served_home: Shell) -> None:
    ran = served_home.run("review", NOBODY, "--reject")
    assert ran.code == 1
    assert f"there is no candidate {NOBODY}" in ran.err


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ((NOBODY,), "give either --promote or --reject"),
        ((NOBODY, "--promote", "--reject"), "give either --promote or --reject"),
        (("--promote",), "give the id of the candidate"),
        (("nonsense", "--reject"), "valid UUID"),
        (("--first", "101"), "first must be from 0 to 100"),
    ],
)
def test_misuse_is_reported_before_anything_opens(words: tuple[str, ...], says: str) -> None:
    ran = CliRunner().invoke(application, ["review", *words])
    assert ran.exit_code == MISUSED
    assert says in ran.stderr
