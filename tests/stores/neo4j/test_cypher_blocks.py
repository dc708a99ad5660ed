from __future__ import annotations

import re
from pathlib import Path

import app.stores
from app.errors import Unavailable
from app.stores.named_blocks import cypher_blocks
from app.stores.neo4j.driver import Graph
from app.stores.neo4j.projection import migrate, statements

MODULES = sorted(path.with_suffix(".py") for path in Path(app.stores.__file__).parent.rglob("*.cypher"))


async def test_the_server_understands_every_block(graph: Graph) -> None:
    await migrate(graph)
    understood = 0
    for module in MODULES:
        for name, statement in cypher_blocks(str(module)).items():
            try:
                await graph.alter(f"EXPLAIN {statement}")  # parameters may be absent
            except Unavailable as error:
                raise AssertionError(f"{module.stem}.cypher: {name}: {error}") from error
            understood += 1
    assert understood > 0


def test_every_block_is_spoken_in_one_place_of_its_module() -> None:
    assert MODULES
    for module in MODULES:
        spoken = re.findall(r'\bCYPHER\["(\w+)"\]', module.read_text(encoding="utf-8"))
        assert sorted(spoken) == sorted(cypher_blocks(str(module))), (
            f"{module.stem}.py and {module.stem}.cypher"
        )


def test_every_block_says_first_what_it_does() -> None:
    for module in MODULES:
        for name, statement in cypher_blocks(str(module)).items():
            assert statement.startswith("// "), f"{module.stem}.cypher: {name} begins without a comment"


def test_every_statement_of_a_migration_may_be_run_again() -> None:
    assert statements()
    for statement in statements():
        assert " IF NOT EXISTS" in statement, statement


def test_every_step_of_a_walk_asks_for_the_tenant() -> None:
    """A relationship to a node of another tenant, however it came there, leads nowhere."""
    walks = (Path(app.stores.__file__).parent / "neo4j" / "traversal.cypher").read_text(encoding="utf-8")
    nodes = re.findall(r"\(\w*:\w+[^)]*\)", walks)
    assert len(nodes) >= 8
    assert [node for node in nodes if "{tenant: $tenant" not in node] == []
