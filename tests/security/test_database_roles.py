"""A connection of the service leads to no right of the owner, and so to no row of another tenant."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import asyncpg
import pytest

from app.diagnostics import Finding, examine
from app.domain.numbers import TenantNumber
from app.errors import Unavailable
from app.services.container import open_memory
from app.settings import Settings
from app.stores.postgres.connection import (
    SERVICE_ROLE,
    as_service,
    owner_connection,
    refuse_a_privileged_role,
)
from app.stores.postgres.database_rights import open_rights, stored_settings
from app.stores.postgres.embedded.postmaster import binaries
from app.stores.postgres.embedded.server import EmbeddedPostgres
from app.stores.postgres.migrate import migrate, shipped_migrations
from app.stores.postgres.pool import Database
from tests.conftest import Server
from tests.stores.postgres import scene
from tests.stores.postgres.scene import insert, set_scene

PINNED = "search_path=pg_catalog, public, pg_temp"
RUNS_AS_OWNER = {
    "stands_in_ledger(bigint,text)": "says yes or no of a mark that the asker has to know, whoever's it is",
}
SEEN_BY_ALL_TENANTS = {
    "schema_migration": "which migrations are applied: /readyz asks",
    "embedding_model": "the model that the vectors of all tenants are made with",
    "outbox_horizon": "up to which position changes may be gone: who follows them asks",
}
ITS_SEQUENCES = {"artifact_number_seq": "numbers of documents are taken before their rows are written"}
EVERY_TENANT = "SELECT string_agg(tenant_id || ':' || row_id, ',') FROM public.outbox"


@asynccontextmanager
async def service_on(url: str, tenant: TenantNumber = scene.TENANT) -> AsyncIterator[asyncpg.Connection]:
    connection = await asyncpg.connect(url, server_settings={"role": SERVICE_ROLE})
    await connection.execute(f"SET trigraph.tenant = '{tenant}'")
    try:
        yield connection
    finally:
        await connection.close()


@pytest.fixture
async def service(owner: asyncpg.Connection, database_url: str) -> AsyncIterator[asyncpg.Connection]:
    """A connection of the service to a ledger that holds the scene."""
    await set_scene(owner)
    async with service_on(database_url) as connection:
        yield connection


@pytest.fixture
async def service_with_temporary_objects(
    service: asyncpg.Connection, owner: asyncpg.Connection, database_url: str
) -> asyncpg.Connection:
    """The same where somebody gave the right to make temporary objects back."""
    name = await owner.fetchval("SELECT current_database()")
    await owner.execute(f"GRANT TEMPORARY ON DATABASE {name} TO {SERVICE_ROLE}")
    return service


# The way in ----------------------------------------------------------------------------------------

MADE = (
    "CREATE TEMPORARY TABLE outbox (position bigint, transaction_id text, row_id text)",
    "CREATE TEMPORARY VIEW outbox AS SELECT 1 AS position",
    "CREATE FUNCTION pg_temp.leak() RETURNS text LANGUAGE sql AS 'SELECT 1'",
    "CREATE TEMPORARY SEQUENCE numbers",
    "CREATE TABLE public.outbox2 (a integer)",
    "CREATE FUNCTION public.leak() RETURNS integer LANGUAGE sql AS 'SELECT 1'",
    "CREATE OPERATOR public.|| (LEFTARG = xid8, RIGHTARG = text, FUNCTION = textcat)",
    "CREATE SCHEMA mine",
    "SELECT lo_create(0)",
    "SELECT lo_from_bytea(0, 'x')",
    "CREATE RULE r AS ON SELECT TO outbox DO INSTEAD NOTHING",
    "CREATE POLICY all_of_it ON outbox USING (true)",
    "ALTER TABLE outbox DISABLE ROW LEVEL SECURITY",
    "ALTER FUNCTION stands_in_ledger(bigint, text) RESET ALL",
    "CREATE ROLE friend SUPERUSER",
)
LEFT = (
    "SET ROLE postgres",
    "SET SESSION AUTHORIZATION postgres",
    "SET session_replication_role = 'replica'",
    "ALTER ROLE trigraph_service SUPERUSER",
    "ALTER SYSTEM SET fsync = off",
    "COPY (SELECT 1) TO PROGRAM 'true'",
    "COPY (SELECT 1) TO '/tmp/trigraph-left'",
    "SELECT pg_read_file('PG_VERSION')",
    "SELECT pg_ls_dir('.')",
    "SELECT lo_import('/etc/passwd')",
    "SELECT lo_export(1, '/tmp/trigraph-left')",
    "SELECT pg_reload_conf()",
    "SELECT * FROM pg_authid",
    "LOAD 'auth_delay'",
)


async def test_the_service_makes_nothing(service: asyncpg.Connection) -> None:
    for statement in MADE:
        with pytest.raises(asyncpg.InsufficientPrivilegeError):
            await service.execute(statement)


async def test_a_temporary_view_runs_nothing_as_the_owner(
    service_with_temporary_objects: asyncpg.Connection, owner: asyncpg.Connection
) -> None:
    service = service_with_temporary_objects
    await service.execute(
        f"""
        CREATE TEMPORARY TABLE stolen (told text);
        CREATE FUNCTION pg_temp.steal() RETURNS bigint LANGUAGE plpgsql VOLATILE AS $$
        BEGIN
            RAISE EXCEPTION 'as % it saw %', current_user, ({EVERY_TENANT});
        END $$;
        CREATE TEMPORARY VIEW outbox AS
            SELECT pg_temp.steal() AS position, '0'::xid8 AS transaction_id, gen_random_uuid() AS row_id;
        """
    )
    assert await service.fetchval("SELECT stands_in_ledger(1, 'guess')") is False
    mark = await owner.fetchrow(
        "SELECT position, transaction_id || '/' || row_id AS mark FROM outbox LIMIT 1"
    )
    for path in ("public", "pg_temp, public", "pg_temp", "pg_temp, pg_catalog"):
        await service.execute(f"SET search_path = {path}")
        assert await service.fetchval("SELECT public.stands_in_ledger($1, $2)", *mark) is True
        assert await service.fetchval("SELECT public.stands_in_ledger($1, 'guess')", mark[0]) is False


CLOCK_IN_ITS_PLACE = """
CREATE TEMPORARY TABLE ledger_clock (
    tenant_id integer, recorded_at timestamptz, transaction_id xid8, held_from timestamptz
);
INSERT INTO ledger_clock VALUES (1, '2000-01-01Z', pg_current_xact_id(), '1999-01-01Z')
"""
RULES_IN_THEIR_PLACE = """
CREATE TEMPORARY TABLE entity AS SELECT * FROM public.entity;
CREATE TEMPORARY TABLE reference_rule AS
    SELECT 1 AS tenant_id, t.type_id AS source_type, 'EATS' AS reference_type, t.type_id AS target_type
    FROM public.type AS t
