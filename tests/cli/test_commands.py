from __future__ import annotations

import io
import os
import pty
import re
import subprocess
import sys
import urllib.request

import pytest
from rich.console import Console

from app import __version__
from app.cli.app import COMMANDS, SUMMARIES, CommandGroup
from app.cli.import_output import import_progress
from app.cli.runner import INTERRUPTED
from app.services.importing import ImportSummary
from tests.cli.processes import TIMEOUT, Shell

TRACE = "Traceback"


def test_the_service_says_where_it_answers(served_home: Shell) -> None:
    url = served_home.variables["URL"]
    assert url.startswith("http://127.0.0.1:")
    with urllib.request.urlopen(url.replace("/graphql", "/readyz"), timeout=30) as answer:
        assert answer.status == 200


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (("recall", "x", "--as-of", "2026-06-01T09:00:00"), 2, "write 2026-06-01T09:00:00Z for UTC"),
        (("recall", "x", "--as-of", "yesterday"), 2, "write it like 2026-06-01 or 2026-06-01T09:00:00Z"),
        (("recall", " "), 2, "the query is blank"),
        (
            ("recall", "x", "--project", "nowhere", "--json"),
            1,
            "`trigraph ingest PATH --project nowhere`",
        ),
        (("ingest", "/nothing/here"), 2, "/nothing/here does not exist"),
        (("ingest", ""), 2, "a path is empty; use . for the current folder"),
        (("ingest",), 2, "give the paths to import, or a repository with --git"),
        (("ingest", ".", "--git", "."), 2, "--git cannot be combined with paths"),
        (("ingest", ".", "--git", "--project", "b"), 2, "--git needs a path, not --project: --git PATH"),
        (("recall", "x", "--project", "a\udcff"), 1, "there is no project"),
        (("serve", "--host", "0.0.0.0"), 1, "can be reached from other machines"),
        (("serve", "--port", "0", "--workers", "9"), 2, "use fewer --workers, or lower"),
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
    ("name", "value", "message"),
    [
        ("TRIGRAPH_POOL_SIZE", "many", "'many' is not a whole number"),
        ("TRIGRAPH_POOL_SIZE", "1", "1 is too small; the minimum is 2"),
        ("TRIGRAPH_LEG_TIMEOUT", "soon", "'soon' is not a number"),
        ("TRIGRAPH_LEG_TIMEOUT", "0", "0 is too small; it must be more than 0.0"),
        ("TRIGRAPH_EMBEDDER", "mine", "'mine' is not one of 'onnx' or 'sentence-transformers'"),
        ("TRIGRAPH_POOL_SIZE", "91", "91 is too large; the maximum is 90"),
        ("TRIGRAPH_TENANT", " ", "it is blank; unset the variable instead"),
        ("TRIGRAPH_LOG_LEVEL", "loud", "'loud' is not one of 'DEBUG', 'INFO', 'WARNING' or 'ERROR'"),
    ],
)
def test_a_wrong_setting_is_named(served_home: Shell, name: str, value: str, message: str) -> None:
    ran = served_home.run("recall", "x", **{name: value})
    assert (ran.code, ran.out, ran.err) == (2, "", f"{name}: {message}\n")


def test_an_interrupt_while_the_command_loads_ends_it_quietly() -> None:
    interrupting = (
        "import sys\n"
        "class Interrupting:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        if name == 'app.cli.app':\n"
        "            raise KeyboardInterrupt\n"
        "sys.meta_path.insert(0, Interrupting())\n"
        "from app.__main__ import main\n"
        "main()\n"
    )
    done = subprocess.run([sys.executable, "-c", interrupting], capture_output=True, timeout=TIMEOUT)
    assert (done.returncode, done.stderr) == (INTERRUPTED, b"")


def test_a_database_that_does_not_answer_is_named_without_its_password(served_home: Shell) -> None:
    url = "postgresql://me:secret@127.0.0.1:1/ledger"
    for words in (("recall", "x"), ("serve", "--port", "0"), ("serve", "--port", "0", "--workers", "2")):
        ran = served_home.run(*words, TRIGRAPH_DATABASE_URL=url)
        assert (ran.code, ran.out) == (1, "")
        assert "no database responds at postgresql://me@127.0.0.1:1/ledger: " in ran.err
        assert "Warning" not in ran.err
        assert "unset TRIGRAPH_DATABASE_URL to use the embedded one" in ran.err
        assert TRACE not in ran.err
        assert "secret" not in ran.err


def test_the_doctor_finds_everything_well_or_says_what_is_wrong(served_home: Shell) -> None:
    well = served_home.run("doctor")
    assert (well.code, well.err) == (0, "")
    assert "error" not in well.out
    doubtful = served_home.run("doctor", TRIGRAPH_HOM="x")
    assert doubtful.code == 0
    assert "TRIGRAPH_HOM is not a setting and has no effect; did you mean TRIGRAPH_HOME?" in doubtful.out
    unusable = served_home.run("doctor", TRIGRAPH_HOME="/proc/nowhere")
    assert unusable.code == 1
    assert "error    home: cannot write to /proc/nowhere: " in unusable.out
    url = "postgresql://me@127.0.0.1:1/ledger"
    ill = served_home.run("doctor", "--json", TRIGRAPH_DATABASE_URL=url)
    assert ill.code == 1
    assert not ill.object["isWell"]
    assert [each["part"] for each in ill.object["findings"] if not each["isWell"]] == ["postgresql"]
    assert all(set(each) == {"part", "isWell", "isDoubtful", "message"} for each in ill.object["findings"])


