from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from app.errors import Forbidden, Invalid, NotFound, Unavailable
from app.services.importing.table import TableRequest
from tests.conftest import Server
from tests.services.importing.table.conftest import Migrated, OldDatabase

ROLE = "reader_of_old_tables"


@pytest.fixture
async def stranger(server: Server, old: OldDatabase) -> AsyncIterator[str]:
    """The address of the older system's database for somebody who owns nothing there."""
    await server.run(f"CREATE ROLE {ROLE} LOGIN")
    yield old.url.replace("//postgres@", f"//{ROLE}@")
    await old.run(f"DROP OWNED BY {ROLE}")
    await server.run(f"DROP ROLE {ROLE}")


@pytest.mark.parametrize("table", ["artifact", "other.artifacts", '"Artifacts"', "a.b.c", "", '"', "x; DROP"])
async def test_a_missing_table_is_answered_with_those_there_are(
    old: OldDatabase, migrated: Migrated, table: str
) -> None:
    await old.run(
        'CREATE TABLE artifacts (id text, body text); CREATE SCHEMA "W"; CREATE TABLE "W"."P p" (id text)'
    )
    with pytest.raises(NotFound) as missing:
        await migrated(table)
    assert missing.value.message == (
        f'there is no table {table} in the source database; it has "W"."P p", public.artifacts'
    )


async def test_a_missing_table_of_an_empty_database(migrated: Migrated) -> None:
    with pytest.raises(NotFound, match="it has no tables"):
        await migrated()


@pytest.mark.parametrize("table", ["Notes", "public.Notes", '"Notes"'])
async def test_capitals_are_found_as_they_are_spelled(
    old: OldDatabase, migrated: Migrated, table: str
) -> None:
    await old.run("""CREATE TABLE "Notes" (id text, body text); INSERT INTO "Notes" VALUES ('a', 'Text.')""")
    assert (await migrated(table)).filed == 1


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        (
            "id uuid, title text, content jsonb",
            "public.artifacts has no column for the text: it needs body or content or markdown or text or"
            " body_markdown or body_md or content_markdown or content_md, and has id (uuid), title (text),"
            " content (jsonb); a view can rename a column",
        ),
        (
            "title text, body text",
            "public.artifacts has no column for the name of a row, and no primary key: it needs identifier or"
            " key or slug or id, and has title (text), body (text); a view can rename a column",
        ),
        (
            "",
            "public.artifacts has no column for the text: it needs body or content or markdown or text or"
            " body_markdown or body_md or content_markdown or content_md, and has none; a view can rename a"
            " column",
        ),
    ],
)
async def test_a_table_that_lacks_what_is_needed_is_refused_with_its_columns(
    old: OldDatabase, migrated: Migrated, columns: str, message: str
) -> None:
    await old.run(f"CREATE TABLE artifacts ({columns})")
    with pytest.raises(Invalid) as refused:
        await migrated()
    assert refused.value.message == message


async def test_what_may_not_be_read_is_refused_and_nothing_is_left_out_in_silence(
    old: OldDatabase, migrated: Migrated, stranger: str
) -> None:
    await old.run("CREATE TABLE artifacts (id text, body text); INSERT INTO artifacts VALUES ('a', 'Text.')")
    with pytest.raises(Forbidden, match="permission denied for table artifacts; let the user of its address"):
        await migrated(address=stranger)
    await old.run(f"GRANT SELECT (id) ON artifacts TO {ROLE}")
    with pytest.raises(Forbidden, match="permission denied for table artifacts"):
        await migrated(address=stranger)
    await old.run(f"GRANT SELECT ON artifacts TO {ROLE}; ALTER TABLE artifacts ENABLE ROW LEVEL SECURITY")
    with pytest.raises(Forbidden, match="row-level security policy"):
        await migrated(address=stranger)
    await old.run("ALTER TABLE artifacts DISABLE ROW LEVEL SECURITY")
    assert (await migrated(address=stranger)).filed == 1


@pytest.mark.parametrize(
    ("address", "error"),
    [
        ("postgresql://ada:se/cr#et@127.0.0.1:1/old", Invalid),
        ("postgresql://ada:secret@127.0.0.1:1/old", Unavailable),
        ("mysql://ada:secret@127.0.0.1/old", Invalid),
        ("postgresql://ada:secret@127.0.0.1:port/old", Invalid),
        ("secret", Invalid),
        ("", Invalid),
    ],
)
async def test_an_address_that_leads_nowhere_is_told_without_its_password(
    migrated: Migrated, address: str, error: type[Invalid | Unavailable]
) -> None:
    with pytest.raises(error) as failed:
        await migrated(address=address)
    assert "source database" in failed.value.message
    assert "secret" not in failed.value.message
    assert "cr#et" not in failed.value.message
    assert "address" not in repr(TableRequest(address, "artifacts"))
