"""Many loads of one turn as one statement: by key, or by entity and question."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Awaitable, Callable, Hashable, Mapping, Sequence
from typing import Generic, NamedTuple, TypeVar
from uuid import UUID

import asyncpg
from strawberry.dataloader import DataLoader

from app.stores.postgres.pool import Database

Key = TypeVar("Key", bound=Hashable)
Question = TypeVar("Question", bound=Hashable)
Value = TypeVar("Value")

ReadByKey = Callable[[asyncpg.Connection, int, list[Key]], Awaitable[Mapping[Key, Value]]]
ReadAboutEntities = Callable[[asyncpg.Connection, int, list[UUID], Question], Awaitable[Mapping[UUID, Value]]]


class Asked(NamedTuple, Generic[Question]):
    """A question about an entity; entities with equal questions are read together."""

    entity: UUID
    question: Question


def by_question(keys: Sequence[Asked[Question]]) -> dict[Question, list[UUID]]:
    """Answer the entities of a turn by what is asked of them."""
    entities: dict[Question, list[UUID]] = defaultdict(list)
    for key in keys:
        entities[key.question].append(key.entity)
    return entities


def by_key(
    database: Database, tenant: int, read: ReadByKey[Key, Value], absent: Callable[[], Value]
) -> DataLoader[Key, Value]:
    """Answer a loader that reads all the keys of a turn together, as the tenant."""

    async def load(keys: list[Key]) -> list[Value | BaseException]:
        async with database.reading(tenant) as connection:
            found = await read(connection, tenant, keys)
        return [found[key] if key in found else absent() for key in keys]

    return DataLoader(load_fn=load)


def about_entities(
    database: Database, tenant: int, read: ReadAboutEntities[Question, Value], absent: Callable[[], Value]
) -> DataLoader[Asked[Question], Value]:
    """Answer a loader that reads the entities of a turn together for each question, as the tenant."""

    async def load(keys: list[Asked[Question]]) -> list[Value | BaseException]:
        async with database.reading(tenant) as connection:
            found = {
                question: await read(connection, tenant, asked, question)
                for question, asked in by_question(keys).items()
            }
        return [
            found[key.question][key.entity] if key.entity in found[key.question] else absent() for key in keys
        ]

    return DataLoader(load_fn=load)
