"""A repository that somebody else wrote names programs in every way that git knows, and none of them runs."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

import pytest

from tests.documents import ProjectFixture
from tests.services.importing.history.conftest import Repository

Trap: TypeAlias = Callable[[Repository, str], None]

COMMANDS = ("log", "rev-parse", "cat-file", "rev-list", "diff-tree", "ls-tree", "config")
ATTRIBUTES = "* diff=trap filter=trap merge=trap working-tree-encoding=UTF-16 ident\n"


@pytest.fixture
def theirs(tmp_path: Path, desk: ProjectFixture) -> Repository:
    repository = Repository(tmp_path / "theirs", desk)
    repository.folder.mkdir()
    repository.git("init", "--quiet", "--initial-branch=main")
    repository.commit("2020-01-01", {"docs/a.md": "# A\n\nStatus: Draft\n", "docs/gone.md": "# Gone\n"})
    repository.commit("2020-02-01", {"docs/a.md": "# A\n\nStatus: Accepted\n", "docs/b.md": "# B\n"})
    return repository


@pytest.fixture
def marker(tmp_path: Path) -> Path:
    return tmp_path / "it-ran"


@pytest.fixture
def program(tmp_path: Path, marker: Path) -> str:
    """A program that leaves the marker behind, under the names by which git would look for it."""
    path = tmp_path / "programs" / "trap"
    path.parent.mkdir()
    path.write_text(f"#!/bin/sh\ntouch {marker}\nexit 1\n")
    path.chmod(0o755)
    return str(path)


def setting(*settings: tuple[str, str]) -> Trap:
    """Set what the repository's own configuration names; {} is the program."""

    def trap(repository: Repository, program: str) -> None:
        for name, value in settings:
            repository.git("config", "--add", name.replace("{}", program), value.replace("{}", program))

    return trap


def lose(repository: Repository, name: str) -> None:
    """Take a file's content out of the repository, so that git would have to fetch it."""
    blob = repository.git("rev-parse", f"HEAD:{name}")
    (repository.folder / ".git/objects" / blob[:2] / blob[2:]).unlink()


def promised(*settings: tuple[str, str], url: str = "ssh://nowhere.invalid/x") -> Trap:
    """A partial clone that lacks a content, whose promised rest comes by a program."""
    clone = (
        ("core.repositoryFormatVersion", "1"),
        ("extensions.partialClone", "origin"),
        ("remote.origin.promisor", "true"),
        ("remote.origin.partialCloneFilter", "blob:none"),
        ("remote.origin.url", url),
    )

    def trap(repository: Repository, program: str) -> None:
        lose(repository, "docs/b.md")
        setting(*clone, *settings)(repository, program)

    return trap


def hooks(repository: Repository, program: str) -> None:
    known = (
        "post-index-change",
        "reference-transaction",
        "fsmonitor-watchman",
        "post-checkout",
        "pre-auto-gc",
    )
    for name in known:
        hook = repository.folder / ".git/hooks" / name
        hook.parent.mkdir(exist_ok=True)
        shutil.copy(program, hook)


def included(repository: Repository, program: str) -> None:
    outside = repository.folder.parent / "outside.config"
    outside.write_text(f"[core]\n\tfsmonitor = {program}\n[diff]\n\texternal = {program}\n")
    repository.git("config", "include.path", str(outside))
    repository.git("config", "includeIf.gitdir:**.path", str(outside))


def of_worktree(repository: Repository, program: str) -> None:
    repository.git("config", "extensions.worktreeConfig", "true")
    (repository.folder / ".git/config.worktree").write_text(f"[core]\n\tsshCommand = {program}\n")
    promised(("core.fsmonitor", "{}"))(repository, program)


