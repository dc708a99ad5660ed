from __future__ import annotations

import json
import os
import pty
import re
import select
import subprocess
import time
from contextlib import ExitStack
from pathlib import Path

import pytest

from app.cli.neo4j_shell import has_words, split_statements
from app.stores.neo4j.driver import Graph
from app.stores.neo4j.location import GraphLocation
from tests.cli.processes import TIMEOUT, Shell

FILL = """
CREATE (old:Entity:Type {key: 'ADR-1', title: 'Poll; "x"', `odd name`: date('2026-01-01'), parts: [1.5, 2.0]})
    -[:SUPERSEDED_BY {at: datetime('2026-03-01T00:00:00Z')}]->
    (:`Odd label` {key: 'ADR-2', wait: duration('P1D')})
"""
PATH = (
    '(:Entity:Type {key: "ADR-1", `odd name`: 2026-01-01, parts: [1.5, 2.0], title: "Poll; \\"x\\""})'
    "-[:SUPERSEDED_BY {at: 2026-03-01T00:00:00+00:00}]->"
    '(:`Odd label` {key: "ADR-2", wait: P1D})'
)


@pytest.fixture
def asking(neo4j: GraphLocation, tmp_path: Path) -> Shell:
    """Commands that find the session's server in the settings."""
    (tmp_path / "password").write_text(f"{neo4j.password or 'none'}\n")
    return Shell(
        tmp_path,
        {
            "TRIGRAPH_NEO4J_URI": neo4j.uri,
            "TRIGRAPH_NEO4J_USER": neo4j.user,
            "TRIGRAPH_NEO4J_PASSWORD_FILE": str(tmp_path / "password"),
        },
    )


def piped(shell: Shell, text: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        shell.command("neo4j", "shell"),
        input=text,
        env=shell.environment({}),
        capture_output=True,
        text=True,
        timeout=TIMEOUT,
    )


async def test_a_query_is_answered_with_a_table(graph: Graph, asking: Shell) -> None:
    await graph.write(FILL)
    ran = asking.run("neo4j", "shell", "-c", "MATCH path = (:Entity)-->() RETURN path, 1 AS one, null AS no")
    assert (ran.code, ran.err) == (0, "")
    head, _, row, count = (re.split(r"  +", line.strip()) for line in ran.out.splitlines())
    assert head == ["path", "one", "no"]
    assert row == [PATH, "1", "null"]
    assert count == ["1 row"]


async def test_a_path_is_shown_in_the_direction_of_its_relationships(graph: Graph, asking: Shell) -> None:
    await graph.write("CREATE (:A)-[:R]->(:B)")
    ran = asking.run("neo4j", "shell", "-c", "MATCH path = (:B)<--(:A) RETURN path")
    assert "(:B)<-[:R]-(:A)" in ran.out


async def test_a_program_is_answered_with_an_object_a_query(graph: Graph, asking: Shell) -> None:
    await graph.write(FILL)
    query = (
        "MATCH (a)-[r]->(b) RETURN a, r, b.wait AS wait, {x: [true, sqrt(-1)]} AS map;"
        " MATCH p = ()-->() RETURN size(nodes(p)) AS n, p"
    )
    ran = asking.run("neo4j", "shell", "--json", "-c", query)
    first, second = map(json.loads, ran.out.splitlines())
    assert first["columns"] == ["a", "r", "wait", "map"]
    (row,) = first["rows"]
    assert row["a"]["labels"] == ["Entity", "Type"]
    assert row["a"]["properties"]["parts"] == [1.5, 2.0]
    assert row["r"] == {"type": "SUPERSEDED_BY", "properties": {"at": "2026-03-01T00:00:00+00:00"}}
    assert (row["wait"], row["map"]) == ("P1D", {"x": [True, None]})
    (row,) = second["rows"]
    assert (row["n"], [len(row["p"][part]) for part in ("nodes", "relationships")]) == (2, [2, 1])


@pytest.mark.parametrize(
    "query",
    ["CREATE (:Thing)", "CREATE CONSTRAINT c FOR (t:Thing) REQUIRE t.key IS UNIQUE", "CREATE USER eve"],
)
async def test_nothing_can_be_written(graph: Graph, asking: Shell, query: str) -> None:
    ran = asking.run("neo4j", "shell", "-c", query)
    assert (ran.code, ran.out) == (1, "")
    assert " reports an error: " in ran.err
    (counted,) = await graph.read("MATCH (thing) RETURN count(*) AS things")
    assert counted["things"] == 0


def test_a_script_goes_on_to_its_first_mistake(asking: Shell) -> None:
    ran = piped(asking, "// nothing; here\nRETURN ';' AS first;\nRETURN nope;\nRETURN 'third'\n")
    assert ran.returncode == 1
    assert '";"' in ran.stdout
    assert "Variable `nope` not defined" in ran.stderr
    assert "third" not in ran.stdout


def test_no_query_is_no_failure(asking: Shell) -> None:
    ran = piped(asking, " // nothing\n")
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, "", "")


def test_a_person_is_asked_for_queries_and_mistakes_end_nothing(asking: Shell) -> None:
    ours, theirs = pty.openpty()
    with (
        subprocess.Popen(
            asking.command("neo4j", "shell"),
            env=asking.environment({"TERM": "dumb"}),
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            start_new_session=True,
        ) as process,
        ExitStack() as stack,
    ):
        stack.callback(process.kill)
        os.close(theirs)
        said = Terminal(ours)
        said.until("cypher> ")
        said.write("RETURN nope;\n")
        said.until("Variable `nope` not defined")
        said.until("cypher> ")
        said.write("RETURN 6 * 7\n")
        said.until("...> ")
        said.write("  AS answer;\n")
        said.until("42")
        said.until("cypher> ")
        said.write(":quit\n")
        assert process.wait(TIMEOUT) == 0
    os.close(ours)
    assert "AS answer;" in (asking.home / "neo4j.history").read_text()


