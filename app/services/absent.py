"""Saying that nothing has an id or a key, and where those of what is there are told."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from uuid import UUID

import asyncpg

from app.domain.bounds import excerpt
from app.domain.entity import Entity
from app.errors import NotFound
from app.services.write import Write
from app.stores.postgres import entities, lookups, projects

MOST_NAMED = 20
TOLD_BY: Mapping[str, str] = MappingProxyType(
    {
        "alias": "the field aliases of an entity tells them",
        "artifact": "artifacts tells them, by identifier too",
        "candidate": "aliasCandidates, factCandidates and `trigraph review` tell them",
        "entity": "resolveAlias tells that of a name or identifier",
        "reference": "references tells them",
        "state": "stateAsOf, drafts and the field states of an entity tell them",
    }
)
"""Where the API tells the ids of each kind of thing."""


def nothing_has(kind: str, given: str | UUID, field: str) -> NotFound:
    """Answer the error for an id that nothing of a kind has, or for a text that is no id."""
    hint = TOLD_BY[kind] if isinstance(given, UUID) else f"ids are UUIDs; {TOLD_BY[kind]}"
    return NotFound(f"there is no {kind} {excerpt(str(given))}; {hint}", field=field)


async def no_project(connection: asyncpg.Connection, tenant: int, key: str) -> NotFound:
    """Answer the error for a key that no project has, with those there are."""
    known = [found.key for found in await projects.all_projects(connection, tenant)]
    shown = ", ".join(known[:MOST_NAMED]) + (" and others" if len(known) > MOST_NAMED else "")
    there = f"there are: {shown}" if known else "there is none yet"
    name = excerpt(key)
    message = f"there is no project {name} ({there}); `trigraph ingest PATH --project {name}` makes it"
    return NotFound(message, field="project")


async def require_artifact(write: Write, id: UUID, field: str) -> None:
    """Raise NotFound when no artifact has an id."""
    if await lookups.kind_of_node(write.connection, write.tenant, id) != "Artifact":
        raise nothing_has("artifact", id, field)


async def require_entities(write: Write, ids: Mapping[str, UUID | None]) -> dict[UUID, Entity]:
    """Answer the entities of these ids; raises NotFound, naming the field, for one that is not there."""
    wanted = [id for id in ids.values() if id is not None]
    found = await entities.entities_by_id(write.connection, write.tenant, wanted)
    for field, id in ids.items():
        if id is not None and id not in found:
            raise nothing_has("entity", id, field)
    return found
