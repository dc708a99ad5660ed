"""The objects of a repository, read without its configuration, hooks, attributes, replacements or grafts."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from app.errors import Invalid
from app.services.importing.git.command import Git
from app.services.importing.git.location import Place, find_places
from app.services.importing.open_file import read_bytes

MAX_SHALLOW = 64 * 1024 * 1024
_CONFIG = """\
[core]
\trepositoryformatversion = 1
\tbare = true
\tcommitGraph = false
[extensions]
\tobjectFormat = {object_format}
"""


@contextmanager
def open_store(place: Place, is_stopped: Callable[[], bool]) -> Iterator[Git]:
    """Yield git in an empty temporary repository that has the objects of a place.

    It cannot fetch, because it knows no other repository. Raises Invalid where the shallow file of the place
    is not valid.
    """
    folder = Path(tempfile.mkdtemp(prefix="trigraph-git-"))
    try:
        for name in ("objects", "refs"):
            (folder / name).mkdir()
        (folder / "HEAD").write_text("ref: refs/heads/none\n", encoding="ascii")
        (folder / "config").write_text(_CONFIG.format(object_format=place.object_format), encoding="ascii")
        if os.path.lexists(place.shallow):
            (folder / "shallow").write_bytes(_beginning(place.shallow))
        environment = {"GIT_DIR": str(folder), "GIT_OBJECT_DIRECTORY": str(place.objects)}
        yield Git(folder, place.top, is_stopped, environment)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _beginning(shallow: Path) -> bytes:
    data = read_bytes(shallow, MAX_SHALLOW)
    if len(data) > MAX_SHALLOW:
        raise Invalid("the repository's file shallow is too large; fetch the whole history")
    return data


def find_place(folder: Path, is_stopped: Callable[[], bool]) -> Place:
    """Return the repository that a folder means: the one that has its files, even if the folder looks bare.

    Raises Invalid where no repository of it can be read.
    """
    first, *others = find_places(folder, is_stopped)
    if others:
        with open_store(first, is_stopped) as git:
            return first if _has_files(git, first) else others[0]
    return first


def _has_files(git: Git, place: Place) -> bool:
    """Return whether the newest commit has files below the folder of a place; True where git cannot tell."""
    inside = os.fsdecode(place.prefix)
    try:
        return bool(git.ask("--literal-pathspecs", "ls-tree", "-z", place.head, "--", inside))
    except Invalid:
        return True
