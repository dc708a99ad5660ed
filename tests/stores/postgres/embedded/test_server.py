from __future__ import annotations

import os
import signal
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from pathlib import Path

import asyncpg
import pytest

from app.errors import Unavailable
from app.stores.postgres.embedded.postmaster import Postmaster
from app.stores.postgres.embedded.server import EmbeddedPostgres
from tests.stores.postgres.processes import Program

USER = """
import sys
from pathlib import Path
from app.stores.postgres.embedded.server import EmbeddedPostgres
embedded = EmbeddedPostgres.start(Path(sys.argv[1]))
print(embedded.url, flush=True)
sys.stdin.readline()
"""
FORKING_USER = """
import os, sys
from pathlib import Path
from app.stores.postgres.embedded.server import EmbeddedPostgres
embedded = EmbeddedPostgres.start(Path(sys.argv[1]))
if os.fork() == 0:
    sys.exit()
os.wait()
print(embedded.url, flush=True)
sys.stdin.readline()
"""


@pytest.fixture
def new_home() -> Iterator[Path]:
    """A folder in which nothing was started yet; closed to others, as a home folder is."""
    with tempfile.TemporaryDirectory(prefix="trigraph-home-") as folder:
        yield Path(folder)


@pytest.fixture(scope="module")
def used_home() -> Iterator[Path]:
    """A home whose database exists and whose server is stopped."""
    with tempfile.TemporaryDirectory(prefix="trigraph-home-") as folder:
        EmbeddedPostgres.start(Path(folder)).stop()
        yield Path(folder)


def postmaster(home: Path) -> int | None:
    """The number of the server's process, as long as it has not stopped in order."""
    with suppress(FileNotFoundError):
        return int((home / "postgres" / "postmaster.pid").read_text().splitlines()[0])
    return None


async def ask(url: str, question: str) -> object:
    connection = await asyncpg.connect(url)
    try:
        return await connection.fetchval(question)
    finally:
        await connection.close()


async def test_a_new_home_holds_a_durable_postgres_18_with_pgvector(new_home: Path) -> None:
    embedded = EmbeddedPostgres.start(new_home)
    assert str(await ask(embedded.url, "SHOW server_version")).startswith("18.")
    assert await ask(embedded.url, "SELECT current_database()") == "trigraph"
    assert await ask(embedded.url, "SHOW fsync") == "on"
    assert await ask(embedded.url, "SHOW listen_addresses") == ""
    assert await ask(embedded.url, "SELECT 1 FROM pg_available_extensions WHERE name = 'vector'") == 1
    embedded.stop()
    assert postmaster(new_home) is None
    embedded.stop()  # letting go twice is letting go once


async def test_two_processes_may_start_a_new_home_at_once(new_home: Path) -> None:
    with Program(USER, str(new_home)) as one, Program(USER, str(new_home)) as other:
        url = one.said()
        assert url == other.said()
        assert await ask(url, "SELECT 1") == 1
        assert (one.finish(), other.finish()) == (0, 0)
    assert postmaster(new_home) is None


async def test_the_last_process_stops_the_server(used_home: Path) -> None:
    with Program(USER, str(used_home)) as first, Program(USER, str(used_home)) as last:
        url = first.said()
        last.said()
        assert first.finish() == 0
        assert await ask(url, "SELECT 1") == 1
        assert last.finish() == 0
    assert postmaster(used_home) is None


def test_two_shares_of_one_process_count_as_two(used_home: Path) -> None:
    one, other = EmbeddedPostgres.start(used_home), EmbeddedPostgres.start(used_home)
    one.stop()
    assert postmaster(used_home) is not None
    other.stop()
    assert postmaster(used_home) is None


def test_a_killed_process_neither_stops_the_server_nor_keeps_it(used_home: Path) -> None:
    with Program(USER, str(used_home)) as killed:
        killed.said()
        killed.kill()
    running = postmaster(used_home)
    assert running is not None
    embedded = EmbeddedPostgres.start(used_home)
    assert postmaster(used_home) == running
    embedded.stop()
    assert postmaster(used_home) is None


