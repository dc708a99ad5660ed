"""The graph's constraints and indexes: numbered files whose every statement may be run again."""

from __future__ import annotations

from pathlib import Path

from app.resources import shipped_folder
from app.stores.neo4j.driver import Graph


def statements(folder: Path | None = None) -> list[str]:
    """Answer every statement of the folder's files in order; without a folder, of this installation's."""
    folder = folder or shipped_folder("migrations", "migrations") / "neo4j"
    texts = (path.read_text(encoding="utf-8") for path in sorted(folder.glob("*.cypher")))
    return [part.strip() for text in texts for part in text.split(";") if part.strip()]


async def migrate(graph: Graph) -> None:
    """Make every constraint and index there is not yet; raises Unavailable when Neo4j refuses."""
    for statement in statements():
        await graph.alter(statement)
