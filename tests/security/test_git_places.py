"""Where a repository may lie, and what it may lead to."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from app.errors import Invalid, NotFound
from app.services.importing import ImportRequest, ImportSummary
from tests.documents import ProjectFixture
from tests.services.importing.history.conftest import Repository


async def imported(desk: ProjectFixture, folder: Path) -> ImportSummary:
    service = desk.memory.imports
    return await service.run(desk.memory.caller, ImportRequest(project=desk.project, repository=folder))


def made(folder: Path, desk: ProjectFixture, *options: str) -> Repository:
    folder.mkdir(parents=True)
    repository = Repository(folder, desk)
    repository.git("init", "--quiet", "--initial-branch=main", *options)
    return repository


@pytest.fixture
def theirs(tmp_path: Path, desk: ProjectFixture) -> Repository:
    repository = made(tmp_path / "theirs", desk)
    repository.commit("2020-01-01", {"docs/a.md": "# A\n\nA needle.\n"})
    return repository


@pytest.fixture
def private(tmp_path: Path, desk: ProjectFixture) -> Repository:
    repository = made(tmp_path / "private", desk)
    repository.commit("2020-01-01", {"secret.md": "# Secret\n\nA needle.\n"})
    return repository


def bare_shape(folder: Path, program: str) -> None:
    """Write what git takes for a bare repository, whose every key names a program."""
    (folder / "refs/heads").mkdir(parents=True)
    (folder / "objects").mkdir()
    (folder / "HEAD").write_text("ref: refs/heads/main\n")
    (folder / "refs/heads/main").write_text(f"{'1' * 40}\n")
    (folder / "config").write_text(
        "[core]\n\trepositoryformatversion = 1\n\tbare = true\n"
        f"\tsshCommand = {program}\n\tfsmonitor = {program}\n"
        "[extensions]\n\tpartialClone = origin\n"
        '[remote "origin"]\n\tpromisor = true\n\turl = ssh://nowhere.invalid/x\n'
    )


@pytest.mark.parametrize("inside", ["docs", "docs/deeper"])
async def test_a_folder_shaped_as_a_bare_repository_is_read_as_a_folder_of_the_clone(
    theirs: Repository, desk: ProjectFixture, tmp_path: Path, inside: str
) -> None:
    program = tmp_path / "trap"
    program.write_text(f"#!/bin/sh\ntouch {tmp_path}/it-ran\n")
    program.chmod(0o755)
    bare_shape(theirs.folder / "docs", str(program))
    (theirs.folder / "docs/refs/keep").touch()
    (theirs.folder / "docs/objects/keep").touch()
    theirs.commit("2020-02-01", {"docs/deeper/b.md": "# B\n"})
    clone = tmp_path / "clone"
    theirs.git("clone", "--quiet", str(theirs.folder), str(clone))
    summary = await imported(desk, clone / inside)
    assert not (tmp_path / "it-ran").exists()
    assert (summary.filed, summary.refused) == ({"docs": 2, "docs/deeper": 1}[inside], [])


async def test_a_bare_repository_that_is_named_itself_is_read_also_inside_another(
    theirs: Repository, desk: ProjectFixture, tmp_path: Path
) -> None:
    home = made(tmp_path / "home", desk)
    home.commit("2020-01-01", {"dotfile.md": "# Mine\n"})
    for mirror in (tmp_path / "mirror.git", home.folder / "mirror.git", home.folder / "two\nlines\n"):
        theirs.git("clone", "--quiet", "--bare", str(theirs.folder), str(mirror))
        summary = await imported(desk, mirror)
        assert (summary.filed + summary.unchanged, summary.refused) == (1, [])
    directory = await imported(desk, theirs.folder / ".git")
    assert directory.unchanged == 1


@pytest.mark.parametrize(
    "name", ["-x", "--exec=x", "two\nlines", "line end\n", "*[a]?", ":(top)x", "é \udcff"]
)
async def test_a_folder_of_any_name_is_read(
    desk: ProjectFixture, tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository = made(tmp_path / name, desk)
    repository.commit("2020-01-01", {f"{name}/a.md": "# A\n", "other/b.md": "# B\n"})
    monkeypatch.chdir(tmp_path)
    summary = await imported(desk, Path(name) / name)
    assert (summary.filed, [each.reason for each in summary.refused]) in (
        (1, []),
        (0, ["its name is not UTF-8; rename it"]),
    )


async def test_worktrees_submodules_and_repositories_beside_their_folder_are_read(
    theirs: Repository, desk: ProjectFixture, tmp_path: Path
) -> None:
    theirs.git("worktree", "add", "--quiet", "-b", "side", str(tmp_path / "tree"))
    theirs.git("config", "extensions.worktreeConfig", "true")
    holder = made(tmp_path / "holder", desk)
    file = ("-c", "protocol.file.allow=always")
    holder.git(*file, "submodule", "--quiet", "add", str(theirs.folder), "deep/inner")
    beside = tmp_path / "beside"
    theirs.git("clone", "--quiet", "--bare", str(theirs.folder), str(beside / ".bare"))
    (beside / ".git").write_text("gitdir: ./.bare\n")
    shared = tmp_path / "shared"
    theirs.git("clone", "--quiet", "--shared", str(theirs.folder), str(shared))
    for folder in (tmp_path / "tree/docs", holder.folder / "deep/inner", beside, shared):
        summary = await imported(desk, folder)
        assert (summary.filed + summary.unchanged, summary.refused) == (1, [])


async def test_a_branch_of_the_name_head_changes_nothing(theirs: Repository, desk: ProjectFixture) -> None:
    theirs.git("update-ref", "refs/heads/HEAD", "HEAD")
    assert (await imported(desk, theirs.folder)).filed == 1


def file_leading(theirs: Repository, private: Repository) -> None:
    shutil.rmtree(theirs.folder / ".git")
    (theirs.folder / ".git").write_text(f"gitdir: {private.folder}/.git\n")


def link_leading(theirs: Repository, private: Repository) -> None:
    shutil.rmtree(theirs.folder / ".git")
    (theirs.folder / ".git").symlink_to(private.folder / ".git")


def common_leading(theirs: Repository, private: Repository) -> None:
    (theirs.folder / ".git/commondir").write_text(f"{private.folder}/.git\n")


def parts_leading(theirs: Repository, private: Repository) -> None:
    for part in ("objects", "refs"):
        shutil.rmtree(theirs.folder / ".git" / part)
        (theirs.folder / ".git" / part).symlink_to(private.folder / ".git" / part)


def branch_leading(theirs: Repository, private: Repository) -> None:
    (theirs.folder / ".git/objects/info/alternates").write_text(f"{private.folder}/.git/objects\n")
    branch = theirs.folder / ".git/refs/heads/main"
    branch.unlink()
    branch.symlink_to(private.folder / ".git/refs/heads/main")


def tree_elsewhere(theirs: Repository, private: Repository) -> None:
    file_leading(theirs, private)
    shutil.copytree(private.folder / ".git", theirs.folder / "copy")
    (theirs.folder / ".git").write_text("gitdir: copy\n")
    (theirs.folder / "copy/commondir").write_text(f"{private.folder}/.git\n")


def own_worktree(theirs: Repository, reference: str) -> Path:
    """Make a worktree as no git makes it, inside its own repository, and return its directory."""
    directory = theirs.folder / ".git/worktrees/w"
    directory.mkdir(parents=True)
    (directory / "commondir").write_text("../..\n")
    (directory / "HEAD").write_text(f"ref: {reference}\n")
    tree = theirs.folder / "tree"
    tree.mkdir()
    (directory / "gitdir").write_text("../../../tree/.git\n")
    (tree / ".git").write_text("gitdir: ../.git/worktrees/w\n")
    return directory


def ambiguous_branch_leading(theirs: Repository, private: Repository) -> None:
    branch_leading(theirs, private)
    theirs.git("update-ref", "refs/heads/HEAD", "HEAD")


def tags_leading(theirs: Repository, private: Repository) -> None:
    branch_leading(theirs, private)
    (theirs.folder / ".git/refs/heads/main").unlink()
    shutil.rmtree(theirs.folder / ".git/refs/tags")
    (theirs.folder / ".git/refs/tags").symlink_to(private.folder / ".git/refs/heads")
    (theirs.folder / ".git/HEAD").write_text("ref: refs/tags/main\n")


@pytest.mark.parametrize("reference", ["refs/worktree/x", "refs/bisect/x", "refs/rewritten/x", "refs/own/x"])
async def test_a_reference_of_one_worktree_is_refused_as_the_newest_commit(
    theirs: Repository, private: Repository, desk: ProjectFixture, reference: str
) -> None:
    (theirs.folder / ".git/objects/info/alternates").write_text(f"{private.folder}/.git/objects\n")
    directory = own_worktree(theirs, reference)
    for holder in (directory, theirs.folder / ".git"):
        link = holder / reference
        link.parent.mkdir(parents=True)
        link.symlink_to(private.folder / ".git/refs/heads/main")
    with pytest.raises(Invalid, match=f"its HEAD points to {reference}, which is not a branch"):
        await imported(desk, theirs.folder / "tree")
    with pytest.raises(NotFound):
        await desk.ask("needle")


@pytest.mark.parametrize(
    "lead",
    [
        file_leading,
        link_leading,
        common_leading,
        parts_leading,
        branch_leading,
        ambiguous_branch_leading,
        tags_leading,
        tree_elsewhere,
    ],
)
async def test_a_repository_that_leads_to_another_is_refused_and_nothing_of_that_is_filed(
    theirs: Repository, private: Repository, desk: ProjectFixture, lead: object
) -> None:
    assert callable(lead)
    lead(theirs, private)
    with pytest.raises(Invalid, match=r"points to .*private.*which is outside this repository"):
        await imported(desk, theirs.folder)
    with pytest.raises(NotFound):
        await desk.ask("needle")
