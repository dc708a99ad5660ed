"""The lookup cache of a write that files documents: read in advance, updated with what the write changes.

Every lookup returns what the ledger would return now; on a miss the ledger is read.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Generic, TypeVar
from uuid import UUID

from app.domain.entity import Alias, Edge, Entity, ReferenceType
from app.domain.identifier import bare_key
from app.domain.numbers import ArtifactNumber
from app.stores.postgres.document_names import DocumentByName, DocumentName, StatedClaim
from app.stores.postgres.entities import KeyedEntity
from app.stores.postgres.mentions import NamedForm
from app.stores.postgres.references import PendingReferenceRow
from app.stores.postgres.type_definitions import RecordedType

Found = TypeVar("Found")


class CachedLookup(Generic[Found]):
    """Rows by key; the first lookup reads the rows of all wanted keys at once."""

    def __init__(
        self, wanted: Iterable[str], read: Callable[[list[str]], Awaitable[Mapping[str, list[Found]]]]
    ) -> None:
        self._wanted = set(wanted)
        self._read = read
        self._held: dict[str, list[Found]] = {}

    async def find(self, keys: Collection[str]) -> dict[str, list[Found]]:
        """Return the rows under these keys, without the keys that have none."""
        if any(key not in self._held for key in keys):
            missing = sorted({*keys, *self._wanted} - self._held.keys())
            found = await self._read(missing)
            self._held |= {key: list(found.get(key, ())) for key in missing}
        return {key: self._held[key] for key in keys if self._held[key]}

    def want(self, keys: Iterable[str]) -> None:
        """Add keys whose rows are read together with those of the next key that is missing."""
        self._wanted.update(keys)

    def get(self, key: str) -> list[Found] | None:
        """Return the cached list of a key, which the caller may update; None if the key was not read."""
        return self._held.get(key)

    def all_lists(self) -> Iterable[list[Found]]:
        """Return every cached list."""
        return self._held.values()

    def forget(self) -> None:
        """Drop all rows, so that the next lookup reads them again."""
        self._held.clear()


class CachedForms:
    """The forms that texts with these words (one per line) may use; read on the first lookup."""

    def __init__(self, words: str, read: Callable[[str], Awaitable[list[NamedForm]]]) -> None:
        self._words = words
        self._read = read
        self._held: list[NamedForm] | None = None

    async def all(self) -> list[NamedForm]:
        """Return the forms; if a form has two meanings, the one that began later comes last."""
        if self._held is None:
            self._held = await self._read(self._words)
        return self._held

    def forget(self) -> None:
        """Drop the forms, so that the next lookup reads them again."""
        self._held = None


@dataclass(slots=True)
class LookupCache:
    """The cached lookups of one project; `numbers` are reserved for artifacts to come, the last one first."""

    own: CachedLookup[Entity]
    by_key: CachedLookup[KeyedEntity]
    by_source: CachedLookup[KeyedEntity]
    by_name: CachedLookup[KeyedEntity]
    by_alias: CachedLookup[KeyedEntity]
    by_document_name: CachedLookup[DocumentByName]
    claims: CachedLookup[StatedClaim]
    pending: CachedLookup[tuple[datetime, PendingReferenceRow]]
    aliases: CachedLookup[Alias]
    forms: CachedForms
    numbers: list[ArtifactNumber]
    types: list[RecordedType] | None = None
    arrived: set[UUID] = field(default_factory=set)
    joined: set[Edge] = field(default_factory=set)
    superseded: set[UUID] = field(default_factory=set)

    def note_entity(self, entity: Entity, source_uri: str | None, names: Iterable[str]) -> None:
        """Add a document that was just filed under a new key, with its names."""
        assert entity.key is not None
        self.arrived.add(entity.id)
        keyed = _keyed(entity, source_uri)
        _put(self.own.get(entity.key), entity)
        for key in {keyed.key, keyed.bare_key}:
            _put(self.by_key.get(key), keyed)
        for name in set(names):
            _put(self.by_name.get(name), keyed)
        self._note_source(keyed, source_uri)

    def note_version(self, entity: Entity, source_uri: str | None) -> None:
        """Add a new version of a document, which may have another source and other names."""
        assert entity.key is not None
        keyed = _keyed(entity, source_uri)
        self._note_source(keyed, source_uri)
        for lookup in (self.by_key, self.by_alias):
            for held in lookup.all_lists():
                held[:] = [keyed if each.id == keyed.id else each for each in held]
        for key in {keyed.key, keyed.bare_key}:
            held_under = self.by_key.get(key)
            if held_under is not None and all(each.id != keyed.id for each in held_under):
                held_under.append(keyed)  # it is there again
        self.by_document_name.forget()
        self.by_name.forget()

    def _note_source(self, keyed: KeyedEntity, source_uri: str | None) -> None:
        if source_uri is not None and (held := self.by_source.get(source_uri)) is not None:
            held[:] = [keyed]

    def note_claims(self, claims: Iterable[tuple[StatedClaim, Iterable[str]]]) -> None:
        """Add the claims of a document, each under its keys."""
        for claim, keys in claims:
            for key in keys:
                _put(self.claims.get(key), claim)

    def note_closed_claims(self, source: UUID) -> None:
        """Remove the claims of a document's earlier version."""
        for held in self.claims.all_lists():
            held[:] = [each for each in held if each.source != source]

    def note_names(self, entity: Entity, source_uri: str | None, names: Iterable[DocumentName]) -> None:
        """Add names by which other documents may link to a document."""
        keyed = _keyed(entity, source_uri)
        for key, sort in names:
            _put(self.by_document_name.get(key), DocumentByName(sort, keyed))

    def note_beginning(self) -> None:
        """Drop everything that says since when documents are there, since one was there earlier."""
        for lookup in (self.own, self.by_key, self.by_source, self.by_name, self.by_alias):
            lookup.forget()
        for stated in (self.by_document_name, self.claims, self.pending):
            stated.forget()

    def note_alias(self) -> None:
        """Drop everything that depends on aliases, since one changed."""
        self.aliases.forget()
        self.by_alias.forget()
        self.forms.forget()

    def note_pending(self, pending: PendingReferenceRow, recorded_at: datetime) -> None:
        """Add a pending reference, unless the same one is there."""
        held = self.pending.get(pending.target_key)
        if held is not None and not any(_are_same(pending, each) for _, each in held):
            held.append((recorded_at, pending))

    def note_resolved(self, ids: Collection[UUID]) -> None:
        """Remove pending references that were resolved."""
        for held in self.pending.all_lists():
            held[:] = [each for each in held if each[1].id not in ids]

    def note_closed(self, source: UUID) -> None:
        """Remove the pending references of an entity, which were closed."""
        for held in self.pending.all_lists():
            held[:] = [each for each in held if each[1].source != source]

    def note_edge(self, edge: Edge) -> None:
        """Add an edge that this write made."""
        self.joined.add(edge)
        if edge[2] is ReferenceType.SUPERSEDES:
            self.superseded.add(edge[1])

    def is_unjoined(self, edge: Edge) -> bool:
        """Return whether an edge certainly does not exist: an end is new, and it was not made here."""
        return edge not in self.joined and bool({edge[0], edge[1]} & self.arrived)

    def is_unsuperseded(self, entity: UUID) -> bool:
        """Return whether an entity is certainly not superseded: it is new, and not superseded here."""
        return entity in self.arrived and entity not in self.superseded


def _keyed(entity: Entity, source_uri: str | None) -> KeyedEntity:
    assert entity.key is not None
    return KeyedEntity(
        id=entity.id,
        key=entity.key,
        bare_key=bare_key(entity.key),
        is_document=True,
        created_at=entity.created_at,
        source_artifact=entity.source_artifact,
        type_name=entity.type_name,
        source_uri=source_uri,
    )


def _put(held: list[Found] | None, found: Found) -> None:
    if held is not None:
        held.append(found)


def _are_same(one: PendingReferenceRow, other: PendingReferenceRow) -> bool:
    return one.relation == other.relation