"""


async def test_a_temporary_table_stands_in_for_none_that_the_rules_ask(
    service_with_temporary_objects: asyncpg.Connection,
) -> None:
    service = service_with_temporary_objects
    for shadow, written, rule in (
        (
            CLOCK_IN_ITS_PLACE,
            insert("mention", recorded_at="2000-01-01Z"),
            "rows_are_recorded_when_written",
        ),
        (
            CLOCK_IN_ITS_PLACE,
            insert("reference", recorded_at="2000-01-01Z"),
            "beliefs_are_recorded_when_written",
        ),
        (
            RULES_IN_THEIR_PLACE,
            insert("reference", type="EATS", recorded_at="=(SELECT recorded_at FROM public.ledger_clock)"),
            "references_follow_their_rules",
        ),
    ):
        transaction = service.transaction()
        await transaction.start()
        await service.execute("UPDATE public.ledger_clock SET recorded_at = clock_timestamp()")
        await service.execute(shadow)
        await service.execute("SET LOCAL search_path = pg_temp, public")
        with pytest.raises(asyncpg.IntegrityConstraintViolationError) as refused:
            await service.execute(written)
        await transaction.rollback()
        assert refused.value.constraint_name == rule


async def test_a_policy_asks_for_the_tenant_by_no_name_that_can_be_shadowed(
    service_with_temporary_objects: asyncpg.Connection,
) -> None:
    service = service_with_temporary_objects
    mine = await service.fetchval("SELECT count(*) FROM public.entity")
    await service.execute(
        "CREATE FUNCTION pg_temp.current_setting(text, boolean) RETURNS text LANGUAGE sql AS 'SELECT ''2'''"
    )
    await service.execute("SET search_path = pg_temp, pg_catalog, public")
    assert await service.fetchval("SELECT public.current_tenant()") == scene.TENANT
    assert await service.fetchval("SELECT count(*) FROM public.entity") == mine > 0


# What there is -------------------------------------------------------------------------------------

FUNCTIONS = """
SELECT pg_proc.oid::regprocedure::text AS name, lanname, prosecdef, proleakproof, proconfig,
    prosqlbody IS NOT NULL AS is_read_once, proowner::regrole::text AS owner,
    EXISTS (
        SELECT FROM aclexplode(coalesce(proacl, acldefault('f', proowner))) WHERE grantee = 0
    ) AS is_for_everybody,
    EXISTS (SELECT FROM pg_depend WHERE objid = pg_proc.oid AND deptype = 'e') AS is_of_extension
