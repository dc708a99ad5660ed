"""The tables of cases and of expectations name tests that exist; tests name only cases of the table."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TABLE = (ROOT / "docs/cases.md").read_text(encoding="utf-8")
ROWS = re.findall(r"^\| (?P<case>[A-Z]{3}-\d{2}) \| [^|]+ \| (?P<where>.+) \|$", TABLE, re.MULTILINE)
CASE = re.compile(r"\b(?:ALI|BYT|CON|DEG|EDG|IDM|IMP|LEX|MCP|MDP|OUT|REF|RNK|TEN|TIM|VEC)-\d{2}\b")
PLACE = re.compile(r"`(?P<path>tests/[\w/]+\.py)?(?:::(?P<name>\w+))?`")


def places(where: str) -> list[tuple[str, str | None]]:
    """Return file and function of each test that a row names; a row names a file once for its functions."""
    found, path = [], ""
    for match in PLACE.finditer(where):
        path = match["path"] or path
        found.append((path, match["name"]))
    return found


@pytest.mark.parametrize(("case", "where"), ROWS, ids=[case for case, _ in ROWS])
def test_a_case_is_held_by_tests_that_exist(case: str, where: str) -> None:
    named = places(where)
    assert named or "edges" in where
    for path, name in named:
        source = (ROOT / path).read_text(encoding="utf-8")
        assert name is None or f"def {name}(" in source, f"{path} has no {name}"


EXPECTED = re.findall(
    r"^\| (\d+) \| [^|]+ \| (\w[\w ]*) \| ([^|]*) \|$",
    (ROOT / "docs/graphql.md").read_text(encoding="utf-8").partition("## What a client may expect")[2],
    re.MULTILINE,
)


def test_what_a_client_may_expect_is_held_by_tests_that_exist() -> None:
    assert [int(number) for number, _, _ in EXPECTED] == list(range(1, 62))
    for number, answer, where in EXPECTED:
        assert (answer != "yes") or where.strip(), number
        for path, name in places(where):
            source = (ROOT / path).read_text(encoding="utf-8")
            assert name is None or f"def {name}(" in source, f"{path} has no {name}"


def test_the_table_and_the_tests_have_the_same_cases() -> None:
    files = (path for path in (ROOT / "tests").rglob("*.py") if path != Path(__file__))
    in_tests = {case for path in files for case in CASE.findall(path.read_text(encoding="utf-8"))}
    assert in_tests == {case for case, _ in ROWS}
