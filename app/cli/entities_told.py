"""What the entities of a listing are called, so that a person can tell them apart and ask for one again."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from app.domain.entity import Entity
from app.domain.moment import EVERYTHING_KNOWN
from app.domain.temporal import AsOf
from app.services.catalog.scoping import instant
from app.services.memory import Memory
from app.stores.postgres import entities, lookups
from app.stores.postgres.labels import Called, called_as_of


@dataclass(frozen=True, slots=True)
class ToldEntities:
    """Entities, what they are called, and the keys of their projects."""

    entities: Mapping[UUID, Entity]
    called: Mapping[UUID, Called]
    projects: Mapping[int, str]

    def told(self, id: UUID) -> str:
        """Answer an entity as `ADR-7 Queue`, and `Component Harbor (platform)` beside other projects'."""
        entity, called = self.entities[id], self.called[id]
        is_named_alone = called.identifier is None or called.identifier == called.label
        kind = entity.type_name if is_named_alone else called.identifier
        project = f" ({self.projects[entity.project]})" if len(self.projects) > 1 else ""
        return f"{kind} {called.label}{project}"

    def object(self, id: UUID) -> dict[str, Any]:
        """Answer an entity as programs read it."""
        entity, called = self.entities[id], self.called[id]
        return {
            "id": id,
            "project": self.projects[entity.project],
            "type": entity.type_name,
            "identifier": called.identifier,
            "label": called.label,
        }


async def load_entities(memory: Memory, ids: Collection[UUID], as_of: datetime | None = None) -> ToldEntities:
    """Answer these entities by what they are called at a moment, or now."""
    tenant, wanted = memory.caller.tenant, list(set(ids))
    async with memory.database.reading(tenant) as connection:
        moment = AsOf(await instant(connection, memory.caller, as_of), EVERYTHING_KNOWN)
        found = await entities.entities_by_id(connection, tenant, wanted)
        numbers = list({entity.project for entity in found.values()})
        projects = await lookups.projects_by_number(connection, tenant, numbers)
        called = await called_as_of(connection, tenant, wanted, moment)
    return ToldEntities(found, called, {number: project.key for number, project in projects.items()})
