from __future__ import annotations

import re
import signal
import subprocess
import sys
import tempfile
import threading
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from app import __version__
from app.cli.running import INTERRUPTED
from tests.cli.processes import PATIENCE, Shell

TRACE = "Traceback"


@pytest.fixture(scope="module")
def shell() -> Iterator[Shell]:
    """A home of its own, with an embedded server of its own."""
    with tempfile.TemporaryDirectory(prefix="trigraph-cli-") as home:
        yield Shell(Path(home), {})


@pytest.fixture(scope="module")
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


@pytest.fixture(scope="module")
def served_home(shell: Shell) -> Iterator[Shell]:
    """The shell while one process keeps its server running, so that the others start fast."""
    with shell.start("serve", "--port", "0") as serving:
        assert serving.stderr is not None
        lines = iter(serving.stderr.readline, "")
        url = next(found[0] for line in lines if (found := re.search(r"http://\S+/graphql", line)))
        drained = threading.Thread(target=serving.stderr.read)
        drained.start()
        yield Shell(shell.home, {"URL": url})
        serving.send_signal(signal.SIGINT)
        assert serving.wait(30) == INTERRUPTED
        drained.join()


def test_the_service_says_where_it_answers(served_home: Shell) -> None:
    url = served_home.variables["URL"]
    assert url.startswith("http://127.0.0.1:")
    with urllib.request.urlopen(url.replace("/graphql", "/readyz"), timeout=30) as answer:
        assert answer.status == 200


def test_ingest_ends_with_one_line_and_fails_for_what_it_refused(served_home: Shell, folder: Path) -> None:
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
    assert "0003-broken.md: it is not UTF-8" in people.out


def test_recall_answers_one_object_with_the_names_of_the_schema(served_home: Shell, folder: Path) -> None:
    served_home.run("ingest", folder, "--project", "team")
    ran = served_home.run("recall", "how do workers get messages", "--project", "team", "--json")
    assert (ran.code, ran.err) == (0, "")
    result = ran.object
    assert set(result) == {
        "id", "hits", "anchors", "legs", "asOf", "knownAt", "tokensUsed", "advisories",
    }  # fmt: skip
    assert [hit["artifact"]["identifier"] for hit in result["hits"]] == ["ADR-0002", "ADR-0001"]
    assert [hit["rank"] for hit in result["hits"]] == [1, 2]
    old = result["hits"][1]
    assert set(old) == {
        "artifact", "entity", "passage", "content", "score", "rank", "stateFlag", "stateSummary",
        "flagGround", "state", "supersededBy", "explanation",
    }  # fmt: skip
    assert (old["stateFlag"], old["flagGround"]) == ("HISTORICAL", "OWN_STATE")
    assert old["stateSummary"].startswith("[historical: ADR-0001 is superseded by ADR-0002")
    assert old["supersededBy"]["label"] == "Push messages"
    assert old["entity"]["project"]["key"] == "team"
    assert old["content"] == old["passage"]["text"]
    assert {leg["leg"] for leg in result["legs"]} == {"DENSE", "LEXICAL", "GRAPH", "RECENCY"}
    assert all(set(share) == {"leg", "rank", "score", "contribution"} for share in old["explanation"])


def test_a_day_in_the_past_is_its_start_in_utc(served_home: Shell, folder: Path) -> None:
    served_home.run("ingest", folder, "--project", "team")
    asked = ("recall", "how do workers get messages", "--project", "team")
    ran = served_home.run(*asked, "--as-of", "2026-03-01", "--json")
    assert ran.object["asOf"] == "2026-03-01T00:00:00Z"
    assert [hit["artifact"]["identifier"] for hit in ran.object["hits"]] == ["ADR-0002", "ADR-0001"]
    earlier = served_home.run(*asked, "--as-of", "2026-02-28T23:59:59+00:00", "--explain")
    assert earlier.code == 0
    assert "ADR-0001  Poll for messages  2026-01-01  current" in earlier.out
    assert "as of     2026-02-28T23:59:59Z" in earlier.out
    assert "current by its own state; dense rank" in earlier.out
    assert "ADR-0002" not in earlier.out
    assert "lexical rank 1" in earlier.out


