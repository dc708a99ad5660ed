from __future__ import annotations

import pytest

from app.domain.artifact import MemoryDomain
from app.errors import Invalid
from tests.documents import ProjectFixture, day, edges, hit_of, identifiers
from tests.services.importing.table.conftest import Migrated, OldDatabase, refused

ARTIFACTS = """
CREATE TYPE standing AS ENUM ('Draft', 'Accepted');
CREATE TABLE artifacts (
    id uuid PRIMARY KEY DEFAULT gen_random_uuid(), "artifactType" varchar(20), identifier text, title text,
    content text, domain text, status standing, author text, tags text[], superseded_by text, metadata jsonb,
    "createdAt" timestamp, source_uri text, embedding float[]
);
INSERT INTO artifacts
    ("artifactType", identifier, title, content, status, superseded_by, metadata, "createdAt", source_uri)
VALUES
('adr', 'ADR-1', 'Poll the queue', 'Workers poll.', 'Accepted', 'ADR-2', NULL,
 '2024-03-01 09:30', 'docs/one.md'),
('adr', 'ADR-2', 'Push the jobs', 'A server pushes.', 'Accepted', NULL,
 '{"depends_on": ["RFC-9"], "deciders": ["Bo"]}', '2025-03-01', NULL),
('rfc', 'RFC-9', NULL,
 E'---\\nstatus: Draft\\ntitle: Jobs\\n---\\n# Other\\n\\nSee ADR-1.', NULL, NULL, NULL, NULL, NULL);
UPDATE artifacts SET author = 'Ada', domain = 'decision', tags = '{queue,workers}' WHERE identifier = 'ADR-1'
"""


async def test_rows_are_filed_by_the_names_of_their_columns(
    desk: ProjectFixture, old: OldDatabase, migrated: Migrated
) -> None:
    await old.run(ARTIFACTS)
    first, again = await migrated("public.artifacts"), await migrated('"public"."artifacts"')
    assert (first.total, first.filed, first.refused, first.kinds_defined) == (3, 3, [], ["RFC"])
    assert (again.filed, again.unchanged, again.refused) == (0, 3, [])
    found = await desk.ask("poll the queue")
    one = hit_of(found, "ADR-1").artifact
    assert (one.kind, one.title, one.author, one.domain) == (
        "ADR",
        "Poll the queue",
        "Ada",
        MemoryDomain.DECISION,
    )
    assert (one.created_at, one.source_uri) == (day(2024, 3, 1).replace(hour=9, minute=30), "docs/one.md")
    nine = hit_of(found, "RFC-9").artifact
    assert (nine.title, nine.source_uri is not None) == ("Jobs", True)
    assert await edges(desk) == {
        ("adr-2", "SUPERSEDES", "adr-1"),
        ("adr-2", "DEPENDS_ON", "rfc-9"),
        ("rfc-9", "REFERENCES", "adr-1"),
    }
    assert identifiers(await desk.ask("queue", as_of=day(2024, 6)))[:1] == ["ADR-1"]
    assert await desk.ask("queue", as_of=day(2024)) is not None
    assert identifiers(await desk.ask("queue", as_of=day(2024))) == []
    (unread,) = [warned.examples for sort, warned in first.warnings.items() if "ignored columns" in sort]
    assert unread == ["public.artifacts: ignored columns: embedding"]


async def test_a_changed_row_is_a_new_version_and_a_new_one_is_added(
    desk: ProjectFixture, old: OldDatabase, migrated: Migrated
) -> None:
    await old.run("CREATE TABLE artifacts (identifier text, body text, created_at timestamptz)")
    await old.run(
        "INSERT INTO artifacts VALUES ('ADR-1', 'One.', '2024-01-01'), ('ADR-2', 'Two.', '2024-01-01')"
    )
    assert (await migrated()).filed == 2
    await old.run("UPDATE artifacts SET body = 'Uno.' WHERE identifier = 'ADR-1'")
    await old.run("INSERT INTO artifacts VALUES ('ADR-3', 'Three.', '2024-01-01')")
    changed, again = await migrated(), await migrated()
    assert (changed.filed, changed.unchanged) == (2, 1)
    assert (again.filed, again.unchanged) == (0, 3)
    assert (await desk.ask("ADR-1")).hits[0].artifact.body == "Uno."


