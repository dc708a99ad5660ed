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
from app.services.filing.write import Write
from app.stores.postgres import entities
from app.stores.postgres.entities import KeyedEntity

MARKDOWN_ENDINGS = (".md", ".markdown")

# "Release #12" is a title, and so is "C# in depth": a heading follows the page without a space.
_HEADING = re.compile(r"(?P<page>.*?[^\s#])#(?=[^\W\d]).*", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Target:
    """A claim, the key it waits for, and the entities it can mean: none, one or several."""

    claim: ReferenceClaim
    key: str
    found: tuple[KeyedEntity, ...]

    def others(self, own: UUID) -> list[KeyedEntity]:
        """Answer what it can mean beside the document that claims."""
        return [entity for entity in self.found if entity.id != own]


def path_key(source_uri: str) -> str:
    """Answer the key by which a file is waited for."""
    return short_key(f"path:{posixpath.normpath(source_uri)}")


def target_key(text: str, own_key: str) -> str:
    """Answer the key a target names; a bare number is one of the document's own series."""
    key = identifier_key(text)
    if key.isdigit():
        series = bare_key(own_key).rpartition("-")[0]
        return f"{series}-{int(key)}" if series else key
    return key


@dataclass(frozen=True, slots=True)
class _Way:
    """One way to read what a claim names: the key, the name, and the files it can stand for."""

    key: str
    name: str
    linked: str | None
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
    things have, such as titles: first as it stands, then without a heading, as in `Release notes#Fixes`.
    """
    ways = {claim: _ways(claim, own_key, source_uri) for claim in claims}
    known = await _known(write, project, [way for each in ways.values() for way in each])
    targets = []
    for claim in claims:
        meanings = (_meant(way, own_key, source_uri, known) for way in ways[claim])
        last = ways[claim][-1]
        waits_for = last.key if last.linked is None else path_key(last.linked)
        targets.append(Target(claim, waits_for, next(filter(None, meanings), ())))
    return targets


def _ways(claim: ReferenceClaim, own_key: str, source_uri: str | None) -> list[_Way]:
    linked = _beside(source_uri, claim.path) if claim.path is not None else None
    texts = [claim.target]
    heading = _HEADING.fullmatch(claim.target) if claim.path is None else None
    if heading is not None:
        texts.append(heading["page"])
    return [
        _Way(target_key(text, own_key), name_key(text), linked, _files_called(text, source_uri))
        for text in texts
    ]


def _beside(source_uri: str | None, path: str) -> str | None:
    if source_uri is None:
        return None
    return posixpath.normpath(posixpath.join(posixpath.dirname(source_uri), path))


def _files_called(text: str, source_uri: str | None) -> tuple[str, ...]:
    """Answer the files that a name without an ending can stand for: beside the document, or from the root."""
    if source_uri is None:
        return ()
    names = [f"{text}{ending}" for ending in MARKDOWN_ENDINGS]
    beside = [path for name in names if (path := _beside(source_uri, name)) is not None]
    return (*beside, *map(posixpath.normpath, names))


async def _known(write: Write, project: Project, ways: Sequence[_Way]) -> _Known:
    where = (write.connection, write.tenant, project.number)
    by_key = _index(await entities.entities_by_keys(*where, sorted({way.key for way in ways})))
    unknown = [way for way in ways if way.key not in by_key]
    paths = {way.linked for way in ways if way.linked is not None}
    paths.update(path for way in unknown for path in way.files)
    by_path = await entities.entities_by_source(*where, sorted(paths))
    by_name = await entities.entities_by_name(*where, sorted({way.name for way in unknown}))
    return _Known(by_key, by_path, by_name)


def _meant(way: _Way, own_key: str, source_uri: str | None, known: _Known) -> tuple[KeyedEntity, ...]:
    if way.linked is not None and way.linked in known.by_path:
        return (known.by_path[way.linked],)
    by_key = _nearest(way.key, own_key, source_uri, known.by_key)
    by_file = tuple(known.by_path[path] for path in way.files if path in known.by_path)
    return by_key or by_file[:1] or tuple(known.by_name.get(way.name, ()))


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
