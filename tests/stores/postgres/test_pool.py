from __future__ import annotations

import asyncio

import asyncpg
import pytest
from pgvector import HalfVector

from app.domain.numbers import ProjectNumber, TenantNumber
from app.errors import Conflict, Invalid, Unavailable
from app.stores.postgres import deadlines, pool
from app.stores.postgres.connection import LedgerConnection, unwrapped
from app.stores.postgres.pool import Database
from tests.conftest import Server
from tests.statements import counted

ADD_PROJECT = """
INSERT INTO project (tenant_id, key, folded_key, name, recorded_at) VALUES ($1, 'a', 'a', 'A', now())
"""
ADD_ENTITY = """
WITH moved AS (UPDATE ledger_clock SET recorded_at = clock_timestamp() WHERE tenant_id = $1 RETURNING *)
INSERT INTO entity (tenant_id, id, project_id, type_id, created_at, recorded_at, actor)
SELECT $1, gen_random_uuid(), project.project_id, type_id, now(), moved.recorded_at, 'somebody'
FROM moved, project, type LIMIT 1
"""
PROJECTS = "SELECT count(*) FROM project"


@pytest.fixture
async def other_tenant(owner: asyncpg.Connection) -> TenantNumber:
    added = "INSERT INTO tenant (key) VALUES ('other') RETURNING tenant_id"
    return TenantNumber(await owner.fetchval(added))


async def count(database: Database, tenant: TenantNumber) -> int:
    async with database.reading(tenant) as connection:
        return int(await connection.fetchval(PROJECTS))


async def test_every_connection_works_as_the_ordinary_role(database: Database, tenant: TenantNumber) -> None:
    async with database.reading(tenant) as connection:
        assert await connection.fetchval("SELECT current_user") == "trigraph_service"
        assert await connection.fetchval("SHOW jit") == "off"


async def test_a_connection_sees_only_the_tenant_it_is_bound_to(
    database: Database, tenant: TenantNumber, other_tenant: TenantNumber
) -> None:
    for bound in (tenant, other_tenant, other_tenant, tenant):
        async with database.reading(bound) as connection:
            assert await connection.fetchval("SELECT array_agg(tenant_id) FROM tenant") == [bound]


async def test_binding_costs_a_statement_only_when_the_tenant_or_the_project_changes(
    database_url: str, tenant: TenantNumber, other_tenant: TenantNumber, monkeypatch: pytest.MonkeyPatch
) -> None:
    bound: list[object] = []
    execute = asyncpg.Connection.execute

    async def noted(self: LedgerConnection, query: str, *values: object) -> str:
        bound.append(values)
        return str(await execute(self, query, *values))

    monkeypatch.setattr(LedgerConnection, "execute", noted)
    database = await Database.open(database_url, size=1)
    narrowed = database.of_project(ProjectNumber(7))
    for one, wanted in (
        *((database, tenant), (database, tenant), (database, other_tenant), (database, other_tenant)),
        *((database, tenant), (narrowed, tenant), (narrowed, tenant), (database, tenant)),
    ):
        async with one.reading(wanted):
            pass
    await database.close()
    here, there = (str(tenant), "public", ""), (str(other_tenant), "public", "")
    assert bound == [here, there, here, (str(tenant), "one_project, public", "7"), here]


async def test_a_binding_cut_off_half_way_leaks_no_tenant(
    database_url: str, tenant: TenantNumber, other_tenant: TenantNumber, monkeypatch: pytest.MonkeyPatch
) -> None:
    database = await Database.open(database_url, size=1)
    execute = LedgerConnection.execute

    async def cut_off(self: LedgerConnection, query: str, *values: object) -> str:
        await execute(self, query, *values)
        raise asyncio.CancelledError

    assert await count(database, tenant) == 0
    monkeypatch.setattr(LedgerConnection, "execute", cut_off)
    with pytest.raises(asyncio.CancelledError):
        await count(database, other_tenant)
    monkeypatch.undo()
    async with database.reading(tenant) as connection:
        assert await connection.fetchval("SELECT array_agg(tenant_id) FROM tenant") == [tenant]
    await database.close()


async def test_a_rolled_back_write_keeps_the_binding(
    database_url: str, tenant: TenantNumber, other_tenant: TenantNumber
) -> None:
    database = await Database.open(database_url, size=1)
    assert await count(database, tenant) == 0
    with pytest.raises(LookupError):
        async with database.writing(other_tenant):
            raise LookupError
    async with database.reading(other_tenant) as connection:
        assert await connection.fetchval("SELECT array_agg(tenant_id) FROM tenant") == [other_tenant]
    await database.close()


