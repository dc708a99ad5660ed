"""Finding the repository that a folder lies in, without an object of it being read."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from app.errors import Invalid
from app.services.importing.history.git_command import Git
from app.services.importing.history.git_trust import require_own, trusting
from app.services.importing.item import shown

PATIENCE = 60.0
NO_COMMIT = "the repository has no commit yet; commit the documents first"


@dataclass(frozen=True, slots=True)
class Place:
    """Where a repository keeps what is read of it.

    `top` is the folder it is of, or itself where it is bare; `prefix` is the path of the named folder inside,
    with a slash at its end, and `head` the id of the newest commit.
    """

    top: Path
    prefix: bytes
    objects: Path
    shallow: Path
    object_format: str
    head: str

    @property
    def is_shallow(self) -> bool:
        """Whether the beginning of its history is missing, as in a shallow clone."""
        return self.shallow.is_file() and self.shallow.stat().st_size > 0


def find_places(named: Path, is_stopped: Callable[[], bool]) -> list[Place]:
    """Return the repository that a folder lies in, and it itself where it is a bare one: the likelier first.

    Raises Invalid when there is none, nothing was committed yet, git does not trust its owner, or what it
    consists of leads to another repository.
    """
    folder = Path(os.path.realpath(named))
    where = shown(str(named))
    if not folder.is_dir():
        raise Invalid(f"git cannot read {where}: there is no such folder")
    git = Git(folder, named, is_stopped, patience=PATIENCE)
    is_bare = _is_git_directory(folder)
    holder = next((each for each in (folder, *folder.parents) if _holds(each)), None)
    if holder is None and not is_bare:
        raise Invalid(f"git cannot read {where}: neither it nor a folder above it is a git repository")
    try:
        found = [] if holder is None else [_place(replace(git, folder=holder), folder)]
    except Invalid:
        if not is_bare:
            raise
        found = []
    return found if not is_bare else [*found, _place(replace(git, allows_bare=True), folder)]


def _holds(folder: Path) -> bool:
    inner = folder / ".git"
    return inner.is_file() or _is_git_directory(inner)


def _is_git_directory(folder: Path) -> bool:
    return os.path.lexists(folder / "HEAD") and (folder / "objects").is_dir()


def _place(git: Git, folder: Path) -> Place:
    top = git.folder
    git = trusting(git)
    try:
        head = git.ask("rev-parse", "--verify", "--quiet", "HEAD").decode().strip()
    except Invalid:
        raise Invalid(NO_COMMIT) from None
    require_own(git)
    inside = folder.relative_to(top).as_posix()
    return Place(
        top=top,
        prefix=b"" if inside == "." else os.fsencode(f"{inside}/"),
        objects=git.ask_path("--git-path", "objects"),
        shallow=git.ask_path("--git-path", "shallow"),
        object_format=git.ask("rev-parse", "--show-object-format").decode().strip(),
        head=head,
    )
