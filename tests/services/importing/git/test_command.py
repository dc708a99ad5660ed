from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from app.services.importing.git import command
from app.services.importing.git.command import Git


@pytest.fixture
def git(tmp_path: Path) -> Git:
    subprocess.run(["git", "init", "--quiet", str(tmp_path)], check=True)
    return Git(tmp_path, tmp_path)


def test_git_is_given_more_than_a_pipe_holds_while_it_answers(
    git: Git, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(command, "_POLL_SECONDS", 0.00001)
    given = b"".join(b"%040d\n" % number for number in range(50_000))
    answer = git.ask("cat-file", "--batch-check", given=given)
    assert answer.splitlines() == [b"%s missing" % line for line in given.splitlines()]


def test_git_that_ends_before_it_read_everything_is_no_failure(git: Git) -> None:
    assert git.ask("rev-parse", "--show-object-format", given=bytes(10**6)) == b"sha1\n"


def test_an_interrupt_of_the_import_ends_no_git(git: Git) -> None:
    with git.open("cat-file", "--batch-check") as process:
        try:
            assert os.getsid(process.pid) == process.pid != os.getsid(0)
        finally:
            process.kill()
