"""Finding the entities that a document's reference claims mean."""

from __future__ import annotations

import posixpath
import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from app.domain.artifact import ReferenceClaim
from app.domain.entity import Project
from app.domain.identifier import bare_key, folder_namespace, identifier_key, may_mean, namespace
from app.domain.surface_form import name_key, short_key
from app.services.write import Write
from app.stores.postgres import entities
from app.stores.postgres.entities import KeyedEntity

MARKDOWN_ENDINGS = (".md", ".markdown")

# "Release #12" is a title, and so is "C# in depth": a heading follows the page without a space.
_HEADING = re.compile(r"(?P<page>.*?[^\s#])#(?=[^\W\d]).*", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Target:
    """A claim, the key it waits for, and the entities it can mean: none, one or several.

    `homonyms` are the keys of documents that all claim what it names, in the ledger or not.
    """

    claim: ReferenceClaim
    key: str
    found: tuple[KeyedEntity, ...]
    homonyms: tuple[str, ...] = ()

    @property
    def choices(self) -> tuple[str, ...]:
        """Answer the keys of what it can mean."""
        return self.homonyms or tuple(entity.key for entity in self.found)

    def others(self, own: UUID) -> list[KeyedEntity]:
        """Answer what it can mean beside the document that claims."""
        return [entity for entity in self.found if entity.id != own]


def path_key(source_uri: str) -> str:
    """Answer the key by which a file is waited for."""
    return short_key(f"path:{posixpath.normpath(source_uri)}")


def target_key(text: str, own_key: str) -> str:
    """Answer the key a target names; a bare number is one of the document's own series."""
    key = identifier_key(text)
    series = bare_key(own_key).rpartition("-")[0]
    # Unicode has digits that are no numbers, such as ➊; identifiers are counted in plain ones.
    is_number = key.isascii() and key.isdigit()
    return identifier_key(f"{series}-{key.lstrip('0') or '0'}") if series and is_number else key


@dataclass(frozen=True, slots=True)
class _Way:
    """One way to read what a claim names: the key, the name, and the files it can stand for.

    `linked` is the file that a link leads to, which comes before the key; other files come after it.
    """

    key: str
    name: str
    linked: tuple[str, ...]
    files: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Known:
    """What the ledger has under everything that the claims of a document can name."""

    by_key: dict[str, list[KeyedEntity]]
    by_path: dict[str, KeyedEntity]
    by_name: dict[str, list[KeyedEntity]]


async def find_targets(
    write: Write, project: Project, own_key: str, source_uri: str | None, claims: Sequence[ReferenceClaim]
) -> list[Target]:
    """Answer each claim with what it can mean now: by path, else by key, the nearest namespace first.

    What is no identifier of anything is looked for among files without their ending, then among the names
    things have, such as titles, then among aliases: first as it stands, then without a heading, as in
    `Release notes#Fixes`.
    """
    ways = {claim: _ways(claim, own_key, source_uri) for claim in claims}
    every = [way for each in ways.values() for way in each]
    by_key = _index(await _entities_by_keys(write, project, every))
    unknown = [way for way in every if not _nearest(way.key, own_key, source_uri, by_key)]
    known = await _known(write, project, every, unknown, by_key)
    targets = []
    for claim in claims:
        meanings = (_meant(way, own_key, source_uri, known) for way in ways[claim])
        first, last = ways[claim][0], ways[claim][-1]
        waits_for = path_key(last.linked[0]) if last.linked else last.key
        found = next(filter(None, meanings), ())
        homonyms = () if _is_linked(first, found, known) else write.homonyms.get(first.key, ())
        unclear = homonyms and not (len(found) == 1 and found[0].key in homonyms)
        targets.append(Target(claim, waits_for, () if unclear else found, homonyms if unclear else ()))
    return targets


def _is_linked(way: _Way, found: tuple[KeyedEntity, ...], known: _Known) -> bool:
    return any(known.by_path.get(path) in found for path in way.linked)


def _ways(claim: ReferenceClaim, own_key: str, source_uri: str | None) -> list[_Way]:
    if claim.path is not None:
        files = _places(claim.path, source_uri)
        return [_Way(target_key(claim.target, own_key), name_key(claim.target), files[:1], files)]
    heading = _HEADING.fullmatch(claim.target)
    return [
        _Way(target_key(text, own_key), name_key(text), (), _files_called(text, source_uri))
        for text in ([claim.target] if heading is None else [claim.target, heading["page"]])
    ]


def _files_called(text: str, source_uri: str | None) -> tuple[str, ...]:
    """Answer the files that a name without an ending can stand for."""
    return tuple(place for ending in MARKDOWN_ENDINGS for place in _places(text + ending, source_uri))


def _places(path: str, source_uri: str | None) -> tuple[str, ...]:
    """Answer the files that a path leads to: beside the document it stands in, then from the root."""
    if source_uri is None:
        return ()
    from_root = posixpath.normpath(path.lstrip("/"))
    if path.startswith("/"):
        return (from_root,)
    return (posixpath.normpath(posixpath.join(posixpath.dirname(source_uri), path)), from_root)


async def _entities_by_keys(write: Write, project: Project, ways: Sequence[_Way]) -> list[KeyedEntity]:
    keys = sorted({way.key for way in ways})
    return await entities.entities_by_keys(write.connection, write.tenant, project.number, keys)


async def _known(
    write: Write,
    project: Project,
    ways: Sequence[_Way],
    unknown: Sequence[_Way],
    by_key: dict[str, list[KeyedEntity]],
) -> _Known:
    """Answer what is there; only a way whose key means nothing here is looked for among files and names."""
    where = (write.connection, write.tenant, project.number)
    paths = {path for way in ways for path in way.linked}
    paths.update(path for way in unknown for path in way.files)
    names = {way.name for way in unknown}
    by_path = await entities.entities_by_source(*where, sorted(paths)) if paths else {}
    by_name = await entities.entities_by_name(*where, sorted(names))
    by_alias = await entities.entities_by_alias(*where, sorted(names - by_name.keys()))
    return _Known(by_key, by_path, {**by_alias, **by_name})


def _meant(way: _Way, own_key: str, source_uri: str | None, known: _Known) -> tuple[KeyedEntity, ...]:
    linked, named = (
        [known.by_path[path] for path in paths if path in known.by_path] for paths in (way.linked, way.files)
    )
    by_key = _nearest(way.key, own_key, source_uri, known.by_key)
    return tuple(linked[:1]) or by_key or tuple(named[:1] or known.by_name.get(way.name, ()))


def _index(found: Sequence[KeyedEntity]) -> dict[str, list[KeyedEntity]]:
    index: dict[str, list[KeyedEntity]] = defaultdict(list)
    for entity in found:
        for key in {entity.key, entity.bare_key}:
            index[key].append(entity)
    return index


def _nearest(
    key: str, own_key: str, source_uri: str | None, index: dict[str, list[KeyedEntity]]
) -> tuple[KeyedEntity, ...]:
    """Answer what a key can mean: what lies in the same namespace or folder, else all there is.

    A number that several other namespaces have is ambiguous, and known to be so.
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
