"""A ledger that an earlier Trigraph made, and what was written in it, after it is migrated."""

from __future__ import annotations

import shutil
from pathlib import Path

import asyncpg
import pytest

from app.embedding import Embedder
from app.errors import Conflict
from app.resources import shipped_folder
from app.stores.postgres.connection import owner_connection
from app.stores.postgres.migrate import applied_migrations, check, migrate, shipped_migrations
from app.stores.postgres.pool import Database
from app.stores.postgres.projects import ensure_tenant
from tests.conftest import memory_on
from tests.documents import SUPERSEDES, adr, ask, claims, day, file, identifiers
from tests.stores.postgres import scene
from tests.stores.postgres.scene import insert, set_scene, write, write_late

EARLIER = [
    (int(label[:4]), label[5:], sha256)
    for label, sha256 in (
        line.split()
        for line in Path(__file__).with_name("earlier_migrations.txt").read_text("utf-8").splitlines()
    )
]
BELIEFS = ("entity", "artifact", "entity_state", "state_event", "alias", "reference", "pending_reference")


@pytest.fixture
def later(tmp_path: Path) -> Path:
    """What ships, and one migration more."""
    folder = shutil.copytree(shipped_folder("migrations", "migrations") / "postgres", tmp_path / "later")
    following = shipped_migrations()[-1].version + 1
    (folder / f"{following:04}_later.sql").write_text("CREATE TABLE later (number int);\n", encoding="utf-8")
    return folder


@pytest.fixture
def first_alone(tmp_path: Path) -> Path:
    """The first migration that ships, in a folder without the others."""
    first = shipped_folder("migrations", "migrations") / "postgres" / f"{shipped_migrations()[0].label}.sql"
    (tmp_path / "first").mkdir()
    shutil.copy(first, tmp_path / "first")
    return tmp_path / "first"


@pytest.fixture
async def first_url(empty_database_url: str, first_alone: Path) -> str:
    """A ledger with the first migration alone, as an earlier Trigraph left it."""
    await migrate(empty_database_url, first_alone)
    async with owner_connection(empty_database_url) as owner:
        await ensure_tenant(owner, "local")
    return empty_database_url


async def record(owner: asyncpg.Connection, rows: list[tuple[int, str, str]]) -> None:
    """Record these migrations and no others, as the earlier Trigraph did."""
    await owner.execute("DELETE FROM schema_migration")
    await owner.executemany("INSERT INTO schema_migration (version, name, sha256) VALUES ($1, $2, $3)", rows)


async def test_it_keeps_what_it_holds_and_goes_on(first_url: str, later: Path, embedder: Embedder) -> None:
    async with owner_connection(first_url) as owner:
        await set_scene(owner)
        held = await beliefs(owner)
        await record(owner, EARLIER)
        with pytest.raises(Conflict, match=r"\d{4}_later; run `trigraph migrate`"):
            await check(first_url, later)
        assert await migrate(first_url, later) == shipped_migrations(later)[1:]
        await check(first_url, later)
        assert await migrate(first_url, later) == []
        assert await applied_migrations(owner) == {
            each.version: (each.name, each.sha256) for each in shipped_migrations(later)
        }
        kept = await beliefs(owner)
        assert [
            [now | before for now, before in zip(*each, strict=True)] for each in zip(kept, held, strict=True)
        ] == kept
        with pytest.raises(asyncpg.PostgresError, match="moves the clock"):
            await write_late(owner, insert("reference"))
        await write(owner, insert("reference"))
    await _goes_on(first_url, embedder)


async def beliefs(owner: asyncpg.Connection) -> list[list[dict[str, object]]]:
    """Return the rows of the tables that hold what was written."""
    return [
        [dict(row) for row in await owner.fetch(f"SELECT * FROM {table} ORDER BY id")] for table in BELIEFS
    ]


async def _goes_on(url: str, embedder: Embedder) -> None:
    """File another version of what was there, and one that supersedes it."""
    database = await Database.open(url, size=3)
    memory = memory_on(database, embedder, scene.TENANT)
    await file(memory, adr(1, "Queue", created_at=day(2023)), "scene")
    newer = adr(7, "Broker", created_at=day(2024), references=claims(SUPERSEDES, "ADR-1"))
    assert (await file(memory, newer, "scene")).warnings == ()
    assert identifiers(await ask(memory, "ADR-7 broker", project="scene"))[0] == "ADR-7"
    await database.close()


async def test_a_check_of_it_writes_nothing(
    database_url: str, owner: asyncpg.Connection, first_alone: Path
) -> None:
    """Nothing is pending where only the first migration ships."""
    await record(owner, EARLIER)
    await check(database_url, first_alone)
    assert len(await applied_migrations(owner)) == len(EARLIER)


@pytest.mark.parametrize(
    ("rows", "label"),
    [
        (EARLIER[:1], "0001_ledger"),
        (EARLIER[:-1], "0022_names_that_cannot_be_shadowed"),
        ([*EARLIER, (24, "other", "0" * 64)], "0024_other"),
        ([*EARLIER[:4], *EARLIER[5:]], "0023_a_second_clock"),
        ([*EARLIER[:-1], (23, "a_second_clock", "0" * 64)], "0023_a_second_clock"),
    ],
    ids=["first", "behind", "beyond", "gap", "edited"],
)
async def test_one_that_stands_elsewhere_is_refused_as_it_is(
    database_url: str, owner: asyncpg.Connection, rows: list[tuple[int, str, str]], label: str
) -> None:
    await record(owner, rows)
    before = await owner.fetch("SELECT * FROM schema_migration ORDER BY version")
    for act in (migrate, check):
        with pytest.raises(
            Conflict, match=f"stands at {label}, and this one goes on only from 0023_a_second_clock"
        ):
            await act(database_url)
    assert await owner.fetch("SELECT * FROM schema_migration ORDER BY version") == before
