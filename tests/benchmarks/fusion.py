"""Try weights of fusion on judged questions: `python -m tests.benchmarks.fusion DIR`.

Asks the ledger that the settings name, which must hold the documents of DIR, and prints nDCG@10 as JSON.
On questions without an anchor: each leg alone, dense and lexical leg fused with several constants, and all
fused with shared mentions and recency at several weights. On questions that name something beyond doubt:
fused with typed references at several weights.
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from app.domain.numbers import ArtifactNumber
from app.domain.recall import LegName, Ranking, RecallRequest
from app.evaluation.judgements import Judged, read_judged
from app.evaluation.scoring import ndcg
from app.services.container import Memory, open_memory
from app.services.recall import CANDIDATES_PER_LEG
from app.services.recall.fusion import fuse
from app.settings import read_settings
from app.stores.postgres import artifacts

CONSTANTS = (0, 1, 2, 3, 5, 10, 20, 60)
MENTION_WEIGHTS = (0.0, 0.02, 0.1, 0.5, 1.0)
RECENCY_BOUNDS = (0.0, 0.02, 0.1)
REFERENCE_WEIGHTS = (0.5, 1.0, 2.0, 4.0)


@dataclass(frozen=True, slots=True)
class Asked:
    """A judged question, what the legs proposed, and the identifier of each artifact."""

    judged: Judged
    rankings: tuple[Ranking, ...]
    identifiers: dict[ArtifactNumber, str | None]
    names_something: bool

    def score(self, numbers: Sequence[ArtifactNumber]) -> float:
        """Return nDCG@10 of an order."""
        found = dict.fromkeys(self.identifiers[number] for number in numbers)
        kept = [document for document in found if document and document not in self.judged.excluded]
        return ndcg(kept, self.judged.relevance)


async def ask(memory: Memory, judged: Judged) -> Asked:
    """Return what the legs propose for a question."""
    request = RecallRequest(judged.text, as_of=judged.as_of, first=CANDIDATES_PER_LEG)
    result = await memory.recall.recall(memory.caller, request)
    numbers = {candidate.artifact for ranking in result.legs for candidate in ranking.candidates}
    async with memory.database.reading(memory.caller.tenant) as connection:
        named = await artifacts.identifiers_of(connection, memory.caller.tenant, list(numbers))
    return Asked(judged, result.legs, named, any(anchor.exact for anchor in result.anchors))


def alone(leg: LegName) -> Callable[[Asked], float]:
    """Score a leg by itself."""
    return lambda asked: asked.score(
        [
            candidate.artifact
            for ranking in asked.rankings
            if ranking.leg is leg
            for candidate in ranking.candidates
        ]
    )


def two_legs(constant: float) -> Callable[[Asked], float]:
    """Score the sum of dense and lexical leg with this constant."""

    def scored(asked: Asked) -> float:
        legs = [ranking for ranking in asked.rankings if ranking.leg in (LegName.DENSE, LegName.LEXICAL)]
        return asked.score(fuse(legs, constant=constant).order)

    return scored


def fused(graph_weight: float, recency_bound: float = 0.0) -> Callable[[Asked], float]:
    """Score the sum with this weight for the graph leg."""

    def scored(asked: Asked) -> float:
        weighed = [
            replace(ranking, weight=graph_weight if ranking.leg is LegName.GRAPH else 1.0)
            for ranking in asked.rankings
        ]
        return asked.score(fuse(weighed, recency_bound=recency_bound).order)

    return scored


def table(asked: Sequence[Asked]) -> dict[str, object]:
    """Return the means of every try."""

    def mean(score: Callable[[Asked], float], those: Sequence[Asked]) -> float:
        return round(sum(map(score, those)) / max(len(those), 1), 4)

    prose = [one for one in asked if not one.names_something]
    named = [one for one in asked if one.names_something]
    return {
        "questions": {"prose": len(prose), "naming": len(named)},
        "prose, each leg": {leg: mean(alone(leg), prose) for leg in (LegName.DENSE, LegName.LEXICAL)},
        "prose, constant": {f"{constant:g}": mean(two_legs(constant), prose) for constant in CONSTANTS},
        "prose, shared mentions and recency": {
            f"{weight:g}": {f"{bound:g}": mean(fused(weight, bound), prose) for bound in RECENCY_BOUNDS}
            for weight in MENTION_WEIGHTS
        },
        "naming, typed references": {
            f"{weight:g}": mean(fused(weight), named) for weight in REFERENCE_WEIGHTS
        },
    }


async def main(folder: Path) -> None:
    """Ask every question once and print the table."""
    async with open_memory(read_settings()) as memory:
        judged = [question for question in read_judged(folder) if question.relevance]
        asked = [await ask(memory, question) for question in judged]
    sys.stdout.write(json.dumps(table(asked), indent=2) + "\n")


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1])))
