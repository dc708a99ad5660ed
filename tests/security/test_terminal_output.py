"""Every command, run as a process on a ledger, files, a repository and a database made to hurt."""

from __future__ import annotations

import asyncio
import json
import os
import pty
import select
import subprocess
import sys
import tempfile
from collections.abc import AsyncIterator, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import asyncpg
import pytest
import typer

from app.cli.app import application
from app.domain.numbers import TenantNumber
from app.embedding import Embedder
from app.stores.neo4j.driver import Graph
from app.stores.neo4j.location import GraphLocation
from app.stores.postgres.pool import Database
from tests.cli.processes import TIMEOUT, Shell
from tests.conftest import TEMPLATE, Server, memory_on
from tests.neo4j_server import empty
from tests.security.hostile import ALIAS, LINES, MARK, OWN_CODES, fill, steering

PROJECT, KIND = f"Harbor {MARK}", "Note \x1b[7;41m\x9b7m\u202e"
SHOWN = r"\x1b]0;owned\x07\x1b[7;41mX"
BYTES = os.fsdecode(b"bytes-\xff\x9b-")
NAME = MARK.replace("/", "_")
NOWHERE = f"/nowhere/{NAME}"
TABLE = "artifacts \x1b[7;41m\x9b7m\u202e"  # no name of PostgreSQL is longer than 63 bytes


@dataclass(frozen=True, slots=True)
class Scene:
    """What the commands are pointed at."""

    shell: Shell
    folder: Path
    foreign: str

    def words(self, command: str) -> list[tuple[str, ...]]:
        """Return what to ask a command, each time in other words."""
        places = {"{folder}": str(self.folder), "{foreign}": self.foreign}
        return [tuple(_placed(word, places) for word in words) for words in CASES[command]]


def _placed(word: str, places: Mapping[str, str]) -> str:
    for name, place in places.items():
        word = word.replace(name, place)
    return word


CASES: Mapping[str, list[tuple[str, ...]]] = {
    "demo": [()],
    "serve": [("--host", f"host{MARK}"), ("--host", "0.0.0.0", "--port", "1")],
    "mcp": [("--config", MARK), ("--profile", MARK), ("--config", "json")],
    "ingest": [
        ("{folder}/docs", "--project", PROJECT, "--kind", KIND),
        ("{folder}/docs", "--project", PROJECT, "--prune"),
        ("{folder}/rows.jsonl", "--project", f"Rows {MARK}"),
        ("--git", "{folder}/repository", "--project", f"Git {MARK}"),
        ("--git", "{folder}/docs"),
        ("--git", "{folder}/no repository"),
        (NOWHERE,),
        ("{folder}/docs", "--project", "x" * 200 + MARK),
    ],
    "watch": [(NOWHERE,), ("{folder}/rows.jsonl",), (f"{NOWHERE} {LINES}", "--project", MARK)],
    "migrate-artifacts": [
        ("--from", "{foreign}", "--table", f'older."{TABLE}"', "--project", f"Old {MARK}", "--kind", KIND),
        ("--from", "{foreign}", "--table", f"missing {MARK}"),
        ("--from", "{foreign}", "--table", "older.broken"),
        ("--from", f"postgresql://a@127.0.0.1:1/{MARK}", "--table", "x"),
    ],
    "recall": [
        ("ADR-7",),
        ("ADR-7", "--explain"),
        ("queue", "--project", f"No {LINES}"),
        ("queue", "--kind", f"No {LINES}"),
        ("queue", "--as-of", f"2020 {MARK}"),
        ("queue", "--flag", MARK),
    ],
    "state": [("ADR-7",), ("ADR-7", "--history"), ("--drafts",), (LINES,), (ALIAS,), (f"Mole {LINES}",)],
    "list": [(), ("--project", f"No {LINES}"), ("--status", MARK), ("--type", MARK)],
    "references": [(), ("--pending",), ("ADR-7",), (LINES,)],
    "review": [(), ("--project", LINES), (MARK,)],
    "withdraw": [(LINES,), ("ADR-9", "--project", f"No {LINES}"), ("ADR-9", "--reason", LINES)],
    "check": [
        ("{folder}/docs",),
        ("{folder}/docs", "--format", "github"),
        ("{folder}/docs", "--against", f"No {LINES}"),
        (NOWHERE,),
    ],
    "statuses set": [
        (f"Blessed {LINES}=CURRENT", "--project", PROJECT),
        (f"{MARK}=RED",),
        ("superseded=WIP", "--project", LINES),
    ],
    "rename": [("ADR-10", f"ADR-70 {LINES}"), ("ADR-10", MARK * 30), (LINES, MARK)],
    "token create": [
        ("--role", "agent", "--name", f"crawler {MARK}"),
        ("--role", MARK),
        ("--role", "reader", "--tenant", LINES),
        ("--role", "reader", "--expires", LINES),
        ("--role", "human", "--name", "ada"),
    ],
    "token list": [()],
    "token revoke": [(MARK,), ("00000000-0000-0000-0000-000000000000",)],
    "tenant create": [(MARK,), ("harbour",), ("harbour",)],
    "tenant list": [()],
    "migrate": [(), ("--check",)],
    "schema": [()],
    "doctor": [()],
    "reembed": [()],
    "bench": [("--documents", "10", "--corpora", NOWHERE), ("--vectors", MARK)],
    "eval": [("{folder}/judged",), (NOWHERE,), ("{folder}/misjudged",)],
    "neo4j install": [(MARK,)],
    "neo4j start": [()],
    "neo4j stop": [()],
    "neo4j status": [()],
    "neo4j shell": [
        ("-c", "MATCH (n) OPTIONAL MATCH (n)-[r]->(m) RETURN n, r, m ORDER BY n.key LIMIT 20"),
        ("-c", f"RETURN '{LINES}' AS `{MARK}`, {{a: '{LINES}'}} AS b"),
        ("-c", f"RETURN nothing`{LINES}`"),
    ],
    "projection run": [(MARK,)],
    "projection rebuild": [()],
    "projection verify": [()],
    "projection status": [()],
}
JSON = (
    *(
        "ingest",
        "migrate-artifacts",
        "recall",
        "state",
        "list",
        "references",
        "review",
        "check",
        "doctor",
        "eval",
        "neo4j status",
    ),
    *("neo4j shell", "projection verify", "projection status"),
)

