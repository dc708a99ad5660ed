"""Read the hits of a recall: artifacts, best passages and the standing of their entities."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

import asyncpg
import numpy as np
from numpy.typing import NDArray
from pgvector import HalfVector

from app.domain.artifact import Artifact, Passage
from app.domain.numbers import ArtifactNumber, TenantNumber
from app.domain.status_words import NO_TEAM_WORDS, TeamWords
from app.domain.temporal import Branch, EntityState
from app.stores.named_blocks import sql_blocks
from app.stores.postgres.artifacts import artifact_from, is_readable, passage_from
from app.stores.postgres.scope import Scope
from app.stores.postgres.states import state_from
from app.stores.postgres.status_words import team_words

SQL = sql_blocks(__file__)

SHORT_PASSAGE_TOKENS = 24
SHORT_PASSAGE_HANDICAP = 0.15


async def read_hits(
    connection: asyncpg.Connection,
    tenant: TenantNumber,
    numbers: Sequence[ArtifactNumber],
    vector: NDArray[np.float32] | None,
) -> dict[ArtifactNumber, tuple[Artifact, Passage]]:
    """Return these artifacts by number, each with the passage nearest to a vector; prefer long passages.

    Those without a passage, or with a value that this version does not know, are left out.
    Without a vector the first passage is returned, and no vector is read.
    """
    if vector is None:
        rows = await connection.fetch(SQL["hits_from_the_start"], tenant, list(numbers))
    else:
        rows = await connection.fetch(
            SQL["hits_by_vector"],
            tenant,
            list(numbers),
            HalfVector(vector),
            SHORT_PASSAGE_HANDICAP,
            SHORT_PASSAGE_TOKENS,
        )
    return {row["number"]: (artifact_from(row), passage_from(row)) for row in rows if is_readable(row)}


@dataclass(frozen=True, slots=True)
class EntityStanding:
    """One entity at a moment, with the numbers of its requested artifacts and of its newest one.

    `awaited_successor` is what its document says superseded it, while that is not filed, and `team` are the
    status words of its project. `in_part` are the properties of what supersedes a part of it, the latest
    first.
    """

    entity: UUID
    artifacts: tuple[ArtifactNumber, ...]
    newest: ArtifactNumber | None
    awaited_successor: str | None = None
    team: TeamWords = NO_TEAM_WORDS
    in_part: tuple[dict[str, Any], ...] = ()
    states: dict[Branch, EntityState] = field(default_factory=dict)


async def standings_as_of(
    connection: asyncpg.Connection,
    scope: Scope,
    artifacts: Sequence[ArtifactNumber],
    entities: Sequence[UUID] = (),
) -> dict[UUID, EntityStanding]:
    """Return the standing of artifacts' entities, and of entities, and of all that supersede them."""
    asked = (list(artifacts), scope.moment.valid, scope.moment.known, list(scope.absent), list(entities))
    rows = await connection.fetch(SQL["standings_as_of"], scope.tenant, *asked)
    found: dict[UUID, EntityStanding] = {}
    for row in rows:
        entity = row["entity"]
        if entity not in found:
            found[entity] = EntityStanding(
                entity,
                tuple(row["numbers"] or ()),
                row["newest"],
                row["awaited_successor"],
                team_words(row["team_words"]),
                tuple(row["successors"] or ()),
            )
        if row["id"] is not None:
            found[entity].states[Branch(row["branch"])] = state_from(row)
    return found
