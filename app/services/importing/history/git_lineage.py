"""Which file is which through a repository's history: its editions under every path it had. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import datetime

from app.services.importing.history.git_line import Commit, FileChange


@dataclass(frozen=True, slots=True)
class Edition:
    """One content of a file, the path it had, and the commit that made it."""

    commit: str
    at: datetime
    path: bytes
    blob: str


@dataclass(slots=True)
class Lineage:
    """A file through time, oldest edition first."""

    editions: list[Edition] = field(default_factory=list)

    @property
    def newest(self) -> Edition:
        """The edition that stands, or stood last."""
        return self.editions[-1]


@dataclass(frozen=True, slots=True)
class Lineages:
    """The files that stand now, and those that were deleted, each by the path it has or had."""

    living: dict[bytes, Lineage]
    deleted: dict[bytes, Lineage]


def follow(commits: Iterable[Commit], is_wanted: Callable[[bytes], bool]) -> Lineages:
    """Follow files from commit to commit, through renames, and through deletions that were undone."""
    found = Lineages({}, {})
    for commit in commits:
        # Two files may swap their names in one commit: all leave before any arrives.
        leaving = {change.former: _leave(found, change) for change in commit.changes if change.former}
        for change in commit.changes:
            if change.blob is None or not is_wanted(change.path):
                _delete(found, change, leaving.get(change.former or b""))
            else:
                came_from = leaving[change.former] if change.former else found.living.get(change.path)
                lineage = came_from or found.deleted.pop(change.path, None) or Lineage()
                edition = Edition(commit.hash, commit.at, change.path, change.blob)
                lineage.editions.append(edition)
                found.living[change.path] = lineage
    return found


def _delete(found: Lineages, change: FileChange, left: Lineage | None) -> None:
    gone = left or found.living.pop(change.path, None)
    if gone is not None:
        found.deleted[change.former or change.path] = gone


def _leave(found: Lineages, change: FileChange) -> Lineage | None:
    return None if change.former is None else found.living.pop(change.former, None)
