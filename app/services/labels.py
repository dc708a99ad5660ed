"""Telling entities apart in a message: their type, what they are called, and their id."""

from __future__ import annotations

from collections.abc import Iterable

import asyncpg

from app.domain.entity import Entity
from app.domain.temporal import AsOf
from app.stores.postgres import lookups
from app.stores.postgres.labels import labels_as_of


async def told_apart(
    connection: asyncpg.Connection, tenant: int, entities: Iterable[Entity], moment: AsOf
) -> list[str]:
    """Answer each entity as `Component Harbor (id)`, by what it is called at a moment, sorted.

    Those of several projects are told with their project: `Component Harbor (id) of the project platform`.
    """
    meant = list(entities)
    labels = await labels_as_of(connection, tenant, [entity.id for entity in meant], moment)
    numbers = list({entity.project for entity in meant})
    found = {} if len(numbers) < 2 else await lookups.projects_by_number(connection, tenant, numbers)
    of = {number: f" of the project {project.key}" for number, project in found.items()}
    return sorted(
        f"{entity.type_name} {labels[entity.id]} ({entity.id}){of.get(entity.project, '')}"
        for entity in meant
    )
