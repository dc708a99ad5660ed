"""Only regular files below the root of an import are opened, whatever takes their place in the meantime."""

from __future__ import annotations

import os
import socket
import threading
from pathlib import Path

import pytest

from app.errors import Invalid
from app.services.importing.open_file import A_LINK, NO_FILE, open_file
from tests.documents import ProjectFixture
from tests.security.test_rows_made_to_hurt import imported


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "good.md").write_text("# Good\n")
    return folder


async def test_nothing_but_regular_files_below_the_root_is_opened(desk: ProjectFixture, folder: Path) -> None:
    outside = folder.parent / "outside"
    outside.mkdir()
    (outside / "secret.md").write_text("# Secret\n")
    os.mkfifo(folder / "pipe.md")
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(folder / "socket.md"))
    links: dict[str, str] = {
        "a.md": "good.md",
        "b.md": "a.md",
        "out.md": str(outside / "secret.md"),
        "in": ".",
        "up": "..",
        "away": str(outside),
        "self.md": "self.md",
    }
    for name, target in links.items():
        (folder / name).symlink_to(target)
    os.link(folder / "good.md", folder / "hard.md")
    named = folder.parent / "named"
    named.symlink_to(folder)
    summary = await imported(desk, named, folder)
    assert summary.filed == 2
    assert {Path(each.source).name: each.reason for each in summary.refused} == {
        name: NO_FILE for name in ("pipe.md", "socket.md")
    }
    assert {Path(each.source).name for each in summary.skipped} == set(links)


@pytest.mark.parametrize("device", ["/dev/zero", "/dev/null", "/dev/tty", "/dev/stdin"])
def test_no_device_is_opened(device: str) -> None:
    with pytest.raises(Invalid):
        open_file(Path(device))


def test_a_file_or_a_folder_that_becomes_a_link_is_not_followed(folder: Path) -> None:
    outside = folder.parent / "outside"
    outside.mkdir()
    (outside / "a.md").write_text("# Secret\n")
    (folder / "inner/deep").mkdir(parents=True)
    path = folder / "inner/deep/a.md"
    path.write_text("# Mine\n")
    with open_file(path, folder) as file:
        assert file.read() == b"# Mine\n"
    path.unlink()
    path.symlink_to(outside / "a.md")
    with pytest.raises(Invalid, match=A_LINK):
        open_file(path, folder)
    path.unlink()
    path.parent.rmdir()
    (folder / "inner/deep").symlink_to(outside)
    with pytest.raises(Invalid, match="became a link"):
        open_file(path, folder)


def test_a_link_that_is_swapped_all_the_time_never_leads_outside(folder: Path) -> None:
    outside = folder.parent / "outside"
    outside.mkdir()
    (outside / "a.md").write_text("# Secret\n")
    (folder / "inner").mkdir()
    (folder / "inner/a.md").write_text("# Mine\n")
    (folder / "link").symlink_to(outside)
    ended = threading.Event()

    def swap() -> None:
        while not ended.is_set():
            for one, other in (("inner", "kept"), ("link", "inner"), ("inner", "link"), ("kept", "inner")):
                os.rename(folder / one, folder / other)

    swapping = threading.Thread(target=swap)
    swapping.start()
    try:
        found = [attempt(folder) for _ in range(5_000)]
    finally:
        ended.set()
        swapping.join()
    assert {each for each in found if each} == {b"# Mine\n"}
    assert None in found


def attempt(folder: Path) -> bytes | None:
    try:
        with open_file(folder / "inner/a.md", folder) as file:
            return file.read()
    except Invalid:
        return None
