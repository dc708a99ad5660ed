from __future__ import annotations

import asyncio
import re
from pathlib import Path
from signal import SIGINT, SIGTERM, Signals

import pytest

from app.cli.runner import INTERRUPTED
from app.services.container import Memory
from app.stores.neo4j import projection
from app.stores.neo4j.driver import Graph
from app.stores.neo4j.location import GraphLocation
from tests.cli.processes import TIMEOUT, Shell
from tests.documents import adr, file


@pytest.fixture
def shell(database_url: str, graph: Graph, neo4j: GraphLocation, tmp_path: Path) -> Shell:
    """Commands on the test's ledger and the session's Neo4j, which is empty."""
    (tmp_path / "password").write_text(neo4j.password or "none")
    return Shell(
        tmp_path,
        {
            "TRIGRAPH_DATABASE_URL": database_url,
            "TRIGRAPH_NEO4J_URI": neo4j.uri,
            "TRIGRAPH_NEO4J_USER": neo4j.user,
            "TRIGRAPH_NEO4J_PASSWORD_FILE": str(tmp_path / "password"),
        },
    )


async def test_the_graph_is_filled_compared_and_reported(memory: Memory, shell: Shell, graph: Graph) -> None:
    filed = await file(memory, adr(1, "Poll"))
    before = shell.run("projection", "status")
    assert (before.code, before.out.splitlines()[0]) == (
        0,
        f"the graph is not started, the ledger at {filed.position}",
    )
    rebuilt = shell.run("projection", "rebuild")
    assert (rebuilt.code, rebuilt.err) == (0, "")
    counts = re.fullmatch(r"projected (\d+) rows of the ledger, up to position (\d+)\n", rebuilt.out)
    assert counts is not None
    rows, position = map(int, counts.groups())
    assert rows > 0
    assert position == filed.position
    after = shell.run("projection", "status")
    assert (
        after.out
        == f"the graph is at position {filed.position}, the ledger at {filed.position}\nup to date\n"
    )
    line = f"graph: {graph.uri}, position {filed.position} of {filed.position}, up to date\n"
    assert line in shell.run("doctor").out
    verified = shell.run("projection", "verify")
    assert (verified.code, verified.err) == (0, "")
    assert "equal  Artifact: 1 in the ledger, 1 in the graph\n" in verified.out
    assert f"the graph equals the ledger at position {filed.position}\n" in verified.out
    await graph.write("MATCH (artifact:Artifact) DETACH DELETE artifact")
    differing = shell.run("projection", "verify")
    assert (differing.code, differing.err) == (1, "")
    assert "DIFFER Artifact: 1 in the ledger, 0 in the graph\n" in differing.out
    assert f"missing: 1/{filed.artifact.id}\n" in differing.out
    compared = shell.run("projection", "verify", "--json").object
    assert compared["isEqual"] is False
    assert [kind["kind"] for kind in compared["kinds"] if kind["missing"]] == ["Artifact", "HAS_VERSION"]


async def position_of(graph: Graph) -> int | None:
    checkpoint = await projection.checkpoint_of(graph)
    return None if checkpoint is None else checkpoint.position


@pytest.mark.parametrize(("ending", "code"), [(SIGINT, INTERRUPTED), (SIGTERM, 0)])
async def test_run_projects_until_it_is_asked_to_end(
    memory: Memory, shell: Shell, graph: Graph, ending: Signals, code: int
) -> None:
    filed = await file(memory, adr(1, "Poll"))
    with shell.running("projection", "run") as process:
        async with asyncio.timeout(TIMEOUT):
            while True:
                if await position_of(graph) == filed.position:
                    break
                await asyncio.sleep(0.05)
        process.send_signal(ending)
        assert process.communicate(timeout=TIMEOUT) == ("", "")
        assert process.returncode == code


async def test_run_fails_when_it_has_to_stop(shell: Shell, graph: Graph) -> None:
    await projection.begin(graph, "another")
    ran = shell.run("projection", "run")
    assert ran.code == 1
    assert "is a copy of another ledger" in ran.err
    assert "Traceback" not in ran.err
    assert shell.run("projection", "status").code == 1


def test_without_a_graph_the_commands_say_what_to_set(database_url: str, tmp_path: Path) -> None:
    shell = Shell(tmp_path, {"TRIGRAPH_DATABASE_URL": database_url})
    for command in ("run", "rebuild", "status", "verify"):
        ran = shell.run("projection", command)
        assert ran.code in (1, 2)
        assert "set TRIGRAPH_NEO4J_URI" in ran.err
        assert "Traceback" not in ran.err
