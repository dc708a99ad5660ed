"""Load the standings of artifacts: everything that annotation needs, in a fixed number of statements."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any
from uuid import UUID

import asyncpg

from app.domain.numbers import ArtifactNumber
from app.domain.recall import Anchor, StateFlag
from app.domain.status_words import is_or_was_in_force
from app.domain.temporal import Branch
from app.domain.text import fold
from app.domain.types import label_of, naming_forms
from app.services.recall.annotation import FormerName, Standing, Standings, own_flag
from app.stores.postgres import anchors as names
from app.stores.postgres import mentions
from app.stores.postgres.pool import Database
from app.stores.postgres.recall import EntityStanding, standings_as_of
from app.stores.postgres.scope import Scope
from app.stores.postgres.supersessions import superseders_of_artifacts


async def load_standings(
    database: Database,
    scope: Scope,
    artifacts: Sequence[ArtifactNumber],
    anchors: Sequence[Anchor],
) -> Standings:
    """Return the standings of these artifacts, and of their replacements, at the scope's moment."""
    (held, former), above = await asyncio.gather(
        _load(database, scope, artifacts, anchors), _load_superseders(database, scope, artifacts)
    )
    standings = {
        number: _standing(number, own, _visible(held, above.get(own.entity, ())), former.get(number, []))
        for own in held.values()
        for number in _numbers(own)
    }
    return Standings(standings, _replacements(standings, held))


async def load_flags(
    database: Database, scope: Scope, artifacts: Sequence[ArtifactNumber], entities: Sequence[UUID]
) -> dict[ArtifactNumber | UUID, StateFlag | None]:
    """Return the flags of artifacts and entities by their committed states, whatever names a text uses."""
    async with database.reading(scope.tenant) as connection:
        held = await standings_as_of(connection, scope, artifacts, entities)
        where = (connection, scope.tenant, artifacts, scope.moment)
        above = await superseders_of_artifacts(*where, entities)
    flags: dict[ArtifactNumber | UUID, StateFlag | None] = {}
    for own in held.values():
        superseder = _visible(held, above.get(own.entity, ()))
        for number in _numbers(own):
            flags[number] = own_flag(_standing(number, own, superseder, ()), prefer_wip=False)
        newest = replace(_standing(ArtifactNumber(0), own, superseder, ()), newer_version=False)
        flags[own.entity] = own_flag(newest, prefer_wip=False)
    return flags


async def _load(
    database: Database, scope: Scope, artifacts: Sequence[ArtifactNumber], anchors: Sequence[Anchor]
) -> tuple[Mapping[UUID, EntityStanding], Mapping[ArtifactNumber, Sequence[FormerName]]]:
    """Return the standings of the entities, and the former names that the artifacts use."""
    async with database.reading(scope.tenant) as connection:
        held = await standings_as_of(connection, scope, artifacts)
        numbers = [number for each in held.values() for number in _numbers(each)]
        return held, await _former_names(connection, scope, numbers, anchors)


async def _load_superseders(
    database: Database, scope: Scope, artifacts: Sequence[ArtifactNumber]
) -> Mapping[UUID, Sequence[UUID]]:
    async with database.reading(scope.tenant) as connection:
        return await superseders_of_artifacts(connection, scope.tenant, artifacts, scope.moment)


def _visible(held: Mapping[UUID, EntityStanding], superseders: Sequence[UUID]) -> EntityStanding | None:
    """Return the latest of the superseders that has a document."""
    visible = (held[entity] for entity in superseders if held[entity].newest is not None)
    return next(visible, None)


def _numbers(standing: EntityStanding) -> set[ArtifactNumber]:
    """Return the artifacts of an entity that may be hits: the given ones, and the newest."""
    return {*standing.artifacts, *(() if standing.newest is None else (standing.newest,))}


def _standing(
    number: ArtifactNumber, own: EntityStanding, above: EntityStanding | None, former: Sequence[FormerName]
) -> Standing:
    return Standing(
        entity=own.entity,
        committed=own.states.get(Branch.COMMITTED),
        wip=own.states.get(Branch.WIP),
        newer_version=own.newest is not None and own.newest != number,
        superseded_by=None if above is None else (above.entity, _label(above)),
        former_names=former,
        awaited_successor=own.awaited_successor,
        superseded_in_part_by=_successor_in_part(own),
        team=own.team,
    )


def _successor_in_part(own: EntityStanding) -> str | None:
    """Return the label of the latest document that supersedes a part of an entity and is in force or was."""
    successors = (props for props in own.in_part if is_or_was_in_force(props.get("status"), own.team))
    return next((_called(props) for props in successors), None)


def _label(above: EntityStanding) -> str:
    state = above.states.get(Branch.COMMITTED)
    return _called({} if state is None else state.props)


def _called(props: dict[str, Any]) -> str:
    parts = [props.get("identifier"), label_of(props)]
    return " ".join(dict.fromkeys(part for part in parts if isinstance(part, str))) or "another document"


def _replacements(
    standings: Mapping[ArtifactNumber, Standing], held: Mapping[UUID, EntityStanding]
) -> dict[ArtifactNumber, ArtifactNumber]:
    """Return, for each replaced artifact, the number of its replacement."""
    replaced = {}
    for number, standing in standings.items():
        replacement = standing.superseded_by[0] if standing.superseded_by is not None else standing.entity
        newest = held[replacement].newest
        if newest is not None and (standing.superseded_by is not None or standing.newer_version):
            replaced[number] = newest
    return replaced


async def _former_names(
    connection: asyncpg.Connection, scope: Scope, numbers: Sequence[ArtifactNumber], anchors: Sequence[Anchor]
) -> dict[ArtifactNumber, list[FormerName]]:
    """Return, by artifact, the aliases and former names of anchors that its text uses, longest first."""
    current = {anchor.entity.id: anchor for anchor in anchors}
    if not current:
        return {}
    forms = await names.other_forms_of(connection, scope.tenant, list(current), scope.moment)
    former_forms = {(form.entity, form.folded_form) for form in forms}
    used: dict[ArtifactNumber, list[tuple[UUID, str]]] = defaultdict(list)
    found = await mentions.mentions_of(connection, scope.tenant, numbers, list(current), scope.moment.known)
    for number, form in found:
        used[number].append((form.entity, form.form))
    return {number: list(_only_former(found, former_forms, current)) for number, found in used.items()}


def _only_former(
    found: Iterable[tuple[UUID, str]], former_forms: set[tuple[UUID, str]], current: Mapping[UUID, Anchor]
) -> Iterable[FormerName]:
    for entity, form in sorted(found, key=lambda used: (-len(used[1]), used[1])):
        anchor = current[entity]
        props = {} if anchor.state is None else anchor.state.props
        label = label_of(props)
        is_present = fold(form) in {fold(name) for name in naming_forms(props).values()}
        if label is not None and not is_present and (entity, fold(form)) in former_forms:
            yield FormerName(form, anchor.entity.type_name, label)
