"""What a name on the command line means."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from app.cli.output import moment_text, printable
from app.domain.entity import AliasResolution, Entity
from app.domain.temporal import EVERYTHING_KNOWN, AsOf
from app.errors import Invalid, NotFound
from app.services.catalog import Ambiguous, CatalogService
from app.services.catalog.lookup import instant
from app.services.container import Memory
from app.stores.postgres import entities, lookups
from app.stores.postgres.lookups import Called, called_as_of


@dataclass(frozen=True, slots=True)
class ToldEntities:
    """Entities, what they are called, and the keys of their projects."""

    entities: Mapping[UUID, Entity]
    called: Mapping[UUID, Called]
    projects: Mapping[int, str]

    def told(self, id: UUID) -> str:
        """Return an entity as `ADR-7 Queue`, and `Component Harbor (platform)` beside other projects'."""
        entity, called = self.entities[id], self.called[id]
        is_named_alone = called.identifier is None or called.identifier == called.label
        kind = entity.type_name if is_named_alone else called.identifier
        project = f" ({self.projects[entity.project]})" if len(self.projects) > 1 else ""
        return f"{kind} {called.label}{project}"

    def object(self, id: UUID) -> dict[str, Any]:
        """Return an entity as programs read it."""
        entity, called = self.entities[id], self.called[id]
        return {
            "id": id,
            "project": self.projects[entity.project],
            "type": entity.type_name,
            "identifier": called.identifier,
            "label": called.label,
        }


async def load_entities(memory: Memory, ids: Collection[UUID], as_of: datetime | None = None) -> ToldEntities:
    """Return these entities by what they are called at a moment, or now."""
    tenant, wanted = memory.caller.tenant, list(set(ids))
    async with memory.database.reading(tenant) as connection:
        moment = AsOf(await instant(connection, memory.caller, as_of), EVERYTHING_KNOWN)
        found = await entities.entities_by_id(connection, tenant, wanted)
        numbers = list({entity.project for entity in found.values()})
        projects = await lookups.projects_by_number(connection, tenant, numbers)
        called = await called_as_of(connection, tenant, wanted, moment)
    return ToldEntities(found, called, {number: project.key for number, project in projects.items()})


async def choices_told(memory: Memory, what: str, meant: Sequence[Entity], as_of: datetime | None) -> str:
    """Return a line for each thing that a name could mean: what to ask for instead, then what it is."""
    lines = sorted(_lines(meant, await load_entities(memory, [entity.id for entity in meant], as_of)))
    return "\n".join((f"{printable(what)} could mean {len(lines)} things; ask for one of them by", *lines))


def _lines(meant: Sequence[Entity], found: ToldEntities) -> Iterator[str]:
    for entity in meant:
        name, project = _name(entity, meant, found.called[entity.id]), found.projects[entity.project]
        words = str(entity.id) if name is None else f"{_quoted(name)} --project {project}"
        yield f"  {words}  {printable(found.told(entity.id))}"


def _name(entity: Entity, meant: Sequence[Entity], called: Called) -> str | None:
    """Return the key or identifier that means a document alone in its project, None when only its id does."""
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


async def find_named(
    memory: Memory, what: str, project: str | None, as_of: datetime | None
) -> AliasResolution:
    """Return what goes by an identifier, a name, an alias or an id.

    Raises NotFound when nothing does, and Invalid, with a line for each, when several things do.
    """
    try:
        id = UUID(what)
    except ValueError:
        catalog = CatalogService(memory.database)
        try:
            named = await catalog.resolve_alias(memory.caller, what, project, as_of)
        except Ambiguous as error:
            lines = await choices_told(memory, what, error.entities, as_of)
            raise Invalid(lines, has_lines=True) from error
    else:
        async with memory.database.reading(memory.caller.tenant) as connection:
            found = (await entities.entities_by_id(connection, memory.caller.tenant, [id])).get(id)
        named = None if found is None else AliasResolution(what, found, ())
    if named is None:
        raise NotFound(_nothing(printable(what), as_of))
    return named


def _nothing(what: str, as_of: datetime | None) -> str:
    if as_of is None:
        return f"nothing goes by {what}; ask by an identifier, name or id"
    return f"nothing goes by {what} at {moment_text(as_of)}; without --as-of the present is asked"
