"""What was noted of changes is forgotten in time, and no copy of the graph loses anything by it."""

from __future__ import annotations

import asyncio
from datetime import timedelta

import asyncpg
import pytest

from app.main import create_app
from app.services.container import Memory
from app.services.maintenance import periodic
from app.services.maintenance.periodic import BROKEN, forget_old_changes
from app.settings import Settings
from app.stores.postgres import outbox
from app.stores.postgres.outbox import tenant_position
from app.stores.postgres.projects import ensure_tenant
from tests.conftest import memory_on
from tests.documents import adr, file
from tests.projector.conftest import Copy, copy, graph, light, settings

__all__ = ["copy", "graph", "light", "settings"]

AT_ONCE = timedelta(0)


async def noted(owner: asyncpg.Connection) -> list[int]:
    return [row["position"] for row in await owner.fetch("SELECT position FROM outbox ORDER BY position")]


async def test_only_what_is_old_is_forgotten_and_never_the_last_of_a_tenant(
    copy: Copy, database_url: str
) -> None:
    theirs = await ensure_tenant(copy.owner, "theirs")
    other = memory_on(copy.memory.database, copy.memory.embedder, theirs)
    last_of_theirs = (await file(other, adr(1, "Theirs"))).position
    old = (await file(copy.memory, adr(1, "Queue"))).position
    assert old is not None
    await copy.owner.execute("UPDATE outbox SET noted_at = noted_at - interval '8 days'")
    recent = (await file(copy.memory, adr(2, "Clock"))).position
    before = await noted(copy.owner)
    gone = await forget_old_changes(database_url)
    after = await noted(copy.owner)
    assert after == [last_of_theirs, *(position for position in before if position > old)]
    assert (gone, await outbox.horizon(copy.owner)) == (len(before) - len(after), old)
    assert (await outbox.outbox_position(copy.owner))[0] == recent
    async with copy.memory.database.reading(theirs) as connection:
        assert (await tenant_position(connection, theirs, 0, None)).position == last_of_theirs
    assert await forget_old_changes(database_url) == 0
    assert (await file(copy.memory, adr(3, "Later"))).position == (await outbox.outbox_position(copy.owner))[
        0
    ]


async def test_a_copy_that_has_come_further_goes_on(copy: Copy, database_url: str) -> None:
    await file(copy.memory, adr(1, "Queue"))
    position = await copy.catch_up()
    assert await forget_old_changes(database_url, AT_ONCE) > 0
    await file(copy.memory, adr(2, "Clock"))
    generation = "MATCH (p:Projection) RETURN p.generation AS generation"
    before = await copy.graph.read(generation)
    assert await copy.catch_up() > position
    assert await copy.graph.read(generation) == before
    assert (await copy.verify()).is_equal


async def test_a_copy_that_is_too_far_behind_is_filled_anew(copy: Copy, database_url: str) -> None:
    """With what it held of a ledger that was there before a backup was restored taken away."""
    await file(copy.memory, adr(1, "Queue"))
    await copy.catch_up()
    await copy.graph.write("CREATE (:Entity {tenant: 1, id: 'of a ledger before a backup'})")
    for number in range(2, 6):
        await file(copy.memory, adr(number, f"Clock {number}"))
    await forget_old_changes(database_url, AT_ONCE)
    compared = await copy.verify()
    assert compared.is_equal
    assert compared.position == (await outbox.outbox_position(copy.owner))[0]
    await copy.rebuild()
    assert (await copy.verify()).digest == compared.digest


async def test_an_empty_graph_is_filled_from_the_rows(copy: Copy, database_url: str) -> None:
    await file(copy.memory, adr(1, "Queue"))
    await file(copy.memory, adr(1, "Queue, changed"))
    await forget_old_changes(database_url, AT_ONCE)
    assert (await copy.verify()).is_equal
    assert await copy.count("(:Artifact)") == 2


async def test_forgetting_that_is_cut_off_forgets_less(
    copy: Copy, database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(periodic, "CHANGES_AT_ONCE", 3)
    await file(copy.memory, adr(1, "Queue"))
    await copy.catch_up()
    for number in range(2, 5):
        await file(copy.memory, adr(number, f"Clock {number}"))
    before = await noted(copy.owner)
    forgets, times = outbox.forget, 0

    async def killed(owner: asyncpg.Connection, age: timedelta, most: int) -> int:
        nonlocal times
        times += 1
        if times == 3:
            await copy.owner.execute("SELECT pg_terminate_backend($1)", owner.get_server_pid())
        return await forgets(owner, age, most)

    monkeypatch.setattr(outbox, "forget", killed)
    with pytest.raises(BROKEN):
        await forget_old_changes(database_url, AT_ONCE)
    after = await noted(copy.owner)
    assert after == before[6:]
    assert await outbox.horizon(copy.owner) == before[5]
    assert (await copy.verify()).is_equal
    monkeypatch.setattr(outbox, "forget", forgets)
    assert await forget_old_changes(database_url, AT_ONCE) == len(after) - 1
    assert (await copy.verify()).is_equal


async def test_the_service_forgets_by_itself(
    memory: Memory, owner: asyncpg.Connection, database_url: str
) -> None:
    await file(memory, adr(1, "Queue"))
    await owner.execute("UPDATE outbox SET noted_at = noted_at - interval '8 days'")
    app = create_app(Settings(database_url=database_url, pool_size=2))
    async with app.router.lifespan_context(app), asyncio.timeout(30):
        while True:
            if len(await noted(owner)) == 1:
                break
            await asyncio.sleep(0.05)