FROM pg_proc JOIN pg_language ON pg_language.oid = prolang
WHERE pronamespace NOT IN ('pg_catalog'::regnamespace, 'information_schema'::regnamespace)
"""


async def test_no_function_can_be_made_to_mean_another_table(owner: asyncpg.Connection) -> None:
    functions = await owner.fetch(FUNCTIONS)
    assert not [each["name"] for each in functions if each["owner"] == SERVICE_ROLE]
    assert {each["name"] for each in functions if each["prosecdef"]} == RUNS_AS_OWNER.keys()
    own = [each for each in functions if not each["is_of_extension"]]
    # Those of the range types are the server's own code.
    assert {each["name"].partition("(")[0] for each in own if each["lanname"] == "internal"} == {
        "text_multirange",
        "text_range",
        "uuid_multirange",
        "uuid_range",
    }
    own = [each for each in own if each["lanname"] != "internal"]
    assert len(own) > 30
    for each in own:
        assert each["lanname"] in ("sql", "plpgsql"), each["name"]
        assert not each["proleakproof"], each["name"]
        if each["lanname"] == "plpgsql" or each["prosecdef"]:
            assert each["proconfig"] == [PINNED], each["name"]
        if each["lanname"] == "sql":
            assert each["is_read_once"], f"{each['name']} looks names up whenever it runs"
        if each["prosecdef"]:
            assert not each["is_for_everybody"], each["name"]


async def test_nothing_is_given_to_everybody(owner: asyncpg.Connection) -> None:
    assert not await owner.fetch("SELECT * FROM pg_default_acl")
    assert not await owner.fetch(
        "SELECT relname FROM pg_class CROSS JOIN aclexplode(relacl)"
        " WHERE grantee = 0 AND relnamespace = 'public'::regnamespace"
    )
    assert not await owner.fetch("SELECT * FROM pg_largeobject_metadata")
    for catalog in ("pg_foreign_server", "pg_event_trigger", "pg_publication", "pg_subscription"):
        assert await owner.fetchval(f"SELECT count(*) FROM {catalog}") == 0, catalog
    assert not await owner.fetch("SELECT * FROM pg_parameter_acl"), "a setting that somebody may change"
    spoken = {row["lanname"] for row in await owner.fetch("SELECT lanname FROM pg_language")}
    assert spoken == {"internal", "c", "sql", "plpgsql"}
    made = {row["extname"] for row in await owner.fetch("SELECT extname FROM pg_extension")}
    assert made == {"plpgsql", "vector"}


RELATIONS = """
SELECT relname, relkind::text, relowner::regrole::text AS owner,
    relrowsecurity AND (relforcerowsecurity OR relowner <> $1::regrole) AS is_bound,
    EXISTS (
        SELECT FROM pg_attribute WHERE attrelid = pg_class.oid AND attname = 'tenant_id' AND NOT attisdropped
    ) AS has_tenant,
    has_any_column_privilege($1, oid, 'SELECT, INSERT, UPDATE') AS is_in_reach