# A process costs more than a second; what draws differently on a terminal is drawn by these.
ON_A_TERMINAL = ("ingest", "migrate-artifacts", "recall", "state", "review", "doctor", "neo4j shell")


def commands(group: Any = None, path: tuple[str, ...] = ()) -> Iterator[str]:
    """Yield every command of the program."""
    found = typer.main.get_command(application) if group is None else group
    for name, command in getattr(found, "commands", {}).items():
        yield from commands(command, (*path, name))
    if not hasattr(found, "commands"):
        yield " ".join(path)


def test_each_command_has_its_cases() -> None:
    assert set(CASES) == set(commands())


@pytest.fixture(scope="module")
async def scene(
    server: Server, tenant: TenantNumber, embedder: Embedder, neo4j: GraphLocation
) -> AsyncIterator[Scene]:
    name = await server.create(TEMPLATE)
    url = server.url_of(name)
    database = await Database.open(url, size=4)
    await fill(memory_on(database, embedder, tenant), PROJECT)
    await database.close()
    await make_tables(url)
    async with Graph(neo4j) as graph:
        await empty(graph)
    with tempfile.TemporaryDirectory(prefix="trigraph-hostile-") as folder:
        home = Path(folder) / f"home {NAME}"
        home.mkdir()
        (home / "password").write_text(neo4j.password or "none")
        write_files(Path(folder))
        variables = {
            "TRIGRAPH_DATABASE_URL": url,
            "TRIGRAPH_NEO4J_URI": neo4j.uri,
            "TRIGRAPH_NEO4J_USER": neo4j.user,
            "TRIGRAPH_NEO4J_PASSWORD_FILE": str(home / "password"),
            f"TRIGRAPH_{MARK.replace('=', '-')}": "unknown",
            "COLUMNS": "100",
        }
        yield Scene(Shell(home, variables), Path(folder), url)
    await server.drop(name)


