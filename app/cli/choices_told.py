"""The things that one name could mean, each with the words that mean it alone."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime

from app.cli.entities_told import ToldEntities, load_entities
from app.cli.printing import printable
from app.domain.entity import Entity
from app.domain.moment import EVERYTHING_KNOWN, present
from app.domain.temporal import AsOf
from app.services.memory import Memory
from app.stores.postgres import ledger, lookups


async def choices_told(memory: Memory, what: str, meant: Sequence[Entity], as_of: datetime | None) -> str:
    """Answer a line for each thing that a name could mean: what to ask for instead, then what it is."""
    tenant = memory.caller.tenant
    async with memory.database.reading(tenant) as connection:
        moment = AsOf(as_of or present(await ledger.read_clock(connection, tenant)), EVERYTHING_KNOWN)
        called = await load_entities(connection, tenant, [entity.id for entity in meant], moment)
        numbers = list({entity.project for entity in meant})
        projects = await lookups.projects_by_number(connection, tenant, numbers)
    keys = {number: project.key for number, project in projects.items()}
    lines = sorted(_lines(meant, called, keys))
    return "\n".join((f"{printable(what)} could mean {len(lines)} things; ask for one of them by", *lines))


def _lines(meant: Sequence[Entity], called: ToldEntities, projects: dict[int, str]) -> Iterator[str]:
    for entity in meant:
        name = _name(entity, meant, called)
        words = str(entity.id) if name is None else f"{_quoted(name)} --project {projects[entity.project]}"
        yield f"  {words}  {printable(called.told(entity.id))}"


def _name(entity: Entity, meant: Sequence[Entity], called: ToldEntities) -> str | None:
    """Answer the key or identifier that means a document alone in its project, None when only its id does."""
    if entity.key is None or entity.id not in called.identifiers:
        return None
    if "/" in entity.key:
        return entity.key
    shared = any(
        other.project == entity.project and (other.key or "").endswith(f"/{entity.key}") for other in meant
    )
    return None if shared else called.identifiers[entity.id]


def _quoted(name: str) -> str:
    return f'"{printable(name)}"' if " " in name else printable(name)