FROM pg_class
WHERE relnamespace = 'public'::regnamespace AND relkind = ANY ($2::"char"[])
"""


async def test_every_table_in_reach_is_bound_to_a_tenant_or_has_a_reason(owner: asyncpg.Connection) -> None:
    tables = await owner.fetch(RELATIONS, SERVICE_ROLE, [b"r", b"p", b"v", b"m", b"f"])
    assert {each["relkind"] for each in tables} == {"r"}, "a view would show what its owner sees"
    assert not [each["relname"] for each in tables if each["owner"] == SERVICE_ROLE]
    unbound = {each["relname"] for each in tables if each["is_in_reach"] and not each["is_bound"]}
    assert unbound == SEEN_BY_ALL_TENANTS.keys()
    assert {each["relname"] for each in tables if not each["has_tenant"]} == SEEN_BY_ALL_TENANTS.keys()


async def test_it_sets_no_sequence_back(owner: asyncpg.Connection) -> None:
    held: dict[str, set[str]] = {}
    for right in ("USAGE", "SELECT", "UPDATE"):
        for row in await owner.fetch(
            "SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace"
            " AND CASE WHEN relkind = 'S' THEN has_sequence_privilege($1, oid, $2) END",
            SERVICE_ROLE,
            right,
        ):
            held.setdefault(row["relname"], set()).add(right)
    assert held == {name: {"USAGE"} for name in ITS_SEQUENCES}


# A home of its own, and a server of somebody else's ------------------------------------------------


@pytest.fixture(scope="module")
async def fresh(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[tuple[Database, str]]:
    """A new home, opened as every command opens it, and its address as its owner."""
    settings = Settings(home=tmp_path_factory.mktemp("home") / "h", pool_size=2)
    async with open_memory(settings) as memory:
        joined = await asyncio.to_thread(EmbeddedPostgres.start, settings.home)
        try:
            yield memory.database, joined.url
        finally:
            await asyncio.to_thread(joined.stop)


async def test_a_session_of_the_embedded_server_leads_nowhere(fresh: tuple[Database, str]) -> None:
    database, _ = fresh
    for start in ("RESET ROLE", "SET SESSION AUTHORIZATION DEFAULT", "RESET ALL"):
        async with database.reading(scene.TENANT) as connection:
            await connection.execute(start)
            users = await connection.fetchrow("SELECT session_user, current_user")
            assert tuple(users) == (SERVICE_ROLE, SERVICE_ROLE)
            for statement in LEFT:
                with pytest.raises(asyncpg.InsufficientPrivilegeError):
                    await connection.execute(statement)


async def test_a_new_home_has_two_roles_of_which_one_is_ordinary(
    fresh: tuple[Database, str],
) -> None:
    _, url = fresh
    async with owner_connection(url) as owner:
        roles = {
            row["rolname"]: row
            for row in await owner.fetch("SELECT * FROM pg_roles WHERE NOT starts_with(rolname, 'pg_')")
        }
        assert roles.keys() == {"postgres", SERVICE_ROLE}
        role = roles[SERVICE_ROLE]
        held = {right for right in role.keys() if right.startswith("rol") and role[right] is True}  # noqa: SIM118
        assert held == {"rolinherit", "rolcanlogin"}
        reachable = await owner.fetch(
            "SELECT rolname FROM pg_roles WHERE pg_has_role($1, oid, 'MEMBER') AND rolname <> $1",
            SERVICE_ROLE,
        )
        assert not reachable
        assert await open_rights(owner) == []
        assert not await owner.fetchval(
            "SELECT has_database_privilege($1, current_database(), 'TEMPORARY')"
            " OR has_database_privilege($1, current_database(), 'CREATE')"
            " OR has_schema_privilege($1, 'public', 'CREATE')",
            SERVICE_ROLE,
        )


async def test_a_ledger_made_before_is_closed_by_the_next_migration(
    empty_database_url: str, tmp_path: Path
) -> None:
    for migration in shipped_migrations():
        (tmp_path / f"{migration.label}.sql").write_text(migration.sql, encoding="utf-8")
    await migrate(empty_database_url, tmp_path)
    (tmp_path / f"{migration.version + 1:04}_later.sql").write_text("SELECT;", encoding="utf-8")
    async with owner_connection(empty_database_url) as owner:
        name = await owner.fetchval("SELECT current_database()")
        await owner.execute(f"GRANT TEMPORARY, CREATE ON DATABASE {name} TO PUBLIC")
        await owner.execute(f"GRANT CREATE ON SCHEMA public TO PUBLIC, {SERVICE_ROLE}")
        assert len(set(await open_rights(owner))) == 3
        assert [each.name for each in await migrate(empty_database_url, tmp_path)] == ["later"]
        assert await open_rights(owner) == []
        unpinned = [each["name"] for each in await owner.fetch(FUNCTIONS) if each["lanname"] == "plpgsql"]
        assert len(unpinned) > 30
        assert {
            tuple(each["proconfig"] or ())
            for each in await owner.fetch(FUNCTIONS)
            if each["lanname"] == "plpgsql"
        } == {(PINNED,)}


async def test_a_restored_ledger_is_closed_again_though_nothing_is_pending(database_url: str) -> None:
    async with owner_connection(database_url) as owner:
        name = await owner.fetchval("SELECT current_database()")
        await owner.execute(f"GRANT TEMPORARY ON DATABASE {name} TO PUBLIC")
        assert await open_rights(owner) == ["temporary objects"]
        assert await migrate(database_url) == []
        assert await open_rights(owner) == []


async def test_a_dump_is_restored_whole(
    server: Server, database_url: str, empty_database_url: str, tmp_path: Path
) -> None:
    dump = ("--format=custom", f"--file={tmp_path / 'ledger'}", f"--dbname={database_url}")
    restore = ("--no-owner", "--exit-on-error", f"--dbname={empty_database_url}", str(tmp_path / "ledger"))
    for program, words in (("pg_dump", dump), ("pg_restore", restore)):
        done = await asyncio.create_subprocess_exec(binaries() / program, *words)
        assert await done.wait() == 0, program
    async with owner_connection(database_url) as owner, owner_connection(empty_database_url) as other:
        written = "SELECT pg_get_functiondef(oid) FROM pg_proc WHERE pronamespace = 'public'::regnamespace"
        own = f"{written} AND prokind = 'f' ORDER BY 1"
        assert await other.fetch(own) == await owner.fetch(own)
    await migrate(empty_database_url)


async def test_an_ordinary_owner_migrates_and_closes_its_ledger(
    server: Server, empty_database_url: str
) -> None:
    """Without a superuser: the owner may create roles, and an administrator made the extension."""
    name = empty_database_url.rpartition("/")[2].partition("?")[0]
    await server.run("CREATE ROLE plain_owner LOGIN CREATEROLE")
    await server.run(f"GRANT {SERVICE_ROLE} TO plain_owner WITH ADMIN OPTION")
    await server.run(f"ALTER DATABASE {name} OWNER TO plain_owner")
    async with owner_connection(empty_database_url) as administrator:
        await administrator.execute("CREATE EXTENSION vector")
    try:
        url = empty_database_url.replace("postgres@", "plain_owner@")
        await migrate(url)
        async with owner_connection(url) as owner:
            assert await owner.fetchval("SELECT current_setting('is_superuser')") == "off"
            assert await open_rights(owner) == []
            await server.run(f"ALTER ROLE {SERVICE_ROLE} SET search_path = nowhere")
            await server.run(f"ALTER ROLE {SERVICE_ROLE} IN DATABASE {name} SET row_security = off")
            assert await stored_settings(owner) == ["search_path", "row_security"]
            await migrate(url)
            assert await stored_settings(owner) == []
            assert {each["name"] for each in await owner.fetch(FUNCTIONS) if each["prosecdef"]} == (
                RUNS_AS_OWNER.keys()
            )
        database = await Database.open(url, size=1)
        await database.close()
    finally:
        await server.run(f"DROP DATABASE {name} WITH (FORCE)")
        await server.run(f"CREATE DATABASE {name}")
        await server.run("DROP ROLE plain_owner")


async def test_the_doctor_tells_of_what_the_operator_left_open(
    owner: asyncpg.Connection, database_url: str
) -> None:
    async def role() -> Finding:
        examined = examine(Settings(database_url=database_url))
        return next(finding for finding in [each async for each in examined] if finding.part == "role")

    assert (await role()).is_doubtful
    assert "TRIGRAPH_DATABASE_URL uses a superuser" in (await role()).message
    name = await owner.fetchval("SELECT current_database()")
    await owner.execute(f"GRANT TEMPORARY ON DATABASE {name} TO PUBLIC")
    assert "it may create temporary objects; run `trigraph migrate`" in (await role()).message


RIGHTS = """
SELECT relname::text AS name, privilege_type, '' AS part FROM pg_class CROSS JOIN aclexplode(relacl)
WHERE grantee = $1::regrole
UNION ALL
SELECT relname, privilege_type, attname FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid
    CROSS JOIN aclexplode(attacl)
