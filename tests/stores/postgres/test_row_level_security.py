"""Tenants never see each other: in the catalog, and tried on every table."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass

import asyncpg
import pytest

from app.domain.artifact import AliasClaim, FactClaim, Quote
from app.domain.numbers import TenantNumber
from app.domain.recall import StateFlag
from app.embedding import Embedder
from app.errors import NotFound
from app.services.aliases.service import AliasRequest
from app.services.container import Memory
from app.services.entities import StatedStatusWord
from app.services.filing.document_withdrawal import WithdrawalRequest
from app.stores.postgres.connection import SERVICE_ROLE
from app.stores.postgres.pool import Database
from app.stores.postgres.projects import ensure_tenant
from tests.conftest import TEMPLATE, Server, memory_on
from tests.documents import RELATES_TO, SUPERSEDES, adr, ask, claims, day, file, identifiers
from tests.ledger import contents, tables

SHARED = {"schema_migration", "embedding_model", "outbox_horizon"}
BUSY = adr(
    1,
    "Queue",
    "Workers read one queue, says Ann.",
    created_at=day(2021),
    references=(*claims(RELATES_TO, "ADR-2"), *claims(RELATES_TO, "ADR-9"), *claims(SUPERSEDES, "ADR-3")),
    props={"aliases": ["The queue"]},
    alias_claims=(AliasClaim("The big queue", "ADR-1", Quote("formerly known as The big queue", 3)),),
    fact_claims=(FactClaim("status", "Retired", Quote("status is now Retired", 40)),),
)


@dataclass(frozen=True)
class Neighbours:
    """Two tenants that filed the same, the owner who sees both, and a connection bound to the first."""

    mine: Memory
    theirs: Memory
    owner: asyncpg.Connection
    service: asyncpg.Connection
    tables: list[str]


@pytest.fixture(scope="module")
async def neighbours(server: Server, embedder: Embedder, tenant: TenantNumber) -> AsyncIterator[Neighbours]:
    name = await server.create(TEMPLATE)
    url = server.url_of(name)
    owner = await asyncpg.connect(url)
    service = await asyncpg.connect(url, server_settings={"role": SERVICE_ROLE})
    await service.execute(f"SET trigraph.tenant = '{tenant}'")
    database = await Database.open(url, size=5)
    mine = memory_on(database, embedder, tenant)
    theirs = memory_on(database, embedder, await ensure_tenant(owner, "theirs"))
    for memory in (mine, theirs):
        for document in (adr(2, "Clock", props={"aliases": ["Ann"]}), adr(3, "Old"), BUSY):
            filed = await memory.filing.file(memory.caller, document, idempotency_key=document.title)
        given = await memory.aliases.create(memory.caller, AliasRequest("Line", filed.entity.id))
        assert given.alias is not None
        await memory.aliases.withdraw(memory.caller, given.alias.id, "too vague")
        gone = await memory.filing.file(memory.caller, adr(4, "Gone"))
        await memory.withdrawals.withdraw(memory.caller, WithdrawalRequest(entity=gone.entity.id))
        await owner.execute(
            "WITH root AS (INSERT INTO import_root (tenant_id, project_id, place, recorded_at)"
            " SELECT $1, project_id, '/docs', now() FROM project WHERE tenant_id = $1 RETURNING root_id)"
            " INSERT INTO document_root SELECT $1, $2, root_id, 'gone.md', now() FROM root",
            memory.caller.tenant,
            gone.entity.id,
        )
        await memory.canonical.define_status(memory.caller, StatedStatusWord("Blessed", StateFlag.WIP))
        await owner.execute(
            "INSERT INTO token VALUES ($1, gen_random_uuid(), ($1 * 1)::text, 'agent', 'bot')",
            memory.caller.tenant,
        )
        await owner.execute(
            "INSERT INTO posting_block SELECT $1, term, project_id, last_number, packed"
            " FROM term_statistics, fresh_postings($1, term, project_id, 1) WHERE tenant_id = $1",
            memory.caller.tenant,
        )
        await owner.execute(
            "INSERT INTO document_block SELECT $1, project_id, fresh.*"
            " FROM scope_statistics, fresh_documents($1, project_id, 1) AS fresh WHERE tenant_id = $1",
            memory.caller.tenant,
        )
    apart = [table for table in await tables(owner) if table not in SHARED]
    yield Neighbours(mine, theirs, owner, service, apart)
    await database.close()
    await service.close()
    await owner.close()
    await server.drop(name)


async def test_every_table_of_a_tenant_is_kept_apart_by_the_same_policy(owner: asyncpg.Connection) -> None:
    rows = await owner.fetch(
        """
        SELECT relname, relrowsecurity, polname, polpermissive, polcmd, polroles = '{0}' AS is_for_all,
            pg_get_expr(polqual, polrelid) AS shown, polwithcheck IS NULL AS same_for_writes
        FROM pg_class LEFT JOIN pg_policy ON polrelid = pg_class.oid
        WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p')
        """
    )
    kept = {row["relname"]: tuple(row)[1:] for row in rows if row["relname"] not in SHARED}
    policy = "tenants_never_see_each_other"
    assert kept
    assert set(kept.values()) == {(True, policy, True, b"*", True, "(tenant_id = current_tenant())", True)}


async def test_every_row_leads_with_its_tenant(owner: asyncpg.Connection) -> None:
    leading = await owner.fetch(
        "SELECT relname, attname, attnotnull FROM pg_class JOIN pg_attribute ON attrelid = pg_class.oid"
        " WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND attnum = 1"
    )
    apart = {tuple(row)[1:] for row in leading if row["relname"] not in SHARED}
    assert apart == {("tenant_id", True)}
    assert {row["relname"] for row in leading} >= SHARED


async def test_every_key_a_tenant_can_choose_holds_the_tenant(owner: asyncpg.Connection) -> None:
    """TEN-03: else two tenants could overwrite each other, or learn what the other has."""
    rows = await owner.fetch(
        """
        SELECT indexrelid::regclass::text AS name, pg_get_indexdef(indexrelid, 1, true) AS leading
        FROM pg_index JOIN pg_class ON pg_class.oid = indrelid
        WHERE indisunique AND relnamespace = 'public'::regnamespace
        """
    )
    elsewhere = {row["name"] for row in rows if row["leading"] != "tenant_id"}
    assert elsewhere == {
        "embedding_model_pkey",
        "one_outbox_row_per_change_and_transaction",
        "outbox_horizon_pkey",
        "outbox_pkey",
        "schema_migration_pkey",
        "tenant_keys_are_unique",
        "token_hashes_are_unique",
    }


async def test_every_exclusion_is_one_within_a_tenant(owner: asyncpg.Connection) -> None:
    """TEN-03: a row of another tenant is in nobody's way."""
    rows = await owner.fetch(
        "SELECT conname, pg_get_constraintdef(oid) AS rule FROM pg_constraint WHERE contype = 'x'"
    )
    assert len(rows) == 4
    assert {row["conname"] for row in rows if "tenant_id" not in row["rule"]} == set()


