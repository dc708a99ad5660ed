"""Find the entities that a document's reference claims mean, whatever was filed first."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from operator import itemgetter
from types import MappingProxyType
from typing import TypeAlias
from uuid import UUID

from app.domain.artifact import ReferenceClaim
from app.domain.entity import Project
from app.domain.identifier import bare_key, folder_namespace, is_numbered, may_mean, namespace
from app.domain.text import fold
from app.services.cached_lookups import (
    documents_of_names,
    entities_of_aliases,
    entities_of_keys,
    entities_of_names,
    entities_of_sources,
)
from app.services.parsing.identifiers import place_of_best
from app.services.parsing.target_readings import TargetReading, file_key, path_key, target_lookups
from app.services.unit_of_work import Homonyms, UnitOfWork
from app.stores.event_loop import let_others_work
from app.stores.postgres.document_names import DocumentByName, NameSort
from app.stores.postgres.entities import KeyedEntity, by_either_key

MAX_CHOICES = 10
"""A warning names so many of the documents that a claim could mean."""

Found: TypeAlias = tuple[KeyedEntity, ...]


@dataclass(frozen=True, slots=True)
class Target:
    """A claim, its key as a pending reference, and the entities it can mean: none, one or several.

    `homonyms` are the keys of several documents, in the ledger or not, that claim the name it uses. `rivals`
    are the keys of documents with the same number that fit it less well than the one that was found.
    """

    claim: ReferenceClaim
    key: str
    found: Found
    homonyms: tuple[str, ...] = ()
    rivals: tuple[str, ...] = ()

    @property
    def choices(self) -> tuple[str, ...]:
        """The keys of the documents it can mean."""
        return self.homonyms or tuple(entity.key for entity in self.found)

    def unclear(self) -> str:
        """Return that the claim could mean several documents, and which, the first ones if there are many."""
        more = f" and {len(self.choices) - MAX_CHOICES} more" if len(self.choices) > MAX_CHOICES else ""
        return f"{self.claim.target} could mean {', '.join(self.choices[:MAX_CHOICES])}{more}"

    def preferred(self) -> str:
        """Return which of several documents with one number the claim was joined with."""
        (found,) = self.found
        return (
            f"{self.claim.target} could mean {', '.join(sorted((found.key, *self.rivals)))};"
            f" joined with {found.key}, which fits it best"
        )

    def others(self, own: UUID) -> list[KeyedEntity]:
        """Return the entities it can mean other than the claiming document itself."""
        return [entity for entity in self.found if entity.id != own]


@dataclass(frozen=True, slots=True)
class Claimant:
    """The document whose claims are resolved: its key, its source, and since when it states the claim.

    Without `since` it states the claim now.
    """

    key: str
    source_uri: str | None
    since: datetime | None = None

    @property
    def folder(self) -> str:
        """The folder it lies in, as a namespace."""
        return folder_namespace(self.source_uri)


Counts: TypeAlias = Callable[[KeyedEntity], bool]
"""Whether an entity is taken into account."""


def every_entity(entity: KeyedEntity) -> bool:
    """Return that an entity counts, whichever it is."""
    return True


@dataclass(frozen=True, slots=True)
class KnownTargets:
    """The entities in the ledger under every key, path and name that some claims use."""

    by_key: Mapping[str, Sequence[KeyedEntity]]
    by_path: Mapping[str, KeyedEntity]
    by_name: Mapping[str, Sequence[KeyedEntity]]
    by_alias: Mapping[str, Sequence[KeyedEntity]]
    by_document_name: Mapping[str, Sequence[DocumentByName]]

    def called(self, key: str, sort: NameSort) -> list[KeyedEntity]:
        """Return the documents that have a name of this sort and key."""
        return [each.entity for each in self.by_document_name.get(key, ()) if each.sort is sort]


async def find_targets(
    write: UnitOfWork,
    project: Project,
    claimant: Claimant,
    ways: Mapping[ReferenceClaim, Sequence[TargetReading]],
    earlier: Mapping[ReferenceClaim, datetime] = MappingProxyType({}),
) -> list[Target]:
    """Return each claim with the entities it can mean now; `ways` are the ways to read each claim.

    `earlier` says of some claims since when an earlier version states them.

    A claim means the entity at its path, else the one with its identifier, then a file by its name, then a
    title, then an alias: the nearest folder first, and as written before without a heading, as in
    `Release notes#Fixes`. Several that are equally near are all returned.
    """
    known = await known_targets(write, project, ways.values())
    targets = []
    for place, (claim, of_claim) in enumerate(ways.items()):
        await let_others_work(place)
        stating = replace(claimant, since=earlier.get(claim, claimant.since))
        targets.append(target_of(write.homonyms, claim, of_claim, stating, known))
    return targets


async def known_targets(
    write: UnitOfWork, project: Project, of_claims: Iterable[Sequence[TargetReading]]
) -> KnownTargets:
    """Return what the ledger has under the keys, paths and names of some claims."""
    wanted = target_lookups(of_claims)
    names = sorted(wanted.names)
    return KnownTargets(
        by_key=by_either_key(await entities_of_keys(write, project, sorted(wanted.keys))),
        by_path=await entities_of_sources(write, project, sorted(wanted.sources)),
        by_name=await entities_of_names(write, project, names),
        by_alias=await entities_of_aliases(write, project, names),
        by_document_name=await documents_of_names(write, project, sorted(wanted.document_names)),
    )


def target_of(
    homonyms_of: Homonyms,
    claim: ReferenceClaim,
    ways: Sequence[TargetReading],
    claimant: Claimant,
    known: KnownTargets,
    counts: Counts = every_entity,
) -> Target:
    """Return a claim with the entities it can mean, of those that count.

    `homonyms_of` has the keys that several documents of an import claim.
    """
    first, last = ways[0], ways[-1]
    waits_for = path_key(last.linked[0]) if last.linked else last.key
    meanings = (_meant(way, claimant, known, counts) for way in ways)
    found = next(filter(None, meanings), ())
    homonyms = homonyms_of.get(first.key, ())
    if not _are_there(homonyms, first, known, counts) and not _is_certain(first, found, claimant, known):
        return Target(claim, waits_for, (), homonyms=homonyms)
    return Target(claim, waits_for, found, rivals=_rivals(first, found, claimant, known, counts))


def _are_there(homonyms: Sequence[str], way: TargetReading, known: KnownTargets, counts: Counts) -> bool:
    """Return whether all documents of an import that claim a name are filed: before, none is chosen."""
    return not homonyms or {each.key for each in _claiming(way.key, known, counts)}.issuperset(homonyms)


def _is_certain(way: TargetReading, found: Found, claimant: Claimant, known: KnownTargets) -> bool:
    """Return whether a name that several files of an import claim means one of them all the same."""
    if len(found) != 1:
        return False
    is_linked = any(known.by_path.get(path) == found[0] for path in way.linked)
    near = {namespace(claimant.key) + way.key, claimant.folder + way.key}
    return is_linked or (found[0].key in near and "/" in found[0].key)


def _rivals(
    way: TargetReading, found: Found, claimant: Claimant, known: KnownTargets, counts: Counts
) -> tuple[str, ...]:
    """Return the keys of the documents that state the same number as the one found by it."""
    if len(found) != 1 or any(known.by_path.get(path) == found[0] for path in way.linked):
        return ()
    claiming = _claiming(way.key, known, counts)
    near = {namespace(claimant.key) + way.key, claimant.folder + way.key} - {way.key}
    if found[0] not in claiming or found[0].key in near:
        return ()
    return tuple(sorted(each.key for each in claiming if each != found[0]))


def _meant(way: TargetReading, claimant: Claimant, known: KnownTargets, counts: Counts) -> Found:
    """Return what a claim means by one reading: the surest sort of name that something has decides."""
    linked, files = (
        [known.by_path[path] for path in paths if path in known.by_path] for paths in (way.linked, way.files)
    )
    sorts = (
        [each for each in linked if counts(each)][:1],
        _identified(way.key, claimant, known, counts),
        [each for each in files if counts(each)][:1],
        _in_files(way, claimant, known, counts),
        _nearest([each for each in known.by_name.get(way.name, ()) if counts(each)], claimant),
        _nearest(_going_by(way, known, counts), claimant),
    )
    found = next(filter(None, sorts), ())
    # A document that is merely called like an identifier of its own text is not what the text means.
    is_own = all(entity.key == claimant.key for entity in found)
    return () if is_own and is_numbered(way.key) and way.key != bare_key(claimant.key) else tuple(found)


def _identified(key: str, claimant: Claimant, known: KnownTargets, counts: Counts) -> Sequence[KeyedEntity]:
    """Return what an identifier means: one in the same namespace or folder first, then the best fitting.

    One that belonged to a document when it was written means that document, whatever has it now.
    """
    if former := _formerly(key, claimant, known, counts):
        return [former]
    index = [entity for entity in known.by_key.get(key, ()) if counts(entity)]
    for space in filter(None, (namespace(claimant.key), claimant.folder)):
        if near := [entity for entity in index if entity.key == space + key]:
            return near
    if not is_numbered(key):
        return [entity for entity in index if entity.key == key and _path_of(entity) != f"/{key}"]
    claiming = _claiming(key, known, counts)
    if claiming:
        best = place_of_best(key, [(each.type_name, each.source_uri) for each in claiming])
        return [claiming[best]] if best is not None else _nearest(claiming, claimant)
    possible = [each for each in index if may_mean(key, claimant.key, each.key, claimant.folder)]
    if possible or namespace(claimant.key):
        return possible
    return _nearest(index, claimant) if len(index) > 1 else ()


def _formerly(key: str, claimant: Claimant, known: KnownTargets, counts: Counts) -> KeyedEntity | None:
    """Return the document that had an identifier when a claim was made, and was renamed since.

    Nobody may have the identifier after it; then every claim means the one that had it last.
    """
    named = (each for each in known.by_document_name.get(key, ()) if each.sort is NameSort.FORMER)
    held = [(each.since, each.entity) for each in named if each.since is not None and counts(each.entity)]
    held.sort(key=itemgetter(0))
    taken = [each.created_at for each in known.by_key.get(key, ()) if each.key == key and counts(each)]
    followed = [*(entity.created_at for _, entity in held[1:]), min(taken, default=None)]
    for (until, entity), follower in zip(held, followed, strict=False):
        if follower is None or (claimant.since is not None and claimant.since < max(until, follower)):
            return entity
    return None


def _claiming(key: str, known: KnownTargets, counts: Counts) -> list[KeyedEntity]:
    """Return the documents that state a number without a namespace, by key.

    A file that has the number to itself again ends the claims that were made while it had to share it.
    """
    plain = [each for each in known.by_key.get(key, ()) if each.key == key and counts(each)]
    others = [each for each in known.called(key, NameSort.IDENTIFIER) if counts(each)]
    sources = {each.source_uri for each in plain} - {None}
    if any(each.source_uri in sources and each.key != key for each in others):
        return plain
    every = {each.id: each for each in (*plain, *others)}
    return sorted(every.values(), key=lambda each: each.key)


def _in_files(
    way: TargetReading, claimant: Claimant, known: KnownTargets, counts: Counts
) -> Sequence[KeyedEntity]:
    """Return the nearest documents in a file of this name, anywhere; a path must be the end of theirs.

    A link that names a folder leads to its file alone.
    """
    path = fold(posixpath.splitext(way.files[-1])[0]) if way.linked else way.name
    if way.linked and "/" in path:
        return ()
    name = file_key(way.linked[0]) if way.linked else bare_key(way.key)
    found = {each.id: each for each in known.called(name, NameSort.FILE)}
    if not is_numbered(way.key):
        found |= {each.id: each for each in known.by_key.get(name, ())}
    return _nearest(
        [each for each in found.values() if counts(each) and _ends_with(each, f"/{path}")], claimant
    )


def _ends_with(entity: KeyedEntity, path: str) -> bool:
    return _path_of(entity).endswith(path) or f"/{entity.key}".endswith(path)


def _path_of(entity: KeyedEntity) -> str:
    """Return the folded path of a document's file without its ending, or its key if it has no source."""
    path = entity.key if entity.source_uri is None else posixpath.splitext(entity.source_uri)[0]
    return f"/{fold(path)}"