async def make_tables(url: str) -> None:
    """Make tables of an older system whose names and rows hurt, and one that refuses in such words."""
    connection = await asyncpg.connect(url)
    try:
        await connection.execute(
            f'CREATE SCHEMA older; CREATE TABLE older."{TABLE}" (id text, title text, body text, kind text);'
            f'CREATE TABLE older."second {MARK}" (id text);'
        )
        rows = [(f"1 {LINES}", LINES, f"Told. {LINES}", None), (f"2 {LINES}", LINES, None, None)]
        await connection.executemany(f'INSERT INTO older."{TABLE}" VALUES ($1, $2, $3, $4)', rows)
        await connection.execute(
            "CREATE FUNCTION older.refuse() RETURNS text LANGUAGE plpgsql AS"
            f" $$ BEGIN RAISE EXCEPTION USING MESSAGE = $m${LINES}$m$, HINT = $m${LINES}$m$; END $$;"
            "CREATE VIEW older.broken AS SELECT 1 AS id, older.refuse() AS title, 'x'::text AS body"
        )
    finally:
        await connection.close()


def write_files(folder: Path) -> None:
    """Write documents, rows, a repository and judged questions whose names and texts hurt."""
    docs = folder / "docs" / f"adr {NAME}"
    docs.mkdir(parents=True)
    text = (
        f"---\nstatus: x\ntags: [\n---\n# Queue {LINES}\n\nStatus: {MARK}\n\nBeacon, formerly Mole {LINES}\n"
    )
    (docs / f"0001-{NAME}.md").write_text(text)
    (docs / f"0002-{NAME}.md").write_text(f"---\nid: ADR-1 {MARK}\nkind: {KIND}\ndate: {MARK}\n---\n{text}")
    (docs / f"0003-{NAME}.md").write_bytes(b"\xff\xfe")
    (docs / f"0004-{NAME}\n.md").symlink_to(docs / "nothing")
    (docs / f"{BYTES}{NAME}.md").write_text(text)
    row = {"id": LINES, "title": LINES, "body": LINES, "kind": LINES, "status": LINES, "created_at": LINES}
    (folder / "rows.jsonl").write_text(
        "".join(f"{json.dumps(each)}\n" for each in (row, row | {"created_at": None})) + f"{{{MARK}\n"
    )
    make_repository(folder / "repository", text)
    (folder / "no repository").mkdir()
    (folder / "no repository" / ".git").write_text(f"gitdir: {NOWHERE}\n")
    (folder / "judged").mkdir()
    (folder / "judged" / "docs.jsonl").write_text(
        json.dumps({"id": f"ADR-1{MARK}", "title": MARK, "body": LINES})
    )
    question = {"text": LINES, "category": MARK, "relevant": [{"id": f"No{MARK}", "rel": 1}]}
    (folder / "judged" / "questions.jsonl").write_text(json.dumps(question))
    (folder / "misjudged").mkdir()
    (folder / "misjudged" / "docs.jsonl").write_text(
        json.dumps({"id": f"ADR-1{MARK}", "title": MARK, "body": LINES})
    )
    (folder / "misjudged" / f"questions.{NAME}.jsonl").write_text(f"{{{MARK}")


def make_repository(folder: Path, text: str) -> None:
    """Make a repository with an author, a branch, a message and files that hurt."""
    folder.mkdir()
    who = {f"GIT_{role}_{part}": f"a{MARK}" for role in ("AUTHOR", "COMMITTER") for part in ("NAME", "EMAIL")}
    environment = {"PATH": os.environ["PATH"], "HOME": str(folder), "GIT_CONFIG_NOSYSTEM": "1", **who}

    def git(*words: str) -> None:
        subprocess.run(["git", "-C", folder, *words], check=True, capture_output=True, env=environment)

    git("init", "--quiet", "--initial-branch", "branch\u202e\u009b7m")
    for version in (text, f"{text}\nLater {LINES}"):
        (folder / f"0001-{NAME}.md").write_text(version)
        (folder / f"0002-{BYTES}.md").write_text(version)
        git("add", "--all")
        git("commit", "--quiet", "--message", LINES)
    git("tag", "tag\u202e")


