"""The schema of a ledger as `pg_dump` prints it: `make schema` writes it to `migrations/schema.sql`."""

from __future__ import annotations

import asyncio
import re
import tempfile
from pathlib import Path

from app.stores.postgres.embedded.postmaster import binaries
from app.stores.postgres.embedded.server import EmbeddedPostgres
from app.stores.postgres.migrate import migrate

COMMITTED = Path(__file__).parents[3] / "migrations/schema.sql"
_HEADER = "-- The schema of a migrated ledger, printed by `make schema`; migrations/postgres says why.\n"
_WORDS = ("--schema-only", "--no-owner", "--restrict-key=ledger")
_NOISE = re.compile(r"^(?:--|SET \w+ = |SELECT pg_catalog\.set_config|\\(?:un)?restrict ).*\n", re.MULTILINE)
_GAP = re.compile(r"\n{3,}")


async def printed_schema(url: str) -> str:
    """Return what makes the schema of this ledger, without what differs between servers and versions."""
    dump = await asyncio.create_subprocess_exec(
        binaries() / "pg_dump", *_WORDS, f"--dbname={url}", stdout=asyncio.subprocess.PIPE
    )
    printed, _ = await dump.communicate()
    if dump.returncode:
        raise RuntimeError(f"pg_dump ended with {dump.returncode}")
    return _HEADER + _GAP.sub("\n\n", "\n" + _NOISE.sub("", printed.decode()).strip()) + "\n"


def write_schema() -> None:
    """Write the schema of a fresh ledger to `migrations/schema.sql`."""
    with tempfile.TemporaryDirectory(prefix="trigraph-schema-") as home:
        embedded = EmbeddedPostgres.start(Path(home))
        try:
            asyncio.run(migrate(embedded.url))
            COMMITTED.write_text(asyncio.run(printed_schema(embedded.url)), encoding="utf-8")
        finally:
            embedded.stop()


if __name__ == "__main__":
    write_schema()
