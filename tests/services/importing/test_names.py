from __future__ import annotations

from pathlib import Path

import pytest

from app.domain.entity import ReferenceType
from app.services.importing.name_collisions import NamedDocument, resolve_names
from tests.documents import ProjectFixture, edges, pending
from tests.services.importing.conftest import Importer, Write


async def test_of_two_files_with_one_number_none_is_meant_by_it(
    desk: ProjectFixture, folder: Path, write: Write, imported: Importer
) -> None:
    """REF-05: whoever names it waits, and the summary says for whom; a link means its file."""
    write("adr/0021-cache.md", "# Cache\n\nDate: 2026-01-01\n\nText.\n")
    write("adr/0021-queue.md", "# Queue\n\nDate: 2026-01-01\n\nText.\n")
    write("adr/0030-x.md", "# X\n\nDate: 2026-02-01\n\n## Supersedes\n\nADR-0021\n")
    write("adr/0031-y.md", "# Y\n\nDate: 2026-02-01\n\n## Supersedes\n\n[the cache](0021-cache.md)\n")
    summary = await imported(folder)
    assert (summary.filed, summary.refused) == (4, [])
    (collision,) = summary.collisions
    assert collision.identifier == "ADR-0021"
    assert [(file.source, file.identifier) for file in collision.files] == [
        ("adr/0021-cache.md", "0021-cache"),
        ("adr/0021-queue.md", "0021-queue"),
    ]
    assert await edges(desk) == {("adr-31", ReferenceType.SUPERSEDES, "0021-cache")}
    assert await pending(desk) == {("ADR-0021", True)}
    ((_, warned),) = summary.warnings.items()
    assert warned.examples == [
        f"{folder}/adr/0030-x.md: ADR-0021 could mean 0021-cache, 0021-queue; the reference is unresolved"
    ]
    again = await imported(folder)
    assert (again.filed, again.unchanged, len(again.collisions)) == (0, 4, 1)


async def test_one_number_in_two_folders_is_told_apart_by_the_folder(
    desk: ProjectFixture, folder: Path, write: Write, imported: Importer
) -> None:
    write("forms/adr/0001-a.md", "# A\n\nText.\n")
    write("pay/adr/0001-b.md", "# B\n\nText.\n")
    summary = await imported(folder)
    names = [file.identifier for file in summary.collisions[0].files]
    assert names == ["forms/adr/ADR-0001", "pay/adr/ADR-0001"]


async def test_files_without_an_identifier_are_linked_by_path_and_by_name(
    desk: ProjectFixture, folder: Path, write: Write, imported: Importer
) -> None:
    links = "[[north-plan]] [[plans/south]] [[south]]"
    write("north-plan.md", f"# North\n\nText.\n\n## Related\n\n{links}\n")
    write("plans/south.md", f"# South\n\nText.\n\n## Related\n\n{links}\n")
    write("plans/west.md", f"# West\n\nText.\n\n## Related\n\n{links} [[north_plan]]\n")
    summary = await imported(folder)
    assert summary.filed == 3
    related = ReferenceType.RELATES_TO
    assert await edges(desk) == {
        ("north-plan", related, "plans/south"),
        ("plans/south", related, "north-plan"),
        ("plans/west", related, "north-plan"),
        ("plans/west", related, "plans/south"),
    }
    assert await pending(desk) == {("north_plan", False)}


def test_names_are_apart_whatever_files_state() -> None:
    named, collisions = resolve_names(
        [
            NamedDocument("a.md", None),
            NamedDocument("a.markdown", None),
            NamedDocument("x/0001-a.md", "ADR-1"),
            NamedDocument("0001-b.md", "adr 1"),
            NamedDocument("y/z.md", "z"),
        ]
    )
    assert [file.identifier for file in named] == ["a.md", "a.markdown", "0001-a", "0001-b", "z"]
    assert [collision.identifier for collision in collisions] == ["ADR-1"]


def test_files_that_nothing_tells_apart_go_by_their_source() -> None:
    named, _ = resolve_names([NamedDocument("A.md", None), NamedDocument("a.md", None)])
    assert [file.identifier for file in named] == [None, None]


def test_what_speaks_for_a_folder_goes_by_the_folder() -> None:
    files = [
        NamedDocument("README.md", None, "paint"),
        NamedDocument("sub/index.md", None, "sub"),
        NamedDocument("a.md", None, "paint"),
    ]
    named, collisions = resolve_names(files)
    assert [file.identifier for file in named] == ["paint", "sub", "a"]
    assert not collisions


async def test_a_number_of_a_series_means_the_one_in_the_same_folder(
    desk: ProjectFixture, folder: Path, write: Write, imported: Importer
) -> None:
    write("a/ADR-1.md", "# Use red paint\n\nText.\n")
    write("a/ADR-2.md", "# Use green paint\n\nText.\n\n## Supersedes\n\nADR-1\n")
    write("b/ADR-1.md", "# Hire a painter\n\nText.\n")
    await imported(folder)
    assert await edges(desk) == {("adr-2", ReferenceType.SUPERSEDES, "a/adr-1")}


async def test_a_reference_that_waited_for_one_of_two_is_joined_once_one_is_renumbered(
    desk: ProjectFixture, folder: Path, write: Write, imported: Importer
) -> None:
    """REF-05."""
    write("adr/0021-cache.md", "# Cache\n\nText.\n")
    queue = write("adr/0021-queue.md", "# Queue\n\nText.\n")
    write("adr/0030-x.md", "# X\n\n## Supersedes\n\nADR-0021\n")
    await imported(folder)
    queue.rename(folder / "adr/0022-queue.md")
    summary = await imported(folder)
    assert summary.collisions == []
    assert await edges(desk) == {("adr-30", ReferenceType.SUPERSEDES, "adr-21")}
    assert await pending(desk) == set()


async def test_a_number_that_two_take_later_is_not_the_first_one_any_more(
    desk: ProjectFixture, folder: Path, write: Write, imported: Importer
) -> None:
    """REF-05: what was filed alone before is a third that could be meant."""
    write("adr/0021-cache.md", "# Cache\n\nText.\n")
    await imported(folder)
    write("adr/0021-queue.md", "# Queue\n\nText.\n")
    write("adr/0030-x.md", "# X\n\n## Supersedes\n\n- ADR-0021\n- [[0021-queue]]\n")
    await imported(folder)
    assert await edges(desk) == {("adr-30", ReferenceType.SUPERSEDES, "0021-queue")}
    assert await pending(desk) == {("ADR-0021", True)}


@pytest.mark.parametrize("width", [1, 3])
async def test_one_number_in_two_folders_is_unclear_from_a_third(
    desk: ProjectFixture, folder: Path, write: Write, imported: Importer, width: int
) -> None:
    """REF-05: whichever of them is filed first."""
    write("a/x/ADR-9.md", "# Nine\n\n## Supersedes\n\nADR-1\n")
    write("b/ADR-1.md", "# One\n\nText.\n")
    write("b/ADR-2.md", "# Two\n\n## Supersedes\n\nADR-1\n")
    write("c/ADR-1.md", "# Another\n\nText.\n")
    await imported(folder, width=width)
    assert await edges(desk) == {("adr-2", ReferenceType.SUPERSEDES, "b/adr-1")}
    assert await pending(desk) == {("ADR-1", True)}
