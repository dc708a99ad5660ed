"""To a caller of one project no other project is there: in the catalog of the ledger, and tried."""

from __future__ import annotations

from dataclasses import replace

import asyncpg
import pytest

from app.domain.numbers import ProjectNumber, TenantNumber
from app.errors import Forbidden, NotFound
from app.services.container import Memory
from app.stores.postgres.connection import SERVICE_ROLE
from app.stores.postgres.pool import Database
from tests.documents import adr
from tests.statements import counted

# Read by the numbers of projects that the caller found before, or of what was found before.
BY_NUMBER = {
    *("document_block", "embedding", "posting", "posting_block", "scope_statistics", "term_statistics"),
    "token",  # found by its hash
}
COLUMNS = """
SELECT relname, array_agg(attname::text || ' ' || atttypid::regtype ORDER BY attnum) AS columns
FROM pg_class JOIN pg_attribute ON attrelid = pg_class.oid
WHERE relnamespace = $1::regnamespace AND relkind = $2 AND attnum > 0 AND NOT attisdropped
GROUP BY relname
"""


async def columns(owner: asyncpg.Connection, schema: str, kind: bytes) -> dict[str, list[str]]:
    return {row["relname"]: row["columns"] for row in await owner.fetch(COLUMNS, schema, kind)}


async def test_each_table_of_projects_has_a_view_with_all_of_its_columns(owner: asyncpg.Connection) -> None:
    tables = await columns(owner, "public", b"r")
    views = await columns(owner, "one_project", b"v")
    with_project = {name for name, held in tables.items() if "project_id integer" in held}
    assert with_project - views.keys() == BY_NUMBER
    for name, held in views.items():
        assert held == tables[name], f"{name}: make the view anew in the migration that adds a column"


async def test_a_view_reads_with_the_rights_of_its_reader_and_takes_only_what_it_shows(
    owner: asyncpg.Connection,
) -> None:
    rows = await owner.fetch(
        "SELECT relname, reloptions FROM pg_class WHERE relnamespace = 'one_project'::regnamespace"
    )
    for row in rows:
        assert set(row["reloptions"]) == {"security_invoker=true", "check_option=cascaded"}, row["relname"]
    functions = "SELECT count(*) FROM pg_proc WHERE pronamespace = 'one_project'::regnamespace"
    assert await owner.fetchval(functions) == 0
    assert not await owner.fetchval("SELECT has_schema_privilege($1, 'one_project', 'CREATE')", SERVICE_ROLE)


@pytest.fixture
async def projects(memory: Memory) -> dict[str, ProjectNumber]:
    """Two projects with the same document."""
    for project in ("mine", "theirs"):
        await memory.filing.file(memory.caller, adr(1, "Queue"), project)
    return {each.key: each.number for each in await memory.catalog.projects(memory.caller)}


async def test_a_connection_shows_what_it_is_bound_to(
    database: Database, projects: dict[str, ProjectNumber], tenant: TenantNumber
) -> None:
    asked = "SELECT count(*) FROM entity_state"
    narrowed = database.of_project(projects["mine"])
    for _ in range(3):  # the same connections in turn
        async with narrowed.reading(tenant) as connection:
            assert await connection.fetchval(asked) == 1
            assert await connection.fetchval("SELECT string_agg(key, ' ') FROM project") == "mine"
        async with database.reading(tenant) as connection:
            assert await connection.fetchval(asked) == 2


async def test_without_a_project_a_view_shows_nothing(
    database: Database, projects: dict[str, ProjectNumber], owner: asyncpg.Connection, tenant: TenantNumber
) -> None:
    assert len(projects) == 2
    async with database.reading(tenant) as connection:
        for view in await columns(owner, "one_project", b"v"):
            shown = await connection.fetchval(f"SELECT count(*) FROM one_project.{view}")
            own = await connection.fetchval("SELECT count(*) FROM type WHERE project_id IS NULL")
            assert shown == (own if view == "type" else 0), view


async def test_no_row_is_moved_or_added_to_another_project(
    database: Database, projects: dict[str, ProjectNumber], tenant: TenantNumber
) -> None:
    narrowed = database.of_project(projects["mine"])

    async def write(statement: str) -> None:
        async with narrowed.writing(tenant) as connection:
            await connection.execute("UPDATE ledger_clock SET recorded_at = clock_timestamp()")
            await connection.execute(statement, projects["theirs"])

    added = (
        "INSERT INTO status_word (tenant_id, project_id, phrase, flag, recorded_at, actor)"
        f" SELECT {tenant}, $1, 'blessed', 'WIP', recorded_at, 'eve' FROM ledger_clock"
    )
    with pytest.raises(asyncpg.WithCheckOptionViolationError):
        await write(added)
    with pytest.raises(asyncpg.InsufficientPrivilegeError):
        await write("UPDATE entity SET project_id = $1")


async def test_every_service_works_in_its_project_and_finds_no_other(
    memory: Memory, projects: dict[str, ProjectNumber]
) -> None:
    narrowed = memory.of_project(projects["mine"])
    caller = memory.caller
    listed = await narrowed.catalog.projects(caller)
    assert [each.key for each in listed] == ["mine"]
    with pytest.raises(NotFound) as foreign:
        await narrowed.canonical.statuses(caller, "theirs")
    with pytest.raises(NotFound) as unknown:
        await narrowed.canonical.statuses(caller, "others")
    assert foreign.value.message.replace("theirs", "others") == unknown.value.message


async def test_a_person_who_is_not_here_creates_no_project(memory: Memory) -> None:
    caller = replace(memory.caller, is_local=False)
    with pytest.raises(Forbidden, match="only an admin may create the project new"):
        await memory.filing.file(caller, adr(1, "Queue"), "new")


async def test_a_caller_of_one_project_costs_no_statement_more(
    memory: Memory, projects: dict[str, ProjectNumber]
) -> None:
    narrowed = memory.of_project(projects["mine"])
    numbers = []
    for one in (memory, narrowed):
        await one.catalog.types(one.caller, "mine")
        async with counted(one.database) as statements:
            await one.catalog.types(one.caller, "mine")
        numbers.append(len(statements))
    assert numbers[0] == numbers[1] > 0