async def test_a_write_is_committed_at_its_end(database: Database, tenant: TenantNumber) -> None:
    async with database.writing(tenant) as connection:
        await connection.execute(ADD_PROJECT, tenant)
        assert await count(database, tenant) == 0
    assert await count(database, tenant) == 1


async def test_a_write_is_rolled_back_on_any_exception(database: Database, tenant: TenantNumber) -> None:
    async def fail_half_way() -> None:
        async with database.writing(tenant) as connection:
            await connection.execute(ADD_PROJECT, tenant)
            raise FileNotFoundError

    with pytest.raises(FileNotFoundError):
        await fail_half_way()
    assert await count(database, tenant) == 0


async def test_a_write_is_rolled_back_when_it_is_cancelled(database_url: str, tenant: TenantNumber) -> None:
    database = await Database.open(database_url, size=1)
    written = asyncio.Event()

    async def write() -> None:
        async with database.writing(tenant) as connection:
            await connection.execute(ADD_PROJECT, tenant)
            written.set()
            await connection.execute("SELECT pg_sleep(60)")

    task = asyncio.create_task(write())
    await written.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert await count(database, tenant) == 0
    await database.close()


async def test_what_the_database_refuses_is_said_in_our_words(
    database: Database, tenant: TenantNumber
) -> None:
    async with database.writing(tenant) as connection:
        await connection.execute(ADD_PROJECT, tenant)
    with pytest.raises(Conflict) as refused:
        async with database.writing(tenant) as connection:
            await connection.execute(ADD_PROJECT, tenant)
    assert refused.value.rule == "project_keys_are_unique"


async def test_what_the_database_refuses_at_commit_is_said_too(
    database: Database, tenant: TenantNumber
) -> None:
    async with database.writing(tenant) as connection:
        await connection.execute(ADD_PROJECT, tenant)
    with pytest.raises(Invalid) as refused:
        async with database.writing(tenant) as connection:
            await connection.execute(ADD_ENTITY, tenant)
    assert refused.value.rule == "every_entity_has_a_state"
    assert refused.value.message == "an entity is recorded together with its first state"


async def test_a_mistake_in_sql_stays_what_it_is(database: Database, tenant: TenantNumber) -> None:
    with pytest.raises(asyncpg.UndefinedTableError):
        async with database.reading(tenant) as connection:
            await connection.fetch("SELECT FROM nowhere")


async def test_a_snapshot_sees_one_moment_and_changes_nothing(
    database: Database, tenant: TenantNumber
) -> None:
    async with database.snapshot(tenant) as connection:
        assert await connection.fetchval(PROJECTS) == 0
        async with database.writing(tenant) as writer:
            await writer.execute(ADD_PROJECT, tenant)
        assert await connection.fetchval(PROJECTS) == 0
    with pytest.raises(Unavailable, match="does not accept writes"):
        async with database.snapshot(tenant) as connection:
            await connection.execute(ADD_PROJECT, tenant)


async def test_a_transaction_left_open_is_ended_before_the_next_caller(
    database_url: str, tenant: TenantNumber
) -> None:
    database = await Database.open(database_url, size=1)
    complaints: list[str] = []
    loop = asyncio.get_running_loop()
    loop.set_exception_handler(lambda _loop, context: complaints.append(context["message"]))
    async with database.reading(tenant) as connection:
        await connection.execute("BEGIN")
        await connection.execute(ADD_PROJECT, tenant)
    loop.set_exception_handler(None)
    assert await count(database, tenant) == 0
    assert len(complaints) == 1
    await database.close()


async def test_a_connection_that_never_comes_free_is_unavailable(
    database_url: str, tenant: TenantNumber
) -> None:
    database = await Database.open(database_url, size=1, patience=0.05)
    async with database.reading(tenant):
        with pytest.raises(Unavailable, match="no database connection became free"):
            await count(database, tenant)
    assert await count(database, tenant) == 0
    await database.close()


async def test_closing_ends_although_waiters_were_cancelled(database_url: str, tenant: TenantNumber) -> None:
    database = await Database.open(database_url, size=1)
    async with database.reading(tenant):
        waiting = [asyncio.create_task(count(database, tenant)) for _ in range(10)]
        await asyncio.sleep(0)
        for task in waiting:
            task.cancel()
        answers = await asyncio.gather(*waiting, return_exceptions=True)
    assert {type(answer) for answer in answers} == {asyncio.CancelledError}
    await asyncio.wait_for(database.close(), timeout=2)


