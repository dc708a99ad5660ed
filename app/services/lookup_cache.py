"""What a write that files documents has read of the ledger beforehand, kept up with what it writes itself.

Every answer is what the ledger would give now. What is not known beforehand, or no longer, is read there.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Generic, TypeVar
from uuid import UUID

from app.domain.entity import Alias, Entity, ReferenceType
from app.domain.identifier import bare_key
from app.stores.postgres.entities import KeyedEntity
from app.stores.postgres.mentions import NamedForm
from app.stores.postgres.references import PendingReferenceRow
from app.stores.postgres.type_definitions import RecordedType

Found = TypeVar("Found")

Edge = tuple[UUID, UUID, ReferenceType]


class CachedLookup(Generic[Found]):
    """What is found under keys, read for all that are wanted as soon as one is asked for."""

    def __init__(
        self, wanted: Iterable[str], read: Callable[[list[str]], Awaitable[Mapping[str, list[Found]]]]
    ) -> None:
        self._wanted = set(wanted)
        self._read = read
        self._held: dict[str, list[Found]] = {}

    async def under(self, keys: Collection[str]) -> dict[str, list[Found]]:
        """Return what is found under these keys, nothing left out that is empty."""
        if any(key not in self._held for key in keys):
            missing = sorted({*keys, *self._wanted} - self._held.keys())
            found = await self._read(missing)
            self._held |= {key: list(found.get(key, ())) for key in missing}
        return {key: self._held[key] for key in keys if self._held[key]}

    def held(self, key: str) -> list[Found] | None:
        """Return the list that is kept under a key, to be changed as the ledger is; None without any."""
        return self._held.get(key)

    def every(self) -> Iterable[list[Found]]:
        """Return every list that is kept."""
        return self._held.values()

    def forget(self) -> None:
        """Read again what is asked for from now on."""
        self._held.clear()


class ForeseenForms:
    """The forms that may be used by texts with these words, one a line, read when they are asked for."""

    def __init__(self, words: str, read: Callable[[str], Awaitable[list[NamedForm]]]) -> None:
        self._words = words
        self._read = read
        self._held: list[NamedForm] | None = None

    async def all(self) -> list[NamedForm]:
        """Return the forms; of two meanings of one, the one that began later comes last."""
        if self._held is None:
            self._held = await self._read(self._words)
        return self._held

    def forget(self) -> None:
        """Read the forms again when somebody asks for them."""
        self._held = None


@dataclass(slots=True)
class LookupCache:
    """What was read of one project; `numbers` are those of the artifacts to come, the last one first."""

    own: CachedLookup[Entity]
    by_key: CachedLookup[KeyedEntity]
    by_source: CachedLookup[KeyedEntity]
    by_name: CachedLookup[KeyedEntity]
    by_alias: CachedLookup[KeyedEntity]
    waiting: CachedLookup[tuple[datetime, PendingReferenceRow]]
    aliases: CachedLookup[Alias]
    forms: ForeseenForms
    numbers: list[int]
    types: list[RecordedType] | None = None
    arrived: set[UUID] = field(default_factory=set)
    joined: set[Edge] = field(default_factory=set)
    superseded: set[UUID] = field(default_factory=set)

    def note_entity(self, entity: Entity, source_uri: str | None, names: Iterable[str]) -> None:
        """Know of a document that was filed just now under a key nobody had, and of its names."""
        assert entity.key is not None
        self.arrived.add(entity.id)
        keyed = KeyedEntity(
            entity.id, entity.key, bare_key(entity.key), True, entity.created_at, entity.source_artifact
        )
        _put(self.own.held(entity.key), entity)
        for key in {keyed.key, keyed.bare_key}:
            _put(self.by_key.held(key), keyed)
        for name in set(names):
            _put(self.by_name.held(name), keyed)
        self._note_source(keyed, source_uri)

    def note_version(self, entity: Entity, source_uri: str | None) -> None:
        """Know of another version of a document: it may come from elsewhere, and be called something else."""
        assert entity.key is not None
        keyed = KeyedEntity(
            entity.id, entity.key, bare_key(entity.key), True, entity.created_at, entity.source_artifact
        )
        self._note_source(keyed, source_uri)
        self.by_name.forget()

    def _note_source(self, keyed: KeyedEntity, source_uri: str | None) -> None:
        if source_uri is not None and (held := self.by_source.held(source_uri)) is not None:
            held[:] = [keyed]

    def note_alias(self) -> None:
        """Know that some alias is another one now."""
        self.aliases.forget()
        self.by_alias.forget()
        self.forms.forget()

    def note_waiting(self, pending: PendingReferenceRow, recorded_at: datetime) -> None:
        """Know of a reference that waits; the same one waits once."""
        held = self.waiting.held(pending.target_key)
        if held is not None and not any(_are_same(pending, each) for _, each in held):
            held.append((recorded_at, pending))

    def note_joined(self, ids: Collection[UUID]) -> None:
        """Know that references wait no longer."""
        for held in self.waiting.every():
            held[:] = [each for each in held if each[1].id not in ids]

    def note_restated(self, source: UUID) -> None:
        """Know that what an entity referred to waits no longer."""
        for held in self.waiting.every():
            held[:] = [each for each in held if each[1].source != source]

    def note_edge(self, edge: Edge) -> None:
        """Know of a reference that this write made."""
        self.joined.add(edge)
        if edge[2] is ReferenceType.SUPERSEDES:
            self.superseded.add(edge[1])

    def is_unjoined(self, edge: Edge) -> bool:
        """Return whether an edge is certainly not there: an end is new, and this write made no such edge."""
        return edge not in self.joined and bool({edge[0], edge[1]} & self.arrived)

    def is_unsuperseded(self, entity: UUID) -> bool:
        """Return whether certainly nothing supersedes an entity: it is new, and not superseded here."""
        return entity in self.arrived and entity not in self.superseded


def _put(held: list[Found] | None, found: Found) -> None:
    if held is not None:
        held.append(found)


def _are_same(one: PendingReferenceRow, other: PendingReferenceRow) -> bool:
    return (one.source, one.type, one.inverted) == (other.source, other.type, other.inverted)