class Terminal:
    """The person's end of a terminal."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._unread = ""

    def write(self, text: str) -> None:
        os.write(self._descriptor, text.encode())

    def until(self, text: str) -> None:
        """Read on until a text was seen."""
        deadline = time.monotonic() + TIMEOUT
        while text not in self._unread:
            ready, _, _ = select.select([self._descriptor], [], [], deadline - time.monotonic())
            assert ready, f"{text!r} did not come: {self._unread!r}"
            self._unread += os.read(self._descriptor, 4096).decode()
        self._unread = self._unread.partition(text)[2]


async def test_the_status_of_a_server_is_shown(graph: Graph, asking: Shell) -> None:
    await graph.write(FILL)
    ran = asking.run("neo4j", "status")
    assert ran.code == 0
    assert f"is running at {graph.uri}\n2 nodes, 1 relationship\n" in ran.out
    assert asking.run("neo4j", "status", "--json").object == {
        "answers": True,
        "uri": graph.uri,
        "version": await graph.version(),
        "nodes": 2,
        "relationships": 1,
    }


@pytest.fixture
def unset(tmp_path: Path) -> Shell:
    """A home in which no Neo4j was ever started."""
    return Shell(tmp_path, {})


def test_a_server_that_does_not_answer_is_a_failure(unset: Shell) -> None:
    ran = unset.run("neo4j", "status", TRIGRAPH_NEO4J_URI="bolt://127.0.0.1:1")
    assert ran.code == 1
    assert "Neo4j at bolt://127.0.0.1:1 does not respond" in ran.out


@pytest.mark.parametrize("word", ["start", "stop"])
def test_a_server_of_somebody_elses_is_not_ours_to_start(unset: Shell, word: str) -> None:
    ran = unset.run("neo4j", word, TRIGRAPH_NEO4J_URI="bolt://127.0.0.1:1")
    assert (ran.code, ran.out) == (2, "")
    assert "is set to the server bolt://127.0.0.1:1" in ran.err


def test_a_home_without_neo4j_has_none_to_stop(unset: Shell) -> None:
    ran = unset.run("neo4j", "stop")
    assert (ran.code, ran.out, ran.err) == (0, "Neo4j was not running\n", "")
    ran = unset.run("neo4j", "status")
    assert ran.code == 1
    assert "TRIGRAPH_NEO4J_URI is not set, so nothing is projected" in ran.out
    assert list(unset.home.iterdir()) == []


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        (
            "TRIGRAPH_NEO4J_URI",
            "bolt//graph",
            "it is neither embedded nor an address such as bolt://localhost:7687",
        ),
        (
            "TRIGRAPH_NEO4J_URI",
            "bolt://me:secret@graph",
            "it contains a user; set TRIGRAPH_NEO4J_USER and TRIGRAPH_NEO4J_PASSWORD instead",
        ),
    ],
)
def test_a_wrong_address_is_named(unset: Shell, name: str, value: str, message: str) -> None:
    ran = unset.run("neo4j", "status", **{name: value})
    assert (ran.code, ran.out, ran.err) == (2, "", f"{name}: {message}\n")


@pytest.mark.parametrize(("content", "message"), [(None, "cannot be read"), ("\n", "is empty")])
def test_a_password_file_that_holds_none_is_named(
    unset: Shell, tmp_path: Path, content: str | None, message: str
) -> None:
    path = tmp_path / "password"
    if content is not None:
        path.write_text(content)
    ran = unset.run(
        "neo4j",
        "status",
        TRIGRAPH_NEO4J_URI="bolt://127.0.0.1:1",
        TRIGRAPH_NEO4J_PASSWORD_FILE=str(path),
    )
    assert (ran.code, ran.out) == (1, "")
    assert ran.err.startswith(f"TRIGRAPH_NEO4J_PASSWORD_FILE: {path} {message}")


@pytest.mark.parametrize(
    ("text", "statements", "rest"),
    [
        ("", [], ""),
        ("RETURN 1", [], "RETURN 1"),
        ("RETURN 1; RETURN 2;", ["RETURN 1", "RETURN 2"], ""),
        (";; RETURN 1;", ["RETURN 1"], ""),
        ('RETURN \';\', "\\";", `a;b`; x', ['RETURN \';\', "\\";", `a;b`'], " x"),
        ("RETURN 1 // ;\n; y", ["RETURN 1 // ;"], " y"),
        ("RETURN 8 / 2 /* ; */ ;", ["RETURN 8 / 2 /* ; */"], ""),
        ("RETURN 'it''s; 1", [], "RETURN 'it''s; 1"),
        ("// only this;\n;", [], ""),
    ],
)
def test_a_semicolon_ends_a_statement_where_it_is_one(text: str, statements: list[str], rest: str) -> None:
    assert split_statements(text) == (statements, rest)


@pytest.mark.parametrize(("text", "has"), [("", False), (" // a\n/* b */", False), ("RETURN 1", True)])
def test_comments_are_no_words(text: str, *, has: bool) -> None:
    assert has_words(text) is has