async def test_closing_breaks_a_connection_that_is_kept(
    database_url: str, tenant: TenantNumber, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(deadlines, "CLOSE", 0.05)
    database = await Database.open(database_url, size=1)

    async def ask_after_closing() -> None:
        async with database.reading(tenant) as connection:
            await database.close()
            await connection.fetchval("SELECT 1")

    with pytest.raises(Unavailable):
        await ask_after_closing()
    with pytest.raises(Unavailable):
        await count(database, tenant)


async def test_a_broken_connection_is_unavailable_once_and_replaced(
    database_url: str, owner: asyncpg.Connection, tenant: TenantNumber
) -> None:
    database = await Database.open(database_url, size=1)

    async def ask_after_the_server_hung_up() -> None:
        async with database.reading(tenant) as connection:
            await owner.fetchval("SELECT pg_terminate_backend($1)", connection.get_server_pid())
            await connection.fetchval("SELECT pg_sleep(1)")

    with pytest.raises(Unavailable):
        await ask_after_the_server_hung_up()
    assert await count(database, tenant) == 0
    await database.close()


async def test_a_connection_that_broke_before_a_search_is_unavailable(
    database: Database, tenant: TenantNumber
) -> None:
    async def search() -> None:
        async with database.reading(tenant) as connection:
            connection.terminate()
            await asyncio.sleep(0.01)
            await unwrapped(connection).set_search_width(80)

    with pytest.raises(Unavailable):
        await search()


async def test_a_task_stays_cancelled_when_its_connection_breaks_meanwhile(
    database_url: str, tenant: TenantNumber
) -> None:
    database = await Database.open(database_url, size=1)
    lent = asyncio.Event()

    async def break_late() -> None:
        async with database.reading(tenant) as connection:
            lent.set()
            try:
                await asyncio.sleep(60)
            finally:
                asyncio.get_running_loop().call_soon(connection.terminate)

    try:
        task = asyncio.create_task(break_late())
        await lent.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert await count(database, tenant) == 0
    finally:
        await database.close()


async def test_a_statement_that_takes_too_long_is_unavailable(
    database: Database, tenant: TenantNumber
) -> None:
    with pytest.raises(Unavailable, match="took too long"):
        async with database.writing(tenant) as connection:
            await connection.execute("SET LOCAL statement_timeout = '10ms'; SELECT pg_sleep(60)")


async def test_an_unreachable_server_is_unavailable() -> None:
    with pytest.raises(Unavailable, match="the database does not respond"):
        await Database.open("postgresql://postgres@127.0.0.1:1/ledger", size=1)


async def test_a_database_without_ledger_asks_for_migration(empty_database_url: str) -> None:
    with pytest.raises(Unavailable, match="trigraph migrate"):
        await Database.open(empty_database_url, size=1)


async def test_a_role_that_could_see_every_tenant_is_refused(
    database_url: str, owner: asyncpg.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(pool._SESSION, "role", "postgres")
    with pytest.raises(Unavailable, match="the database role postgres is a superuser or owns tables"):
        await Database.open(database_url, size=1)
    monkeypatch.undo()
    await owner.execute("CREATE TABLE its_own ()")
    await owner.execute("ALTER TABLE its_own OWNER TO trigraph_service")
    with pytest.raises(Unavailable, match="the database role trigraph_service is a superuser or owns tables"):
        await Database.open(database_url, size=1)


async def test_json_and_vectors_arrive_as_values(database: Database, tenant: TenantNumber) -> None:
    props = {"title": "Grüße", "nested": [1, 2.5, None, True]}
    async with database.reading(tenant) as connection:
        assert await connection.fetchval("SELECT $1::jsonb", props) == props
        assert await connection.fetchval("SELECT $1::jsonb ->> 'title'", props) == "Grüße"
        vector = await connection.fetchval("SELECT $1::halfvec", HalfVector([1, 0.5, -2]))
        assert vector == HalfVector([1, 0.5, -2])


async def test_statements_are_counted_without_bookkeeping(
    database: Database, server: Server, tenant: TenantNumber, other_tenant: TenantNumber
) -> None:
    async with counted(database) as statements:
        async with database.writing(tenant) as connection:
            await connection.fetch("SELECT 1")
        async with database.reading(other_tenant) as connection, database.reading(tenant) as another:
            await connection.fetch("SELECT 2")
            await another.fetch("SELECT 3")
    assert statements == ["SELECT 1", "SELECT 2", "SELECT 3"]
    await count(database, tenant)
    assert len(statements) == 3