FETCHING: dict[str, Trap] = {
    "ssh command": promised(("core.sshCommand", "{}")),
    "upload pack": promised(("remote.origin.uploadpack", "{}"), url="."),
    "upload pack of a bundle": promised(("remote.origin.uploadpack", "{}"), url="file:///"),
    "external protocol": promised(("protocol.ext.allow", "always"), url="ext::{}"),
    "remote helper": promised(("remote.origin.vcs", "trap")),
    "git proxy": promised(("core.gitProxy", "{}"), url="git://nowhere.invalid/x"),
    "ask pass": promised(("core.askPass", "{}"), ("credential.helper", "!{}"), url="https://a@[::1]:9"),
    "another address": promised(("url.ext::{}.insteadOf", "ssh://nowhere.invalid/x"),
                                ("protocol.ext.allow", "always")),
    "old partial clone": promised(("extensions.partialClone", "other"), ("remote.other.url", "ext::{}"),
                                  ("remote.other.promisor", "true"), ("protocol.ext.allow", "always")),
    "alternate refs": promised(("core.alternateRefsCommand", "{}")),
    "pack objects": promised(("uploadpack.packObjectsHook", "{}"), url="."),
    "configuration of a worktree": of_worktree,
}  # fmt: skip
TRAPS: dict[str, Trap] = FETCHING | {
    "file monitor": setting(("core.fsmonitor", "{}"), ("core.untrackedCache", "true")),
    "hooks path": setting(("core.hooksPath", "../programs")),
    "hooks": hooks,
    "pager": setting(("core.pager", "{}"), *((f"pager.{name}", "{}") for name in COMMANDS)),
    "editor": setting(("core.editor", "{}"), ("sequence.editor", "{}")),
    "diff": setting(("diff.external", "{}"), ("diff.trap.command", "{}"), ("diff.trap.textconv", "{}")),
    "filter": setting(("filter.trap.clean", "{}"), ("filter.trap.smudge", "{}"),
                      ("filter.trap.process", "{}"), ("filter.trap.required", "true")),
    "merge": setting(("merge.trap.driver", "{}"), ("merge.tool", "trap"), ("mergetool.trap.cmd", "{}")),
    "signatures": setting(("log.showSignature", "true"), ("gpg.program", "{}"), ("gpg.format", "ssh"),
                          ("gpg.ssh.program", "{}"), ("gpg.ssh.defaultKeyCommand", "{}")),
    "aliases": setting(*((f"alias.{name}", "!{}") for name in COMMANDS)),
    "included": included,
    "trace": setting(("trace2.eventTarget", "{}"), ("trace2.normalTarget", "{}")),
    "maintenance": setting(("gc.auto", "1"), ("gc.autoDetach", "false"), ("maintenance.auto", "true"),
                           ("gc.recentObjectsHook", "{}")),
    "submodules": setting(("submodule.x.update", "!{}"), ("submodule.recurse", "true"),
                          ("diff.submodule", "log"), ("status.submoduleSummary", "true")),
    "output": setting(("format.pretty", "%H"), ("log.mailmap", "true"), ("mailmap.file", "/dev/zero"),
                      ("i18n.logOutputEncoding", "UTF-16"), ("diff.renames", "false"), ("color.ui", "always"),
                      ("core.abbrev", "4"), ("log.showRoot", "false"), ("diff.orderFile", "/dev/zero"),
                      ("diff.noPrefix", "true"), ("core.quotePath", "true"), ("log.follow", "true")),
    "attributes": setting(("core.attributesFile", "/dev/zero"), ("core.excludesFile", "/dev/zero")),
}  # fmt: skip


@pytest.mark.parametrize("way", TRAPS)
async def test_no_program_that_a_repository_names_runs_and_its_documents_are_read(
    theirs: Repository, way: str, program: str, marker: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", f"{os.path.dirname(program)}:{os.environ['PATH']}")
    shutil.copy(program, os.path.join(os.path.dirname(program), "git-remote-trap"))
    repository_attributes(theirs)
    before = inside(theirs)
    TRAPS[way](theirs, program)
    summary = await theirs.run("docs")
    assert ran(marker) is False
    missing = ["docs/b.md"] if way in FETCHING else []
    assert [each.source for each in summary.refused] == missing
    assert (summary.filed, summary.states_recorded) == (3 - len(missing), 4 - len(missing))
    assert inside(theirs) - before <= {"hooks", "config.worktree"}


def repository_attributes(repository: Repository) -> None:
    for name in (".gitattributes", ".git/info/attributes"):
        path = repository.folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(ATTRIBUTES)


def inside(repository: Repository) -> set[str]:
    return {path.name for path in (repository.folder / ".git").iterdir()}


def ran(marker: Path) -> bool:
    return marker.exists()