def test_a_hit_says_what_brought_it_here(served_home: Shell, folder: Path) -> None:
    served_home.run("ingest", folder, "--project", "team")
    ran = served_home.run("recall", "ADR-1", "--project", "team", "--explain")
    assert "names     ADR-1: ADR-0001 Poll for messages\n" in ran.out
    replacing, named = re.split(r"^ \d  ", ran.out, flags=re.MULTILINE)[1:]
    assert replacing.startswith("ADR-0002  Push messages  2026-03-01  current\n")
    assert "; named; " not in replacing
    assert named.startswith("ADR-0001  Poll for messages  2026-01-01  historical\n")
    assert "; named; historical by its own state; " in named
    brief = served_home.run("recall", "ADR-1", "--project", "team").out
    assert brief.count("    named, ") == 1
    assert "## " not in brief


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        (("--first", "0"), "--first 0 asks for nothing\n"),
        (("--as-of", "1990-01-01"), "nothing that fits existed at 1990-01-01T00:00:00Z\n"),
        (("--known-at", "1990-01-01"), "nothing that fits was known at 1990-01-01T00:00:00Z\n"),
        (("--token-budget", "0"), "what fits is left out: raise --token-budget\n"),
        (
            ("--kind", "Retro"),
            "nothing fits; ask in other words, or file something with `trigraph ingest PATH`\n",
        ),
    ],
)
def test_a_result_without_hits_says_why(
    served_home: Shell, folder: Path, asked: tuple[str, ...], told: str
) -> None:
    served_home.run("ingest", folder, "--project", "team")
    ran = served_home.run("recall", "messages", "--project", "team", *asked)
    assert (ran.code, ran.out) == (0, told)


def test_what_is_skipped_fails_nothing(served_home: Shell) -> None:
    with tempfile.TemporaryDirectory(prefix="trigraph-cli-skipped-") as name:
        empty = served_home.run("ingest", name, "--project", "skips")
        assert empty.code == 0
        assert "found nothing to file" in empty.out
        docs = Path(name)
        (docs / "open.md").write_text("---\nid: ADR-7\n\n# Open\n\nText.\n")
        (docs / "link.md").symlink_to(docs / "open.md")
        (docs / "docs.jsonl").write_text('{"id": "RFC-1", "title": "One", "body": "Text."}\n')
        people = served_home.run("ingest", docs, "--project", "skips")
        assert people.code == 0
        assert people.out.startswith("filed 1, unchanged 0, refused 0, skipped 2\n")
        assert people.out.count("never closes") == 1
        programs = served_home.run("ingest", docs, "--project", "skips", "--json")
        assert programs.code == 0
        skipped = {Path(each["source"]).name: each["reason"] for each in programs.object["skipped"]}
        assert skipped == {
            "docs.jsonl": "a file of rows is read only when it is named itself",
            "link.md": "it is a symbolic link, and links are not followed",
        }


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (("recall", "x", "--as-of", "2026-06-01T09:00:00"), 2, "write 2026-06-01T09:00:00Z for UTC"),
        (("recall", "x", "--as-of", "yesterday"), 2, "write it like 2026-06-01T09:00:00Z"),
        (("recall", " "), 2, "the query is blank"),
        (
            ("recall", "x", "--project", "nowhere", "--json"),
            1,
            "`trigraph ingest PATH --project nowhere`",
        ),
        (("ingest", "/nothing/here"), 2, "there is no /nothing/here"),
        (("serve", "--host", "0.0.0.0"), 1, "can be reached by others"),
        (("brew",), 2, "No such command"),
    ],
)
def test_a_failure_says_what_to_do_and_nothing_on_the_output(
    served_home: Shell, words: tuple[str, ...], code: int, said: str
) -> None:
    ran = served_home.run(*words)
    assert (ran.code, ran.out) == (code, "")
    assert said in ran.err
    assert TRACE not in ran.err


@pytest.mark.parametrize(
    ("name", "value", "told"),
    [
        ("TRIGRAPH_POOL_SIZE", "many", "'many' is no whole number"),
        ("TRIGRAPH_POOL_SIZE", "1", "1 is too small; the least is 2"),
        ("TRIGRAPH_LEG_TIMEOUT", "soon", "'soon' is no number"),
        ("TRIGRAPH_LEG_TIMEOUT", "0", "0 is too small; it must be more than 0.0"),
        ("TRIGRAPH_EMBEDDER", "mine", "'mine' is none of 'onnx' or 'sentence-transformers'"),
        ("TRIGRAPH_TENANT", "", "it is empty; leave it unset instead"),
    ],
)
def test_a_wrong_setting_is_named(served_home: Shell, name: str, value: str, told: str) -> None:
    ran = served_home.run("recall", "x", **{name: value})
    assert (ran.code, ran.out, ran.err) == (2, "", f"{name}: {told}\n")