async def test_a_bad_row_is_listed_with_its_reason_and_the_rest_is_filed(
    old: OldDatabase, migrated: Migrated
) -> None:
    await old.run(
        "CREATE TABLE artifacts (id int PRIMARY KEY, slug text, body text, created_at timestamptz, meta json)"
    )
    await old.run(
        """
        INSERT INTO artifacts VALUES
        (1, 'one', 'Good.', '2024-01-01', NULL),
        (2, 'two', NULL, '2024-01-01', NULL),
        (3, 'three', E' \\n\\u200b', '2024-01-01', NULL),
        (4, 'four', 'Text.', 'infinity', NULL),
        (5, 'five', 'Text.', '-infinity', NULL),
        (6, 'six', 'Text.', '2024-01-01 BC', NULL),
        (7, 'seven', 'Text.', '20240-01-01', NULL),
        (8, 'eight', 'Text.', '9999-12-31', NULL),
        (9, 'nine', 'Text.', '1066-10-14', NULL),
        (10, 'ONE', 'Another.', '2024-01-01', NULL),
        (11, 'eleven', 'Text.', '2024-01-01', '[1]'),
        (12, 'twelve', 'Text.', '2024-01-01', '{"size": 1e999}'),
        (13, 'thirteen', 'Text.', '2024-01-01', '{"note": "\\u0000"}'),
        (14, repeat('x', 300), 'Text.', '2024-01-01', NULL),
        (15, NULL, repeat('word ', 2000000), '2024-01-01', NULL),
        (16, NULL, E'# No name\\n\\nIts key tells it apart.', NULL, 'null'),
        (17, 'one', 'Good.', '2024-01-01', NULL)
        """
    )
    for _ in range(2):
        summary = await migrated(width=2)
        assert summary.filed + summary.unchanged == 4
        refusals = refused(summary)
        assert refusals.pop("public.artifacts row 15") == "it is larger than 8388608 bytes; split it"
        assert sorted(refusals, key=lambda place: int(place.rpartition("/")[2])) == [
            f"public.artifacts/{number}" for number in (2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 14)
        ]
    assert refusals["public.artifacts/2"] == "the column body is NULL: there is no text to import"
    assert refusals["public.artifacts/3"] == "the column body is empty: there is no text to import"
    assert refusals["public.artifacts/4"] == (
        "the column created_at has no readable date from 1970 on: infinity"
    )
    assert "no readable date from 1970 on" in refusals["public.artifacts/6"]
    assert refusals["public.artifacts/8"].startswith("the column created_at has a date in the future: 9999")
    assert refusals["public.artifacts/10"] == (
        "ONE is in public.artifacts/1 with another text; give one of them another name"
    )
    assert refusals["public.artifacts/11"] == "the column meta must hold an object or null"
    assert "finite" in refusals["public.artifacts/12"]
    assert "256" in refusals["public.artifacts/14"]


async def test_a_row_without_an_identifier_goes_by_its_key(
    desk: ProjectFixture, old: OldDatabase, migrated: Migrated
) -> None:
    """A number that a database gave is no number of a series, and a title's number is."""
    await old.run(
        "CREATE TABLE notes (team text, id serial, type text, name text, text text, PRIMARY KEY (id, team))"
    )
    await old.run(
        "INSERT INTO notes (team, type, name, text) VALUES"
        " ('core', 'ADR', 'Push', 'Same.'), ('core', 'ADR', 'Push', 'Other.'),"
        " ('core', NULL, NULL, '# ADR-12: Poll')"
    )
    first, again = await migrated("notes"), await migrated("notes")
    assert (first.filed, again.unchanged, again.filed) == (3, 3, 0)
    hits = (await desk.ask("push poll")).hits
    assert {(hit.artifact.identifier, hit.artifact.source_uri) for hit in hits} == {
        (None, "public.notes/1/core"),
        (None, "public.notes/2/core"),
        ("ADR-12", "public.notes/3/core"),
    }


async def test_where_no_row_has_a_key_the_identifier_names_it_and_one_that_has_none_is_refused(
    old: OldDatabase, migrated: Migrated
) -> None:
    await old.run("CREATE TABLE artifacts (key text, body text)")
    await old.run("INSERT INTO artifacts VALUES ('one', 'Text.'), (NULL, 'Text.'), (NULL, '# ADR-3: Three')")
    summary = await migrated()
    assert summary.filed == 2
    assert refused(summary) == {
        "public.artifacts row 2": "the row has no name: it has no identifier,"
        " and its table has no primary key"
    }


async def test_bytes_are_read_as_text_where_they_are(
    desk: ProjectFixture, old: OldDatabase, migrated: Migrated
) -> None:
    await old.run("CREATE TABLE artifacts (id text PRIMARY KEY, content bytea)")
    await old.run(
        "INSERT INTO artifacts VALUES ('a', convert_to('# Häfen', 'UTF8')),"
        " ('b', '\\xff41'), ('c', '\\xfffe41'), ('d', '')"
    )
    summary = await migrated()
    assert summary.filed == 1
    assert refused(summary) == {
        "public.artifacts/b": "it is not UTF-8 from byte 0 on; if it is text, convert it",
        "public.artifacts/c": "it is UTF-16, not UTF-8; convert it",
        "public.artifacts/d": "the column content is empty: there is no text to import",
    }
    assert (await desk.ask("Häfen")).hits[0].artifact.title == "Häfen"


