from __future__ import annotations

import subprocess
import tempfile
from pathlib import Path

from tests.cli.processes import Shell


def test_ingest_ends_with_one_line_and_fails_for_what_it_refused(served_home: Shell, folder: Path) -> None:
    """IDM-08."""
    first = served_home.run("ingest", folder, "--project", "team", "--json")
    assert (first.code, first.err) == (1, "")
    said = first.object
    assert (said["filed"], said["unchanged"]) == (2, 0)
    (refused,) = said["refused"]
    assert refused["source"].endswith("adr/0003-broken.md")
    assert "UTF-8" in refused["reason"]
    again = served_home.run("ingest", folder / "adr/0001-polling.md", "--project", "team", "--json")
    assert again.code == 0
    assert again.object["refused"] == []
    people = served_home.run("ingest", folder, "--project", "team")
    assert people.code == 1
    assert people.out.startswith("filed 0, unchanged 2, refused 1\n")
    assert "refused adr/0003-broken.md: it is UTF-16, not UTF-8; convert it" in people.out


def test_what_is_skipped_fails_nothing(served_home: Shell) -> None:
    with tempfile.TemporaryDirectory(prefix="trigraph-cli-skipped-") as name:
        empty = served_home.run("ingest", name, "--project", "skips")
        assert empty.code == 0
        assert "found nothing to import" in empty.out
        docs = Path(name)
        (docs / "open.md").write_text("---\nid: ADR-7\n\n# Open\n\nText.\n")
        (docs / "link.md").symlink_to(docs / "open.md")
        (docs / "docs.jsonl").write_text('{"id": "RFC-1", "title": "One", "body": "Text."}\n')
        people = served_home.run("ingest", docs, "--project", "skips")
        assert people.code == 0
        assert people.out.startswith("filed 1, unchanged 0, refused 0, skipped 2\n")
        assert people.out.count("never ends") == 1
        programs = served_home.run("ingest", docs, "--project", "skips", "--json")
        assert programs.code == 0
        skipped = {Path(each["source"]).name: each["reason"] for each in programs.object["skipped"]}
        assert skipped == {
            "docs.jsonl": "a file of rows is imported only if it is given as a path itself",
            "link.md": "it is a symbolic link, and symbolic links are not followed",
        }


def test_a_history_is_imported_from_rows_and_from_a_repository(served_home: Shell) -> None:
    with tempfile.TemporaryDirectory(prefix="trigraph-cli-history-") as name:
        docs = Path(name)
        (docs / "docs.jsonl").write_text('{"id": "RFC-1", "title": "One", "body": "Text."}\n')
        (docs / "states.jsonl").write_text(
            '{"id": "RFC-1", "valid_from": "2020-01-01", "props": {"status": "Draft"}, "cause_commit": "a"}\n'
        )
        command = ("ingest", docs / "docs.jsonl", "--states", docs / "states.jsonl", "--project", "told")
        people = served_home.run(*command)
        assert people.code == 0
        assert "histories 1: states recorded 1, unchanged 0\n" in people.out
        programs = served_home.run(*command, "--json").object
        assert (programs["statesRecorded"], programs["statesUnchanged"]) == (0, 1)

        git(docs, "init", "--quiet")
        (docs / "a.md").write_text("# A\n\nStatus: Draft\n")
        git(docs, "add", "a.md")
        git(docs, "commit", "--quiet", "--message", "Begin")
        committed = served_home.run("ingest", "--git", docs, "--project", "committed", "--json")
        assert committed.code == 0
        assert (committed.object["filed"], committed.object["statesRecorded"]) == (1, 1)


def git(folder: Path, *arguments: str) -> None:
    named = ("-c", "user.name=Ada", "-c", "user.email=ada@example.org")
    subprocess.run(["git", "-C", str(folder), *named, *arguments], check=True)


def test_paths_and_a_repository_are_not_named_together(served_home: Shell, folder: Path) -> None:
    for arguments in ((), (folder, "--git", folder), ("--git", folder, "--states", folder)):
        misused = served_home.run("ingest", *arguments)
        assert misused.code == 2


def test_what_waits_is_counted(served_home: Shell) -> None:
    with tempfile.TemporaryDirectory(prefix="trigraph-cli-waiting-") as name:
        (Path(name) / "ADR-7.md").write_text("# Listen\n\n## Depends on\n\n- SPEC-3\n- SPEC-4\n")
        people = served_home.run("ingest", name, "--project", "waiting")
        assert "\n2 unresolved references; `trigraph references --pending` lists them\n" in people.out
        programs = served_home.run("ingest", name, "--project", "waiting", "--json")
        assert programs.object["pendingReferences"] == 2
