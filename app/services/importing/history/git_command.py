"""Asking git, which is the only one that reads repositories here."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from app.errors import Invalid, Unavailable
from app.services.importing.item import shown

# What people set for their own eyes must not change what is read here.
_SETTINGS = ("log.showSignature=false", "log.showRoot=true", "diff.relative=false", "color.ui=false")

NO_GIT = "git is not installed; install it to import a repository"


def ask_git(folder: Path, *arguments: str) -> bytes:
    """Answer what git prints in a folder.

    Raises Invalid with git's own words when it cannot answer, Unavailable when there is no git.
    """
    try:
        done = subprocess.run(
            _command(folder, arguments), capture_output=True, check=True, env=_environment()
        )
    except FileNotFoundError:
        raise Unavailable(NO_GIT) from None
    except subprocess.CalledProcessError as error:
        said = error.stderr.decode("utf-8", "replace").strip().splitlines() or ["no reason given"]
        raise Invalid(f"git cannot read {shown(str(folder))}: {said[0]}") from error
    return done.stdout


def _command(folder: Path, arguments: tuple[str, ...]) -> list[str]:
    settings = [word for setting in _SETTINGS for word in ("-c", setting)]
    return ["git", "-C", str(folder), *settings, *arguments]


def _environment() -> dict[str, str]:
    """Answer the environment without what would point git at another repository than the named one."""
    return {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}


class Blobs:
    """Reads the contents of files by their object ids, from one git that stays open."""

    def __init__(self, answers: IO[bytes], questions: IO[bytes]) -> None:
        self._answers = answers
        self._questions = questions

    def read(self, blob: str, most: int) -> bytes:
        """Answer the first bytes of a content, at most so many; raises Invalid for one that is not there."""
        self._questions.write(f"{blob}\n".encode())
        self._questions.flush()
        header = self._answers.readline().split()
        if len(header) != 3:
            raise Invalid(f"git has no content {blob}; fetch the whole repository")
        size = int(header[2])
        content = self._answers.read(min(size, most))
        self._pass_over(size + 1 - len(content))
        return content

    def _pass_over(self, size: int) -> None:
        while size > 0 and (skipped := len(self._answers.read(min(size, 1 << 20)))):
            size -= skipped


@contextmanager
def open_blobs(folder: Path) -> Iterator[Blobs]:
    """Lend a reader of contents of the repository a folder lies in."""
    command = _command(folder, ("cat-file", "--batch"))
    with subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=_environment(),
    ) as git:
        assert git.stdin is not None
        assert git.stdout is not None
        yield Blobs(git.stdout, git.stdin)
        git.stdin.close()
