from __future__ import annotations

import asyncio
from datetime import datetime
from uuid import UUID

import pytest

from app.domain.entity import Caller, Role
from app.errors import Invalid, NotFound
from app.services.importing import ImportSummary
from app.services.importing.table import TableRequest
from tests.documents import ProjectFixture, adr, day
from tests.services.importing.table.conftest import Migrated, OldDatabase, refused

ARTIFACTS = """
CREATE TABLE artifacts (id uuid PRIMARY KEY, identifier text, body text, aliases text, created_at date);
INSERT INTO artifacts VALUES
('00000000-0000-0000-0000-000000000001', 'ADR-1', 'The beacon.', 'Lighthouse', '2024-01-01'),
('00000000-0000-0000-0000-000000000002', NULL, E'# Harbor\\n\\nShips and the Pharos.', NULL, '2024-02-01');
CREATE TABLE aliases (surface_form text, target text, created_at timestamptz)
"""


async def aliases(desk: ProjectFixture) -> list[tuple[str, str, int, str]]:
    """Return form, key of the target, tier and beginning of every alias of the project."""
    async with desk.reading() as connection:
        rows = await connection.fetch(
            "SELECT surface_form, entity.key, authority_tier, alias.valid_from::date::text FROM alias"
            " JOIN project USING (tenant_id, project_id)"
            " JOIN entity ON entity.tenant_id = alias.tenant_id AND entity.id = alias.target"
            " WHERE project.key = $1 AND retracted_at IS NULL ORDER BY surface_form",
            desk.project,
        )
    return [tuple(row) for row in rows]


async def held(desk: ProjectFixture, form: str) -> list[tuple[UUID, datetime | None]]:
    """Return id and end of every alias of a form that is believed."""
    async with desk.reading() as connection:
        rows = await connection.fetch(
            "SELECT id, valid_until FROM alias JOIN project USING (tenant_id, project_id)"
            " WHERE project.key = $1 AND surface_form = $2 AND retracted_at IS NULL",
            desk.project,
            form,
        )
    return [tuple(row) for row in rows]


async def test_aliases_of_a_column_and_of_a_table_are_registered_once(
    desk: ProjectFixture, old: OldDatabase, migrated: Migrated
) -> None:
    await old.run(ARTIFACTS)
    await old.run(
        "INSERT INTO aliases VALUES ('Torch', 'Pharos', NULL), ('Pharos', 'adr 1', '2024-05-01'), ('Port',"
        " '00000000-0000-0000-0000-000000000002', NULL), ('Dock', 'harbor', '2023-01-01')"
    )
    first, again = await migrated(aliases="aliases"), await migrated(aliases="public.aliases")
    assert (first.refused, first.aliases_recorded, first.aliases_unchanged) == ([], 4, 0)
    assert (again.refused, again.aliases_recorded, again.aliases_unchanged) == ([], 0, 4)
    harbor = "source:public.artifacts/00000000-0000-0000-0000-000000000002"
    assert await aliases(desk) == [
        ("Dock", harbor, 1, "2024-02-01"),
        ("Lighthouse", "adr-1", 1, "2024-01-01"),
        ("Pharos", "adr-1", 1, "2024-05-01"),
        ("Port", harbor, 1, "2024-02-01"),
        ("Torch", "adr-1", 1, "2024-01-01"),
    ]
    assert (await desk.ask("torch", as_of=day(2024, 3))).hits[0].artifact.identifier == "ADR-1"


async def test_an_alias_that_cannot_be_is_listed_with_its_reason(
    desk: ProjectFixture, old: OldDatabase, migrated: Migrated
) -> None:
    await old.run(ARTIFACTS)
    await old.run(
        "INSERT INTO aliases VALUES ('Lighthouse', 'Harbor', NULL), ('x', 'ADR-1', NULL),"
        " (NULL, 'ADR-1', NULL),"
        " ('Mole', 'Pier', NULL), ('Quay', 'ADR-1', 'infinity'), ('Pharos', 'ADR-1', '2024-06-01 BC'),"
        " (repeat('y', 70000), 'ADR-1', NULL), ('Torch', 'ADR-1', NULL)"
    )
    summary = await migrated(aliases="aliases")
    assert (summary.filed, summary.aliases_recorded) == (2, 1)
    refusals = refused(summary)
    assert refusals.pop("public.aliases/Lighthouse").startswith("Lighthouse could then mean ADR ADR-1")
    unreadable = "the column created_at has no readable date"
    assert refusals == {
        "public.aliases/x": "a surface form has 2 to 512 characters, at least one of them visible",
        "public.aliases row 3": "the alias or its target is missing, or is far too long",
        "public.aliases/Quay": f"{unreadable}: infinity",
        "public.aliases/Pharos": f"{unreadable}: 2024-06-01 00:00:00+00 BC",
        "public.aliases row 7": "the alias or its target is missing, or is far too long",
        "public.aliases/Mole": "nothing here is called Pier",
    }


async def test_an_alias_has_the_tier_of_its_caller_and_one_that_was_withdrawn_stays_so(
    desk: ProjectFixture, old: OldDatabase
) -> None:
    await old.run(ARTIFACTS)
    await old.run("INSERT INTO aliases VALUES ('Pharos', 'ADR-1', NULL)")
    memory = desk.memory
    await desk.file(adr(9, "Another"))  # an agent may not create a project
    service = memory.table_imports
    agent = Caller(desk.tenant, Role.AGENT, "crawler")
    request = TableRequest(old.url, "artifacts", desk.project, aliases="aliases")
    await service.run(agent, request)
    assert [(form, tier) for form, _, tier, _ in await aliases(desk)] == [("Lighthouse", 2), ("Pharos", 2)]
    ((id, _),) = await held(desk, "Pharos")
    await memory.aliases.withdraw(memory.caller, id)
    again = await service.run(agent, request)
    assert (again.refused, again.aliases_recorded, again.aliases_unchanged) == ([], 0, 1)
    ((_, end),) = await held(desk, "Pharos")
    assert end is not None


async def test_a_table_of_aliases_that_is_none_is_refused_before_anything_is_filed(
    desk: ProjectFixture, old: OldDatabase, migrated: Migrated
) -> None:
    await old.run(ARTIFACTS)
    await old.run("CREATE TABLE names (alias text, means text)")
    with pytest.raises(
        Invalid, match=r"public.names has no column for the target of the alias: .* has alias \(text\)"
    ):
        await migrated(aliases="names")
    with pytest.raises(NotFound, match="there is no project"):
        await desk.ask("beacon")


async def test_a_stop_ends_the_aliases_too(desk: ProjectFixture, old: OldDatabase) -> None:
    await old.run(ARTIFACTS)
    await old.run("INSERT INTO aliases SELECT 'Torch ' || n, 'ADR-1' FROM generate_series(1, 9) AS n")
    stop = asyncio.Event()
    memory = desk.memory
    service = memory.table_imports
    request = TableRequest(old.url, "artifacts", desk.project, aliases="aliases")

    def watch(summary: ImportSummary) -> None:
        if summary.aliases_recorded == 2:
            stop.set()

    stopped = await service.run(memory.caller, request, stop=stop, watch=watch)
    assert (stopped.was_stopped, stopped.aliases_recorded) == (True, 2)
    again = await service.run(memory.caller, request)
    assert (again.was_stopped, again.aliases_recorded, again.aliases_unchanged) == (False, 7, 2)
