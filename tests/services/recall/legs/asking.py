"""Asking one leg alone."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from datetime import UTC, datetime
from uuid import UUID

import numpy as np

from app.domain.recall import Candidate
from app.domain.temporal import AsOf
from app.embedding import Vector
from app.services.analysis import query_terms
from app.services.recall.legs.base import Leg, Question
from app.stores.postgres import ledger_clock
from app.stores.postgres.scope import Scope
from tests.documents import ProjectFixture


async def scope_of(
    desk: ProjectFixture, valid: datetime | None = None, known: datetime | None = None
) -> Scope:
    """Return the desk's project at a moment, now unless said."""
    async with desk.reading() as connection:
        extent = await ledger_clock.read_extent(connection, desk.tenant, desk.project)
    moment = AsOf(valid or datetime.now(UTC), known or extent.clock)
    return Scope(desk.tenant, extent.projects, moment, sees_everything=extent.lies_before(moment))


async def propose(
    desk: ProjectFixture,
    leg: Leg,
    query: str = "",
    *,
    scope: Scope | None = None,
    anchors: Sequence[UUID] = (),
    limit: int = 100,
) -> list[Candidate]:
    """Return what a leg proposes for a query."""
    vector: asyncio.Future[Vector] = asyncio.get_running_loop().create_future()
    vector.set_result(
        await desk.memory.embedder.embed_query(query) if query else np.zeros(384, dtype=np.float32)
    )
    question = Question(
        scope=scope or await scope_of(desk),
        limit=limit,
        terms=tuple(query_terms(query)),
        vector=vector,
        anchors=tuple(anchors),
    )
    return list((await leg.candidates(desk.memory.database, question)).candidates)
