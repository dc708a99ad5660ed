from __future__ import annotations

from pathlib import Path

import asyncpg
import pytest

from app.errors import Conflict, Unavailable
from app.stores.postgres.connection import owner_connection
from app.stores.postgres.migrate import (
    applied_migrations,
    check,
    migrate,
    pending_migrations,
    shipped_migrations,
)
from tests.conftest import Server
from tests.stores.postgres.processes import Program

MIGRATING = """
import asyncio, sys
from pathlib import Path
from app.stores.postgres.migrate import migrate
print("up", flush=True)
sys.stdin.readline()
done = asyncio.run(migrate(sys.argv[1], Path(sys.argv[2])))
print(",".join(each.label for each in done) or "none", flush=True)
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "0001_first.sql").write_text("CREATE TABLE first (number int);\n")
    (tmp_path / "0002_second.sql").write_text("CREATE TABLE second (number int);\n")
    return tmp_path


async def tables(url: str) -> list[str]:
    async with owner_connection(url) as connection:
        rows = await connection.fetch(
            "SELECT tablename FROM pg_tables WHERE schemaname = 'public' ORDER BY 1"
        )
    return [row["tablename"] for row in rows]


async def test_each_migration_is_applied_once_in_order(empty_database_url: str, folder: Path) -> None:
    assert [each.label for each in await migrate(empty_database_url, folder)] == ["0001_first", "0002_second"]
    assert await migrate(empty_database_url, folder) == []
    await check(empty_database_url, folder)
    assert await tables(empty_database_url) == ["first", "schema_migration", "second"]
    async with owner_connection(empty_database_url) as connection:
        recorded = await applied_migrations(connection)
        assert await pending_migrations(connection, folder) == []
    assert recorded == {each.version: (each.name, each.sha256) for each in shipped_migrations(folder)}


async def test_what_ships_makes_a_ledger(empty_database_url: str) -> None:
    assert await migrate(empty_database_url) == shipped_migrations()
    await check(empty_database_url)
    assert "entity_state" in await tables(empty_database_url)


async def test_pending_migrations_are_named(empty_database_url: str, folder: Path) -> None:
    with pytest.raises(Conflict, match="lacks 0001_first, 0002_second; run `trigraph migrate`"):
        await check(empty_database_url, folder)
    await migrate(empty_database_url, folder)
    (folder / "0003_third.sql").write_text("SELECT 1;")
    with pytest.raises(Conflict, match="lacks 0003_third"):
        await check(empty_database_url, folder)


async def test_an_edited_migration_is_refused(empty_database_url: str, folder: Path) -> None:
    await migrate(empty_database_url, folder)
    (folder / "0001_first.sql").write_text("CREATE TABLE first (number bigint);\n")
    for act in (migrate, check):
        with pytest.raises(Conflict, match="0001_first was edited after it was applied"):
            await act(empty_database_url, folder)


def test_line_ends_are_no_edit(folder: Path) -> None:
    as_written = shipped_migrations(folder)
    for path in folder.glob("*.sql"):
        path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    assert shipped_migrations(folder) == as_written


async def test_a_lost_file_and_a_newer_ledger_are_told_apart(empty_database_url: str, folder: Path) -> None:
    await migrate(empty_database_url, folder)
    kept = (folder / "0001_first.sql").rename(folder / "kept")
    with pytest.raises(Conflict, match="has 0001_first but this installation lacks the file"):
        await check(empty_database_url, folder)
    kept.rename(folder / "0001_first.sql")
    (folder / "0002_second.sql").unlink()
    for act in (migrate, check):
        with pytest.raises(Conflict, match="has 0002_second, so a newer trigraph created it"):
            await act(empty_database_url, folder)


async def test_a_number_can_neither_be_shared_nor_slipped_in(empty_database_url: str, folder: Path) -> None:
    (folder / "0001_first.sql").rename(folder / "kept")
    await migrate(empty_database_url, folder)
    (folder / "kept").rename(folder / "0001_first.sql")
    with pytest.raises(Conflict, match="0001_first was added after 0002 was applied"):
        await migrate(empty_database_url, folder)
    (folder / "0002_other.sql").touch()
    with pytest.raises(Conflict, match="0002_other and 0002_second have the same number"):
        await migrate(empty_database_url, folder)


def test_a_file_of_another_name_is_refused(tmp_path: Path) -> None:
    (tmp_path / "fix.sql").touch()
    with pytest.raises(Conflict, match=r"fix\.sql must have a name like"):
        shipped_migrations(tmp_path)


async def test_a_migration_that_fails_half_way_leaves_nothing(empty_database_url: str, folder: Path) -> None:
    (folder / "0002_second.sql").write_text("CREATE TABLE second (number int);\nSELECT 1 / 0;\n")
    with pytest.raises(asyncpg.DivisionByZeroError):
        await migrate(empty_database_url, folder)
    assert await tables(empty_database_url) == ["first", "schema_migration"]
    with pytest.raises(Conflict, match="lacks 0002_second;"):
        await check(empty_database_url, folder)


async def test_two_processes_that_migrate_at_once_both_succeed(empty_database_url: str, folder: Path) -> None:
    (folder / "0001_first.sql").write_text("CREATE TABLE first (number int);\nSELECT pg_sleep(0.2);\n")
    arguments = (MIGRATING, empty_database_url, str(folder))
    with Program(*arguments) as one, Program(*arguments) as other:
        for program in (one, other):
            assert program.said() == "up"
        for program in (one, other):
            program.go_on()
        assert {one.said(), other.said()} == {"0001_first,0002_second", "none"}
        assert (one.finish(), other.finish()) == (0, 0)


async def test_a_missing_right_is_explained(server: Server, empty_database_url: str, folder: Path) -> None:
    await server.run("CREATE ROLE without_rights LOGIN")
    url = empty_database_url.replace("postgres@", "without_rights@")
    with pytest.raises(Unavailable, match="0001_first needs a right that the database does not grant"):
        await migrate(url, folder)
    await server.run("DROP ROLE without_rights")
