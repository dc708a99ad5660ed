"""Questions about an entity, and loaders that read many of them together."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Awaitable, Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, NamedTuple, TypeVar
from uuid import UUID

import asyncpg
from strawberry.dataloader import DataLoader

from app.domain.entity import Direction, ReferenceType
from app.domain.numbers import TenantNumber
from app.domain.page import PageRequest, require_size
from app.errors import Invalid
from app.stores.postgres.ledger_clock import RequestedMoment
from app.stores.postgres.pool import Database

MAX_WALK_DEPTH = 3


@dataclass(frozen=True, slots=True)
class StateQuestion:
    """Asks which state holds."""

    moment: RequestedMoment
    prefer_wip: bool = False


@dataclass(frozen=True, slots=True)
class HistoryQuestion:
    """Asks for all states, or all documents, up to an instant if one is given."""

    moment: RequestedMoment
    page: PageRequest


@dataclass(frozen=True, slots=True)
class ReferenceQuestion:
    """Asks which references hold, in a direction and of a type."""

    direction: Direction
    type: ReferenceType | None
    moment: RequestedMoment
    page: PageRequest


@dataclass(frozen=True, slots=True)
class NeighbourQuestion:
    """Asks for the nearest `first` entities within a number of references.

    Raises Invalid for a depth or a number out of bounds.
    """

    depth: int
    moment: RequestedMoment
    first: int

    def __post_init__(self) -> None:
        require_size(self.first)
        if not 1 <= self.depth <= MAX_WALK_DEPTH:
            raise Invalid(f"depth must be from 1 to {MAX_WALK_DEPTH}, not {self.depth}", field="depth")


@dataclass(frozen=True, slots=True)
class SimilarQuestion:
    """Asks for the most similar entities, `first` of them; raises Invalid for a number out of bounds."""

    moment: RequestedMoment
    first: int

    def __post_init__(self) -> None:
        require_size(self.first)


Key = TypeVar("Key", bound=Hashable)
Question = TypeVar("Question", bound=Hashable)
Value = TypeVar("Value")

ReadByKey = Callable[[asyncpg.Connection, TenantNumber, list[Key]], Awaitable[Mapping[Key, Value]]]
ReadAboutEntities = Callable[
    [asyncpg.Connection, TenantNumber, list[UUID], Question], Awaitable[Mapping[UUID, Value]]
]


class BatchedKey(NamedTuple, Generic[Question]):
    """An entity and a question about it; entities with equal questions are read together."""

    entity: UUID
    question: Question


def by_question(keys: Sequence[BatchedKey[Question]]) -> dict[Question, list[UUID]]:
    """Return the entities of a turn, grouped by question."""
    entities: dict[Question, list[UUID]] = defaultdict(list)
    for key in keys:
        entities[key.question].append(key.entity)
    return entities


class IndependentLoader(DataLoader[Key, Value]):
    """A loader that many may ask for one key: one who is cancelled takes the answer from nobody else."""

    def load(self, key: Key) -> Awaitable[Value]:
        """Return the value of a key; reading it goes on when who asks is cancelled."""
        reading = asyncio.shield(super().load(key))
        reading.add_done_callback(_hear)
        return reading


def _hear(reading: asyncio.Future[Value]) -> None:
    """Take note of a failure that nobody waits for any more, which the event loop would log."""
    if not reading.cancelled():
        reading.exception()


def by_key(
    database: Database, tenant: TenantNumber, read: ReadByKey[Key, Value], absent: Callable[[], Value]
) -> DataLoader[Key, Value]:
    """Return a loader that reads all the keys of a turn together, as the tenant."""

    async def load(keys: list[Key]) -> list[Value | BaseException]:
        async with database.reading(tenant) as connection:
            found = await read(connection, tenant, keys)
        return [found[key] if key in found else absent() for key in keys]

    return IndependentLoader(load_fn=load)


def about_entities(
    database: Database,
    tenant: TenantNumber,
    read: ReadAboutEntities[Question, Value],
    absent: Callable[[], Value],
) -> DataLoader[BatchedKey[Question], Value]:
    """Return a loader that reads the entities of a turn together for each question, as the tenant."""

    async def load(keys: list[BatchedKey[Question]]) -> list[Value | BaseException]:
        async with database.reading(tenant) as connection:
            found = {
                question: await read(connection, tenant, asked, question)
                for question, asked in by_question(keys).items()
            }
        return [
            found[key.question][key.entity] if key.entity in found[key.question] else absent() for key in keys
        ]

    return IndependentLoader(load_fn=load)