def test_an_interrupt_while_the_command_loads_ends_it_quietly() -> None:
    interrupting = (
        "import sys\n"
        "class Interrupting:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        if name == 'app.cli.application':\n"
        "            raise KeyboardInterrupt\n"
        "sys.meta_path.insert(0, Interrupting())\n"
        "from app.__main__ import main\n"
        "main()\n"
    )
    done = subprocess.run([sys.executable, "-c", interrupting], capture_output=True, timeout=PATIENCE)
    assert (done.returncode, done.stderr) == (INTERRUPTED, b"")


def test_a_database_that_does_not_answer_is_named_without_its_password(served_home: Shell) -> None:
    url = "postgresql://me:secret@127.0.0.1:1/ledger"
    for words in (("recall", "x"), ("serve", "--port", "0")):
        ran = served_home.run(*words, TRIGRAPH_DATABASE_URL=url, TRIGRAPH_LOG_LEVEL="CRITICAL")
        assert (ran.code, ran.out) == (1, "")
        assert ran.err.startswith("no database answers at postgresql://me@127.0.0.1:1/ledger")
        assert "unset TRIGRAPH_DATABASE_URL to use the embedded one" in ran.err
        assert TRACE not in ran.err
        assert "secret" not in ran.err


def test_the_doctor_finds_everything_well_or_says_what_is_wrong(served_home: Shell) -> None:
    well = served_home.run("doctor")
    assert (well.code, well.err) == (0, "")
    assert "wrong" not in well.out
    doubtful = served_home.run("doctor", TRIGRAPH_HOM="x")
    assert doubtful.code == 0
    assert "TRIGRAPH_HOM is no setting and changes nothing; is TRIGRAPH_HOME meant?" in doubtful.out
    unusable = served_home.run("doctor", TRIGRAPH_HOME="/proc/nowhere")
    assert unusable.code == 1
    assert "wrong home: /proc/nowhere cannot be written" in unusable.out
    url = "postgresql://me@127.0.0.1:1/ledger"
    ill = served_home.run("doctor", "--json", TRIGRAPH_DATABASE_URL=url)
    assert ill.code == 1
    assert not ill.object["isWell"]
    assert [each["part"] for each in ill.object["findings"] if not each["isWell"]] == ["postgresql"]


def test_the_schema_of_the_embedded_ledger_is_up_to_date(served_home: Shell) -> None:
    assert served_home.run("migrate", "--check").out == "every migration is applied\n"
    assert served_home.run("migrate").out == "there was nothing to apply\n"
    assert served_home.run("reembed").out == "every vector is of this encoder already\n"


def test_the_version_and_the_schema_are_printed(served_home: Shell) -> None:
    assert served_home.run("--version").out == f"trigraph {__version__}\n"
    assert "type Query {" in served_home.run("schema").out


def test_the_demo_shows_five_recalls_and_files_once(served_home: Shell) -> None:
    first, again = served_home.run("demo"), served_home.run("demo")
    assert (first.code, first.err, again.code) == (0, "", 0)
    assert "filed 15, unchanged 0, refused 0" in first.out
    assert "filed 0, unchanged 15, refused 0" in again.out
    shown = re.split(r"^\d\. ", again.out, flags=re.MULTILINE)[1:]
    assert len(shown) == 5
    words, identifier, old_name, past, now = shown
    assert re.search(r"^ 1  ADR-0006 ", words, re.MULTILINE)
    assert re.search(r"^ 1  ADR-0013 ", identifier, re.MULTILINE)
    assert re.search(r"^ 1  ADR-0011 ", old_name, re.MULTILINE)
    assert re.search(r"^ \d  ADR-0005 .* current$", past, re.MULTILINE)
    assert "ADR-0013" not in past
    assert now.index("ADR-0013  ") < now.index("ADR-0005  ")
    assert "[historical: ADR-0005 is superseded by ADR-0013" in now
