"""How well confidence tells answers from guesses: `python -m tests.benchmarks.confidence DIR FOREIGN`.

Asks the ledger that the settings name, which must hold the documents of DIR, the questions of DIR in prose
and those of FOREIGN, a folder about other subjects. Prints as JSON, for both, how many were doubted and the
cosines of the nearest passage at some percentiles.
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Sequence
from pathlib import Path

from app.domain.recall import LegName, RecallRequest, RecallResult
from app.evaluation.judgements import read_judged
from app.services.container import Memory, open_memory
from app.services.recall.confidence import LOW_CONFIDENCE
from app.settings import read_settings

PERCENTILES = (1, 5, 25, 50, 75, 95, 99)


async def ask_all(memory: Memory, folder: Path) -> list[RecallResult]:
    """Return the recalls of a folder's questions that name nothing here."""
    judged = read_judged(folder)
    asked = [await memory.recall.recall(memory.caller, RecallRequest(one.text)) for one in judged]
    return [result for result in asked if not result.anchors]


def summary(results: Sequence[RecallResult]) -> dict[str, object]:
    """Return how many were doubted, and the spread of the nearest cosine."""
    cosines = sorted(
        ranking.candidates[0].score
        for result in results
        for ranking in result.legs
        if ranking.leg is LegName.DENSE and ranking.candidates
    )
    doubted = sum(result.confidence is not None and result.confidence < LOW_CONFIDENCE for result in results)
    return {
        "questions": len(results),
        "doubted": round(doubted / max(len(results), 1), 4),
        "cosines": {f"p{p}": round(cosines[len(cosines) * p // 100], 3) for p in PERCENTILES}
        if cosines
        else {},
    }


async def main(folder: Path, foreign: Path) -> None:
    """Ask both sets once and print what came."""
    async with open_memory(read_settings()) as memory:
        report = {
            "answered here": summary(await ask_all(memory, folder)),
            "about something else": summary(await ask_all(memory, foreign)),
        }
    sys.stdout.write(json.dumps(report, indent=2) + "\n")


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]), Path(sys.argv[2])))
