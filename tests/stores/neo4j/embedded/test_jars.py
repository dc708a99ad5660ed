from __future__ import annotations

import sys
from pathlib import Path

import pytest

from app.errors import Unavailable
from app.stores.neo4j.embedded.jars import (
    Jar,
    install_jars,
    is_installed,
    jars_folder,
    missing_jars,
    pinned_jars,
)

SMALL = "neo4j-2026.08.1.jar"


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache of the test's own that has every jar of the user's."""
    install_jars(lambda done, total: None)
    installed = jars_folder()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    folder = jars_folder()
    assert folder.is_relative_to(tmp_path)
    folder.mkdir(parents=True)
    for jar in pinned_jars():
        (folder / jar.file_name).symlink_to(installed / jar.file_name)
    return folder


def damage(path: Path) -> None:
    path.unlink()
    path.write_bytes(b"half a jar")


def test_no_two_jars_share_a_name() -> None:
    names = [jar.file_name for jar in pinned_jars()]
    assert len(set(names)) == len(names) > 200


def test_a_line_names_a_jar() -> None:
    jar = Jar.of(f"io.netty:netty:4.2:linux-x86_64 {'0' * 64}")
    assert (jar.group, jar.file_name) == ("io.netty", "netty-4.2-linux-x86_64.jar")


def test_what_is_installed_needs_no_network(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTPS_PROXY", "http://127.0.0.1:1")
    assert install_jars(lambda done, total: pytest.fail("something was fetched")) == 0


def test_a_damaged_jar_is_fetched_again(cache: Path) -> None:
    damage(cache / SMALL)
    assert is_installed()
    assert [jar.file_name for jar in missing_jars()] == [SMALL]
    calls = list[tuple[int, int]]()
    assert install_jars(lambda done, total: calls.append((done, total))) == 1
    assert calls == [(0, 1), (1, 1)]
    assert missing_jars() == []
    assert not list(cache.glob("unfinished-*"))


def test_without_a_network_a_missing_jar_is_told(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (cache / SMALL).unlink()
    monkeypatch.setenv("HTTPS_PROXY", "http://127.0.0.1:1")
    with pytest.raises(Unavailable, match="run `trigraph neo4j install` to retry"):
        install_jars(lambda done, total: None)
    assert not is_installed()
    assert not list(cache.glob("unfinished-*"))


def test_without_the_extra_it_is_told_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "jgo", None)
    with pytest.raises(Unavailable, match=r"needs jgo; install trigraph\[neo4j-embedded\]"):
        install_jars(lambda done, total: None)