def test_the_schema_of_the_embedded_ledger_is_up_to_date(served_home: Shell) -> None:
    assert served_home.run("migrate", "--check").out == "all migrations are applied\n"
    assert served_home.run("migrate").out == "there are no migrations to apply\n"
    assert served_home.run("reembed").out == "all vectors are already from this encoder\n"


def test_the_version_and_the_schema_are_printed(served_home: Shell) -> None:
    assert served_home.run("--version").out == f"trigraph {__version__}\n"
    assert "type Query {" in served_home.run("schema").out


def test_the_demo_answers_from_the_past_of_real_documents_and_files_them_once(served_home: Shell) -> None:
    first, again = served_home.run("demo", FORCE_COLOR="1"), served_home.run("demo")
    assert (first.code, first.err, again.code) == (0, "", 0)
    assert "filed 16, unchanged 0, refused 0" in first.out
    assert "histories 16: states recorded 55, unchanged 0" in first.out
    assert "filed 0, unchanged 16, refused 0" in again.out
    assert "histories 16: states recorded 0, unchanged 55" in again.out
    shown = re.split(r"^\d\. ", again.out, flags=re.MULTILINE)[1:]
    assert len(shown) == 7
    words, identifier, old_title, past, now, superseded, timeline = shown
    assert re.search(r"^ 1  PEP-715 .* current$", words, re.MULTILINE)
    assert re.search(r"^ 1  PEP-440 .* current$", identifier, re.MULTILINE)
    assert "exact match" in identifier
    assert "PEP-449  Removal of the PyPI Mirror Auto Discovery and Naming Scheme" in old_title.splitlines()[2]
    assert "--as-of 2010-06-01" in past
    assert re.search(r"^ 1  PEP-386 .* current$", past, re.MULTILINE)
    assert "PEP-440" not in past
    assert re.search(r"^ 1  PEP-440 .* current$", now, re.MULTILINE)
    assert re.search(r"^ 2  PEP-386 .* historical$", now, re.MULTILINE)
    assert "[historical: PEP-386 is superseded by PEP-440 " in now
    assert re.search(r"^ 1  PEP-345 .* historical$", superseded, re.MULTILINE)
    assert re.search(r"^ 2  PEP-566 .* current$", superseded, re.MULTILINE)
    heading, successor, draft, _, accepted, _, over, says = timeline.splitlines()[2:]
    assert re.fullmatch(r"superseded by PEP-440 .+ since \d{4}-\d{2}-\d{2}T.+Z", successor)
    assert re.fullmatch(r"PEP-386 .+ in demo", heading)
    assert draft.startswith(
        "state  2009-06-04T09:13:08Z until 2010-03-21T22:24:43Z  first recorded at commit 526ad628ce51"
    )
    assert accepted.startswith("state  2010-03-21T22:24:43Z until 2014-08-22T12:43:42Z  status changed at")
    assert over.startswith("state  2014-08-22T12:43:42Z  status changed at commit df28da700d4b")
    assert 'status: Superseded; superseded_by: ["PEP-440"]' in says


def test_the_list_of_commands_imports_none_of_them() -> None:
    code = (
        "import sys; from app.cli.app import application\n"
        "application(['--help'], standalone_mode=False)\n"
        "heavy = {'pydantic', 'uvicorn', 'asyncpg', 'numpy'} & sys.modules.keys()\n"
        "assert not heavy, heavy\n"
        "assert not [name for name in sys.modules if name.startswith('app.services')]"
    )
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert all(f"\n  {name} " in done.stdout for name in COMMANDS)


def test_the_summary_of_each_command_begins_its_help() -> None:
    commands = CommandGroup().commands
    assert SUMMARIES.keys() == COMMANDS.keys()
    for name, summary in SUMMARIES.items():
        help_text = " ".join((commands[name].help or "").split())
        assert help_text == summary or help_text.startswith(f"{summary} "), name


def test_a_usage_error_breaks_between_words_on_a_terminal(served_home: Shell) -> None:
    leading, following = pty.openpty()
    command, variables = served_home.command("state", "A", "--as-of", "yesterday"), {"COLUMNS": "40"}
    subprocess.run(command, stderr=following, env=served_home.environment(variables))
    os.close(following)
    shown = os.read(leading, 10_000).decode().splitlines()
    os.close(leading)
    assert max(map(len, shown)) <= 40
    said = "'yesterday' is not a moment; write it like 2026-06-01 or 2026-06-01T09:00:00Z"
    assert " ".join(" ".join(shown).split()).endswith(f"Error: Invalid value for '--as-of': {said}")


@pytest.mark.parametrize("terminal", ["xterm", "dumb"])
def test_no_progress_is_shown_where_it_cannot_be_taken_back(
    monkeypatch: pytest.MonkeyPatch, terminal: str
) -> None:
    monkeypatch.setenv("TERM", terminal)
    file = io.StringIO()
    with import_progress(Console(file=file, force_terminal=True)) as watch:
        watch(ImportSummary(total=16, filed=16))
    assert file.getvalue() == ""
