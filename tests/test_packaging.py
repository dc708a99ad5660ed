from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from zipfile import ZipFile

import pytest

ROOT = Path(__file__).parent.parent


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> set[str]:
    """The names of the files in the wheel that this checkout builds."""
    folder = tmp_path_factory.mktemp("wheel")
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)],
        cwd=ROOT,
        check=True,
        capture_output=True,
    )
    (built,) = folder.glob("*.whl")
    with ZipFile(built) as archive:
        return set(archive.namelist())


@pytest.mark.parametrize(
    ("in_checkout", "packaged"),
    [("migrations/postgres", "migrations/postgres"), ("docs/decisions", "decisions")],
)
def test_the_wheel_carries_what_lies_beside_the_code(
    wheel: set[str], in_checkout: str, packaged: str
) -> None:
    beside = {path.name for path in (ROOT / in_checkout).iterdir()}
    assert beside
    assert {f"app/packaged/{packaged}/{name}" for name in beside} <= wheel


def test_the_wheel_carries_every_file_of_the_package(wheel: set[str]) -> None:
    tracked = subprocess.run(
        ["git", "ls-files", "app"], cwd=ROOT, check=True, capture_output=True, text=True
    ).stdout.split()
    assert set(tracked) <= wheel


def test_the_wheel_carries_the_notices_of_what_others_wrote(wheel: set[str]) -> None:
    notices = {path.relative_to(ROOT).as_posix() for path in (ROOT / "app").rglob("NOTICE")}
    assert "app/cli/demo_data/NOTICE" in notices
    carried = {name.partition(".dist-info/licenses/")[2] for name in wheel}
    assert notices | {"LICENSE"} <= carried


def test_no_pin_names_a_registry() -> None:
    pins = sorted((ROOT / ".requirements").glob("*.txt"))
    assert pins
    for path in pins:
        text = path.read_text(encoding="utf-8")
        assert "://" not in text, path.name
        assert "--hash=sha256:" in text, path.name
