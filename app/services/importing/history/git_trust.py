"""Whose a repository is: git asks for its owner, and what it consists of must be its own."""

from __future__ import annotations

import os
import subprocess
from dataclasses import replace
from pathlib import Path

from app.errors import Invalid
from app.services.importing.history.git_command import Git, clean_path
from app.services.importing.item import shown

_DUBIOUS = ("dubious ownership", "unsafe repository")
_PARTS = ("objects", "refs", "packed-refs", "reftable")
_FROM_USER = ("HOME", "XDG_CONFIG_HOME")


def trusting(git: Git) -> Git:
    """Return git as it reads a repository: with the folders that the user told git to trust, if it must.

    Raises Invalid with what to do where git does not trust the owner of the repository.
    """
    trusted = git
    for attempt in (git, None):
        trusted = attempt or replace(git, settings=tuple(f"safe.directory={each}" for each in _trusted()))
        try:
            trusted.ask_path("--absolute-git-dir")
        except Invalid as error:
            if not any(words in error.message for words in _DUBIOUS):
                raise
        else:
            return trusted
    where = shown(str(git.folder))
    raise Invalid(
        f"{where} belongs to another user, and git does not read it; if you trust it, run"
        f" git config --global --add safe.directory {where}"
    )


def _trusted() -> list[str]:
    """Return the folders that the user's own configuration and the system's name as trusted."""
    environment = {name: os.environ[name] for name in _FROM_USER if name in os.environ}
    found: list[str] = []
    for scope in ("--system", "--global"):
        done = subprocess.run(
            ["git", "-C", "/", "config", scope, "--null", "--type=path", "--get-all", "safe.directory"],
            capture_output=True,
            check=False,
            env={**environment, "PATH": clean_path(), "GIT_TRACE2_EVENT": "0"},
        )
        found += [os.fsdecode(folder) for folder in done.stdout.split(b"\0")[:-1]]
    return found


def require_own(git: Git) -> None:
    """Raise Invalid for a repository that leads to another one's history.

    Else a folder that somebody sent could have a private repository beside it filed as its own. Linked
    worktrees and submodules are known to what they lead to.
    """
    directory = git.ask_path("--absolute-git-dir").resolve()
    common = git.ask_path("--git-common-dir").resolve()
    entry = git.folder / ".git"
    is_own = directory in (git.folder, entry) or directory.is_relative_to(git.folder)
    if not is_own and not _knows(git, directory, entry):
        _refuse(git.folder, entry, directory)
    if directory != common and not directory.is_relative_to(common):
        _refuse(git.folder, directory / "commondir", common)
    reference = os.fsdecode(git.ask("rev-parse", "--symbolic-full-name", "HEAD").removesuffix(b"\n"))
    for part in (directory / "HEAD", *(common / name for name in (*_PARTS, reference))):
        if not part.resolve().is_relative_to(common):
            _refuse(git.folder, part, part.resolve())


def _knows(git: Git, directory: Path, entry: Path) -> bool:
    """Tell whether what a .git file leads to is a worktree's or a submodule's that stands there."""
    back = directory / "gitdir"
    if back.is_file() and not back.is_symlink() and back.stat().st_size < os.pathconf("/", "PC_PATH_MAX"):
        named = os.fsdecode(back.read_bytes().removesuffix(b"\n"))
        if (directory / named).parent.resolve() == git.folder and (directory / named).name == entry.name:
            return True
    try:
        tree = os.fsdecode(git.ask("config", "--null", "--get", "core.worktree").removesuffix(b"\0"))
    except Invalid:
        return False
    return (directory / tree).resolve() == git.folder


def _refuse(folder: Path, part: Path, leads_to: Path) -> None:
    raise Invalid(
        f"{shown(str(folder))} is not read: its {shown(part.name)} leads to {shown(str(leads_to))}, which"
        " is not of this repository; name that one itself if you mean it"
    )
