from __future__ import annotations

from pathlib import Path

from tests.cli.processes import Shell


def test_a_state_is_shown_at_a_moment_and_as_a_history(served_home: Shell, folder: Path) -> None:
    served_home.run("ingest", folder, "--project", "states")
    shown = served_home.run("state", "adr 1", "--project", "states")
    assert (shown.code, shown.err) == (0, "")
    heading, state, _ = shown.out.splitlines()
    assert heading.startswith("ADR Poll for messages (")
    assert heading.endswith(") in states")
    assert state.startswith("committed  2026-03-01T00:00:00Z  superseded because of ADR-0002, told by ")
    assert "identifier: ADR-0001" in shown.out
    history = served_home.run("state", "ADR-0001", "--project", "states", "--history", "--json").object
    told = [(each["validFrom"], each["eventType"]) for each in history["states"]]
    assert told == [("2026-01-01T00:00:00Z", "created"), ("2026-03-01T00:00:00Z", "superseded")]
    id = history["entity"]["id"]
    earlier = served_home.run("state", id, "--as-of", "2026-02-01", "--json").object
    assert [each["props"].get("status") for each in earlier["states"]] == [None]
    unknown = served_home.run("state", id, "--known-at", "2000-01-01")
    assert (unknown.code, unknown.out) == (1, "")
    assert "nothing was known of ADR Poll for messages at that moment" in unknown.err


def test_what_cannot_be_shown_is_told(served_home: Shell) -> None:
    nobody = served_home.run("state", "ADR-4711")
    assert (nobody.code, nobody.out) == (1, "")
    assert "nothing goes by ADR-4711" in nobody.err
    both = served_home.run("state", "ADR-1", "--history", "--as-of", "2026-01-01")
    assert both.code == 2
    assert "--history shows all moments" in both.err
