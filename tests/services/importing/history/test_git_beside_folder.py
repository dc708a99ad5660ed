"""Files that are imported from their folder and from git: each text is one version, with the date of git."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from app.domain.artifact import DateSource
from app.services.importing import ImportRequest, ImportSummary
from tests.documents import day
from tests.services.importing.history.conftest import Repository
from tests.services.importing.history.conftest import repository as repository

FIRST = {
    "adr/0001-queue.md": "---\nid: ADR-1\nstatus: accepted\n---\n# Use a queue\n\nIt holds all.\n",
    "adr/0002-date.md": "---\nstatus: accepted\ndate: 2026-01-05\n---\n# Keep dates\n\nThey count.\n",
    "adr/0003-old.md": "---\nid: ADR-3\n---\n# Renumber\n\nMany words that stay what they were before it.\n",
    "notes/failover.md": "# Carrier failover\n\nSwitch the carrier when two calls fail.\n",
    "notes/plan.md": "# Plan\n\nDate: 2026-01-09\n\nSee ADR-1 and [[Carrier failover]].\n",
}
SECOND = {
    "adr/0001-queue.md": FIRST["adr/0001-queue.md"].replace("holds all", "holds every message"),
    "adr/0002-date.md": FIRST["adr/0002-date.md"].replace("accepted", "deprecated"),
    "adr/0003-old.md": FIRST["adr/0003-old.md"].replace("ADR-3", "ADR-9"),
    "notes/plan.md": FIRST["notes/plan.md"] + "\nOne more line.\n",
}


async def from_folder(repository: Repository, **asked: Any) -> ImportSummary:
    request = ImportRequest((repository.folder,), repository.desk.project, **asked)
    return await repository.desk.memory.imports.run(repository.desk.memory.caller, request)


async def shown(repository: Repository) -> dict[str, list[tuple[str, datetime, DateSource]]]:
    """Return the versions that are believed of each document: text, begin and where that is from."""
    async with repository.desk.reading() as connection:
        rows = await connection.fetch(
            "SELECT entity.key, body || meta::text AS text, artifact.created_at, date_source FROM artifact"
            " JOIN entity ON entity.tenant_id = artifact.tenant_id AND entity.id = artifact.entity"
            " JOIN project ON project.tenant_id = entity.tenant_id"
            " AND project.project_id = entity.project_id"
            " WHERE project.key = $1 AND NOT EXISTS (SELECT FROM absence"
            " WHERE absence.artifact = artifact.id AND retracted_at IS NULL)"
            " ORDER BY artifact.created_at",
            repository.desk.project,
        )
    found: dict[str, list[tuple[str, datetime, DateSource]]] = {}
    for row in rows:
        found.setdefault(row["key"], []).append(
            (row["text"], row["created_at"], DateSource(row["date_source"]))
        )
    return found


async def test_a_folder_import_after_git_files_nothing_again(repository: Repository) -> None:
    repository.commit("2026-02-01", FIRST)
    repository.commit("2026-03-01", SECOND)
    assert (await repository.run()).filed == len(FIRST)
    before = await shown(repository)
    for _ in range(2):
        summary = await from_folder(repository)
        assert (summary.filed, summary.undated, summary.refused) == (0, [], [])
        assert summary.unchanged == len(FIRST)
    assert await shown(repository) == before
    changed = FIRST["notes/failover.md"] + "\nAnd write it down.\n"
    (repository.folder / "notes/failover.md").write_text(changed)
    (repository.folder / "adr/0002-date.md").write_text(
        SECOND["adr/0002-date.md"].replace("2026-01-05", "2026-04-05")
    )
    assert (await from_folder(repository)).filed == 2


@pytest.mark.parametrize("is_first_text", [False, True])
async def test_git_after_a_folder_import_dates_what_it_filed(
    repository: Repository, is_first_text: bool
) -> None:
    numbered = "adr/0003-old.md"
    repository.commit("2026-02-01", {name: FIRST[name] for name in FIRST if name != numbered})
    if is_first_text:
        await from_folder(repository)
    repository.commit("2026-03-01", {name: SECOND[name] for name in SECOND if name != numbered})
    if not is_first_text:
        await from_folder(repository)
    await repository.run()
    for versions in (await shown(repository)).values():
        texts = [text for text, *_ in versions]
        assert [text for place, text in enumerate(texts) if text in texts[:place]] == []
        assert all(since < datetime(2026, 3, 2, tzinfo=UTC) for _, since, _ in versions)
    found = await shown(repository)
    assert (await repository.run()).filed == 0
    assert (await from_folder(repository)).filed == 0
    assert (await repository.run()).filed == 0
    assert await shown(repository) == found
    hits = (await repository.desk.ask("queue that holds every message")).hits
    dates = [each.artifact.created_at.date() for each in hits if each.artifact.identifier == "ADR-1"]
    assert len(dates) == len(set(dates))
    assert dates[0].isoformat() == "2026-03-01"


async def test_a_text_that_no_commit_has_stays(repository: Repository) -> None:
    """It stays also where an older commit had it: the folder took it back."""
    repository.commit("2026-02-01", FIRST)
    repository.commit("2026-03-01", SECOND)
    await repository.run()
    (repository.folder / "adr/0001-queue.md").write_text(FIRST["adr/0001-queue.md"])
    (repository.folder / "notes/failover.md").write_text("# Carrier failover\n\nNot at all.\n")
    assert (await from_folder(repository)).filed == 2
    await repository.run()
    found = await shown(repository)
    assert [source for *_, source in found["adr-1"]] == [DateSource.GIT, DateSource.GIT, DateSource.FILED]
    assert len(found["notes/failover"]) == 2
    assert found["adr-1"][-1][1] > day(2026, 3)
