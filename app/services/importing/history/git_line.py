"""The main line of a repository: its commits in order, with what each did to files."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from app.errors import Invalid
from app.services.importing.history.clocks import line_times
from app.services.importing.history.git_command import ask_git

_LOG = (
    "log",
    "--first-parent",
    "--diff-merges=first-parent",
    "--reverse",
    "--raw",
    "--no-abbrev",
    "-z",
    "-M60%",
    "--format=%x01%H %ct",
)
_REGULAR = frozenset({"100644", "100755"})
_RENAMED, _DELETED = "R", "D"


@dataclass(frozen=True, slots=True)
class FileChange:
    """What a commit did to one file: the path and content it left, absent when it left none.

    `former` is the path it had before a rename.
    """

    path: bytes
    blob: str | None
    former: bytes | None = None


@dataclass(frozen=True, slots=True)
class Commit:
    """A commit of the main line; `at` never goes back from one to the next."""

    hash: str
    at: datetime
    changes: tuple[FileChange, ...]


def read_line(folder: Path, now: datetime) -> list[Commit]:
    """Answer the commits of the main line, the first one first.

    Their clocks are held to the line and to `now`. Raises Invalid when the folder lies in no
    repository or nothing was committed yet.
    """
    try:
        ask_git(folder, "rev-parse", "--verify", "--quiet", "HEAD")
    except Invalid:
        raise Invalid("the repository has no commit yet; commit the documents first") from None
    records = list(_records(ask_git(folder, *_LOG, "HEAD").split(b"\0")))
    times = line_times([seconds for _, seconds, _ in records], now)
    return [Commit(name, at, changes) for (name, _, changes), at in zip(records, times, strict=True)]


def is_shallow(folder: Path) -> bool:
    """Tell whether a repository lacks the beginning of its history, as a shallow clone does."""
    return ask_git(folder, "rev-parse", "--is-shallow-repository").strip() == b"true"


def _records(tokens: list[bytes]) -> Iterator[tuple[str, int, tuple[FileChange, ...]]]:
    """Answer each commit as git prints it: a header, then for each file what happened and its paths."""
    name, seconds, changes = "", 0, list[FileChange]()
    following = iter(tokens)
    for token in following:
        if token.startswith(b"\x01"):
            if name:
                yield name, seconds, tuple(changes)
            name, _, told = token[1:].decode().strip().partition(" ")
            seconds, changes = int(told), []
        elif token.strip():
            changes.append(_change(token.decode().strip(), following))
    if name:
        yield name, seconds, tuple(changes)


def _change(told: str, paths: Iterator[bytes]) -> FileChange:
    _, mode, _, blob, status = told.removeprefix(":").split(" ")
    former = next(paths) if status[0] == _RENAMED else None
    path = next(paths)
    is_there = status[0] != _DELETED and mode in _REGULAR
    return FileChange(path, blob if is_there else None, former)
