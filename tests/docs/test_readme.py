"""The README is short, its links and those of the other pages lead somewhere, and its examples run."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
import typer
from typer.core import TyperGroup

from app.cli.app import application
from app.services.container import Memory
from tests.documents import adr, file
from tests.graphql.api import Api

ROOT = Path(__file__).parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
LINK = re.compile(r"\]\(([^)\s]+)\)")
REQUEST = re.compile(r"^curl [^\n]*graphql[^\n]*<<'JSON'\n(.+?)^JSON$", re.MULTILINE | re.DOTALL)
MAX_LINES = 150


def requests_of(page: str) -> list[str]:
    return REQUEST.findall((ROOT / page).read_text(encoding="utf-8"))


def test_the_readme_is_short() -> None:
    assert len((ROOT / "README.md").read_text(encoding="utf-8").splitlines()) < MAX_LINES


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_every_link_leads_to_a_file(page: Path) -> None:
    prose = re.sub(
        r"^```.*?^```$|`[^`\n]*`", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL
    )
    for target in LINK.findall(prose):
        path = target.partition("#")[0]
        assert "://" in target or not path or (page.parent / path).exists(), target


@pytest.mark.parametrize(("page", "count"), [("README.md", 1), ("docs/graphql.md", 2)])
async def test_the_requests_of_a_page_are_answered(memory: Memory, page: str, count: int) -> None:
    requests = [json.loads(request) for request in requests_of(page)]
    assert len(requests) == count
    await file(memory, adr(1, "Queue"), "demo")
    for request in requests:
        for answered in (await Api(memory).ask(request["query"], **request["variables"])).values():
            assert answered.get("problems", []) == []


def test_every_command_is_listed() -> None:
    group = typer.main.get_command(application)
    assert isinstance(group, TyperGroup)
    listed = (ROOT / "docs/commands.md").read_text(encoding="utf-8")
    assert [name for name in group.commands if f"| `trigraph {name}" not in listed] == []
