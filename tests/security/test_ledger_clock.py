"""A clock that is far ahead never moves the ledger there unseen: a second clock has to confirm it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import asyncpg
import pytest

from app.diagnostics import Finding, examine
from app.domain.numbers import TenantNumber
from app.errors import Unwritable
from app.services.container import Memory
from app.settings import Settings
from app.stores.postgres import ledger_clock
from app.stores.postgres.connection import SERVICE_ROLE
from app.stores.postgres.ledger_clock import Clocks, WriterClock
from app.stores.postgres.pool import Database
from tests.documents import adr, ask, file
from tests.e2e.serving import client_of
from tests.ledger import contents

RULE = "a_second_clock_confirms_a_leap"
NOW = "UPDATE ledger_clock SET recorded_at = clock_timestamp() WHERE tenant_id = 1"
LONG_AGO = datetime(2024, 6, 1, tzinfo=UTC)


class ClockOff:
    """A clock of the writer that is off by so much."""

    def __init__(self, off: timedelta) -> None:
        self._off = off

    def now(self) -> datetime:
        return datetime.now(UTC) + self._off


async def set_ledger_clock(owner: asyncpg.Connection, to: datetime) -> None:
    await owner.execute("ALTER TABLE ledger_clock DISABLE TRIGGER transaction_time_moves_forward")
    await owner.execute("UPDATE ledger_clock SET recorded_at = $1", to)
    await owner.execute("ALTER TABLE ledger_clock ENABLE TRIGGER transaction_time_moves_forward")


async def read(database: Database, tenant: TenantNumber) -> datetime:
    async with database.reading(tenant) as connection:
        return await ledger_clock.read_clock(connection, tenant)


@pytest.mark.parametrize("rested", [None, LONG_AGO], ids=["a new ledger", "a ledger that rested"])
async def test_a_database_400_days_ahead_of_its_writer_is_refused(
    memory: Memory, owner: asyncpg.Connection, monkeypatch: pytest.MonkeyPatch, rested: datetime | None
) -> None:
    if rested is not None:
        await set_ledger_clock(owner, rested)
    before = await contents(owner)
    monkeypatch.setattr(ledger_clock, "WRITER_CLOCK", ClockOff(timedelta(days=-400)))
    with pytest.raises(Unwritable, match=r"400 days earlier.*nothing was written.*set right") as refused:
        await file(memory, adr(1, "Queue"))
    assert refused.value.rule == RULE
    assert await contents(owner) == before
    monkeypatch.undo()
    await file(memory, adr(1, "Queue"))
    assert abs(await read(memory.database, memory.caller.tenant) - datetime.now(UTC)) < timedelta(hours=1)


@pytest.mark.parametrize("off", [timedelta(hours=-20), timedelta(hours=20), timedelta(days=400)])
async def test_clocks_that_differ_by_less_or_a_writer_ahead_move_it_nowhere_wrong(
    memory: Memory, monkeypatch: pytest.MonkeyPatch, off: timedelta
) -> None:
    monkeypatch.setattr(ledger_clock, "WRITER_CLOCK", ClockOff(off))
    await file(memory, adr(1, "Queue"))
    assert abs(await read(memory.database, memory.caller.tenant) - datetime.now(UTC)) < timedelta(hours=1)


async def test_a_ledger_that_rested_for_years_goes_on(memory: Memory, owner: asyncpg.Connection) -> None:
    await set_ledger_clock(owner, LONG_AGO)
    await file(memory, adr(1, "Queue"))
    assert (await ask(memory, "queue")).hits


async def test_plain_sql_leaps_only_when_it_says_its_own_clock(
    owner: asyncpg.Connection, database_url: str
) -> None:
    service = await asyncpg.connect(database_url, server_settings={"role": SERVICE_ROLE})
    await service.execute("SET trigraph.tenant = '1'")
    say = "SELECT set_config('trigraph.writer_clock', $1::timestamptz::text, true)"
    now = datetime.now(UTC)
    for connection in (owner, service):
        await set_ledger_clock(owner, LONG_AGO)
        for clock in (None, now - timedelta(days=400), LONG_AGO):
            with pytest.raises(asyncpg.IntegrityConstraintViolationError) as refused:
                await _leap(connection, say, clock)
            assert refused.value.constraint_name == RULE
        await _leap(connection, say, now)
        await connection.execute(NOW)  # no leap any more
    await set_ledger_clock(owner, LONG_AGO)
    with pytest.raises(asyncpg.IntegrityConstraintViolationError) as refused:
        await service.execute(NOW)
    assert refused.value.constraint_name == RULE, "what was said holds for one transaction"
    await service.close()


async def _leap(connection: asyncpg.Connection, say: str, clock: datetime | None) -> None:
    async with connection.transaction():
        if clock is not None:
            await connection.execute(say, clock)
        await connection.execute(NOW)


async def test_a_ledger_that_is_ahead_goes_on_and_everybody_says_so(
    memory: Memory, owner: asyncpg.Connection, database_url: str
) -> None:
    ahead = datetime.now(UTC) + timedelta(days=400, minutes=5)
    await set_ledger_clock(owner, ahead)
    await file(memory, adr(1, "Queue"))
    assert timedelta(0) < await read(memory.database, memory.caller.tenant) - ahead < timedelta(seconds=1)
    settings = Settings(database_url=database_url, pool_size=4)
    found = {finding.part: finding async for finding in examine(settings)}
    assert not found["clock"].is_well
    assert "400 days from now" in found["clock"].message
    assert found["writes"].is_well
    async with client_of(settings) as client:
        answer = await client.get("/readyz")
    assert (answer.status_code, answer.json()["status"]) == (200, "degraded")
    assert "400 days from now" in answer.json()["warnings"][0]


async def test_a_refused_clock_is_told_by_the_doctor_and_makes_it_unready(
    owner: asyncpg.Connection, database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = Settings(database_url=database_url, pool_size=4)
    found = await _examined(settings)
    assert found["clock"] == Finding(
        "clock", True, "the clocks of the database, this process and the ledger agree"
    )
    await set_ledger_clock(owner, LONG_AGO)
    monkeypatch.setattr(ledger_clock, "WRITER_CLOCK", ClockOff(timedelta(days=-400)))
    monkeypatch.setattr(ledger_clock, "WRITER_CLOCK", ClockOff(timedelta(days=-400)))
    found = await _examined(settings)
    assert "400 days after the clock of this process" in found["clock"].message
    assert [part for part, finding in found.items() if not finding.is_well] == ["writes", "clock"]
    async with client_of(settings) as client:
        refused = await client.get("/readyz")
        assert refused.status_code == 503
        assert "400 days earlier" in refused.json()["reasons"][0]
        assert "trigraph_ready 0.0" in (await client.get("/metrics")).text


async def _examined(settings: Settings) -> dict[str, Finding]:
    return {finding.part: finding async for finding in examine(settings)}


def test_a_database_behind_its_process_is_told() -> None:
    now = datetime(2026, 1, 1, tzinfo=UTC)
    assert Clocks(now, now + timedelta(hours=3), now).difference is None
    behind = Clocks(now, now + timedelta(days=2), now - timedelta(days=700))
    assert behind.lead is None
    assert behind.difference is not None
    assert "2 days before the clock of this process" in behind.difference


@pytest.mark.parametrize(
    ("step", "is_followed"),
    [(timedelta(days=400), False), (timedelta(days=3), True), (timedelta(days=-400), True)],
)
def test_a_process_follows_no_step_of_its_machine_by_more_than_a_month(
    step: timedelta, is_followed: bool
) -> None:
    wall, uptime = datetime(2026, 1, 1, tzinfo=UTC), 1000.0
    clock = WriterClock(lambda: wall, lambda: uptime)
    wall, uptime = wall + timedelta(days=90), uptime + 90 * 86_400
    assert clock.now() == wall
    true = wall
    wall += step
    assert clock.now() == (wall if is_followed else true)
