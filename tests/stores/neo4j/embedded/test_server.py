from __future__ import annotations

import os
import signal
import socket
import stat
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from neo4j import AsyncGraphDatabase

from app.errors import Conflict, Unavailable
from app.stores.neo4j.driver import Graph
from app.stores.neo4j.embedded import control
from app.stores.neo4j.embedded.jars import install_jars
from app.stores.neo4j.embedded.layout import USER, read_address
from app.stores.neo4j.embedded.server import EmbeddedNeo4j, Neo4jServer
from app.stores.neo4j.location import GraphLocation
from tests.neo4j_server import stop_server
from tests.stores.postgres.processes import Program

USING = """
import sys
from pathlib import Path
from app.stores.neo4j.embedded.server import EmbeddedNeo4j
embedded = EmbeddedNeo4j.start(Path(sys.argv[1]))
print(embedded.uri, embedded.process, flush=True)
sys.stdin.readline()
"""
PATIENCE = 120.0


@pytest.fixture
def new_home() -> Iterator[Path]:
    """A folder in which nothing was started yet."""
    with tempfile.TemporaryDirectory(prefix="trigraph-home-") as folder:
        yield Path(folder)


@pytest.fixture(scope="module")
def used_home() -> Iterator[Path]:
    """A home whose server the tests of this module start, kill and stop, each from how the last left it."""
    install_jars(lambda done, total: None)
    with tempfile.TemporaryDirectory(prefix="trigraph-home-") as folder:
        yield Path(folder)
        stop_server(Path(folder))


@contextmanager
def using(home: Path) -> Iterator[EmbeddedNeo4j]:
    """A share in the server, given back also when the test fails: the next one wants to see it unused."""
    embedded = EmbeddedNeo4j.start(home)
    try:
        yield embedded
    finally:
        embedded.stop()


def wait_for_the_death(home: Path) -> None:
    """Wait until a killed server has let go of its lock, which it may do after its port."""
    server, deadline = Neo4jServer(control.layout_of(home)), time.monotonic() + PATIENCE
    while server.is_alive():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def located(embedded: EmbeddedNeo4j) -> GraphLocation:
    return GraphLocation(embedded.uri, USER, embedded.password, embedded)


def wait_for_the_end(home: Path) -> None:
    deadline = time.monotonic() + PATIENCE
    while control.look(home).location is not None:
        assert time.monotonic() < deadline
        time.sleep(0.1)


async def test_processes_of_a_new_home_share_one_server(used_home: Path) -> None:
    with Program(USING, str(used_home)) as one, Program(USING, str(used_home)) as other:
        said = one.said()
        assert said == other.said()
        assert said.startswith("bolt://127.0.0.1:")
        one.kill()
        assert other.finish() == 0
        # Both are gone, and the next one still finds the same server.
        with Program(USING, str(used_home)) as next_one:
            assert next_one.said() == said


async def test_only_the_owner_of_a_home_is_let_in(used_home: Path) -> None:
    with using(used_home) as embedded:
        layout = control.layout_of(used_home)
        assert stat.S_IMODE(layout.password.stat().st_mode) == 0o600
        assert stat.S_IMODE(layout.folder.stat().st_mode) == 0o700
        for location in (
            GraphLocation(embedded.uri, USER, None),
            GraphLocation(embedded.uri, USER, "neo4j"),
        ):
            async with Graph(location) as graph:
                with pytest.raises(Unavailable, match="rejects the user or password"):
                    await graph.read("RETURN 1")
        async with Graph(located(embedded)) as graph:
            assert [list(record) for record in await graph.read("RETURN 1")] == [[1]]


async def test_a_killed_server_comes_back_with_all_it_had(used_home: Path) -> None:
    with using(used_home) as embedded, using(used_home) as other:
        before = read_address(control.layout_of(used_home))
        assert before is not None
        async with Graph(located(embedded)) as graph, Graph(located(other)) as of_another_process:
            await graph.write("CREATE (:Kept {number: 7})")
            os.kill(embedded.process, signal.SIGKILL)
            # Meanwhile somebody takes its port, so that the graph has to follow it to another.
            with taken(before.port):
                wait_for_the_death(used_home)
                await graph.keep_running()
                kept = await graph.read("MATCH (kept:Kept) RETURN kept.number AS number")
            assert [record["number"] for record in kept] == [7]
            # Who did not start it again finds out where it is now.
            await of_another_process.keep_running()
            assert await of_another_process.read("MATCH (kept:Kept) RETURN kept.number AS number") == kept
        after = read_address(control.layout_of(used_home))
        assert after is not None
        assert (after.process, after.port) != (before.process, before.port)
        assert after.port != before.port
        embedded.stop()  # letting go twice is letting go once


async def test_a_password_that_changed_is_read_again(used_home: Path) -> None:
    """As when the data was removed while nothing ran: the next server has a password of its own."""
    with using(used_home) as embedded:
        file, before = control.layout_of(used_home).password, embedded.password
        async with Graph(located(embedded)) as graph:
            await graph.read("RETURN 1")
            for said, now in ((before, "of the next server"), ("of the next server", before)):
                await change_password(embedded.uri, said, now)
                file.write_text(now)
                async with Graph(GraphLocation(embedded.uri, USER, "outdated", embedded)) as other:
                    assert await other.read("RETURN 1")
                assert await graph.read("RETURN 1")


async def change_password(uri: str, before: str, now: str) -> None:
    async with AsyncGraphDatabase.driver(uri, auth=(USER, before)) as driver:
        query = "ALTER CURRENT USER SET PASSWORD FROM $before TO $now"
        await driver.execute_query(query, before=before, now=now, database_="system")


def taken(port: int) -> socket.socket:
    deadline = time.monotonic() + PATIENCE
    while True:
        try:
            return socket.create_server(("127.0.0.1", port))
        except OSError:
            assert time.monotonic() < deadline
            time.sleep(0.05)


async def test_a_server_stays_up_for_as_long_as_it_is_used_or_kept(used_home: Path) -> None:
    with using(used_home) as embedded:
        location = control.start_and_keep(used_home)
        assert location.uri == embedded.uri
        assert control.look(used_home).is_kept
        with pytest.raises(Conflict, match="another process uses Neo4j"):
            control.stop(used_home)
        assert not control.look(used_home).is_kept
        async with Graph(location) as graph:
            assert await graph.version()
    wait_for_the_end(used_home)


def test_data_without_its_password_is_not_opened(new_home: Path) -> None:
    (new_home / "neo4j" / "data").mkdir(parents=True)
    with pytest.raises(Unavailable, match="Trigraph builds a new graph from the ledger"):
        EmbeddedNeo4j.start(new_home)


def test_a_server_that_cannot_start_says_why(new_home: Path) -> None:
    (new_home / "neo4j").mkdir()
    (new_home / "neo4j" / "data").touch()
    (new_home / "neo4j" / "password").write_text("password")
    with pytest.raises(Unavailable, match=r"does not start: (.|\n)*data"):
        EmbeddedNeo4j.start(new_home)


def test_a_home_that_cannot_be_made_is_named(new_home: Path) -> None:
    (new_home / "file").touch()
    with pytest.raises(Unavailable, match="set TRIGRAPH_HOME"):
        EmbeddedNeo4j.start(new_home / "file" / "home")


def test_looking_starts_nothing(new_home: Path) -> None:
    seen = control.look(new_home)
    assert (seen.is_used, seen.is_kept, seen.location) == (False, False, None)
    assert control.stop(new_home) is False
    assert list(new_home.iterdir()) == []