def told(scene: Scene, command: str, words: tuple[str, ...]) -> tuple[str, str]:
    """Return what a command writes to a pipe."""
    done = subprocess.run(
        scene.shell.command(*command.split(), *words),
        env=environment(scene, command),
        capture_output=True,
        timeout=TIMEOUT,
        cwd=scene.folder,
    )
    return done.stdout.decode(), done.stderr.decode()


def told_a_terminal(
    scene: Scene, command: str, words: tuple[str, ...], variables: Mapping[str, str] | None = None
) -> str:
    """Return what a command writes to a terminal, but for the colours and moves of its own.

    With variables it may also read from the terminal.
    """
    leading, following = pty.openpty()
    colours = {"TERM": "xterm-256color", "FORCE_COLOR": "1"}
    process = subprocess.Popen(
        scene.shell.command(*command.split(), *words),
        env=environment(scene, command) | colours | dict(variables or {}),
        stdin=subprocess.DEVNULL if variables is None else following,
        stdout=following,
        stderr=following,
        cwd=scene.folder,
    )
    os.close(following)
    pieces = []
    try:
        while select.select([leading], [], [], TIMEOUT)[0]:
            pieces.append(os.read(leading, 65536))
            if not pieces[-1]:
                break
    except OSError:  # the other end is closed
        pass
    finally:
        process.wait(TIMEOUT)
        os.close(leading)
    return OWN_CODES.sub("", b"".join(pieces).decode().replace("\r\n", "\n"))


def environment(scene: Scene, command: str) -> dict[str, str]:
    variables = scene.shell.environment({})
    if command in ("neo4j start", "neo4j stop"):
        variables["TRIGRAPH_NEO4J_URI"] = f"bolt://127.0.0.1:1/{MARK}"
    if command == "demo":
        variables["TRIGRAPH_TENANT"] = "demo"
    return variables


@pytest.mark.parametrize("command", CASES)
async def test_no_command_writes_what_steers_a_terminal(scene: Scene, command: str) -> None:
    for words in scene.words(command):
        out, err = await asyncio.to_thread(told, scene, command, words)
        assert steering(out + err) == set(), words
        assert not any(line.startswith("forged") for line in (out + err).splitlines()), words
        assert "Traceback" not in err
        assert out + err


@pytest.mark.parametrize("command", ON_A_TERMINAL)
async def test_no_command_steers_a_real_terminal(scene: Scene, command: str) -> None:
    words = scene.words(command)[-1]
    seen = await asyncio.to_thread(told_a_terminal, scene, command, words)
    assert steering(seen) == set(), words
    assert seen


@pytest.mark.parametrize(("lines", "is_paged"), [("3", True), ("99", False)])
async def test_a_list_longer_than_the_screen_is_paged_and_steers_nothing(
    scene: Scene, lines: str, is_paged: bool
) -> None:
    variables = {"LINES": lines, "PAGER": "sed s/^/page:/", "MANPAGER": "false"}
    seen = await asyncio.to_thread(told_a_terminal, scene, "list", (), variables)
    assert steering(seen) == set()
    listed = seen.splitlines()
    assert len(listed) > 3
    assert {line.startswith("page:") for line in listed} == {is_paged}
    out, _ = await asyncio.to_thread(told, scene, "list", ())
    assert "page:" not in out


@pytest.mark.parametrize("command", JSON)
async def test_json_means_what_was_written_and_steers_nothing(scene: Scene, command: str) -> None:
    words = scene.words(command)[0]
    out, err = await asyncio.to_thread(told, scene, command, (*words, "--json"))
    assert steering(out + err) == set(), words
    parsed = [json.loads(line) for line in out.splitlines()]
    assert parsed
    if command not in ("neo4j status", "projection verify", "projection status", "eval"):
        assert "\x1b]0;owned\x07\x1b[7;41mX" in "".join(texts(parsed))


