"""Finding the entities that a document's reference claims mean."""

from __future__ import annotations

import posixpath
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


async def find_targets(
    write: Write, project: Project, own_key: str, source_uri: str | None, claims: Sequence[ReferenceClaim]
) -> list[Target]:
    """Answer each claim with what it can mean now: by path, else by key, the nearest namespace first.

    What is no identifier of anything is looked for among the names things have, such as titles.
    """
    keys = {claim: target_key(claim.target, own_key) for claim in claims}
    paths = {claim: _path_of(claim, source_uri) for claim in claims}
    by_key = await entities.entities_by_keys(
        write.connection, write.tenant, project.number, sorted(set(keys.values()))
    )
    by_path = await entities.entities_by_source(
        write.connection, write.tenant, project.number, sorted(filter(None, paths.values()))
    )
    index = _index(by_key)
    unknown = sorted({name_key(claim.target) for claim, key in keys.items() if key not in index})
    by_name = await entities.entities_by_name(write.connection, write.tenant, project.number, unknown)
    targets = []
    for claim in claims:
        key, path = keys[claim], paths[claim]
        if path is not None and path in by_path:
            targets.append(Target(claim, key, (by_path[path],)))
        else:
            waits_for = key if path is None else path_key(path)
            found = _nearest(key, own_key, source_uri, index) or tuple(
                by_name.get(name_key(claim.target), ())
            )
            targets.append(Target(claim, waits_for, found))
    return targets


def _path_of(claim: ReferenceClaim, source_uri: str | None) -> str | None:
    if claim.path is None or source_uri is None:
        return None
    return posixpath.normpath(posixpath.join(posixpath.dirname(source_uri), claim.path))


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
