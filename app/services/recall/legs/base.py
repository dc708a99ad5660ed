"""The interface of a leg, one way of finding artifacts, and running it with a deadline."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable
from dataclasses import dataclass
from time import perf_counter
from typing import Protocol
from uuid import UUID

from app.domain.recall import LegName, Proposal, Ranking
from app.embedding import Vector
from app.errors import TrigraphError
from app.stores.postgres.pool import Database
from app.stores.postgres.scope import Scope

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Question:
    """The input of every leg: the scope, the limit of candidates, and the content of the query.

    `vector` is awaited only by legs that need it, so that the others need not wait for the encoder.
    """

    scope: Scope
    limit: int
    terms: tuple[str, ...]
    vector: Awaitable[Vector]
    anchors: tuple[UUID, ...]


class Leg(Protocol):
    """One way of finding artifacts."""

    @property
    def name(self) -> LegName:
        """The name its candidates are fused under."""

    @property
    def weight(self) -> float:
        """How much its ranks count in fusion beside those of the other legs."""

    async def candidates(self, database: Database, question: Question) -> Proposal:
        """Return the artifacts it proposes, best first."""


async def rank(leg: Leg, database: Database, question: Question, deadline: float) -> Ranking:
    """Run a leg for at most `deadline` seconds; a late or failed leg proposes nothing and reports why."""
    started = perf_counter()
    problem = None
    proposal = Proposal()
    try:
        async with asyncio.timeout(deadline):
            proposal = await leg.candidates(database, question)
    except TimeoutError:
        problem = f"late: no result within {deadline:g} seconds"
    except TrigraphError as error:
        problem = error.message
    except Exception:
        log.exception("the %s leg failed", leg.name)
        problem = "failed; see the log for the reason"
    milliseconds = (perf_counter() - started) * 1000
    return Ranking(
        leg.name,
        tuple(proposal.candidates),
        leg.weight,
        milliseconds,
        served=proposal.served,
        problem=problem,
        approximate=proposal.approximate,
        born=proposal.born,
    )
