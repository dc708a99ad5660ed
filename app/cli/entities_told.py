"""What the entities of a listing are called, so that a person can tell them apart and ask for one again."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from uuid import UUID

import asyncpg

from app.domain.entity import Entity
from app.domain.temporal import AsOf
from app.stores.postgres import entities, lookups
from app.stores.postgres.labels import identifiers_as_of, labels_as_of


@dataclass(frozen=True, slots=True)
class ToldEntities:
    """Entities with their labels and, where they have one, identifiers; and their projects, where several."""

    entities: Mapping[UUID, Entity]
    labels: Mapping[UUID, str]
    identifiers: Mapping[UUID, str]
    projects: Mapping[int, str]

    def told(self, id: UUID) -> str:
        """Answer an entity as `ADR-7 Queue`, and `Component Harbor (platform)` beside other projects'."""
        entity, label = self.entities[id], self.labels[id]
        identifier = self.identifiers.get(id)
        kind = entity.type_name if identifier is None or identifier == label else identifier
        project = self.projects.get(entity.project)
        return f"{kind} {label}" if project is None else f"{kind} {label} ({project})"


async def load_entities(
    connection: asyncpg.Connection, tenant: int, ids: Collection[UUID], moment: AsOf
) -> ToldEntities:
    """Answer these entities by what they are called at a moment."""
    wanted = list(set(ids))
    found = await entities.entities_by_id(connection, tenant, wanted)
    numbers = list({entity.project for entity in found.values()})
    projects = {} if len(numbers) < 2 else await lookups.projects_by_number(connection, tenant, numbers)
    return ToldEntities(
        entities=found,
        labels=await labels_as_of(connection, tenant, wanted, moment),
        identifiers=await identifiers_as_of(connection, tenant, wanted, moment),
        projects={number: project.key for number, project in projects.items()},
    )