async def test_numbers_take_the_prefix_of_the_kind_and_links_lead_by_the_source(
    desk: ProjectFixture, old: OldDatabase, migrated: Migrated
) -> None:
    await old.run("CREATE TABLE records (number int PRIMARY KEY, content text, path text, kind text)")
    await old.run(
        "INSERT INTO records VALUES (7, '[that](b.md) and PEP-3', 'adr/a.md', NULL),"
        " (8, 'Text.', 'adr/b.md', NULL),"
        " (3, 'Text.', 'https://example.org/4', 'PEP')"
    )
    assert (await migrated("records", kind="Note")).filed == 3
    hits = (await desk.ask("text PEP")).hits
    assert {(hit.artifact.identifier, hit.artifact.kind) for hit in hits} == {
        ("NOTE-7", "Note"),
        ("NOTE-8", "Note"),
        ("PEP-3", "PEP"),
    }
    assert await edges(desk) == {("note-7", "REFERENCES", "note-8"), ("note-7", "REFERENCES", "pep-3")}


async def test_a_view_gives_columns_the_names_that_are_read(
    desk: ProjectFixture, old: OldDatabase, migrated: Migrated
) -> None:
    schema = '"Old ""Wiki"""'
    await old.run(f"CREATE SCHEMA {schema}; CREATE TABLE {schema}.pages (slug text, x text)")
    await old.run(f"INSERT INTO {schema}.pages VALUES ('harbor', 'Ships land.')")
    await old.run(f'CREATE VIEW {schema}."Pages.all" AS SELECT slug AS id, x AS body FROM {schema}.pages')
    summary = await migrated(f'{schema}."Pages.all"')
    assert (summary.filed, summary.refused) == (1, [])
    assert (await desk.ask("harbor")).hits[0].artifact.source_uri == 'Old "Wiki".Pages.all/harbor'


async def test_what_cannot_be_computed_ends_the_reading_and_is_told(
    old: OldDatabase, migrated: Migrated
) -> None:
    await old.run("CREATE TABLE base (id int PRIMARY KEY, x int)")
    await old.run("INSERT INTO base SELECT n, 40 - n FROM generate_series(1, 50) AS n")
    await old.run(
        "CREATE VIEW artifacts AS SELECT id::text, 'Text ' || 100 / x AS body FROM base ORDER BY base.id"
    )
    summary = await migrated()
    ((place, reason),) = refused(summary).items()
    assert place.startswith("public.artifacts row ")
    assert (
        reason
        == "the rest of the table cannot be read: the source database reports an error: division by zero"
    )


async def test_a_table_without_rows_files_nothing(old: OldDatabase, migrated: Migrated) -> None:
    await old.run("CREATE TABLE artifacts (id text, body text)")
    summary = await migrated()
    assert (summary.total, summary.filed, summary.refused) == (0, 0, [])


async def test_the_source_is_never_written(old: OldDatabase, migrated: Migrated) -> None:
    await old.run("CREATE TABLE seen (id int); CREATE TABLE base (id text, body text)")
    await old.run("INSERT INTO base VALUES ('a', 'Text.')")
    await old.run(
        "CREATE FUNCTION noted() RETURNS text LANGUAGE sql AS 'INSERT INTO seen VALUES (1); SELECT ''x''';"
        "CREATE VIEW artifacts AS SELECT id, body || noted() AS body FROM base"
    )
    with pytest.raises(Invalid, match="cannot execute INSERT in a read-only transaction"):
        await migrated()


async def test_a_bare_number_is_one_of_the_kind_of_its_row(
    desk: ProjectFixture, old: OldDatabase, migrated: Migrated
) -> None:
    await old.run("CREATE TABLE artifacts (id serial PRIMARY KEY, kind text, identifier text, content text)")
    rows = [("postmortem", "2"), ("incident", "2"), ("design doc", "2"), ("adr", "2")]
    for kind, identifier in rows:
        await old.run(
            "INSERT INTO artifacts (kind, identifier, content) VALUES ($1, $2, 'Text of ' || $1)",
            kind,
            identifier,
        )
    summary = await migrated()
    assert (summary.filed, summary.refused) == (4, [])
    async with desk.reading() as connection:
        keys = await connection.fetch(
            "SELECT entity.key FROM entity JOIN project USING (tenant_id, project_id)"
            " WHERE project.key = $1 ORDER BY entity.key",
            desk.project,
        )
    assert [row["key"] for row in keys] == ["adr-2", "design-doc-2", "incident-2", "postmortem-2"]
