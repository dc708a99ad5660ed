"""What a recall result refers to by id, loaded for showing it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from uuid import UUID

from app.domain.entity import Entity, Project
from app.domain.recall import RecallResult
from app.domain.temporal import AsOf
from app.services.memory import Memory
from app.stores.postgres import entities, projects
from app.stores.postgres.labels import labels_as_of


@dataclass(frozen=True, slots=True)
class Details:
    """The entities of a result with what they are called at its moment, and the projects by number."""

    entities: Mapping[UUID, Entity]
    labels: Mapping[UUID, str]
    projects: Mapping[int, Project]


async def load_details(memory: Memory, result: RecallResult) -> Details:
    """Answer the entities that hits belong to, that replaced them, and that the query names."""
    ids = {hit.artifact.entity for hit in result.hits}
    ids |= {hit.annotation.superseded_by for hit in result.hits if hit.annotation.superseded_by}
    ids |= {anchor.entity.id for anchor in result.anchors}
    tenant = memory.caller.tenant
    async with memory.database.reading(tenant) as connection:
        found = await entities.entities_by_id(connection, tenant, list(ids))
        moment = AsOf(result.as_of, result.known_at)
        labels = await labels_as_of(connection, tenant, list(ids), moment)
        known = await projects.all_projects(connection, tenant)
    return Details(
        entities=found,
        labels=labels,
        projects={project.number: project for project in known},
    )
