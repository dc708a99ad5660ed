"""Find the entity that a name on the command line means, and describe entities in output."""

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
class EntityNames:
    """Entities, their names at a moment, and the keys of their projects."""

    entities: Mapping[UUID, Entity]
    names: Mapping[UUID, Called]
    projects: Mapping[int, str]

    def text(self, id: UUID) -> str:
        """Return an entity as `ADR-7 Queue`, with the project (`Harbor (platform)`) if there are several."""
        entity, names = self.entities[id], self.names[id]
        is_named_alone = names.identifier is None or names.identifier == names.label
        kind = entity.type_name if is_named_alone else names.identifier
        project = f" ({self.projects[entity.project]})" if len(self.projects) > 1 else ""
        return f"{kind} {names.label}{project}"

    def object(self, id: UUID) -> dict[str, Any]:
        """Return an entity as a JSON object."""
        entity, names = self.entities[id], self.names[id]
        return {
            "id": id,
            "project": self.projects[entity.project],
            "type": entity.type_name,
            "identifier": names.identifier,
            "label": names.label,
        }


async def load_entities(memory: Memory, ids: Collection[UUID], as_of: datetime | None = None) -> EntityNames:
    """Load entities with the names they have at a moment, or now."""
    tenant, wanted = memory.caller.tenant, list(set(ids))
    async with memory.database.reading(tenant) as connection:
        moment = AsOf(await instant(connection, memory.caller, as_of), EVERYTHING_KNOWN)
        found = await entities.entities_by_id(connection, tenant, wanted)
        numbers = list({entity.project for entity in found.values()})
        projects = await lookups.projects_by_number(connection, tenant, numbers)
        names = await called_as_of(connection, tenant, wanted, moment)
    return EntityNames(found, names, {number: project.key for number, project in projects.items()})


async def ambiguity_message(
    memory: Memory, what: str, meant: Sequence[Entity], as_of: datetime | None
) -> str:
    """Return a message with a line for each match of an ambiguous name: what to ask for, then what it is."""
    lines = sorted(_choice_lines(meant, await load_entities(memory, [entity.id for entity in meant], as_of)))
    return "\n".join(
        (
            (f"{printable(what)} is ambiguous: it could mean {len(lines)} things; use one of these instead"),
            *lines,
        )
    )


def _choice_lines(meant: Sequence[Entity], found: EntityNames) -> Iterator[str]:
    for entity in meant:
        name, project = _name(entity, meant, found.names[entity.id]), found.projects[entity.project]
        words = str(entity.id) if name is None else f"{_quoted(name)} --project {project}"
        yield f"  {words}  {printable(found.text(entity.id))}"


def _name(entity: Entity, meant: Sequence[Entity], names: Called) -> str | None:
    """Return the key or identifier that is unique to a document in its project; None if only its id is."""
    if entity.key is None or names.identifier is None:
        return None
    if "/" in entity.key:
        return entity.key
    shared = any(
        other.project == entity.project and (other.key or "").endswith(f"/{entity.key}") for other in meant
    )
    return None if shared else names.identifier


def _quoted(name: str) -> str:
    return f'"{printable(name)}"' if " " in name else printable(name)


async def find_named(
    memory: Memory, what: str, project: str | None, as_of: datetime | None
) -> AliasResolution:
    """Return the entity that an identifier, a name, an alias or an id means.

    Raises NotFound when there is none, and Invalid, with a line for each match, when there are several.
    """
    try:
        id = UUID(what)
    except ValueError:
        catalog = CatalogService(memory.database)
        try:
            named = await catalog.resolve_alias(memory.caller, what, project, as_of)
        except Ambiguous as error:
            lines = await ambiguity_message(memory, what, error.entities, as_of)
            raise Invalid(lines, has_lines=True) from error
    else:
        async with memory.database.reading(memory.caller.tenant) as connection:
            found = (await entities.entities_by_id(connection, memory.caller.tenant, [id])).get(id)
        named = None if found is None else AliasResolution(what, found, ())
    if named is None:
        raise NotFound(_not_found_message(printable(what), as_of))
    return named


def _not_found_message(what: str, as_of: datetime | None) -> str:
    if as_of is None:
        return f"no document or entity is called {what}; ask by an identifier, a name, an alias or an id"
    return (
        f"no document or entity was called {what} at {moment_text(as_of)}; leave out --as-of to"
        " ask about the present"
    )
