"""Files of a folder that move, go and come back, and folders that are filed from two roots."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import TypeAlias

import pytest

from app.errors import Invalid
from app.services.catalog import RequestedMoment
from app.services.filing.document_withdrawal import WithdrawalRequest
from app.services.importing import ImportRequest, ImportSummary
from tests.documents import ProjectFixture, day, edges, identifiers, pending
from tests.services.importing.history.conftest import Repository
from tests.services.importing.history.conftest import repository as repository

Filing: TypeAlias = Callable[..., Awaitable[ImportSummary]]

FILES: Mapping[str, str] = {
    "adr/0001-queue.md": "---\nstatus: accepted\ndate: 2026-01-05\n---\n# Use a queue\n\nIt holds all.\n",
    "notes/failover.md": "# Carrier failover\n\nSwitch the carrier when two calls fail.\n",
    "notes/plan.md": "# Plan\n\nSee ADR-1 and [[Carrier failover]].\n",
}


def write(folder: Path, files: Mapping[str, str]) -> None:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


@pytest.fixture
def filing(desk: ProjectFixture) -> Filing:
    async def run(folder: Path, *, prune: bool = False) -> ImportSummary:
        request = ImportRequest((folder,), desk.project, prunes=prune)
        return await desk.memory.imports.run(desk.memory.caller, request)

    return run


async def documents(desk: ProjectFixture) -> set[str]:
    async with desk.reading() as connection:
        rows = await connection.fetch(
            "SELECT entity.key FROM entity JOIN project USING (tenant_id, project_id)"
            " WHERE project.key = $1 AND entity.key IS NOT NULL",
            desk.project,
        )
    return {row["key"] for row in rows}


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("notes/failover.md", "notes/switch.md"),
        ("notes/failover.md", "ops/deep/failover.md"),
        ("adr/0001-queue.md", "records/0001-queue.md"),
        ("adr/0001-queue.md", "adr/accepted/0001-queue.md"),
    ],
)
async def test_a_file_that_moved_stays_one_document(
    desk: ProjectFixture, tmp_path: Path, filing: Filing, old: str, new: str
) -> None:
    write(tmp_path, FILES)
    await filing(tmp_path)
    keys = await documents(desk)
    (tmp_path / new).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / old).rename(tmp_path / new)
    summary = await filing(tmp_path)
    assert (summary.filed, summary.missing, summary.refused) == (0, [], [])
    assert await documents(desk) == keys
    again = await filing(tmp_path, prune=True)
    assert (again.filed, again.removed) == (0, [])


@pytest.mark.parametrize("gone", ["notes/failover.md", "adr/0001-queue.md", "notes/plan.md"])
async def test_a_file_that_is_gone_is_listed_and_ends_with_prune(
    desk: ProjectFixture, tmp_path: Path, filing: Filing, gone: str
) -> None:
    write(tmp_path, FILES)
    await filing(tmp_path)
    before = await edges(desk)
    (tmp_path / gone).unlink()
    listed = await filing(tmp_path)
    assert (listed.missing, listed.removed) == ([gone], [])
    title = FILES[gone].partition("# ")[2].split("\n")[0]
    then = await desk.ask(title)
    assert title in {hit.artifact.title for hit in then.hits}
    ended = await filing(tmp_path, prune=True)
    assert (ended.missing, ended.removed) == ([], [gone])
    assert title not in {hit.artifact.title for hit in (await desk.ask(title)).hits}
    assert title in {hit.artifact.title for hit in (await desk.ask(title, as_of=then.as_of)).hits}
    async with desk.reading() as connection:
        open_edges = await connection.fetchval(
            "SELECT count(*) FROM reference JOIN project USING (tenant_id, project_id)"
            " WHERE key = $1 AND retracted_at IS NULL AND valid_until IS NULL",
            desk.project,
        )
    assert open_edges < len(before)
    write(tmp_path, {gone: FILES[gone]})
    back = await filing(tmp_path)
    assert (back.filed, back.missing) == (1, [])
    assert title in {hit.artifact.title for hit in (await desk.ask(title)).hits}
    assert await edges(desk) == before
    assert await pending(desk) == set()
    assert (await filing(tmp_path)).filed == 0


async def test_what_is_gone_takes_no_reference_from_what_comes(
    desk: ProjectFixture, tmp_path: Path, filing: Filing
) -> None:
    write(tmp_path, FILES)
    await filing(tmp_path)
    (tmp_path / "notes/failover.md").unlink()
    await filing(tmp_path, prune=True)
    assert await pending(desk) == {("Carrier failover", False)}
    write(tmp_path, {"ops/new.md": "# Carrier failover\n\nAnother text altogether.\n"})
    await filing(tmp_path)
    assert ("notes/plan", "REFERENCES", "ops/new") in await edges(desk)
    assert await pending(desk) == set()


async def test_a_folder_that_cannot_be_read_removes_nothing(
    desk: ProjectFixture, tmp_path: Path, filing: Filing
) -> None:
    write(tmp_path, FILES)
    await filing(tmp_path)
    (tmp_path / "notes/failover.md").write_bytes(b"\xff\xfe\x00")
    summary = await filing(tmp_path, prune=True)
    assert (len(summary.refused), summary.removed, summary.missing) == (1, [], [])


@pytest.mark.parametrize("second", ["notes", "adr"])
async def test_a_second_root_of_the_same_files_says_so_and_makes_no_second_document(
    desk: ProjectFixture, tmp_path: Path, filing: Filing, second: str
) -> None:
    write(tmp_path, FILES)
    await filing(tmp_path)
    keys = await documents(desk)
    summary = await filing(tmp_path / second)
    inside = sum(name.startswith(second) for name in FILES)
    assert summary.known_from == {str(tmp_path): inside}
    assert (summary.filed, await documents(desk)) == (0, keys)


async def test_a_repository_of_files_that_a_folder_brought_says_so(repository: Repository) -> None:
    desk = repository.desk
    repository.commit("2026-02-01", dict(FILES))
    service = desk.memory.imports
    await service.run(desk.memory.caller, ImportRequest((repository.folder / "notes",), desk.project))
    keys = await documents(desk)
    summary = await repository.run("notes")
    assert summary.known_from == {str(repository.folder / "notes"): 2}
    assert await documents(desk) == keys
    elsewhere = replace(repository, folder=repository.folder.with_name("clone"))
    repository.git("clone", "--quiet", str(repository.folder), str(elsewhere.folder))
    cloned = await elsewhere.run("notes")
    assert (cloned.filed, cloned.known_from) == (0, {})


async def test_names_are_those_of_what_is_there(desk: ProjectFixture, tmp_path: Path, filing: Filing) -> None:
    write(tmp_path, FILES)
    await filing(tmp_path)
    (tmp_path / "adr/0001-queue.md").unlink()
    await filing(tmp_path, prune=True)
    assert "ADR-0001" not in identifiers(await desk.ask("ADR-1"))
    assert (
        await desk.memory.catalog.resolve_alias(desk.memory.caller, "ADR-1", desk.project, RequestedMoment())
        is None
    )


async def withdraw(desk: ProjectFixture, key: str, since: datetime | None = None) -> None:
    async with desk.reading() as connection:
        entity = await connection.fetchval(
            "SELECT entity.id FROM entity JOIN project USING (tenant_id, project_id)"
            " WHERE project.key = $1 AND entity.key = $2",
            desk.project,
            key,
        )
    await desk.memory.withdrawals.withdraw(
        desk.memory.caller, WithdrawalRequest(entity=entity, valid_from=since)
    )


async def titles(desk: ProjectFixture, query: str) -> set[str]:
    return {hit.artifact.title for hit in (await desk.ask(query)).hits}


async def test_only_a_changed_text_undoes_a_withdrawal(
    desk: ProjectFixture, tmp_path: Path, filing: Filing
) -> None:
    write(tmp_path, FILES)
    await filing(tmp_path)
    for key in ("adr-1", "notes/failover"):
        await withdraw(desk, key)
    for prune in (False, True, False):
        summary = await filing(tmp_path, prune=prune)
        assert (summary.filed, summary.unchanged, summary.back) == (0, len(FILES), [])
        assert (summary.missing, summary.removed) == ([], [])
        assert await titles(desk, "queue failover") == {"Plan"}
    (tmp_path / "notes/failover.md").write_text(FILES["notes/failover.md"] + "\nAnd call.\n")
    summary = await filing(tmp_path)
    assert (summary.filed, summary.back) == (1, [str(tmp_path / "notes/failover.md")])
    assert await titles(desk, "queue failover") == {"Plan", "Carrier failover"}
    assert (await filing(tmp_path)).back == []


async def test_a_withdrawal_to_come_hides_no_missing_file(
    desk: ProjectFixture, tmp_path: Path, filing: Filing
) -> None:
    write(tmp_path, FILES)
    await filing(tmp_path)
    await withdraw(desk, "notes/failover", day(2090))
    (tmp_path / "notes/failover.md").unlink()
    assert (await filing(tmp_path)).missing == ["notes/failover.md"]
    assert (await filing(tmp_path, prune=True)).removed == ["notes/failover.md"]
    assert await titles(desk, "carrier failover") == {"Plan", "Use a queue"}
    again = await filing(tmp_path, prune=True)
    assert (again.missing, again.removed) == ([], [])
    write(tmp_path, {"notes/failover.md": FILES["notes/failover.md"]})
    back = await filing(tmp_path)
    assert (back.filed, back.back) == (1, [])
    assert "Carrier failover" in await titles(desk, "carrier failover")


@pytest.mark.parametrize("left", [{}, {"notes/broken.md": b"\xff\xfe\x00"}, {"photo.jpg": b"x"}])
async def test_a_folder_without_any_document_ends_none(
    desk: ProjectFixture, tmp_path: Path, filing: Filing, left: Mapping[str, bytes]
) -> None:
    """A disk that is not mounted looks like this."""
    write(tmp_path, FILES)
    await filing(tmp_path)
    before = await titles(desk, "carrier queue plan")
    for name in FILES:
        (tmp_path / name).unlink()
    for name, content in left.items():
        (tmp_path / name).write_bytes(content)
    with pytest.raises(Invalid, match="held documents, and has none that can be read now; nothing was ended"):
        await filing(tmp_path, prune=True)
    assert await titles(desk, "carrier queue plan") == before
    assert len((await filing(tmp_path)).missing) == len(FILES)


CARRIER = "# Kick-off\n\nWe switch the carrier when two calls fail.\n"
PAYMENT = "# Kick-off\n\nPayments are booked twice a day, at noon and at night.\n"


@pytest.mark.parametrize("order", [("a", "b"), ("b", "a")])
@pytest.mark.parametrize("inside", ["", "notes"])
async def test_files_of_one_path_in_two_roots_are_two_documents(
    desk: ProjectFixture, tmp_path: Path, filing: Filing, order: tuple[str, str], inside: str
) -> None:
    write(tmp_path / "a", {"notes/kick-off.md": CARRIER})
    write(tmp_path / "b", {"notes/kick-off.md": PAYMENT})
    first, second = (tmp_path / name / inside for name in order)
    assert (await filing(first)).collisions == []
    summary = await filing(second)
    assert (summary.filed, summary.refused, summary.known_from) == (1, [], {})
    name = "notes/kick-off" if not inside else "kick-off"
    own = f"{second.name}/{name}"
    assert await documents(desk) == {name, own}
    (collision,) = summary.collisions
    assert collision.identifier == name
    assert [each.identifier for each in collision.files] == [name, own]
    for text, words in ((CARRIER, "switch the carrier"), (PAYMENT, "payments booked at noon")):
        assert (await desk.ask(words)).hits[0].artifact.body == text
    for root in (first, second, first):
        again = await filing(root)
        assert (again.filed, again.missing, again.collisions) == (0, [], [])
    write(second, {"notes/kick-off.md" if not inside else "kick-off.md": f"{CARRIER}\nAnd so on.\n"})
    assert (await filing(second)).filed == 1
    assert await documents(desk) == {name, own}


async def test_a_copy_of_a_folder_with_a_changed_file_is_the_same_documents(
    desk: ProjectFixture, tmp_path: Path, filing: Filing
) -> None:
    write(tmp_path / "a", FILES)
    write(tmp_path / "b", {**FILES, "notes/failover.md": "# Carrier failover\n\nSwitch at once.\n"})
    await filing(tmp_path / "a")
    keys = await documents(desk)
    summary = await filing(tmp_path / "b")
    assert (summary.filed, summary.collisions) == (1, [])
    assert summary.known_from == {str(tmp_path / "a"): len(FILES)}
    assert await documents(desk) == keys


async def test_a_new_file_at_the_path_of_one_that_moved_is_another_document(
    desk: ProjectFixture, tmp_path: Path, filing: Filing
) -> None:
    write(tmp_path, {"a.md": CARRIER})
    await filing(tmp_path)
    (tmp_path / "a.md").rename(tmp_path / "z.md")
    await filing(tmp_path)
    write(tmp_path, {"a.md": PAYMENT})
    assert (await filing(tmp_path)).filed == 1
    assert await documents(desk) == {"a", f"{tmp_path.name}/a"}
    assert (await filing(tmp_path)).filed == 0


async def test_files_of_one_path_in_two_repositories_are_two_documents(
    desk: ProjectFixture, tmp_path: Path, repository: Repository
) -> None:
    other = Repository(tmp_path / "other", desk)
    other.folder.mkdir()
    other.git("init", "--quiet", "--initial-branch=main")
    repository.commit("2026-02-01", {"notes/kick-off.md": CARRIER})
    other.commit("2026-02-02", {"notes/kick-off.md": PAYMENT})
    await repository.run()
    summary = await other.run()
    assert [each.identifier for each in summary.collisions] == ["notes/kick-off"]
    assert await documents(desk) == {"notes/kick-off", "other/notes/kick-off"}
    other.git("mv", "notes/kick-off.md", "notes/begin.md")
    other.commit("2026-03-01", {"notes/begin.md": f"{PAYMENT}\nAnd so on.\n"})
    assert (await other.run()).filed == 1
    for each in (repository, other):
        assert ((await each.run()).filed, await documents(desk)) == (
            0,
            {"notes/kick-off", "other/notes/kick-off"},
        )
    for text, words in ((CARRIER, "switch the carrier"), (PAYMENT, "payments booked at noon")):
        assert (await desk.ask(words)).hits[0].artifact.body.startswith(text)
