"""What teams say that their own status words mean, and which statuses their projects have."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

import asyncpg

from app.domain.numbers import ProjectNumber, TenantNumber
from app.domain.recall import StateFlag
from app.domain.status_words import TeamWords
from app.stores.named_blocks import Statement, sql_blocks

SQL = sql_blocks(__file__)
MAX_STATUSES = 1_000
"""A list has the commonest statuses; few projects have more than twenty."""

_INSERT_WORD = Statement.read(SQL["insert_word"])


@dataclass(frozen=True, slots=True)
class StatusCount:
    """A status as the entities of a project have it now, and how many do."""

    project: ProjectNumber
    status: str
    entities: int


def team_words(words: Mapping[str, str] | None) -> TeamWords:
    """Return the words that a statement aggregated, None if there are none."""
    return () if words is None else tuple(sorted((each, StateFlag(flag)) for each, flag in words.items()))


async def words_of_projects(
    connection: asyncpg.Connection, tenant: TenantNumber, projects: Sequence[ProjectNumber]
) -> dict[ProjectNumber, TeamWords]:
    """Return what the words of these projects mean now, by project."""
    found: defaultdict[ProjectNumber, dict[str, str]] = defaultdict(dict)
    for row in await connection.fetch(SQL["words_of_projects"], tenant, list(projects)):
        found[row["project_id"]][row["phrase"]] = row["flag"]
    return {project: team_words(words) for project, words in found.items()}


async def words_of_entity(connection: asyncpg.Connection, tenant: TenantNumber, entity: UUID) -> TeamWords:
    """Return what the words of an entity's project mean now."""
    return team_words(await connection.fetchval(SQL["words_of_entity"], tenant, entity))


async def insert_word(
    connection: asyncpg.Connection,
    tenant: TenantNumber,
    project: ProjectNumber,
    word: tuple[str, StateFlag],
    recorded_at: datetime,
    actor: str,
) -> None:
    """Record what a phrase of a project means from now on."""
    phrase, flag = word
    row = _INSERT_WORD.arguments(
        tenant=tenant, project=project, phrase=phrase, flag=flag, recorded_at=recorded_at, actor=actor
    )
    await connection.execute(_INSERT_WORD.text, *row)


async def close_word(
    connection: asyncpg.Connection,
    tenant: TenantNumber,
    project: ProjectNumber,
    phrase: str,
    closed_at: datetime,
) -> None:
    """Close what a phrase of a project meant until now."""
    await connection.execute(SQL["close_word"], tenant, project, phrase, closed_at)


async def statuses_met(
    connection: asyncpg.Connection, tenant: TenantNumber, projects: Sequence[ProjectNumber], now: datetime
) -> list[StatusCount]:
    """Return the statuses that the entities of these projects have at an instant, the commonest first."""
    rows = await connection.fetch(SQL["statuses_met"], tenant, list(projects), now, MAX_STATUSES)
    return [StatusCount(row["project_id"], row["status"], row["entities"]) for row in rows]


async def superseding_statuses(
    connection: asyncpg.Connection, tenant: TenantNumber, project: ProjectNumber
) -> dict[UUID, list[str]]:
    """Return the statuses, at any time, of the entities of a project in a supersession, by entity."""
    found: defaultdict[UUID, list[str]] = defaultdict(list)
    for row in await connection.fetch(SQL["superseding_statuses"], tenant, project):
        found[row["entity"]].append(row["status"])
    return dict(found)