async def test_a_forked_child_leaves_the_server_to_its_parent(used_home: Path) -> None:
    with Program(FORKING_USER, str(used_home)) as parent:
        assert await ask(parent.said(), "SELECT 1") == 1
        assert parent.finish() == 0
    assert postmaster(used_home) is None


async def test_a_killed_server_is_started_again_with_all_it_had(used_home: Path) -> None:
    before = EmbeddedPostgres.start(used_home)
    await ask(before.url, "CREATE TABLE kept AS SELECT 7 AS number")
    killed = postmaster(used_home)
    assert killed is not None
    os.kill(killed, signal.SIGKILL)
    after = EmbeddedPostgres.start(used_home)
    assert postmaster(used_home) != killed
    assert await ask(before.url, "SELECT number FROM kept") == 7
    after.stop()
    before.stop()
    assert postmaster(used_home) is None


def test_a_stale_pid_file_that_names_a_later_process_is_seen_through(used_home: Path) -> None:
    data = used_home / "postgres"
    left_over = f"{os.getpid()}\n{data}\n1\n5432\n{data}\n\n  1  1\nready\n"
    (data / "postmaster.pid").write_text(left_over)
    (data / ".s.PGSQL.5432.lock").write_text(left_over)
    (data / ".s.PGSQL.5432").touch()
    embedded = EmbeddedPostgres.start(used_home)
    assert postmaster(used_home) not in (None, os.getpid())
    embedded.stop()


def test_an_initialisation_killed_half_way_does_no_harm(new_home: Path) -> None:
    with ExitStack() as stack:
        killed = stack.enter_context(Program(USER, str(new_home)))
        while not list(new_home.glob("postgres.unfinished-*/base")):
            time.sleep(0.01)
        killed.kill()
    assert not (new_home / "postgres").exists()
    EmbeddedPostgres.start(new_home).stop()
    EmbeddedPostgres.start(new_home).stop()
    assert sorted(path.name for path in new_home.iterdir()) == ["postgres", "postgres.lock", "postgres.users"]


async def test_a_home_too_deep_for_a_socket_and_oddly_named_works(new_home: Path) -> None:
    deep = new_home / "a b, 'c' \"$d\"" / ("x" * 120)
    embedded = EmbeddedPostgres.start(deep)
    assert await ask(embedded.url, "SHOW data_directory") == str(deep / "postgres")
    folder = str(await ask(embedded.url, "SHOW unix_socket_directories")).strip('"')
    assert os.listdir(folder) == [".s.PGSQL.5432", ".s.PGSQL.5432.lock"]
    embedded.stop()
    with pytest.raises(FileNotFoundError):
        os.listdir(folder)


def test_a_server_that_is_gone_needs_no_stop(used_home: Path) -> None:
    embedded = EmbeddedPostgres.start(used_home)
    Postmaster(used_home / "postgres").stop()
    embedded.stop()
    assert postmaster(used_home) is None


def test_data_of_another_major_version_is_refused(new_home: Path) -> None:
    data = new_home / "postgres"
    data.mkdir()
    (data / "PG_VERSION").write_text("16\n")
    with pytest.raises(Unavailable, match="created by PostgreSQL 16 and this trigraph runs PostgreSQL 18"):
        EmbeddedPostgres.start(new_home)


def test_a_home_that_cannot_be_made_is_named(new_home: Path) -> None:
    (new_home / "file").touch()
    with pytest.raises(Unavailable, match="set TRIGRAPH_HOME"):
        EmbeddedPostgres.start(new_home / "file" / "home")


def test_a_server_that_cannot_start_says_why(new_home: Path) -> None:
    EmbeddedPostgres.start(new_home).stop()
    with (new_home / "postgres" / "postgresql.conf").open("a") as settings:
        settings.write("no_such_setting = 1\n")
    with pytest.raises(Unavailable, match="no_such_setting"):
        EmbeddedPostgres.start(new_home)
