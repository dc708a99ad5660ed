from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import asyncpg
import pytest

from app.stores.postgres.embedded.server import EmbeddedPostgres
from tests.cli.processes import Shell

TABLES = """
CREATE SCHEMA IF NOT EXISTS older;
CREATE TABLE older.artifacts (
    id int PRIMARY KEY, identifier text, title text, body text, created_at timestamptz
);
INSERT INTO older.artifacts VALUES (1, 'ADR-1', 'Poll', 'Workers poll.', '2024-01-01'),
    (2, 'ADR-2', 'Push', 'See ADR-1.', '2024-02-01'), (3, 'ADR-3', 'None', NULL, '2024-03-01');
CREATE TABLE older.aliases (alias text, target text);
INSERT INTO older.aliases VALUES ('Beacon', 'ADR-1')
"""


@pytest.fixture
async def address(served_home: Shell) -> AsyncIterator[str]:
    """The address of tables that an older system keeps on the same server."""
    embedded = await asyncio.to_thread(EmbeddedPostgres.start, served_home.home)
    connection = await asyncpg.connect(embedded.url)
    await connection.execute(TABLES)
    yield embedded.url
    await connection.execute("DROP SCHEMA older CASCADE")
    await connection.close()
    await asyncio.to_thread(embedded.stop)


async def test_a_table_is_filed_once_with_a_summary_and_what_was_refused(
    served_home: Shell, address: str
) -> None:
    asked = ("migrate-artifacts", "--from", address, "--table", "older.artifacts", "--project", "older")
    first = await asyncio.to_thread(served_home.run, *asked, "--aliases", "older.aliases", "--json")
    assert (first.code, first.err) == (1, "")
    said = first.object
    assert (said["filed"], said["aliasesRecorded"]) == (2, 1)
    assert said["refused"] == [
        {"source": "older.artifacts/3", "reason": "the column body is NULL: there is no text to import"}
    ]
    again = await asyncio.to_thread(served_home.run, *asked, "--aliases", "older.aliases")
    assert again.out.splitlines() == [
        "filed 0, unchanged 2, refused 1",
        "aliases: recorded 0, unchanged 1",
        "refused older.artifacts/3: the column body is NULL: there is no text to import",
    ]
    found = await asyncio.to_thread(served_home.run, "recall", "beacon", "--project", "older", "--json")
    assert found.object["hits"][0]["artifact"]["identifier"] == "ADR-1"


async def test_a_missing_or_empty_table_is_reported(served_home: Shell, address: str) -> None:
    missing = await asyncio.to_thread(
        served_home.run, "migrate-artifacts", "--from", address, "--table", "older.artefacts"
    )
    assert (missing.code, missing.out) == (1, "")
    assert (
        "there is no table older.artefacts in the source database; it has older.aliases, older.artifacts"
        in (missing.err)
    )
    connection = await asyncpg.connect(address)
    await connection.execute("TRUNCATE older.artifacts")
    await connection.close()
    empty = await asyncio.to_thread(
        served_home.run, "migrate-artifacts", "--from", address, "--table", "older.artifacts"
    )
    assert (empty.code, empty.out) == (
        0,
        "filed 0, unchanged 0, refused 0\nfound nothing to import: the table has no rows\n",
    )


def test_no_password_is_printed(served_home: Shell) -> None:
    for address in ("postgresql://ada:hush@127.0.0.1:1/old", "postgresql://ada:hu/sh@127.0.0.1/old", "hush"):
        failed = served_home.run("migrate-artifacts", "--from", address, "--table", "artifacts")
        assert failed.code in (1, 2)
        assert "source database" in failed.err
        assert "Traceback" not in failed.err
        assert "hush" not in failed.out + failed.err
        assert "sh@" not in failed.out + failed.err
