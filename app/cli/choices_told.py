"""The things that one name could mean, each with the words that mean it alone."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime

from app.cli.entities_told import ToldEntities, load_entities
from app.cli.printing import printable
from app.domain.entity import Entity
from app.services.memory import Memory
from app.stores.postgres.labels import Called


async def choices_told(memory: Memory, what: str, meant: Sequence[Entity], as_of: datetime | None) -> str:
    """Answer a line for each thing that a name could mean: what to ask for instead, then what it is."""
    lines = sorted(_lines(meant, await load_entities(memory, [entity.id for entity in meant], as_of)))
    return "\n".join((f"{printable(what)} could mean {len(lines)} things; ask for one of them by", *lines))


def _lines(meant: Sequence[Entity], found: ToldEntities) -> Iterator[str]:
    for entity in meant:
        name, project = _name(entity, meant, found.called[entity.id]), found.projects[entity.project]
        words = str(entity.id) if name is None else f"{_quoted(name)} --project {project}"
        yield f"  {words}  {printable(found.told(entity.id))}"


def _name(entity: Entity, meant: Sequence[Entity], called: Called) -> str | None:
    """Answer the key or identifier that means a document alone in its project, None when only its id does."""
    if entity.key is None or called.identifier is None:
        return None
    if "/" in entity.key:
        return entity.key
    shared = any(
        other.project == entity.project and (other.key or "").endswith(f"/{entity.key}") for other in meant
    )
    return None if shared else called.identifier


def _quoted(name: str) -> str:
    return f'"{printable(name)}"' if " " in name else printable(name)
