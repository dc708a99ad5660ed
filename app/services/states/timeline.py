"""Read the states of an entity, each with the event that led to it and the document that caused it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

import asyncpg

from app.domain.artifact import Artifact
from app.domain.entity import Entity
from app.domain.numbers import TenantNumber
from app.domain.temporal import EVERYTHING_KNOWN, AsOf, EntityState, StateEvent
from app.services.catalog import EntityNames
from app.services.catalog.lookup import name_entities
from app.stores.postgres import artifacts, ledger_clock, state_history
from app.stores.postgres.lookups import called_as_of
from app.stores.postgres.state_history import Arrival
from app.stores.postgres.supersessions import latest_superseder


@dataclass(frozen=True, slots=True)
class Superseded:
    """The entity that superseded another, by its id and what it is called, and since when."""

    by: UUID
    called: str
    since: datetime


@dataclass(frozen=True, slots=True)
class Timeline:
    """An entity with its present name, some of its states in order, and what superseded it.

    Each state comes with the event that led to it, if one is recorded; `causes` are the artifacts that caused
    the events.
    """

    entity: Entity
    names: EntityNames
    states: tuple[tuple[EntityState, StateEvent | None], ...]
    causes: Mapping[UUID, Artifact]
    superseded: Superseded | None


async def load_timeline(
    connection: asyncpg.Connection,
    tenant: TenantNumber,
    entity: Entity,
    held: Sequence[EntityState],
    moment: AsOf,
) -> Timeline:
    """Return the timeline of some states of an entity, in the given order, and its successor at a moment."""
    now = AsOf(await ledger_clock.read_present(connection, tenant), EVERYTHING_KNOWN)
    names = await name_entities(connection, tenant, {entity.id: entity}, now)
    arrivals = [Arrival(entity.id, each.branch, each.valid.start, each.retracted_at) for each in held]
    events = await state_history.events_into(connection, tenant, arrivals)
    causes = [event.cause_artifact for event in events.values() if event.cause_artifact is not None]
    found = await artifacts.artifacts_by_id(connection, tenant, causes)
    steps = tuple((each, events.get(arrival)) for each, arrival in zip(held, arrivals, strict=True))
    superseded = await _load_superseded(connection, tenant, entity.id, moment)
    return Timeline(entity, names, steps, found, superseded)


async def _load_superseded(
    connection: asyncpg.Connection, tenant: TenantNumber, entity: UUID, moment: AsOf
) -> Superseded | None:
    found = await latest_superseder(connection, tenant, entity, moment)
    if found is None:
        return None
    by, since = found
    names = (await called_as_of(connection, tenant, [by], moment))[by]
    called = dict.fromkeys(name for name in (names.identifier, names.label) if name)
    return Superseded(by, " ".join(called), since)
