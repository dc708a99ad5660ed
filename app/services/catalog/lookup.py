"""Look up projects, types and nodes by the names and ids of a request, with helpful errors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from difflib import get_close_matches
from types import MappingProxyType
from uuid import UUID

import asyncpg

from app.domain.bounds import MAX_NAME, excerpt, require_length
from app.domain.entity import Caller, Entity, PendingReference, Project
from app.domain.numbers import ProjectNumber, TenantNumber
from app.domain.temporal import AsOf
from app.domain.text import UNKEEPABLE, fold
from app.errors import Invalid, NotFound
from app.services.unit_of_work import UnitOfWork, require_admin
from app.stores.postgres import entities, ledger_clock, lookups, projects, type_definitions
from app.stores.postgres.lookups import Called

MAX_NAMED = 20
MAX_NEAR = 3
MIN_LIKENESS = 0.75
ID_HINTS: Mapping[str, str] = MappingProxyType(
    {
        "alias": "the field aliases of an entity lists them",
        "artifact": "the query artifacts lists them, and can filter by identifier",
        "candidate": "aliasCandidates, factCandidates and `trigraph review` list them",
        "entity": "resolveAlias returns the id for a name or identifier",
        "reference": "the query references lists them",
        "state": "stateAsOf, drafts and the field states of an entity return them",
    }
)
"""Where the API returns the ids of each kind of node."""


def nothing_has(kind: str, given: str | UUID, field: str) -> NotFound:
    """Return the error for an id that no node of a kind has, or for a text that is no id."""
    hint = ID_HINTS[kind] if isinstance(given, UUID) else f"ids are UUIDs; {ID_HINTS[kind]}"
    return NotFound(f"there is no {kind} {excerpt(str(given))}; {hint}", field=field)


async def no_project(connection: asyncpg.Connection, tenant: TenantNumber, key: str) -> NotFound:
    """Return the error for a key that no project has; it lists the existing keys, and which may be meant."""
    known = [found.key for found in await projects.all_projects(connection, tenant)]
    shown = ", ".join(known[:MAX_NAMED]) + (" and others" if len(known) > MAX_NAMED else "")
    there = f"the projects are {shown}" if known else "there are no projects yet"
    name = excerpt(key)
    near = get_close_matches(fold(key), known, MAX_NEAR, MIN_LIKENESS)
    meant = f" did you mean {' or '.join(near)}?" if near else ""
    message = (
        f"there is no project {name} ({there});{meant} `trigraph ingest PATH --project {name}` creates it"
    )
    return NotFound(message, field="project")


async def require_artifact(write: UnitOfWork, id: UUID, field: str) -> None:
    """Raise NotFound if no artifact has an id."""
    kinds = await lookups.kinds_of_nodes(await write.flush(), write.tenant, [id])
    if kinds.get(id) != "Artifact":
        raise nothing_has("artifact", id, field)


async def require_entities(write: UnitOfWork, ids: Mapping[str, UUID | None]) -> dict[UUID, Entity]:
    """Return the entities with these ids; raise NotFound, naming the field, for an unknown one."""
    wanted = [id for id in ids.values() if id is not None]
    found = await entities.entities_by_id(await write.flush(), write.tenant, wanted)
    for field, id in ids.items():
        if id is not None and id not in found:
            raise nothing_has("entity", id, field)
    return found


async def instant(connection: asyncpg.Connection, caller: Caller, as_of: datetime | None) -> datetime:
    """Return the asked instant, or now."""
    return as_of or await ledger_clock.read_present(connection, caller.tenant)


@dataclass(frozen=True, slots=True)
class EntityNames:
    """Entities, what they are called at a moment, and their projects by number."""

    entities: Mapping[UUID, Entity]
    names: Mapping[UUID, Called]
    projects: Mapping[ProjectNumber, Project]

    def project(self, id: UUID) -> Project:
        """Return the project of an entity."""
        return self.projects[self.entities[id].project]

    def parts(self, id: UUID) -> tuple[str, str, str | None]:
        """Return the identifier of an entity, or else its type, with its label and its project.

        The project is None if there is only one.
        """
        entity, names = self.entities[id], self.names[id]
        is_named_alone = names.identifier is None or names.identifier == names.label
        kind = entity.type_name if is_named_alone else names.identifier
        return kind or entity.type_name, names.label, self.project(id).key if len(self.projects) > 1 else None

    def text(self, id: UUID) -> str:
        """Return an entity as `ADR-7 Queue`, with the project (`Harbor (platform)`) if there are several."""
        kind, label, project = self.parts(id)
        return f"{kind} {label}" if project is None else f"{kind} {label} ({project})"


async def name_entities(
    connection: asyncpg.Connection, tenant: TenantNumber, found: Mapping[UUID, Entity], moment: AsOf
) -> EntityNames:
    """Return entities with the names they have at a moment, in two statements."""
    numbers = list({entity.project for entity in found.values()})
    there = await lookups.projects_by_number(connection, tenant, numbers)
    names = await lookups.called_as_of(connection, tenant, list(found), moment)
    return EntityNames(found, names, there)


async def project_of(connection: asyncpg.Connection, caller: Caller, key: str | None) -> ProjectNumber | None:
    """Return the number of the project with a key, None without a key; raise NotFound for an unknown one."""
    if key is None:
        return None
    require_length("project", key, MAX_NAME)
    project = await projects.project_by_key(connection, caller.tenant, key)
    if project is None:
        raise await no_project(connection, caller.tenant, key)
    return project.number


async def project_numbers(
    connection: asyncpg.Connection, caller: Caller, key: str | None
) -> tuple[ProjectNumber, ...]:
    """Return the number of the project with a key, or the numbers of all projects without a key."""
    number = await project_of(connection, caller, key)
    if number is not None:
        return (number,)
    return tuple(found.number for found in await projects.all_projects(connection, caller.tenant))


async def require_type(
    connection: asyncpg.Connection,
    caller: Caller,
    project: ProjectNumber | None,
    name: str | None,
    field: str,
) -> None:
    """Raise Invalid, listing the existing types, if the named one is not defined."""
    if name is None:
        return
    require_length(field, name, MAX_NAME)
    numbers = [project] if project is not None else await project_numbers(connection, caller, None)
    known = {
        found.definition.name
        for found in await type_definitions.types_in_projects(connection, caller.tenant, numbers)
    }
    wanted = fold(name)
    if not any(fold(each) == wanted for each in known):
        raise Invalid(
            f"there is no {field} {excerpt(name)}; the defined ones are {', '.join(sorted(known))}",
            field=field,
            allowed=sorted(known),
        )


DEFAULT_PROJECT = "default"
MAX_PROJECT_KEY_LENGTH = 128


def project_key(given: str | None) -> str:
    """Return the key of the project to use, `default` if none is given; raise Invalid for an unfit key."""
    key = DEFAULT_PROJECT if given is None else given.strip()
    if UNKEEPABLE.search(key):
        raise Invalid("a project key contains a character that cannot be stored", field="project")
    if len(key) > MAX_PROJECT_KEY_LENGTH or not fold(key):
        raise Invalid(f"a project key has 1 to {MAX_PROJECT_KEY_LENGTH} characters", field="project")
    return key


async def project_for(write: UnitOfWork, key: str) -> Project:
    """Return the project with a key; create it if it is new.

    Raises Forbidden when it is new and the caller may not create projects, and NotFound when the caller is
    of another one.
    """
    found = await projects.project_by_key(await write.flush(), write.tenant, key)
    if found is not None:
        return found
    if write.caller.project is not None:
        raise await no_project(await write.flush(), write.tenant, key)
    require_admin(write.caller, f"create the project {excerpt(key)}")
    return await projects.insert_project(await write.flush(), write.tenant, key, write.recorded_at)


MAX_LISTED = 5


def describe_pending(pending: Sequence[PendingReference]) -> tuple[str, ...]:
    """Return one line about pending references whose target is missing; no line if there are none.

    Ambiguous ones are left out: filing warns of them by itself.
    """
    absent = [each for each in pending if not each.is_ambiguous]
    if not absent:
        return ()
    count = "1 unresolved reference" if len(absent) == 1 else f"{len(absent)} unresolved references"
    named = ", ".join(_describe(each) for each in absent[:MAX_LISTED])
    more = f" and {len(absent) - MAX_LISTED} more" if len(absent) > MAX_LISTED else ""
    return (f"{count}: {named}{more}",)


def _describe(pending: PendingReference) -> str:
    return (
        f"{pending.waits_for} {pending.type}"
        if pending.is_inverted
        else f"{pending.type} {pending.waits_for}"
    )
