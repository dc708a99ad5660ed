from __future__ import annotations

import re
from pathlib import Path

import asyncpg

import app.stores
from app.stores.named_blocks import sql_blocks

MODULES = sorted(path.with_suffix(".py") for path in Path(app.stores.__file__).parent.rglob("*.sql"))


async def test_the_server_understands_every_block(owner: asyncpg.Connection) -> None:
    understood = 0
    for module in MODULES:
        for name, statement in sql_blocks(str(module)).items():
            try:
                await owner.prepare(statement)
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
