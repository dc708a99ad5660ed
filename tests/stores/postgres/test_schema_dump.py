from __future__ import annotations

import asyncpg

from app.stores.postgres.migrate import migrate
from tests.stores.postgres.schema_dump import COMMITTED, printed_schema


async def test_the_committed_schema_is_that_of_a_migrated_ledger(empty_database_url: str) -> None:
    await migrate(empty_database_url)
    assert await printed_schema(empty_database_url) == COMMITTED.read_text("utf-8"), "run `make schema`"


async def test_a_change_of_any_kind_shows(owner: asyncpg.Connection, database_url: str) -> None:
    """Also one that is no table: a rule, a right, a body, a comment within it."""
    seen = {await printed_schema(database_url)}
    changes = (
        "ALTER TABLE alias DROP CONSTRAINT an_alias_ends_after_it_starts",
        "GRANT DELETE ON alias TO trigraph_service",
        "DROP POLICY tenants_never_see_each_other ON token",
        "DROP TRIGGER types_only_widen ON type",
        "ALTER FUNCTION refuse(text, text) RESET search_path",
        "CREATE OR REPLACE FUNCTION events_never_change() RETURNS trigger LANGUAGE plpgsql"
        " AS $$ BEGIN /* why */ RETURN NULL; END $$",
    )
    for count, change in enumerate(changes, start=2):
        await owner.execute(change)
        seen.add(await printed_schema(database_url))
        assert len(seen) == count, change
