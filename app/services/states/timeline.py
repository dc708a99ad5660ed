"""Read the states of an entity, each with the event that led to it and the document that caused it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from uuid import UUID

import asyncpg

from app.domain.artifact import Artifact
from app.domain.entity import Absence, Entity
from app.domain.numbers import TenantNumber
from app.domain.page import MAX_ITEMS, PageRequest
from app.domain.status_resolution import is_over
from app.domain.temporal import EVERYTHING_KNOWN, AsOf, Branch, EntityState, StateEvent
from app.services.catalog import EntityNames
from app.services.catalog.lookup import name_entities
from app.stores.postgres import absences, artifacts, ledger_clock, state_history
from app.stores.postgres.lists import HistoryFilter
from app.stores.postgres.lookups import Called, called_as_of
from app.stores.postgres.state_history import Arrival
from app.stores.postgres.status_words import words_of_entity
from app.stores.postgres.supersessions import superseders_in_part, superseders_since


@dataclass(frozen=True, slots=True)
class Superseded:
    """The entity that superseded another, by its id and what it is called, and since when."""

    by: UUID
    called: str
    since: datetime


@dataclass(frozen=True, slots=True)
class Timeline:
    """An entity with its present name, some of its states in order, what superseded it, and when it is away.

    Each state comes with the event that led to it, if one is recorded; `causes` are the artifacts that caused
    the events.
    """

    entity: Entity
    names: EntityNames
    states: tuple[tuple[EntityState, StateEvent | None], ...]
    causes: Mapping[UUID, Artifact]
    superseded: tuple[Superseded, ...]
    superseded_in_part: tuple[Superseded, ...]
    absences: tuple[Absence, ...]


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
    superseded = await _load_superseded(connection, tenant, entity, moment)
    in_part = await _load_superseded_in_part(connection, tenant, entity, moment)
    held_absences = (await absences.absences_of(connection, tenant, [entity.id])).get(entity.id, ())
    away = tuple(each for each in held_absences if each.artifact is None and each.recorded_at <= moment.known)
    return Timeline(entity, names, steps, found, superseded, in_part, away)


async def _load_superseded(
    connection: asyncpg.Connection, tenant: TenantNumber, entity: Entity, moment: AsOf
) -> tuple[Superseded, ...]:
    """Return what supersedes an entity at a moment, each since the moment that the timeline shows."""
    found = await superseders_since(connection, tenant, entity.id, moment)
    if not found:
        return ()
    names = await called_as_of(connection, tenant, [by for by, _ in found], moment)
    shown = await _load_endings(connection, tenant, entity.id, moment)
    return tuple(Superseded(by, _called(names[by]), _shown_since(by, since, shown)) for by, since in found)


async def _load_superseded_in_part(
    connection: asyncpg.Connection, tenant: TenantNumber, entity: Entity, moment: AsOf
) -> tuple[Superseded, ...]:
    """Return what supersedes a part of an entity at a moment."""
    found = await superseders_in_part(connection, tenant, entity.id, moment)
    if not found:
        return ()
    names = await called_as_of(connection, tenant, [by for by, _ in found], moment)
    return tuple(Superseded(by, _called(names[by]), since) for by, since in found)


def _called(names: Called) -> str:
    return " ".join(dict.fromkeys(name for name in (names.identifier, names.label) if name))


def _shown_since(by: UUID, since: datetime, endings: Sequence[_Ending]) -> datetime:
    """Return the start of the state that shows a supersession: by its cause, or else of the same day."""
    of_day = [each.at for each in endings if each.at.astimezone(UTC).date() == since.astimezone(UTC).date()]
    of_cause = [each.at for each in endings if each.by == by and each.at <= since]
    return min(of_cause or of_day, default=since)


@dataclass(frozen=True, slots=True)
class _Ending:
    """The start of a state that is over, and the entity whose document caused it, if one did."""

    at: datetime
    by: UUID | None


async def _load_endings(
    connection: asyncpg.Connection, tenant: TenantNumber, entity: UUID, moment: AsOf
) -> list[_Ending]:
    where, page = (connection, tenant), PageRequest(MAX_ITEMS)
    believed = HistoryFilter(moment.known)
    line = (await state_history.states_of_entities(*where, [entity], believed, page))[entity].items
    team = await words_of_entity(*where, entity)
    over = [each for each in line if each.branch is Branch.COMMITTED and is_over(each, team)]
    arrivals = {each.id: Arrival(entity, each.branch, each.valid.start, each.retracted_at) for each in over}
    events = await state_history.events_into(*where, list(arrivals.values()))
    causes = {id: event.cause_artifact for id, each in arrivals.items() if (event := events.get(each))}
    known = [cause for cause in causes.values() if cause is not None]
    found = await artifacts.artifacts_by_id(*where, known)
    by = {id: found[cause].entity for id, cause in causes.items() if cause in found}
    return [_Ending(each.valid.start, by.get(each.id)) for each in over]
