"""Finding the repository of a folder, without reading any of its objects."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path

from app.errors import Invalid
from app.services.importing.git.command import Git, clean_path
from app.services.importing.interruption import IsStopped
from app.services.importing.items import printable_name
from app.services.importing.open_file import read_bytes

_DUBIOUS = ("dubious ownership", "unsafe repository")
_PARTS = ("objects", "refs", "packed-refs", "reftable")
_SHARED = ("refs/heads/", "refs/tags/", "refs/remotes/")
"""The references that a worktree has in common with its repository; its others lie in its own directory."""

_FROM_USER = ("HOME", "XDG_CONFIG_HOME")


def trusting(git: Git) -> Git:
    """Return git for reading a repository, with the user's trusted folders where git needs them.

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
    where = printable_name(str(git.folder))
    raise Invalid(
        f"{where} belongs to another user, and git does not read it; if you trust it, run"
        f" git config --global --add safe.directory {where}"
    )


def _trusted() -> list[str]:
    """Return the folders that the configuration of the user and of the system lists as trusted."""
    environment = {name: os.environ[name] for name in _FROM_USER if name in os.environ}
    found: list[str] = []
    for scope in ("--system", "--global"):
        done = subprocess.run(
            ["git", "-C", "/", "config", scope, "--null", "--type=path", "--get-all", "safe.directory"],
            capture_output=True,
            check=False,
            start_new_session=True,
            env={**environment, "PATH": clean_path(), "GIT_TRACE2_EVENT": "0"},
        )
        found += [os.fsdecode(folder) for folder in done.stdout.split(b"\0")[:-1]]
    return found


def require_own(git: Git) -> None:
    """Raise Invalid for a repository that points to the history of another one.

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
    # A branch of the name HEAD would make the question ambiguous, and the answer empty.
    question = ("-c", "core.warnAmbiguousRefs=false", "rev-parse", "--symbolic-full-name", "HEAD")
    reference = os.fsdecode(git.ask(*question).removesuffix(b"\n"))
    if reference != "HEAD" and not reference.startswith(_SHARED):
        raise Invalid(
            f"{printable_name(str(git.folder))} is not read: its HEAD points to"
            f" {printable_name(reference)}, which is not a branch; check out a branch"
        )
    for part in _read_parts(directory, common, reference):
        if not part.resolve().is_relative_to(common):
            _refuse(git.folder, part, part.resolve())


def _read_parts(directory: Path, common: Path, reference: str) -> Iterator[Path]:
    """Yield the files and folders from which git takes the newest commit, of a worktree and of all."""
    yield directory / "HEAD"
    for holder in dict.fromkeys((directory, common)):
        yield from (holder / name for name in (*_PARTS, reference))
        yield from (holder / "reftable").glob("*")


def _knows(git: Git, directory: Path, entry: Path) -> bool:
    """Return whether the target of a .git file is the directory of this worktree or submodule."""
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
    names = printable_name(str(folder)), printable_name(part.name), printable_name(str(leads_to))
    raise Invalid(
        f"{names[0]} is not read: its {names[1]} points to {names[2]}, which is outside this"
        " repository; give that path itself if you want to import it"
    )


def _require_files(folder: Path, objects: Path) -> None:
    """Raise Invalid where git would open a pipe, a device or a link as a file of the object store."""
    for part in ("info", "pack"):
        with suppress(FileNotFoundError, NotADirectoryError), os.scandir(objects / part) as entries:
            for entry in entries:
                is_plain = entry.is_file(follow_symlinks=False) or entry.is_dir(follow_symlinks=False)
                if not is_plain:
                    name = printable_name(f"objects/{part}/{entry.name}")
                    raise Invalid(
                        f"{printable_name(str(folder))} is not read: its {name} is a pipe, a"
                        " device or a link; clone the repository, and give the clone"
                    )


WAIT_SECONDS = 60.0
NO_COMMIT = "the repository has no commit yet; commit the documents first"


@dataclass(frozen=True, slots=True)
class Place:
    """The location of a repository and of the files that are read from it.

    `top` is its working folder, or the repository itself where it is bare. `prefix` is the path of the named
    folder inside it, with a slash at its end, and `head` the id of the newest commit.
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


def find_places(named: Path, is_stopped: IsStopped) -> list[Place]:
    """Return the repository around a folder, and the folder itself where it is bare: the likelier first.

    Raises Invalid when there is none, it has no commit, git does not trust its owner, or a part of it points
    to another repository.
    """
    folder = Path(os.path.realpath(named))
    where = printable_name(str(named))
    if not folder.is_dir():
        raise Invalid(f"git cannot read {where}: there is no such folder")
    git = Git(folder, named, is_stopped, wait_seconds=WAIT_SECONDS)
    is_bare = _is_git_directory(folder)
    holder = next((each for each in (folder, *folder.parents) if _has_git_directory(each)), None)
    if holder is None and not is_bare:
        raise Invalid(f"git cannot read {where}: it is not in a git repository")
    try:
        found = [] if holder is None else [_place(replace(git, folder=holder), folder)]
    except Invalid:
        if not is_bare:
            raise
        found = []
    return found if not is_bare else [*found, _place(replace(git, allows_bare=True), folder)]


def _has_git_directory(folder: Path) -> bool:
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
    objects = git.ask_path("--git-path", "objects")
    _require_files(top, objects)
    inside = folder.relative_to(top).as_posix()
    return Place(
        top=top,
        prefix=b"" if inside == "." else os.fsencode(f"{inside}/"),
        objects=objects,
        shallow=git.ask_path("--git-path", "shallow"),
        object_format=git.ask("rev-parse", "--show-object-format").decode().strip(),
        head=head,
    )


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
def open_store(place: Place, is_stopped: IsStopped) -> Iterator[Git]:
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
        yield Git(folder, place.top, is_stopped, environment, wait_seconds=WAIT_SECONDS)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _beginning(shallow: Path) -> bytes:
    data = read_bytes(shallow, MAX_SHALLOW)
    if len(data) > MAX_SHALLOW:
        raise Invalid("the file shallow of the repository is too large; fetch the whole history")
    return data


def find_place(folder: Path, is_stopped: IsStopped) -> Place:
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
