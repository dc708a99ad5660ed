"""A repository that lacks objects, or has some made to hurt: what can be read is, and the rest is named."""

from __future__ import annotations

import os
import threading
import time
import zlib
from pathlib import Path
from types import ModuleType

import pytest

from app.errors import Invalid
from app.services.importing.git import blobs, command, location, log
from app.services.importing.git.repository import read_repository
from app.services.importing.interruption import Stopped
from tests.documents import ProjectFixture, day
from tests.services.importing.history.conftest import Repository, line_of


@pytest.fixture
def theirs(tmp_path: Path, desk: ProjectFixture) -> Repository:
    repository = Repository(tmp_path / "theirs", desk)
    repository.folder.mkdir()
    repository.git("init", "--quiet", "--initial-branch=main")
    return repository


def lose(repository: Repository, name: str) -> Path:
    """Take an object out of the repository, and return where it was."""
    number = repository.git("rev-parse", name)
    path = repository.folder / ".git/objects" / number[:2] / number[2:]
    path.unlink()
    return path


def long(title: str, last: str = "") -> str:
    return f"# {title}\n\n" + "".join(f"{title} says the {number}th thing.\n" for number in range(40)) + last


async def test_contents_that_are_missing_are_refused_by_name_and_the_rest_is_filed(
    theirs: Repository,
) -> None:
    theirs.commit("2020-01-01", {f"{name}.md": f"# {name}\n\nStatus: Draft\n" for name in "abcde"})
    theirs.commit("2020-02-01", {"a.md": "# a\n\nStatus: Accepted\n"})
    lose(theirs, "HEAD~1:a.md")
    lose(theirs, "HEAD:b.md")
    lose(theirs, "HEAD:d.md").write_bytes(b"this is no object")
    summary = await theirs.run()
    assert {each.source for each in summary.refused} == {"b.md", "d.md"}
    assert all(
        "is missing in the repository, and Trigraph fetches nothing" in each.reason
        for each in summary.refused
    )
    assert summary.filed == 3
    assert [each.status for each in await line_of(theirs.desk, "a")] == ["Accepted"]


async def test_a_rename_beside_a_missing_content_stops_nothing(theirs: Repository) -> None:
    theirs.commit("2020-01-01", {"a.md": long("A"), "b.md": long("B"), "gone.md": "# Gone\n"})
    lost = theirs.git("rev-parse", "HEAD:gone.md")
    theirs.git("mv", "a.md", "z.md")
    theirs.git("rm", "--quiet", "gone.md")
    theirs.commit("2020-02-01", {"new.md": "# New\n"})
    theirs.git("mv", "b.md", "y.md")
    theirs.commit("2020-03-01", {"y.md": long("B", "One line more.\n")})
    (theirs.folder / ".git/objects" / lost[:2] / lost[2:]).unlink()
    summary = await theirs.run()
    assert (summary.filed, summary.refused) == (3, [])
    for key in ("a", "b"):  # a file that moved keeps its first name
        assert (await line_of(theirs.desk, key))[0].since == "2020-01-01"


@pytest.mark.parametrize("lost", ["HEAD:pictures/a.png", "HEAD:other", "HEAD~1:other", "HEAD:other/b.md"])
async def test_what_is_missing_outside_the_folder_stops_no_import_of_it(
    theirs: Repository, lost: str
) -> None:
    theirs.commit("2020-01-01", {"docs/a.md": "# A\n", "other/b.md": long("B"), "pictures/a.png": b"\x89PNG"})
    theirs.git("mv", "other/b.md", "other/c.md")
    theirs.commit(
        "2020-02-01", {"docs/a.md": "# A\n\nStatus: Accepted\n", "other/b.md": long("B", "More.\n")}
    )
    lose(theirs, lost)
    summary = await theirs.run("docs")
    assert (summary.filed, summary.states_recorded, summary.refused) == (1, 2, [])


@pytest.mark.parametrize("lost", ["HEAD~1", "HEAD~1^{tree}", "HEAD:docs"])
async def test_a_history_that_has_holes_is_refused_with_what_to_do(theirs: Repository, lost: str) -> None:
    theirs.commit("2020-01-01", {"docs/a.md": "# A\n"})
    theirs.commit("2020-02-01", {"docs/a.md": "# A\n\nStatus: Accepted\n"})
    lose(theirs, lost)
    with pytest.raises(
        Invalid,
        match="a part of the history is missing in the repository,"
        " and Trigraph fetches nothing: fetch the whole",
    ):
        await theirs.run("docs")


