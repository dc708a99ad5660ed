"""Files of one number in several folders, copies of a folder, and a folder that is filed as another kind."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from random import Random
from shutil import copytree

import pytest

from app.services.importing import ImportRequest, ImportSummary
from tests.documents import ProjectFixture
from tests.services.importing.test_removals import write


async def imported(
    desk: ProjectFixture, *roots: Path, prune: bool = False, kind: str | None = None
) -> ImportSummary:
    request = ImportRequest(roots, desk.project, kind, prunes=prune)
    return await desk.memory.imports.run(desk.memory.caller, request)


async def texts(desk: ProjectFixture) -> set[tuple[str, str]]:
    """Return the kind and the last text of each document of a project that is there now."""
    async with desk.reading() as connection:
        rows = await connection.fetch(
            "SELECT DISTINCT ON (artifact.entity) type.name, body FROM artifact"
            " JOIN type USING (tenant_id, type_id)"
            " JOIN project ON project.tenant_id = artifact.tenant_id"
            " AND project.project_id = artifact.project_id"
            " WHERE project.key = $1 AND NOT EXISTS (SELECT FROM absence WHERE"
            " absence.entity = artifact.entity AND absence.artifact IS NULL AND retracted_at IS NULL)"
            " ORDER BY artifact.entity, artifact.recorded_at DESC",
            desk.project,
        )
    return {(row["name"], row["body"].strip().split("\n")[-1]) for row in rows}


def record(title: str, text: str) -> str:
    return f"---\ndate: 2026-01-05\nstatus: accepted\n---\n# {title}\n\n{text}\n"


KAFKA = record("ADR-041: Use Kafka", "Events go through Kafka.")
FILES: Mapping[str, tuple[str, str]] = {
    "another name": ("adr/0041-postgres.md", record("ADR-041: Use Postgres", "Rows stay in Postgres.")),
    "the same name": ("adr/0041-kafka.md", record("ADR-041: Drop Kafka", "Kafka is dropped.")),
    "the same title": ("adr/0041-kafka.md", record("ADR-041: Use Kafka", "Kafka it is, in B as well.")),
    "another folder": ("decisions/ADR-41.md", record("Billing by month", "We bill by month.")),
}


@pytest.mark.parametrize("of", FILES)
async def test_files_of_one_number_are_two_documents_in_any_order_of_imports(
    desk: ProjectFixture, tmp_path: Path, of: str
) -> None:
    name, text = FILES[of]
    a, b = tmp_path / "a", tmp_path / "b"
    write(a, {"adr/0041-kafka.md": KAFKA})
    write(b, {name: text})
    both = {("ADR", KAFKA.strip().split("\n")[-1]), ("ADR", text.strip().split("\n")[-1])}
    random = Random(of)
    for number, first in enumerate([(a,), (b,), (a, b), (b, a)]):
        project = replace(desk, project=f"{desk.project}-{number}")
        await imported(project, *first)
        await imported(project, a, b)
        assert await texts(project) == both, first
        requests: list[Sequence[Path]] = [(a,), (b,), (a, b), (b, a)]
        for roots in random.sample(requests, len(requests)):
            summary = await imported(project, *roots, prune=True)
            assert (summary.filed, summary.removed, summary.refused) == (0, [], []), (first, roots)
        write(b, {name: f"{text}\nMore.\n"})
        assert (await imported(project, b)).filed == 1
        assert await texts(project) == {*both, ("ADR", "More.")} - {("ADR", text.strip().split("\n")[-1])}
        write(b, {name: text})


async def test_a_third_folder_is_a_third_document(desk: ProjectFixture, tmp_path: Path) -> None:
    for name in "abc":
        write(tmp_path / name, {"adr/0041-x.md": record("ADR-041: X", f"Decided in {name}.")})
    for names in ("a", "b", "c", "ba", "cab"):
        await imported(desk, *(tmp_path / name for name in names))
    assert await texts(desk) == {("ADR", f"Decided in {name}.") for name in "abc"}
    for names in ("cb", "a", "abc"):
        assert (await imported(desk, *(tmp_path / name for name in names))).filed == 0


async def test_two_files_of_one_number_beside_one_of_another_folder(
    desk: ProjectFixture, tmp_path: Path
) -> None:
    write(tmp_path / "a", {"adr/0041-kafka.md": KAFKA})
    both = {f"adr/0041-{name}.md": record(f"ADR-041: {name}", f"Decided: {name}.") for name in ("x", "y")}
    write(tmp_path / "b", both)
    for names in ("a", "b"):
        await imported(desk, tmp_path / names)
    there = await texts(desk)
    assert len(there) == 3
    for names in ("b", "a", "ab", "b"):
        summary = await imported(desk, *(tmp_path / name for name in names), prune=True)
        assert (summary.filed, summary.removed, summary.missing) == (0, [], []), names
    assert await texts(desk) == there


NOTES = {f"000{number}-record.md": f"# Record {number}\n\nText {number}.\n" for number in (1, 2, 3)}


async def test_a_file_that_is_gone_from_a_copy_ends_no_document(desk: ProjectFixture, tmp_path: Path) -> None:
    a, b = tmp_path / "a", tmp_path / "b"
    write(a, NOTES)
    await imported(desk, a)
    copytree(a, b)
    await imported(desk, b)
    there = await texts(desk)
    (b / "0002-record.md").unlink()
    for root in (b, a, b):
        summary = await imported(desk, root, prune=True)
        assert (summary.filed, summary.removed, summary.missing) == (0, [], []), root
    assert await texts(desk) == there
    (a / "0002-record.md").unlink()
    assert (await imported(desk, a, prune=True)).removed == ["0002-record.md"]
    assert len(await texts(desk)) == len(there) - 1
    assert (await imported(desk, b, prune=True)).removed == []


@pytest.mark.parametrize("kinds", [(None, "ADR"), ("ADR", None), (None, "ADR", None), ("ADR", "RFC")])
async def test_a_folder_that_is_filed_as_another_kind_is_one_set_of_documents(
    desk: ProjectFixture, tmp_path: Path, kinds: tuple[str | None, ...]
) -> None:
    write(tmp_path / "docs", NOTES)
    for kind in kinds:
        await imported(desk, tmp_path / "docs", kind=kind)
    last = "RFC" if "RFC" in kinds else "ADR"
    assert await texts(desk) == {(last, f"Text {number}.") for number in (1, 2, 3)}
    for kind in (kinds[-1], None):
        summary = await imported(desk, tmp_path / "docs", kind=kind, prune=True)
        assert (summary.filed, summary.removed, summary.missing) == (0, [], [])
    assert len(await texts(desk)) == len(NOTES)
