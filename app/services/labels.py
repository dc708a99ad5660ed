"""Telling entities apart in a message: their type, what they are called, and their id."""

from __future__ import annotations

from collections.abc import Iterable

import asyncpg

from app.domain.entity import Entity
from app.domain.ontology import label_of
from app.domain.temporal import AsOf, Branch
from app.stores.postgres import states


async def told_apart(
    connection: asyncpg.Connection, tenant: int, entities: Iterable[Entity], moment: AsOf
) -> list[str]:
    """Answer each entity as `Component Harbor (id)`, by its state at a moment, in alphabetical order."""
    meant = list(entities)
    held = await states.states_as_of(connection, tenant, [entity.id for entity in meant], moment)
    told = []
    for entity in meant:
        state = held.get((entity.id, Branch.COMMITTED))
        label = (label_of(state.props) if state is not None else None) or entity.key or "unnamed"
        told.append(f"{entity.type_name} {label} ({entity.id})")
    return sorted(told)
