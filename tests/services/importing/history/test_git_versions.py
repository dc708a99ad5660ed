"""Which text of a repository is filed under which name, and from when it counts."""

from __future__ import annotations

import os

import pytest

from app.services.importing.folders import A_TWIN, NO_TEXT
from tests.services.importing.history.conftest import Repository, line_of
from tests.services.importing.history.test_git import record, titles


async def versions(repository: Repository, key: str) -> list[tuple[str, str]]:
    """Return from when on each text of a document counts, and the text."""
    async with repository.desk.reading() as connection:
        found = await connection.fetch(
            "SELECT artifact.created_at, body FROM artifact"
            " JOIN entity ON entity.tenant_id = artifact.tenant_id AND entity.id = artifact.entity"
            " JOIN project ON project.tenant_id = entity.tenant_id AND project.project_id = entity.project_id"
            " WHERE project.key = $1 AND entity.key = $2 ORDER BY created_at",
            repository.desk.project,
            key,
        )
    return [(row["created_at"].strftime("%Y-%m-%d"), row["body"].split()[-1]) for row in found]


async def test_a_text_that_was_there_before_counts_from_the_commit_that_brought_it_back(
    repository: Repository,
) -> None:
    path = "adr/0001-a.md"
    one, other = record(1, "First", "Accepted", "\nOne"), record(1, "First", "Rejected", "\nOther")
    for at, text in (("2020-01-05", one), ("2020-02-05", other), ("2020-03-05", one)):
        repository.commit(at, {path: text})
        summary = await repository.run()
        assert (summary.filed, summary.warnings) == (1, {})
    assert await versions(repository, "adr-1") == [
        ("2020-01-05", "One"),
        ("2020-02-05", "Other"),
        ("2020-03-05", "One"),
    ]
    again = await repository.run()
    assert (again.filed, again.states_recorded) == (0, 0)


@pytest.mark.parametrize("at_once", [False, True])
async def test_commits_whose_clocks_are_off_keep_their_order_whenever_they_are_imported(
    repository: Repository, at_once: bool
) -> None:
    path = "adr/0001-a.md"
    for at, status in (("2020-01-05", "Accepted"), ("2009-01-05", "Rejected"), ("2099-01-05", "Draft")):
        repository.commit(at, {path: record(1, "First", status, f"\n{status}")})
        if not at_once:
            assert (await repository.run()).warnings == {}
    await repository.run()
    assert [(each.since, each.status) for each in await line_of(repository.desk, "adr-1")] == [
        ("2020-01-05", "Accepted"),
        ("2020-01-05", "Rejected"),
        ("2020-01-05", "Draft"),
    ]
    texts = ["Accepted", "Rejected", "Draft"]
    assert await versions(repository, "adr-1") == [("2020-01-05", text) for text in texts]


async def test_a_name_that_is_no_text_and_a_twin_are_refused(repository: Repository) -> None:
    """What is refused takes nothing from the others."""
    composed, apart = "caf\u00e9.md", "cafe\u0301.md"
    repository.commit("2020-01-05", {apart: "# B\n\nStatus: Final\n", composed: "# A\n\nStatus: Draft\n"})
    (repository.folder / os.fsdecode(b"\xff.md")).write_text("# Odd\n")
    repository.commit("2020-02-05", {composed: "# A\n\nStatus: Accepted\n", apart: "# B\n\nNo status.\n"})
    summary = await repository.run()
    assert {(each.source, each.reason) for each in summary.refused} == {
        (composed, A_TWIN),
        ("\\xff.md", NO_TEXT),
    }
    assert await titles(repository) == {composed.removesuffix(".md"): "A"}
    line = await line_of(repository.desk, composed.removesuffix(".md"))
    assert [each.status for each in line] == ["Draft", "Accepted"]
