"""How much of what a scan of all vectors finds the dense leg finds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from app.services.benchmarking.leg_rows import LegRows
from app.services.benchmarking.questions import AskedFor
from app.services.legs.dense import DenseLeg

NEAREST = 50


async def dense_recall(legs: LegRows, questions: Sequence[AskedFor], advance: Callable[[], None]) -> float:
    """Answer the share of the 50 nearest artifacts that the leg proposes among its first 50."""
    leg = DenseLeg(legs.memory.embedder)
    shares = []
    for asked in questions:
        question = await legs.question(asked)
        exact = replace(question, scope=replace(question.scope, may_approximate=False))
        found, nearest = [
            {each.artifact for each in (await leg.candidates(legs.memory.database, way)).candidates[:NEAREST]}
            for way in (question, exact)
        ]
        shares.append(len(found & nearest) / len(nearest))
        advance()
    return round(sum(shares) / len(shares), 4)
