"""Writers that go around the program: the ledger's clock keeps them in turn, and out of the past."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import asyncpg
import pytest

from app.stores.postgres.connection import SERVICE_ROLE
from app.stores.postgres.projects import ensure_tenant
from tests.stores.postgres import scene
from tests.stores.postgres.scene import ADVANCE, CLOCK, insert, set_scene, write

ADD = insert("reference")


@asynccontextmanager
async def service_on(url: str) -> AsyncIterator[asyncpg.Connection]:
    connection = await asyncpg.connect(url, server_settings={"role": SERVICE_ROLE})
    await connection.execute(f"SET trigraph.tenant = '{scene.TENANT}'")
    yield connection
    await connection.close()


@pytest.fixture
async def service(owner: asyncpg.Connection, database_url: str) -> AsyncIterator[asyncpg.Connection]:
    """A connection of the service to a ledger that holds the scene."""
    await set_scene(owner)
    async with service_on(database_url) as connection:
        yield connection


@pytest.mark.parametrize(
    ("rule", "one", "other"),
    [
        (
            "supersession_is_acyclic",
            insert("reference", type="SUPERSEDES", source=scene.OTHER, target=scene.OLD),
            insert("reference", type="SUPERSEDES", source=scene.OLD, target=scene.OTHER, id=scene.DRAFT),
        ),
        (
            "alias_chains_are_acyclic",
            insert("alias", folded_form="x", source=scene.LONE, target=scene.OTHER),
            insert("alias", folded_form="y", source=scene.OTHER, target=scene.LONE, id=scene.DRAFT),
        ),
    ],
    ids=["supersessions", "aliases"],
)
async def test_two_writers_close_no_circle_between_them(
    service: asyncpg.Connection, database_url: str, rule: str, one: str, other: str
) -> None:
    await write(
        service, insert("entity"), insert("entity_state", entity=scene.OTHER, valid_from="2020-01-01Z")
    )
    async with service_on(database_url) as second:
        first = service.transaction()
        await first.start()
        await service.execute(ADVANCE)
        await service.execute(one)
        waiting = asyncio.create_task(write(second, other))
        while not await service.fetchval("SELECT EXISTS (SELECT FROM pg_locks WHERE NOT granted)"):
            assert not waiting.done()
        await first.commit()
        with pytest.raises(asyncpg.PostgresError) as refused:
            await waiting
    assert refused.value.constraint_name == rule


async def test_a_clock_that_was_moved_in_vain_is_not_moved(service: asyncpg.Connection) -> None:
    """A savepoint that is rolled back takes the transaction time with it; one that is released keeps it."""
    async with service.transaction():
        given_up = service.transaction()
        await given_up.start()
        await service.execute(ADVANCE)
        await given_up.rollback()
        with pytest.raises(asyncpg.PostgresError) as refused:
            async with service.transaction():
                await service.execute(ADD)
        assert refused.value.constraint_name == "a_write_moves_the_ledger_clock"
        async with service.transaction():
            await service.execute(ADVANCE)
        await service.execute(ADD)
    assert await service.fetchval("SELECT count(*) FROM reference WHERE id = $1", scene.OTHER) == 1


async def test_the_clock_does_not_say_of_itself_that_it_was_moved(service: asyncpg.Connection) -> None:
    with pytest.raises(asyncpg.InsufficientPrivilegeError):
        await service.execute("UPDATE ledger_clock SET transaction_id = pg_current_xact_id()")


async def test_two_tenants_may_have_one_id(owner: asyncpg.Connection, service: asyncpg.Connection) -> None:
    """TEN-03: neither is in the way of the other, or hears of what it has."""
    tenant = await ensure_tenant(owner, "theirs")
    await service.execute(f"SET trigraph.tenant = '{tenant}'")
    for statements in scene.SCENE:
        theirs = [each.replace(f"tenant_id = {scene.TENANT}", f"tenant_id = {tenant}") for each in statements]
        theirs = [each.replace(f"VALUES ({scene.TENANT}, ", f"VALUES ({tenant}, ") for each in theirs]
        theirs = [each.replace("taken", "free") for each in theirs]
        async with service.transaction():
            await service.execute(ADVANCE.replace(f"= {scene.TENANT}", f"= {tenant}"))
            for statement in theirs:
                by = owner if "INTO token" in statement else service  # the operator alone makes tokens
                await by.execute(statement)
    for table in ("entity", "entity_state", "alias", "reference"):
        held = await owner.fetch(f"SELECT tenant_id, count(*) FROM {table} GROUP BY tenant_id")
        assert len({row["count"] for row in held}) == 1
        assert {row["tenant_id"] for row in held} == {scene.TENANT, tenant}


async def test_what_a_write_records_late_it_records_at_the_later_time(service: asyncpg.Connection) -> None:
    """One write may move the clock more than once: what it believed first can only then be given up."""
    async with service.transaction():
        await service.execute(ADVANCE)
        await service.execute(ADD)
        await service.execute(ADVANCE)
        await service.execute(f"UPDATE reference SET retracted_at = {CLOCK[1:]} WHERE id = '{scene.OTHER}'")
    assert await service.fetchval(
        "SELECT retracted_at > recorded_at FROM reference WHERE id = $1", scene.OTHER
    )
