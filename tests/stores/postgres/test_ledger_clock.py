"""The ledger's clock."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta

import asyncpg

from app.domain.numbers import TenantNumber
from app.stores.postgres import ledger_clock
from app.stores.postgres.pool import Database


async def test_each_write_is_later_than_the_one_before(database: Database, tenant: TenantNumber) -> None:
    times = []
    for _ in range(5):
        async with database.writing(tenant) as connection:
            times.append(await ledger_clock.advance_clock(connection, tenant))
            times.append(await ledger_clock.advance_clock(connection, tenant))
    assert times == sorted(set(times))
    async with database.reading(tenant) as connection:
        assert await ledger_clock.read_clock(connection, tenant) == times[-1]


async def test_a_clock_that_stood_still_goes_on_by_a_microsecond(
    owner: asyncpg.Connection, database: Database, tenant: TenantNumber
) -> None:
    """TIM-12: also when the machine's clock was set back."""
    ahead = datetime(2090, 1, 1, tzinfo=UTC)
    await owner.execute("ALTER TABLE ledger_clock DISABLE TRIGGER transaction_time_moves_forward")
    await owner.execute("UPDATE ledger_clock SET recorded_at = $1", ahead)
    await owner.execute("ALTER TABLE ledger_clock ENABLE TRIGGER transaction_time_moves_forward")
    for step in (1, 2):
        async with database.writing(tenant) as connection:
            advanced = await ledger_clock.advance_clock(connection, tenant)
        assert advanced == ahead + timedelta(microseconds=step)


async def test_writers_of_a_tenant_wait_for_each_other_and_readers_do_not(
    database: Database, tenant: TenantNumber
) -> None:
    order: list[str] = []

    async def second() -> None:
        async with database.writing(tenant) as connection:
            await ledger_clock.advance_clock(connection, tenant)
            order.append("second")

    async with database.writing(tenant) as connection:
        held = await ledger_clock.advance_clock(connection, tenant)
        waiting = asyncio.create_task(second())
        async with database.reading(tenant) as reader:
            assert await ledger_clock.read_clock(reader, tenant) < held
        await asyncio.sleep(0.05)
        order.append("first")
    await waiting
    assert order == ["first", "second"]


async def test_a_write_is_recorded_after_all_that_readers_settled_while_it_waited(
    database: Database, tenant: TenantNumber
) -> None:
    async def write() -> datetime:
        async with database.writing(tenant) as connection:
            return await ledger_clock.advance_clock(connection, tenant)

    async with database.writing(tenant) as reader:
        await ledger_clock.read_settled_clock(reader, tenant)
        waiting = asyncio.create_task(write())
        await asyncio.sleep(0.1)
        known = await reader.fetchval("SELECT clock_timestamp()")
    assert await waiting > known


async def test_a_write_that_changed_nothing_has_no_position(database: Database, tenant: TenantNumber) -> None:
    async with database.writing(tenant) as connection:
        await ledger_clock.advance_clock(connection, tenant)
        assert await ledger_clock.finish_write(connection) is None