def texts(value: object) -> Iterator[str]:
    """Yield each text in a value of JSON, names too."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for name, each in value.items():
            yield from texts([name, each])
    elif isinstance(value, list):
        for each in value:
            yield from texts(each)


@pytest.mark.parametrize(
    ("command", "words", "shown"),
    [
        ("doctor", (), f"project Harbor {SHOWN}"),
        ("doctor", (), f"TRIGRAPH_{SHOWN}"),
        ("recall", ("queue", "--project", "x"), f"Harbor {SHOWN}"),
        ("recall", ("ADR-7",), f"Queue {SHOWN}"),
        ("state", ("ADR-7", "--history"), f"(recorded by {SHOWN}"),
        (
            "state",
            ("ADR-7",),
            r"summary: Later \x1b]0;owned\x07\x1b[7;41mX\x1b]8;;https://evil.example\x1b\L\x08\x7f",
        ),
        ("recall", ("ADR-7",), "[bold red]M[/] [link=file:///etc]K[/link] :smile:"),
        ("ingest", (f"/nowhere/{BYTES}",), r"/nowhere/bytes-\xff\x9b-"),
    ],
)
async def test_it_is_shown_escaped(scene: Scene, command: str, words: tuple[str, ...], shown: str) -> None:
    out, err = await asyncio.to_thread(told, scene, command, words)
    assert shown in out + err


USAGE = """
import sys
from app.cli.guarded_streams import guard_output
guard_output()
from app.cli.app import application
for command in sys.argv[2:]:
    word = sys.argv[1]
    for words in ([f"--{word}"], ["--project", word, *[word] * 5], [f"--first={word}"], ["--help"]):
        try:
            application([*command.split(), *words], prog_name="trigraph")
        except SystemExit as ended:
            assert ended.code in (0, 2), (command, words)
"""


def test_what_is_used_wrongly_is_quoted_escaped() -> None:
    ran = subprocess.run(
        [sys.executable, "-c", USAGE, LINES + BYTES, *(name for name in CASES if name != "schema")],
        capture_output=True,
        timeout=TIMEOUT,
    )
    assert ran.returncode == 0, ran.stderr.decode()[-2000:]
    said = (ran.stdout + ran.stderr).decode()
    assert steering(said) == set()
    assert "No such option" in said
    assert not any(line.startswith("forged") for line in said.splitlines())


@pytest.mark.parametrize(
    "variables",
    [
        {"PYTHONIOENCODING": "ascii"},
        {"LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"},
        {"TRIGRAPH_HOME": f"/nowhere/{BYTES}", "TRIGRAPH_DATABASE_URL": ""},
        {"TRIGRAPH_LOG_LEVEL": LINES},
        {"TRIGRAPH_POOL_SIZE": LINES},
        {"TRIGRAPH_DATABASE_URL": f"postgresql://{MARK}:x@127.0.0.1:1/{MARK}"},
        {"TRIGRAPH_TENANT": MARK},
        {"TRIGRAPH_NEO4J_URI": f"bolt://127.0.0.1:1/{MARK}"},
    ],
    ids=lambda variables: "+".join(variables),
)
def test_neither_encodings_nor_settings_let_anything_through(scene: Scene, variables: dict[str, str]) -> None:
    words = ("doctor", "--json") if "TRIGRAPH_HOME" in variables else ("doctor",)
    done = subprocess.run(
        scene.shell.command(*words),
        env=scene.shell.environment(variables),
        capture_output=True,
        timeout=TIMEOUT,
    )
    said = (done.stdout + done.stderr).decode()
    assert said
    assert steering(said) == set()
    assert "Traceback" not in said
    assert "UnicodeEncodeError" not in said


@pytest.mark.parametrize("words", [("doctor", "--json"), ("schema",)])
def test_a_reader_that_leaves_ends_a_command_without_a_trace(scene: Scene, words: tuple[str, ...]) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(
        scene.shell.command(*words),
        env=scene.shell.environment({}),
        stdout=writing,
        stderr=subprocess.PIPE,
        timeout=TIMEOUT,
    )
    os.close(writing)
    assert done.returncode != 0
    assert b"Traceback" not in done.stderr
    closed = subprocess.run(
        ["sh", "-c", 'exec "$@" >&-', "sh", *scene.shell.command(*words)],
        env=scene.shell.environment({}),
        capture_output=True,
        timeout=TIMEOUT,
    )
    assert b"Traceback" not in closed.stderr