async def test_the_service_owns_nothing_and_has_no_way_around(owner: asyncpg.Connection) -> None:
    role = await owner.fetchrow("SELECT * FROM pg_roles WHERE rolname = $1", SERVICE_ROLE)
    assert not any(role[right] for right in ("rolsuper", "rolbypassrls", "rolcreaterole", "rolcreatedb"))
    owned = "SELECT count(*) FROM {} WHERE {} = $1"
    for catalog, column in (("pg_class", "relowner"), ("pg_proc", "proowner"), ("pg_namespace", "nspowner")):
        assert await owner.fetchval(owned.format(catalog, column), role["oid"]) == 0
    assert await owner.fetchval("SELECT count(*) FROM pg_auth_members WHERE member = $1", role["oid"]) == 0
    # It tells yes or no of a mark that its asker has to know, and nothing of whose change that is.
    lent = await owner.fetch(
        "SELECT proname, prorettype::regtype::text AS result FROM pg_proc"
        " WHERE prosecdef AND pronamespace = 'public'::regnamespace"
    )
    assert [tuple(row) for row in lent] == [("stands_in_ledger", "boolean")]
    assert not await owner.fetch(
        "SELECT relname FROM pg_class WHERE relkind IN ('v', 'm') AND relnamespace = 'public'::regnamespace"
    )
    for right in ("TRUNCATE", "DELETE", "TRIGGER", "REFERENCES"):
        held = await owner.fetch(
            "SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r'"
            " AND has_table_privilege($1, oid, $2)",
            SERVICE_ROLE,
            right,
        )
        assert not held
    assert not await owner.fetchval("SELECT has_schema_privilege($1, 'public', 'CREATE')", SERVICE_ROLE)


