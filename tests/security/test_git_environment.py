"""What surrounds git: neither the environment nor a user's configuration changes what is read, or runs."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from app.errors import Invalid
from app.services.importing.git import command
from tests.documents import ProjectFixture
from tests.security.test_git_places import imported, made
from tests.services.importing.history.conftest import Repository


@pytest.fixture
def theirs(tmp_path: Path, desk: ProjectFixture) -> Repository:
    repository = made(tmp_path / "theirs", desk)
    repository.commit("2020-01-01", {"docs/a.md": "# A\n\nA needle.\n"})
    return repository


async def test_neither_the_environment_nor_the_current_folder_names_a_program(
    theirs: Repository, desk: ProjectFixture, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = theirs.folder / "git"
    program.write_text(f"#!/bin/sh\ntouch {tmp_path}/it-ran\n")
    program.chmod(0o755)
    (tmp_path / ".gitconfig").write_text(
        f"[trace2]\n\teventTarget = {tmp_path}/it-ran\n[core]\n\tfsmonitor = {program}\n"
    )
    monkeypatch.chdir(theirs.folder)
    monkeypatch.setenv("PATH", f".::{os.environ['PATH']}")
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in (
        "GIT_EXTERNAL_DIFF",
        "GIT_SSH",
        "GIT_SSH_COMMAND",
        "GIT_PAGER",
        "PAGER",
        "GIT_ASKPASS",
        "GIT_PROXY_COMMAND",
    ):
        monkeypatch.setenv(name, str(program))
    for name in ("GIT_TRACE", "GIT_TRACE2", "GIT_TRACE2_EVENT", "GIT_TRACE_SETUP"):
        monkeypatch.setenv(name, str(tmp_path / "it-ran"))
    monkeypatch.setenv("GIT_CONFIG_COUNT", "1")
    monkeypatch.setenv("GIT_CONFIG_KEY_0", "alias.rev-list")
    monkeypatch.setenv("GIT_CONFIG_VALUE_0", f"!{program}")
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "nowhere"))
    monkeypatch.setenv("GIT_EXEC_PATH", str(theirs.folder))
    summary = await imported(desk, Path("docs/.."))
    assert not (tmp_path / "it-ran").exists()
    assert (summary.filed, summary.refused) == (1, [])


async def test_replaced_and_grafted_commits_are_read_as_they_were_committed(
    theirs: Repository, desk: ProjectFixture, tmp_path: Path
) -> None:
    first = theirs.git("rev-parse", "HEAD")
    last = theirs.commit("2020-02-01", {"docs/a.md": "# Second\n"})
    other = made(tmp_path / "other", desk)
    other.commit("2020-01-01", {"other.md": "# Other\n"})
    theirs.git("fetch", "--quiet", str(other.folder), "main")
    theirs.git("replace", "--force", last, theirs.git("rev-parse", "FETCH_HEAD"))
    (theirs.folder / ".git/info/grafts").write_text(f"{last} {theirs.git('rev-parse', 'FETCH_HEAD')}\n")
    assert first != last
    summary = await imported(desk, theirs.folder)
    assert (summary.filed, summary.states_recorded) == (1, 2)


async def test_a_repository_of_another_user_is_refused_until_the_user_trusts_it(
    theirs: Repository, desk: ProjectFixture, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.delenv("SUDO_UID", raising=False)
    # Git itself offers this to tests that cannot give a folder to somebody else.
    monkeypatch.setitem(command._CLOSED, "GIT_TEST_ASSUME_DIFFERENT_OWNER", "1")
    with pytest.raises(Invalid, match=r"belongs to another user.*git config --global --add safe\.directory"):
        await imported(desk, theirs.folder)
    (home / ".gitconfig").write_text(f"[safe]\n\tdirectory = {theirs.folder}\n[core]\n\tpager = false\n")
    assert (await imported(desk, theirs.folder)).filed == 1