def _going_by(way: TargetReading, known: KnownTargets, counts: Counts) -> list[KeyedEntity]:
    """Return the entity that an alias means, else the documents that list it."""
    held = [each for each in known.by_alias.get(way.name, ()) if counts(each)]
    return held or [each for each in known.called(bare_key(way.key), NameSort.ALIAS) if counts(each)]


def _nearest(found: Sequence[KeyedEntity], claimant: Claimant) -> Sequence[KeyedEntity]:
    """Return the entities whose folder is nearest to that of the claiming document."""
    if len(found) < 2:
        return found
    steps = {each.id: steps_between(claimant.folder, _folder_of(each)) for each in found}
    least = min(steps.values())
    return sorted((each for each in found if steps[each.id] == least), key=lambda each: each.key)


def _folder_of(entity: KeyedEntity) -> str:
    return namespace(entity.key) if entity.source_uri is None else folder_namespace(entity.source_uri)


def steps_between(one: str, other: str) -> tuple[int, int]:
    """Return the steps up from one folder, and then down to another; both end with a slash, or are empty."""
    from_here, there = one.split("/")[:-1], other.split("/")[:-1]
    shared = 0
    while from_here[shared : shared + 1] == there[shared : shared + 1] != []:
        shared += 1
    return len(from_here) - shared, len(there) - shared
