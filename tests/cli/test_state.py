from __future__ import annotations

from pathlib import Path

from app.cli.runner import MISUSED
from tests.cli.processes import Shell


def test_a_state_is_shown_at_a_moment_and_as_a_history(served_home: Shell, folder: Path) -> None:
    served_home.run("ingest", folder, "--project", "states")
    shown = served_home.run("state", "adr 1", "--project", "states")
    assert (shown.code, shown.err) == (0, "")
    heading, superseded, state, _ = shown.out.splitlines()
    assert superseded == "superseded by ADR-0002 Push messages since 2026-03-01T00:00:00Z"
    assert heading == "ADR-0001 Poll for messages in states"
    assert state.startswith("state  2026-03-01T00:00:00Z  superseded, from ADR-0002 (recorded by ")
    assert "identifier: ADR-0001" in shown.out
    history = served_home.run("state", "ADR-0001", "--project", "states", "--history", "--json").object
    events = [(each["validFrom"], each["previous"]["eventType"]) for each in history["states"]]
    assert events == [("2026-01-01T00:00:00Z", "created"), ("2026-03-01T00:00:00Z", "superseded")]
    causes = [each["previous"]["causeArtifact"]["identifier"] for each in history["states"]]
    assert causes == ["ADR-0001", "ADR-0002"]
    id = history["entity"]["id"]
    earlier = served_home.run("state", id, "--as-of", "2026-02-01", "--json").object
    assert [each["props"].get("status") for each in earlier["states"]] == [None]
    unknown = served_home.run("state", id, "--known-at", "2000-01-01")
    assert (unknown.code, unknown.out) == (1, "")
    assert "nothing was known of ADR Poll for messages at that moment" in unknown.err
    early = served_home.run("state", "ADR-0001", "--project", "states", "--as-of", "2025-01-01")
    expected = "ADR-0001 begins on 2026-01-01; leave out --as-of to ask about the present\n"
    assert (early.code, early.out, early.err) == (1, "", expected)


def test_what_a_name_could_mean_is_listed_with_what_means_one_alone(
    served_home: Shell, tmp_path: Path
) -> None:
    for folder in ("billing", "forms"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "ADR-5.md").write_text(f"---\nid: {folder}/ADR-5\n---\n# Queue the {folder}\n")
    served_home.run("ingest", tmp_path, "--project", "twins", TRIGRAPH_TENANT="choices")
    served_home.run("ingest", tmp_path / "forms", "--project", "other", TRIGRAPH_TENANT="choices")
    several = served_home.run("state", "ADR-5", TRIGRAPH_TENANT="choices")
    assert (several.code, several.out) == (MISUSED, "")
    first, *lines = several.err.splitlines()
    assert first == "ADR-5 is ambiguous: it could mean 3 things; use one of these instead"
    assert len(lines) == 3
    for line in lines:
        words, _, called = line.strip().partition("  ")
        ran = served_home.run("state", *words.split(), TRIGRAPH_TENANT="choices")
        assert ran.code == 0
        title, project = called.removesuffix(")").split(" ", 1)[1].split(" (")
        assert ran.out.splitlines()[0].endswith(f"ADR-5 {title} in {project}")


def test_what_was_withdrawn_says_so_when_it_is_withdrawn_again(served_home: Shell, folder: Path) -> None:
    served_home.run("ingest", folder, "--project", "gone", TRIGRAPH_TENANT="gone")
    words = ("withdraw", "ADR-2", "--from", "2026-07-01", "--reason", "late")
    first, again = (served_home.run(*words, TRIGRAPH_TENANT="gone") for _ in range(2))
    assert (first.code, again.code, again.out) == (0, 1, "")
    assert again.err.startswith("ADR-2 ended on 2026-07-01 (withdrawn by ")
    assert again.err.endswith(": late); it is withdrawn already, so file it again first\n")
    history = served_home.run("state", "ADR-2", "--history", TRIGRAPH_TENANT="gone")
    assert history.out.splitlines()[-1].startswith("ended  2026-07-01T00:00:00Z  withdrawn by ")


def test_what_cannot_be_shown_is_reported(served_home: Shell) -> None:
    nobody = served_home.run("state", "ADR-4711")
    assert (nobody.code, nobody.out) == (1, "")
    assert "no document or entity is called ADR-4711" in nobody.err
    both = served_home.run("state", "ADR-1", "--history", "--as-of", "2026-01-01")
    assert both.code == 2
    assert "--history shows all moments" in both.err


def test_what_nobody_knows_the_beginning_of_shows_no_date(served_home: Shell, tmp_path: Path) -> None:
    texts = {
        "0001-one.md": "# Read one queue\n\nStatus: Accepted\n\nSee ADR-2.\n",
        "0002-each.md": "# Read a queue each\n\nSupersedes ADR-1\n",
        "0003-many.md": "# Read many queues\n\nDate: 2026-03-01\n\nSupersedes ADR-2\n",
    }
    (tmp_path / "adr").mkdir()
    for name, text in texts.items():
        (tmp_path / "adr" / name).write_text(text)
    of = ("--project", "undated")
    served_home.run("ingest", tmp_path / "adr", *of, TRIGRAPH_TENANT="undated")

    def shown(*words: str) -> str:
        ran = served_home.run(*words, *of, TRIGRAPH_TENANT="undated")
        assert (ran.code, ran.err) == (0, "")
        return ran.out

    first, second = (
        each for each in shown("state", "ADR-2", "--history").splitlines() if each.startswith("state")
    )
    assert first.startswith(
        "state  unknown until 2026-03-01T00:00:00Z  first recorded, from ADR-0002 (recorded"
    )
    assert second.startswith("state  2026-03-01T00:00:00Z  superseded, from ADR-0003 (recorded by ")
    assert "superseded by ADR-0002 Read a queue each\n" in shown("state", "ADR-1")
    history = served_home.run("state", "ADR-1", "--history", "--json", *of, TRIGRAPH_TENANT="undated").object
    assert [each["validFrom"] for each in history["states"]] == [None, None]
    assert (history["entity"]["createdAt"], history["successors"][0]["since"]) == (None, None)
    early = shown("list", "--as-of", "2020-01-01")
    assert (early.count("ADR-"), "since" in early) == (2, False)
    assert "ADR-0002" in shown("recall", "which queue", "--as-of", "2026-02-01")
    everything = (
        shown("recall", "which queue", "--as-of", "2026-02-01", "--json"),
        shown("references", "ADR-1"),
        shown("references", "ADR-1", "--json"),
        shown("list", "--json"),
        shown("state", "ADR-1", "--history"),
    )
    for text in everything:
        assert ("1000-" in text, "0999-" in text) == (False, False), text
