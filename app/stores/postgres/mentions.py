"""Mentions: which artifacts mention which entities, and by which form of their name."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

import asyncpg

from app.domain.numbers import ArtifactNumber, ProjectNumber, TenantNumber
from app.stores.named_blocks import sql_blocks
from app.stores.postgres.write_buffer import RowTarget, Table, insert_row, one_by_one

SQL = sql_blocks(__file__)

_INSERT_MENTIONS = one_by_one(Table.MENTION, SQL["insert_mentions"])


@dataclass(frozen=True, slots=True)
class NamedForm:
    """A form that means an entity."""

    entity: UUID
    form: str
    folded_form: str


@dataclass(frozen=True, slots=True)
class Mention:
    """One entity mentioned by one artifact in one form, with the number of times."""

    artifact: UUID
    entity: UUID
    form: NamedForm
    occurrences: int


async def insert_mentions(
    target: RowTarget, tenant: TenantNumber, mentions: Sequence[Mention], recorded_at: datetime
) -> None:
    """Record mentions; existing ones stay."""
    if mentions:
        await insert_row(
            target,
            _INSERT_MENTIONS,
            tenant=tenant,
            artifacts=[mention.artifact for mention in mentions],
            entities=[mention.entity for mention in mentions],
            folded_forms=[mention.form.folded_form for mention in mentions],
            surface_forms=[mention.form.form for mention in mentions],
            occurrences=[mention.occurrences for mention in mentions],
            recorded_at=recorded_at,
        )


async def mentions_of(
    connection: asyncpg.Connection,
    tenant: TenantNumber,
    artifacts: Sequence[ArtifactNumber],
    entities: Sequence[UUID],
    known_at: datetime,
) -> list[tuple[ArtifactNumber, NamedForm]]:
    """Return which of these artifacts mention which of these entities at a moment, and by which form."""
    rows = await connection.fetch(SQL["mentions_of"], tenant, list(artifacts), list(entities), known_at)
    return [
        (row["number"], NamedForm(row["entity"], row["surface_form"], row["folded_form"])) for row in rows
    ]


async def forms_to_look_for(
    connection: asyncpg.Connection, tenant: TenantNumber, project: ProjectNumber, words: str
) -> list[NamedForm]:
    """Return the aliases of a project, and its things' names, old and new, that start with these words.

    The words are sent as one text, one per line: the driver checks every element of an array.
    """
    rows = await connection.fetch(SQL["forms_to_look_for"], tenant, project, words)
    return [NamedForm(row["entity"], row["form"], row["folded_form"]) for row in rows]