WHERE grantee = $1::regrole
UNION ALL
SELECT oid::regprocedure::text, privilege_type, '' FROM pg_proc CROSS JOIN aclexplode(proacl)
WHERE grantee = $1::regrole
UNION ALL
SELECT nspname, privilege_type, '' FROM pg_namespace CROSS JOIN aclexplode(nspacl) WHERE grantee = $1::regrole
"""


async def findings(settings: Settings) -> dict[str, Finding]:
    return {finding.part: finding async for finding in examine(settings)}


async def test_a_role_that_was_dropped_is_made_again_with_its_rights(tmp_path: Path) -> None:
    settings = Settings(home=tmp_path / "h", pool_size=2)
    async with open_memory(settings):
        pass
    joined = await asyncio.to_thread(EmbeddedPostgres.start, settings.home)
    try:
        async with owner_connection(joined.url) as owner:
            rights = set(await owner.fetch(RIGHTS, SERVICE_ROLE))
            await owner.execute(f"DROP OWNED BY {SERVICE_ROLE}")
            await owner.execute(f"DROP ROLE {SERVICE_ROLE}")
            role = (await findings(settings))["role"]
            assert not role.is_well
            assert role.message == f"the database has no role {SERVICE_ROLE}; run `trigraph migrate`"
            await migrate(joined.url)
            assert set(await owner.fetch(RIGHTS, SERVICE_ROLE)) == rights
        assert (await findings(settings))["role"].is_well
        async with open_memory(settings):
            pass
    finally:
        await asyncio.to_thread(joined.stop)


STORED = (
    "local_preload_libraries = 'nope'",
    "row_security = off",
    "default_transaction_read_only = on",
    "search_path = nowhere",
)


@pytest.mark.parametrize("where", ["", "IN DATABASE trigraph "])
@pytest.mark.parametrize("stored", STORED)
async def test_what_the_service_stored_for_itself_ends_at_the_next_start(
    tmp_path: Path, stored: str, where: str
) -> None:
    settings = Settings(home=tmp_path / "h", pool_size=2)
    async with open_memory(settings) as memory, memory.database.reading(scene.TENANT) as connection:
        await connection.execute(f"ALTER ROLE {SERVICE_ROLE} {where}SET {stored}")
    role = (await findings(settings))["role"]
    assert not role.is_well or role.is_doubtful
    assert f"({stored.partition(' ')[0]}); run `trigraph migrate`" in role.message
    async with open_memory(settings) as memory, memory.database.writing(memory.caller.tenant) as connection:
        assert not await connection.fetch("SELECT * FROM pg_db_role_setting")
    role = (await findings(settings))["role"]
    assert role.is_well
    assert not role.is_doubtful


async def test_a_session_of_the_embedded_server_connects_to_no_database_beside(
    fresh: tuple[Database, str],
) -> None:
    _, url = fresh
    service = as_service(url)
    connection = await asyncpg.connect(service)
    await connection.close()
    for name in ("postgres", "template1", "template0"):
        with pytest.raises((asyncpg.InsufficientPrivilegeError, asyncpg.ObjectNotInPrerequisiteStateError)):
            await asyncpg.connect(service.replace("/trigraph?", f"/{name}?"))


GIVEN = (
    "GRANT pg_read_all_data TO trigraph_service",
    "GRANT pg_execute_server_program TO trigraph_service",
    "GRANT pg_read_server_files TO trigraph_service WITH INHERIT FALSE",
    "ALTER ROLE trigraph_service BYPASSRLS",
    "ALTER ROLE trigraph_service CREATEROLE",
)


@pytest.mark.parametrize("given", GIVEN)
async def test_a_role_that_got_a_way_around_is_refused(owner: asyncpg.Connection, given: str) -> None:
    """Nothing is committed: roles belong to the whole server."""
    transaction = owner.transaction()
    await transaction.start()
    try:
        await owner.execute(f"SET LOCAL ROLE {SERVICE_ROLE}")
        await refuse_a_privileged_role(owner)
        await owner.execute("RESET ROLE")
        await owner.execute(given)
        await owner.execute(f"SET LOCAL ROLE {SERVICE_ROLE}")
        with pytest.raises(Unavailable, match=SERVICE_ROLE):
            await refuse_a_privileged_role(owner)
    finally:
        await transaction.rollback()
