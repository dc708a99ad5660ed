"""The documentation names modules, settings, error codes, commands and words that exist, and all of them."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest
import typer
from typer.core import TyperGroup

from app.cli.app import application
from app.errors import TrigraphError
from app.graphql import errors
from app.settings import Settings

ROOT = Path(__file__).parents[2]
PAGES = sorted([ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").rglob("*.md")])
PATH = re.compile(r"\b(?:app|tests)/[\w./*]*\w")
END_OF_PATH = re.compile(r"`((?:\w+/)*\w+\.(?:py|sql|cypher|json))`")
NAME = re.compile(r"`([A-Za-z]\w*_\w+|[A-Z]\w*[a-z]\w*)`")
GLOSSARY_WORD = re.compile(r"^- \*\*(.+?)\.\*\*", re.MULTILINE)
# Decisions tell of the day they were made: a module may have had another name then.
DECISIONS = ROOT / "docs/decisions"
FILES_OF_EXAMPLES = {"fuse.py", "search/fuse.py", "src/search/fuse.py"}


def text_of(page: Path | str) -> str:
    return (ROOT / page).read_text(encoding="utf-8")


def page_id(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


@cache
def files() -> frozenset[str]:
    """Return every file of the code and its tests, by its path."""
    found = (path for folder in ("app", "tests", "migrations") for path in (ROOT / folder).rglob("*"))
    return frozenset(path.relative_to(ROOT).as_posix() for path in found if path.is_file())


@cache
def source() -> str:
    """Return the text of the code and the schema."""
    kinds = (".py", ".sql", ".cypher")
    code = [text_of(name) for name in sorted(files()) if name.startswith("app/") and name.endswith(kinds)]
    return "\n".join([*code, text_of("schema.graphql")])


def error_classes(family: type[TrigraphError] = TrigraphError) -> list[type[TrigraphError]]:
    return [family, *(each for below in family.__subclasses__() for each in error_classes(below))]


@pytest.mark.parametrize("page", PAGES, ids=page_id)
def test_every_path_in_the_code_exists(page: Path) -> None:
    named = set(PATH.findall(text_of(page)))
    assert sorted(path for path in named if not any(ROOT.glob(path))) == []


@pytest.mark.parametrize("page", [page for page in PAGES if DECISIONS not in page.parents], ids=page_id)
def test_every_module_named_by_the_end_of_its_path_exists(page: Path) -> None:
    named = set(END_OF_PATH.findall(text_of(page))) - FILES_OF_EXAMPLES
    assert (
        sorted(name for name in named if not any(f"/{path}".endswith(f"/{name}") for path in files())) == []
    )


@pytest.mark.parametrize(
    "page", [*sorted((ROOT / "docs/how-to").glob("*.md")), ROOT / "docs/architecture.md"], ids=page_id
)
def test_every_name_of_the_code_in_a_guide_exists(page: Path) -> None:
    named = set(NAME.findall(text_of(page)))
    assert sorted(name for name in named if not re.search(rf"\b{name}\b", source())) == []


def test_every_setting_is_in_the_table_of_operations() -> None:
    page = text_of("docs/operations.md")
    missing = [
        name for name in Settings.model_fields if f"| `{name}` | `TRIGRAPH_{name.upper()}` |" not in page
    ]
    assert missing == []


def test_the_table_of_operations_has_no_setting_that_is_gone() -> None:
    named = re.findall(r"^\| `(\w+)` \| `TRIGRAPH_", text_of("docs/operations.md"), re.MULTILINE)
    assert sorted(named) == sorted(Settings.model_fields)


def test_every_error_code_is_explained() -> None:
    codes = {each.code for each in error_classes()} | {each.value for each in errors.ProblemCode}
    codes |= set(errors.CODES.values())
    codes |= {errors.PARSE_FAILED, errors.VALIDATION_FAILED, errors.BAD_REQUEST, errors.INTERNAL}
    codes.add(errors.PERSISTED_QUERY_NOT_FOUND)
    page = text_of("docs/graphql.md")
    explained = set(re.findall(r"^\| `([A-Z_]+)` \|", page, re.MULTILINE))
    assert explained == codes


def test_every_command_of_a_group_is_listed() -> None:
    """That every command has a row is tested in test_readme."""
    commands = typer.main.get_command(application)
    assert isinstance(commands, TyperGroup)
    page = text_of("docs/commands.md")
    for name, group in commands.commands.items():
        if isinstance(group, TyperGroup):
            row = re.search(rf"^\| `trigraph {name} (\S+?)`", page, re.MULTILINE)
            assert row is not None, name
            assert sorted(row[1].split("\\|")) == sorted(group.commands), name


@pytest.mark.parametrize("word", GLOSSARY_WORD.findall(text_of("docs/glossary.md")))
def test_every_word_of_the_glossary_is_used(word: str) -> None:
    """In the code a word of two parts is written together, in camel case or with a line below."""
    written = r"[\s_]*".join(re.escape(part) for part in word.split())
    assert re.search(written, source(), re.IGNORECASE), word
