"""Migrations of the ledger's schema: numbered files that are each applied once and never edited."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import TypeAlias

import asyncpg

from app.errors import Conflict, Unavailable
from app.resources import shipped_folder
from app.stores.postgres.connection import owner_connection
from app.stores.postgres.database_rights import (
    close_database,
    give_service_rights,
    lacks_service_role,
    make_service_role,
)

Recorded: TypeAlias = dict[int, tuple[str, str]]
"""Name and hash of each recorded migration, by number."""

_FIRST = ("ledger", "2de65ee742593843c8206873b496f7c2ef4ae30e886f6c8de4c04aa444e97418")
_ALL = "96e8e1c0e896cd0ef762682efccdf66cf7ce3e17f6369806a1f84e52f88e17fe"


def is_complete_earlier_ledger(recorded: Recorded) -> bool:
    """Return whether exactly the earlier migrations are recorded, each with the hash that it had.

    Raises Conflict when the ledger began with them but stands elsewhere.
    """
    if recorded.get(1) != _FIRST:
        return False
    rows = [f"{version:04}_{name} {sha256}" for version, (name, sha256) in sorted(recorded.items())]
    if hashlib.sha256("\n".join(rows).encode()).hexdigest() != _ALL:
        last = max(recorded)
        raise Conflict(
            f"an earlier trigraph made this ledger; it stands at {last:04}_{recorded[last][0]}, and this one"
            " goes on only from 0023_a_second_clock; bring it there with the trigraph that has that migration"
        )
    return True


async def adopt_earlier_ledger(owner: asyncpg.Connection, sha256: str) -> None:
    """Record the one migration, with this hash, in the place of the earlier ones."""
    async with owner.transaction():
        await owner.execute("DELETE FROM public.schema_migration WHERE version > 1")
        await owner.execute("UPDATE public.schema_migration SET sha256 = $1", sha256)


_FILE_NAME = re.compile(r"^(?P<version>\d{4})_(?P<name>[a-z0-9_]+)\.sql$")
_LOCK = 0x7472_6967_7261_7068  # "trigraph" in ASCII

_RECORD = """
CREATE TABLE IF NOT EXISTS public.schema_migration (
    version integer PRIMARY KEY,
    name text NOT NULL,
    sha256 text NOT NULL,
    applied_at timestamptz NOT NULL DEFAULT clock_timestamp()
)
"""


@dataclass(frozen=True, slots=True)
class Migration:
    """One step of the schema: its number, its name, its SQL and a hash that detects edits."""

    version: int
    name: str
    sql: str
    sha256: str

    @classmethod
    def read(cls, path: Path) -> Migration:
        """Read a file NNNN_name.sql; line ends are normalized.

        Raises Conflict when the file is named otherwise.
        """
        parts = _FILE_NAME.match(path.name)
        if parts is None:
            raise Conflict(f"the migration {path.name} must have a name like 0002_what_it_does.sql")
        sql = path.read_text(encoding="utf-8-sig")  # universal newlines
        return cls(int(parts["version"]), parts["name"], sql, hashlib.sha256(sql.encode()).hexdigest())

    @property
    def label(self) -> str:
        """The file name without its suffix."""
        return f"{self.version:04}_{self.name}"


def shipped_migrations(folder: Path | None = None) -> list[Migration]:
    """Return every migration of the folder in order; by default the installation's folder.

    Raises Conflict when two files have one number.
    """
    folder = folder or shipped_folder("migrations", "migrations") / "postgres"
    migrations = sorted((Migration.read(path) for path in folder.glob("*.sql")), key=lambda each: each.label)
    for earlier, later in pairwise(migrations):
        if earlier.version == later.version:
            raise Conflict(
                f"the migrations {earlier.label} and {later.label} have the same number; renumber the later"
            )
    return migrations


async def applied_migrations(connection: asyncpg.Connection) -> Recorded:
    """Return name and hash of every recorded migration by number."""
    if await connection.fetchval("SELECT to_regclass('public.schema_migration') IS NULL"):
        return {}
    rows = await connection.fetch("SELECT version, name, sha256 FROM public.schema_migration")
    return {row["version"]: (row["name"], row["sha256"]) for row in rows}


async def pending_migrations(connection: asyncpg.Connection, folder: Path | None = None) -> list[Migration]:
    """Return the migrations that are not applied yet, in order.

    A ledger that an earlier Trigraph completed has the first one. Raises Conflict when a recorded migration
    was edited, is missing, or comes from a newer Trigraph.
    """
    migrations = shipped_migrations(folder)
    recorded = await applied_migrations(connection)
    if is_complete_earlier_ledger(recorded):
        recorded = {each.version: (each.name, each.sha256) for each in migrations[:1]}
    _refuse_rewritten_history(migrations, recorded)
    return [migration for migration in migrations if migration.version not in recorded]


async def migrate(url: str, folder: Path | None = None) -> list[Migration]:
    """Apply the pending migrations, each in its own transaction, and return those applied.

    Adopts a ledger that an earlier Trigraph completed. Makes the service's role again if somebody dropped it,
    and revokes from everybody but the owner the right to create objects in the database. Processes that start
    at the same time wait for each other. Raises Conflict as `pending_migrations` does, and Unavailable when
    the database does not answer or denies a right.
    """
    async with owner_connection(url, seconds=None) as connection:
        await connection.execute("SELECT pg_advisory_lock($1)", _LOCK)
        todo = await pending_migrations(connection, folder)
        if is_complete_earlier_ledger(await applied_migrations(connection)):
            await adopt_earlier_ledger(connection, shipped_migrations(folder)[0].sha256)
        is_restored = await lacks_service_role(connection)
        if is_restored:
            await make_service_role(connection)
        for migration in todo:
            await _apply(connection, migration)
        if is_restored:
            await give_service_rights(connection)
        await close_database(connection)
        return todo


async def check(url: str, folder: Path | None = None) -> None:
    """Raise Conflict unless exactly the shipped migrations are applied, naming those that are not."""
    async with owner_connection(url) as connection:
        todo = await pending_migrations(connection, folder)
    if todo:
        names = ", ".join(migration.label for migration in todo)
        raise Conflict(f"the ledger lacks {names}; run `trigraph migrate`")


def _refuse_rewritten_history(migrations: list[Migration], recorded: Recorded) -> None:
    here = {migration.version: migration for migration in migrations}
    newest = max(here, default=0)
    for version, (name, sha256) in recorded.items():
        label = f"{version:04}_{name}"
        if version > newest:
            raise Conflict(f"the ledger has {label}, so a newer trigraph created it; install that version")
        if version not in here:
            raise Conflict(f"the ledger has {label} but this installation lacks the file; restore it")
        if here[version].sha256 != sha256:
            raise Conflict(
                f"{label} was edited after it was applied; restore it and write a new migration instead"
            )
    last = max(recorded, default=0)
    for migration in migrations:
        if migration.version < last and migration.version not in recorded:
            raise Conflict(
                f"{migration.label} was added after {last:04} was applied; give it a higher number"
            )


async def _apply(connection: asyncpg.Connection, migration: Migration) -> None:
    try:
        async with connection.transaction():
            await connection.execute(_RECORD)
            await connection.execute(migration.sql)
            await connection.execute(
                "INSERT INTO public.schema_migration (version, name, sha256) VALUES ($1, $2, $3)",
                migration.version,
                migration.name,
                migration.sha256,
            )
    except asyncpg.InsufficientPrivilegeError as error:
        raise Unavailable(
            f"{migration.label} needs a right that the database does not grant ({error});"
            " migrate as an owner who may create roles, and let an administrator run CREATE"
            " EXTENSION vector first"
        ) from error
