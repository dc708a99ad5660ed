from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import asyncpg

import app.stores
from app.stores.named_blocks import Statement, sql_blocks
from app.stores.postgres.write_buffer import Insert

STORES = Path(app.stores.__file__).parent
MODULES = sorted(path.with_suffix(".py") for path in STORES.rglob("*.sql"))
WRITES = re.compile(r"^(?:INSERT|UPDATE|DELETE|MERGE)\b", re.MULTILINE)
MAX_NUMBERED = 4


def numbered_parameters(statement: str) -> int:
    """Return how many parameters a statement has that are numbers."""
    return max(map(int, re.findall(r"\$(\d+)", statement)), default=0)


def as_the_driver_takes_it(block: str) -> str:
    try:
        return Statement.read(block).text
    except ValueError:
        return block


async def test_the_server_understands_every_block(owner: asyncpg.Connection) -> None:
    understood = 0
    for module in MODULES:
        for name, statement in sql_blocks(str(module)).items():
            try:
                await owner.prepare(as_the_driver_takes_it(statement))
            except asyncpg.PostgresError as error:
                raise AssertionError(f"{module.stem}.sql: {name}: {error}") from error
            understood += 1
    assert understood > 0


def test_every_block_is_spoken_in_one_place_of_its_module() -> None:
    assert MODULES
    for module in MODULES:
        spoken = re.findall(r'\bSQL\["(\w+)"\]', module.read_text(encoding="utf-8"))
        assert sorted(spoken) == sorted(sql_blocks(str(module))), f"{module.stem}.py and {module.stem}.sql"


def test_every_block_says_first_what_it_answers() -> None:
    for module in MODULES:
        for name, statement in sql_blocks(str(module)).items():
            assert statement.startswith("-- "), f"{module.stem}.sql: {name} begins without a comment"


def test_a_block_that_writes_many_values_names_them() -> None:
    """Two values of one type that change places are an error nobody sees."""
    named = 0
    for module in MODULES:
        for name, statement in sql_blocks(str(module)).items():
            if WRITES.search(statement):
                assert numbered_parameters(statement) <= MAX_NUMBERED, (
                    f"{module.stem}.sql: {name}: name the values"
                )
                named += ":tenant" in statement
    assert named > 15


def test_every_call_gives_the_values_that_its_statement_names() -> None:
    checked = 0
    for module in STORES.rglob("*.py"):
        for line, taker, given in calls_by_name(module):
            assert given == set(taker.names), f"{module.name}:{line}"
            checked += 1
    assert checked > 15


def calls_by_name(module: Path) -> Iterator[tuple[int, Insert | Statement, set[str | None]]]:
    """Yield the calls of a module that give values by name: the line, what takes them, and their names."""
    name = ".".join(module.relative_to(STORES.parents[1]).with_suffix("").parts)
    for call in ast.walk(ast.parse(module.read_text(encoding="utf-8"))):
        if isinstance(call, ast.Call):
            match call:
                case ast.Call(func=ast.Name("insert_row"), args=[_, ast.Name(taker)]):
                    pass
                case ast.Call(func=ast.Attribute(ast.Name(taker), "row" | "arguments")):
                    pass
                case _:
                    continue
            found = getattr(import_module(name), taker, None)
            if isinstance(found, Insert | Statement):
                yield call.lineno, found, {keyword.arg for keyword in call.keywords}
