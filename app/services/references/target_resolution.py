"""Find the entities that a document's reference claims mean."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from app.domain.artifact import ReferenceClaim
from app.domain.entity import Project
from app.domain.identifier import folder_namespace, may_mean, namespace
from app.services.cached_lookups import (
    entities_of_aliases,
    entities_of_keys,
    entities_of_names,
    entities_of_sources,
)
from app.services.cooperation import let_others_work
from app.services.parsing.target_readings import TargetReading, path_key
from app.services.unit_of_work import UnitOfWork
from app.stores.postgres.entities import KeyedEntity, by_either_key


@dataclass(frozen=True, slots=True)
class Target:
    """A claim, its key as a pending reference, and the entities it can mean: none, one or several.

    `homonyms` are the keys of several documents, in the ledger or not, that claim the name it uses.
    """

    claim: ReferenceClaim
    key: str
    found: tuple[KeyedEntity, ...]
    homonyms: tuple[str, ...] = ()

    @property
    def choices(self) -> tuple[str, ...]:
        """The keys of the documents it can mean."""
        return self.homonyms or tuple(entity.key for entity in self.found)

    def others(self, own: UUID) -> list[KeyedEntity]:
        """Return the entities it can mean other than the claiming document itself."""
        return [entity for entity in self.found if entity.id != own]


@dataclass(frozen=True, slots=True)
class _Known:
    """The entities in the ledger under every key, path and name that a document's claims use."""

    by_key: dict[str, list[KeyedEntity]]
    by_path: dict[str, KeyedEntity]
    by_name: dict[str, list[KeyedEntity]]


async def find_targets(
    write: UnitOfWork,
    project: Project,
    own_key: str,
    source_uri: str | None,
    ways: Mapping[ReferenceClaim, Sequence[TargetReading]],
) -> list[Target]:
    """Return each claim with the entities it can mean now; `ways` are the ways to read each claim.

    A claim means the entity at its path, else the one with its key, the nearest namespace first.

    A target that is nobody's identifier is looked up among files without their ending, then among names such
    as titles, then among aliases: first as written, then without a heading, as in `Release notes#Fixes`.
    """
    every = [way for each in ways.values() for way in each]
    keys = sorted({way.key for way in every})
    by_key = by_either_key(await entities_of_keys(write, project, keys))
    unknown = [way for way in every if not _nearest(way.key, own_key, source_uri, by_key)]
    known = await _known(write, project, every, unknown, by_key)
    targets = []
    for place, (claim, of_claim) in enumerate(ways.items()):
        await let_others_work(place)
        meanings = (_entities_meant(way, own_key, source_uri, known) for way in of_claim)
        first, last = of_claim[0], of_claim[-1]
        waits_for = path_key(last.linked[0]) if last.linked else last.key
        found = next(filter(None, meanings), ())
        homonyms = () if _is_linked(first, found, known) else write.homonyms.get(first.key, ())
        unclear = homonyms and not (len(found) == 1 and found[0].key in homonyms)
        targets.append(Target(claim, waits_for, () if unclear else found, homonyms if unclear else ()))
    return targets


def _is_linked(way: TargetReading, found: tuple[KeyedEntity, ...], known: _Known) -> bool:
    return any(known.by_path.get(path) in found for path in way.linked)


async def _known(
    write: UnitOfWork,
    project: Project,
    ways: Sequence[TargetReading],
    unknown: Sequence[TargetReading],
    by_key: dict[str, list[KeyedEntity]],
) -> _Known:
    """Look up the ways; only those whose key means nothing are looked up among files and names."""
    paths = {path for way in ways for path in way.linked}
    paths.update(path for way in unknown for path in way.files)
    names = {way.name for way in unknown}
    by_path = await entities_of_sources(write, project, sorted(paths)) if paths else {}
    by_name = await entities_of_names(write, project, sorted(names))
    by_alias = await entities_of_aliases(write, project, sorted(names - by_name.keys()))
    return _Known(by_key, by_path, {**by_alias, **by_name})


def _entities_meant(
    way: TargetReading, own_key: str, source_uri: str | None, known: _Known
) -> tuple[KeyedEntity, ...]:
    linked, named = (
        [known.by_path[path] for path in paths if path in known.by_path] for paths in (way.linked, way.files)
    )
    by_key = _nearest(way.key, own_key, source_uri, known.by_key)
    return tuple(linked[:1]) or by_key or tuple(named[:1] or known.by_name.get(way.name, ()))


def _nearest(
    key: str, own_key: str, source_uri: str | None, index: dict[str, list[KeyedEntity]]
) -> tuple[KeyedEntity, ...]:
    """Return what a key can mean: an entity in the same namespace or folder, else every one there is.

    A number that several other namespaces have is ambiguous, and is returned as such.
    """
    folder = folder_namespace(source_uri)
    possible = [entity for entity in index.get(key, []) if may_mean(key, own_key, entity.key, folder)]
    for preferred in (namespace(own_key) + key, folder + key, key):
        for entity in possible:
            if entity.key == preferred:
                return (entity,)
    if possible or namespace(own_key):
        return tuple(possible)
    elsewhere = index.get(key, [])
    return tuple(elsewhere) if len(elsewhere) > 1 else ()
