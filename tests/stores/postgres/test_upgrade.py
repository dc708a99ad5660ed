"""A ledger that an earlier Trigraph made, and what was written in it, after it is migrated."""

from __future__ import annotations

import shutil
from pathlib import Path

import asyncpg
import pytest

from app.embedding import Embedder
from app.resources import shipped_folder
from app.stores.postgres.migrate import migrate, shipped_migrations
from app.stores.postgres.pool import Database
from app.stores.postgres.projects import ensure_tenant
from tests.conftest import memory_on
from tests.documents import SUPERSEDES, adr, ask, claims, day, file, identifiers
from tests.stores.postgres import scene
from tests.stores.postgres.scene import insert, set_scene, write, write_late

LAST_BEFORE = 7
BELIEFS = ("entity", "artifact", "entity_state", "state_event", "alias", "reference", "pending_reference")


@pytest.fixture
def earlier(tmp_path: Path) -> Path:
    """The migrations that were there before the ledger kept its rules against plain SQL."""
    here = shipped_folder("migrations", "migrations") / "postgres"
    for migration in shipped_migrations():
        if migration.version <= LAST_BEFORE:
            shutil.copy(here / f"{migration.label}.sql", tmp_path)
    return tmp_path


async def test_a_ledger_with_a_past_keeps_it_and_gets_the_rules(
    empty_database_url: str, earlier: Path, embedder: Embedder
) -> None:
    assert len(await migrate(empty_database_url, earlier)) == LAST_BEFORE
    owner = await asyncpg.connect(empty_database_url)
    assert await ensure_tenant(owner, "local") == scene.TENANT
    await set_scene(owner)
    before = [await owner.fetch(f"SELECT * FROM {table} ORDER BY id") for table in BELIEFS]
    applied = await migrate(empty_database_url)
    assert [each.version for each in applied] == [
        each.version for each in shipped_migrations() if each.version > LAST_BEFORE
    ]
    for table, held in zip(BELIEFS, before, strict=True):
        columns = ", ".join(held[0].keys())
        assert await owner.fetch(f"SELECT {columns} FROM {table} ORDER BY id") == held
    with pytest.raises(asyncpg.PostgresError, match="moves the clock"):
        await write_late(owner, insert("reference"))
    await write(owner, insert("reference"))
    await owner.close()
    await _goes_on(empty_database_url, embedder)


async def _goes_on(url: str, embedder: Embedder) -> None:
    """File another version of what was there, and one that supersedes it."""
    database = await Database.open(url, size=3)
    memory = memory_on(database, embedder, scene.TENANT)
    await file(memory, adr(1, "Queue", created_at=day(2023)), "scene")
    newer = adr(7, "Broker", created_at=day(2024), references=claims(SUPERSEDES, "ADR-1"))
    assert (await file(memory, newer, "scene")).warnings == ()
    assert identifiers(await ask(memory, "ADR-7 broker", project="scene"))[0] == "ADR-7"
    await database.close()