async def test_no_row_of_another_tenant_is_visible(neighbours: Neighbours) -> None:
    for table in neighbours.tables:
        held = dict(await neighbours.owner.fetch(f"SELECT tenant_id, count(*) FROM {table} GROUP BY 1"))
        assert held.keys() == {neighbours.mine.caller.tenant, neighbours.theirs.caller.tenant}, table
        seen = dict(await neighbours.service.fetch(f"SELECT tenant_id, count(*) FROM {table} GROUP BY 1"))
        assert seen == {neighbours.mine.caller.tenant: held[neighbours.mine.caller.tenant]}, table


async def test_a_connection_bound_to_nobody_sees_nothing(neighbours: Neighbours) -> None:
    await neighbours.service.execute("RESET trigraph.tenant")
    try:
        for table in neighbours.tables:
            assert await neighbours.service.fetchval(f"SELECT count(*) FROM {table}") == 0
    finally:
        await neighbours.service.execute(f"SET trigraph.tenant = '{neighbours.mine.caller.tenant}'")


async def test_no_row_can_be_written_for_another_tenant(neighbours: Neighbours) -> None:
    before = await contents(neighbours.owner)
    for table in neighbours.tables:
        row = await neighbours.owner.fetchval(
            f"SELECT to_jsonb(held)::text FROM {table} AS held WHERE tenant_id = $1",
            neighbours.theirs.caller.tenant,
        )
        with pytest.raises(asyncpg.PostgresError) as refused:
            await neighbours.service.execute(
                f"INSERT INTO {table} OVERRIDING SYSTEM VALUE"
                f" SELECT * FROM jsonb_populate_record(NULL::{table}, $1::text::jsonb)",
                row,
            )
        # Not because the row is there already: that would tell what the other tenant holds.
        assert not isinstance(refused.value, asyncpg.UniqueViolationError), table
    assert await contents(neighbours.owner) == before


async def test_no_row_of_another_tenant_can_be_changed(neighbours: Neighbours) -> None:
    before = await contents(neighbours.owner)
    changeable = await neighbours.owner.fetch(
        """
        SELECT relname, attname FROM pg_attribute JOIN pg_class ON attrelid = pg_class.oid
        WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' AND attnum > 0
            AND has_column_privilege($1, pg_class.oid, attnum, 'UPDATE')
        """,
        SERVICE_ROLE,
    )
    assert ("tenant_id",) not in {(row["attname"],) for row in changeable}
    assert {row["relname"] for row in changeable} >= {"ledger_clock", "entity_state", "alias", "reference"}
    for table, column in changeable:
        done = await neighbours.service.execute(
            f"UPDATE {table} SET {column} = {column} WHERE tenant_id = $1", neighbours.theirs.caller.tenant
        )
        assert done == "UPDATE 0"
    assert await contents(neighbours.owner) == before


async def test_a_row_cannot_point_into_another_tenant(neighbours: Neighbours) -> None:
    foreign = await neighbours.owner.fetchval(
        "SELECT id FROM entity WHERE tenant_id = $1 LIMIT 1", neighbours.theirs.caller.tenant
    )
    with pytest.raises(asyncpg.ForeignKeyViolationError):
        await neighbours.service.execute(
            "INSERT INTO mention SELECT tenant_id, id, $1, 'x', 'x', 1, recorded_at FROM artifact LIMIT 1",
            foreign,
        )


async def test_each_tenant_recalls_its_own(neighbours: Neighbours) -> None:
    """TEN-01, TEN-03: the same documents under the same keys, and nothing of the neighbour's."""
    for memory in (neighbours.mine, neighbours.theirs):
        result = await ask(memory, "ADR-1 queue")
        assert identifiers(result)[0] == "ADR-1"
        own = {
            row["id"]
            for row in await neighbours.owner.fetch(
                "SELECT id FROM artifact WHERE tenant_id = $1 AND entity NOT IN (SELECT entity FROM absence)",
                memory.caller.tenant,
            )
        }
        assert {hit.artifact.id for hit in result.hits} == own


async def test_another_tenant_s_project_does_not_exist(neighbours: Neighbours) -> None:
    await file(neighbours.theirs, adr(1, "Secret"), "theirs-alone")
    with pytest.raises(NotFound):
        await ask(neighbours.mine, "secret", project="theirs-alone")
    assert "Secret" not in {hit.artifact.title for hit in (await ask(neighbours.mine, "secret")).hits}
