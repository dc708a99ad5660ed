"""Reading the main line of a repository: its commits in order, with the files each changed."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TypeAlias, TypeVar

from app.errors import Invalid
from app.services.filing.prepare import MAX_BODY_BYTES
from app.services.importing.git.blobs import Blobs
from app.services.importing.git.command import Git, TooMuch


def line_times(seconds: Iterable[int], now: datetime) -> list[datetime]:
    """Return the effective time of each commit of a line, given its stated seconds since 1970.

    A commit older than its parent gets its parent's time, and so does one from the future or from before
    1970; such commits at the start of the line get the first valid time.
    """
    stated = [_moment(each, now) for each in seconds]
    latest = next((moment for moment in stated if moment is not None), now)
    times = []
    for moment in stated:
        latest = latest if moment is None else max(latest, moment)
        times.append(latest)
    return times


def _moment(seconds: int, now: datetime) -> datetime | None:
    return datetime.fromtimestamp(seconds, UTC) if 0 < seconds <= now.timestamp() else None


_COMMITS = ("rev-list", "--first-parent", "--reverse", "--timestamp")
_CHANGES = (
    "diff-tree",
    "--stdin",
    "--root",
    "-r",
    "-z",
    "--raw",
    "--no-abbrev",
    "--always",
    "--diff-merges=first-parent",
)
_DOCUMENTS = (":(glob,icase)**/*.md", ":(glob,icase)**/*.markdown")
_ALIKE = "-M60%"
_SAME = "-M100%"
_REGULAR = frozenset({"100644", "100755"})
_ADDED, _RENAMED, _DELETED = "A", "R", "D"

MAX_CHANGES = 2_000_000
"""At most this many changes of files are read from one repository."""

NOT_WHOLE = (
    "{reason}; a part of the history is missing in the repository, and Trigraph fetches"
    " nothing: fetch the whole history"
)


@dataclass(frozen=True, slots=True)
class FileChange:
    """The change of one file by a commit: the new path and content; no content when the file is gone.

    `former` is the path it had before a rename, `was` the content before.
    """

    path: bytes
    blob: str | None
    former: bytes | None = None
    was: str | None = None


@dataclass(frozen=True, slots=True)
class Commit:
    """A commit of the main line; `at` never goes back from one to the next."""

    hash: str
    at: datetime
    changes: tuple[FileChange, ...]


Result = TypeVar("Result")
_Changes: TypeAlias = dict[str, tuple[FileChange, ...]]
"""The changes of each commit, by its hash."""


def read_line(git: Git, head: str, prefix: bytes, blobs: Blobs, now: datetime) -> list[Commit]:
    """Return the commits of the main line up to `head`, oldest first, with their changes of Markdown files.

    Their times never go back and never pass `now`. Where the repository lacks an object outside `prefix`,
    only the changes below it are returned. Raises Invalid when it lacks a commit, or something below, and
    where `head` is none.
    """
    printed = _whole(lambda: git.ask(*_COMMITS, head, "--")).decode().split()
    if not printed:
        raise Invalid("the branch points to no commit; check out a branch with commits")
    names, times = printed[1::2], line_times([int(seconds) for seconds in printed[::2]], now)
    try:
        changes = _changes_with_renames(git, names, _DOCUMENTS, blobs)
    except Invalid as error:
        below = (f":(literal){os.fsdecode(prefix)}",)
        if not prefix and isinstance(error, TooMuch):
            raise
        if not prefix:
            raise Invalid(NOT_WHOLE.format(reason=error.message)) from error
        changes = _whole(lambda: _changes_with_renames(git, names, below, blobs))
    return [Commit(name, at, changes[name]) for name, at in zip(names, times, strict=True)]


def _whole(read: Callable[[], Result]) -> Result:
    try:
        return read()
    except TooMuch:
        raise
    except Invalid as error:
        raise Invalid(NOT_WHOLE.format(reason=error.message)) from error


def _changes_with_renames(git: Git, names: Sequence[str], pathspecs: Sequence[str], blobs: Blobs) -> _Changes:
    """Return the changes of each commit, with renames; where a content is missing, only exact renames."""
    changes = _read_changes(git, names, "--no-renames", pathspecs)
    moving = [name for name in names if _may_rename(changes[name])]
    whole = {name: all(_is_readable(change, blobs) for change in changes[name]) for name in moving}
    for option, are_whole in ((_ALIKE, True), (_SAME, False)):
        some = [name for name in moving if whole[name] is are_whole]
        changes |= _read_changes(git, some, option, pathspecs)
    return changes


def _may_rename(changes: Sequence[FileChange]) -> bool:
    return any(each.was is None for each in changes) and any(each.blob is None for each in changes)


def _is_readable(change: FileChange, blobs: Blobs) -> bool:
    sizes = [blobs.size(blob) for blob in (change.blob, change.was) if blob is not None]
    return all(size is not None and size <= MAX_BODY_BYTES for size in sizes)


def _read_changes(git: Git, names: Sequence[str], renames: str, pathspecs: Sequence[str]) -> _Changes:
    if not names:
        return {}
    given = "".join(f"{name}\n" for name in names).encode()
    printed = git.ask(*_CHANGES, renames, "--", *pathspecs, given=given)
    if printed.count(b"\0:") > MAX_CHANGES:
        raise TooMuch(f"the history has more than {MAX_CHANGES} changes of files; give a folder of it")
    found: dict[str, list[FileChange]] = {}
    changes: list[FileChange] = []
    following = iter(printed.split(b"\0"))
    for token in following:
        if token.startswith(b":"):
            changes.append(_change(token.decode(), following))
        elif token:
            changes = found.setdefault(token.decode(), [])
    return {name: tuple(each) for name, each in found.items()}


def _change(header: str, paths: Iterator[bytes]) -> FileChange:
    former_mode, mode, was, blob, status = header.removeprefix(":").split(" ")
    former = next(paths) if status[0] == _RENAMED else None
    path = next(paths)
    is_there = status[0] != _DELETED and mode in _REGULAR
    was_there = status[0] != _ADDED and former_mode in _REGULAR
    return FileChange(path, blob if is_there else None, former, was if was_there else None)