async def test_a_content_that_unpacks_to_gigabytes_is_refused_by_its_size(theirs: Repository) -> None:
    theirs.commit("2020-01-01", {"a.md": "# A\n", "b.md": "# B\n", "moved.md": long("M")})
    path = lose(theirs, "HEAD:b.md")
    packer = zlib.compressobj(9)
    size = 2 * 1024**3
    with path.open("wb") as file:
        file.write(packer.compress(b"blob %d\0" % size))
        for _ in range(size // 2**24):
            file.write(packer.compress(bytes(2**24)))
        file.write(packer.flush())
    theirs.git("mv", "moved.md", "new.md")
    theirs.git("rm", "--quiet", "--cached", "b.md")
    theirs.git("commit", "--quiet", "--message", "Move")
    theirs.git("update-index", "--add", "--cacheinfo", f"100644,{path.parent.name}{path.name},c.md")
    theirs.git("commit", "--quiet", "--message", "Back")
    before = time.monotonic()
    summary = await theirs.run()
    assert [(each.source, each.reason) for each in summary.refused] == [
        ("c.md", "it is larger than 8388608 bytes; split it")
    ]
    assert summary.filed == 2
    assert time.monotonic() - before < 20


def test_an_object_that_is_a_pipe_holds_nothing_up(
    theirs: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(blobs, "WAIT_SECONDS", 1.0)
    theirs.commit("2020-01-01", {"a.md": "# A\n", "b.md": "# B\n"})
    os.mkfifo(lose(theirs, "HEAD:b.md"))
    found = read_repository(theirs.folder, None, frozenset(), day(2026))
    assert [each.source for each in found.refused] == ["b.md"]
    assert len(found.documents) == 1


@pytest.mark.parametrize("name", ["config", "packed-refs", "objects/info/alternates", "shallow"])
def test_a_repository_whose_file_is_a_pipe_heeds_a_stop(theirs: Repository, name: str) -> None:
    theirs.commit("2020-01-01", {"a.md": "# A\n"})
    path = theirs.folder / ".git" / name
    path.unlink(missing_ok=True)
    os.mkfifo(path)
    stop = threading.Event()
    threading.Timer(0.5, stop.set).start()
    before = time.monotonic()
    with pytest.raises((Stopped, Invalid)):
        read_repository(theirs.folder, None, frozenset(), day(2026), stop.is_set)
    assert time.monotonic() - before < 30


PACK = f"pack-{'1' * 40}"


@pytest.mark.parametrize(
    "name", ["info/alternates", "info/commit-graph", "pack/multi-pack-index", f"pack/{PACK}.idx"]
)
@pytest.mark.parametrize("is_link", [False, True])
def test_a_pipe_or_a_device_in_the_object_store_is_refused_by_name(
    theirs: Repository, name: str, is_link: bool
) -> None:
    theirs.commit("2020-01-01", {"a.md": "# A\n"})
    store = theirs.folder / ".git/objects"
    (store / f"pack/{PACK}.pack").touch()
    if is_link:
        (store / name).symlink_to("/dev/zero")
    else:
        os.mkfifo(store / name)
    stop = threading.Event()
    threading.Timer(10, stop.set).start()
    with pytest.raises(Invalid, match=f"is not read: its objects/{name} is a pipe, a device or a link"):
        read_repository(theirs.folder, None, frozenset(), day(2026), stop.is_set)


@pytest.mark.parametrize("lost", ["HEAD", "HEAD^{tree}"])
def test_a_commit_or_a_tree_that_is_a_pipe_is_waited_for_no_longer_than_promised(
    theirs: Repository, lost: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(location, "WAIT_SECONDS", 0.5)
    theirs.commit("2020-01-01", {"a.md": "# A\n"})
    os.mkfifo(lose(theirs, lost))
    stop = threading.Event()
    threading.Timer(10, stop.set).start()
    with pytest.raises(Invalid, match="git did not respond"):
        read_repository(theirs.folder, None, frozenset(), day(2026), stop.is_set)


def bomb(repository: Repository, depth: int) -> None:
    """Commit ten files in ten folders in ten folders, and so on, of which git stores one each."""
    for number in range(10):
        (repository.folder / f"{number}.md").write_text(f"# {number}\n")
    repository.git("add", "--all")
    tree = repository.git("write-tree")
    for _ in range(depth):
        repository.git("read-tree", "--empty")
        for number in range(10):
            repository.git("read-tree", f"--prefix=d{number}", tree)
        tree = repository.git("write-tree")
    repository.git("update-ref", "HEAD", repository.git("commit-tree", "-m", "Bomb", tree))


@pytest.mark.parametrize(
    ("module", "bound", "most", "reason"),
    [
        (command, "MAX_MEMORY_BYTES", 3 * 1024**2, "git needs more than 3 MiB of memory to read"),
        (command, "MAX_ANSWER_BYTES", 1024**2, "git prints more than 1 MiB to read"),
        (log, "MAX_CHANGES", 9_999, "the history has more than 9999 changes of files"),
    ],
)
def test_a_few_objects_that_make_many_files_are_refused_by_what_was_too_much(
    theirs: Repository,
    module: ModuleType,
    bound: str,
    most: int,
    reason: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    bomb(theirs, 3)
    monkeypatch.setattr(module, bound, most)
    with pytest.raises(Invalid, match=f"^{reason}.*give a folder of it$"):
        read_repository(theirs.folder, None, frozenset(), day(2026))


@pytest.mark.parametrize("target", ["HEAD^{tree}", "HEAD:a.md"])
def test_a_branch_that_points_to_no_commit_is_refused(theirs: Repository, target: str) -> None:
    theirs.commit("2020-01-01", {"a.md": "# A\n"})
    number = theirs.git("rev-parse", target)
    (theirs.folder / ".git/refs/heads/main").write_text(f"{number}\n")
    with pytest.raises(Invalid, match="the branch points to no commit; check out a branch with commits"):
        read_repository(theirs.folder, None, frozenset(), day(2026))
