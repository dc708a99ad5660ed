"""Time filing and recall beside the encoder alone, interleaved in one run: `make bench`.

The documents are the shipped decision records, each section one document, repeated with another number
until there are enough; the queries are their headings. Prints one JSON object: milliseconds as p50 and
p95, and the ratios that survive a noisy machine.
"""

from __future__ import annotations

import asyncio
import json
import os
import platform
import sys
import tempfile
from collections.abc import Awaitable, Sequence
from pathlib import Path
from statistics import quantiles
from time import perf_counter

from app.domain.artifact import Document
from app.domain.recall import RecallRequest
from app.resources import shipped_folder
from app.services.memory import Memory, open_memory
from app.settings import Settings

QUERIES = 60
ROUNDS = 3


def sections() -> list[tuple[str, str]]:
    """Answer title and text of every section of the shipped decision records."""
    found = []
    for path in sorted(shipped_folder("decisions", "docs/decisions").glob("*.md")):
        for part in path.read_text(encoding="utf-8").split("\n## ")[1:]:
            heading, _, text = part.partition("\n")
            found.append((f"{path.stem[5:].replace('-', ' ')}: {heading.lower()}", text.strip()))
    return found


def documents(wanted: int) -> list[Document]:
    """Answer so many documents, distinct by their number."""
    source = sections()
    return [
        Document(
            kind="SPEC",
            identifier=f"SPEC-{number + 1}",
            title=source[number % len(source)][0],
            body=f"{source[number % len(source)][1]}\n\nCopy {number // len(source)}.",
        )
        for number in range(wanted)
    ]


async def timed(work: Awaitable[object]) -> float:
    """Answer how many milliseconds the work took."""
    started = perf_counter()
    await work
    return (perf_counter() - started) * 1000


def percentiles(milliseconds: Sequence[float]) -> dict[str, float]:
    """Answer the median and the 95th percentile."""
    cuts = quantiles(milliseconds, n=20)
    return {"p50": round(cuts[9], 2), "p95": round(cuts[18], 2)}


async def measure(memory: Memory, wanted: int) -> dict[str, object]:
    """File and ask, the encoder alone in turn with recall."""
    filing = [
        await timed(memory.filing.file(memory.caller, document, "bench")) for document in documents(wanted)
    ]
    rows: dict[str, list[float]] = {"encoder": [], "recall": [], "file_one": filing}
    for round_number in range(ROUNDS):
        for place, (title, _text) in enumerate(sections()[:QUERIES]):
            # Each text is new, or the cache of query embeddings would answer for the encoder.
            asked = [f"{title} {kind} {round_number} {place}" for kind in ("alone", "whole")]
            rows["encoder"].append(await timed(memory.embedder.embed_query(asked[0])))
            request = RecallRequest(asked[1], project="bench")
            rows["recall"].append(await timed(memory.recall.recall(memory.caller, request)))
    figures = {name: percentiles(found) for name, found in rows.items()}
    ratio = figures["recall"]["p50"] / figures["encoder"]["p50"]
    return {
        "documents": wanted,
        "rows": figures,
        "ratios": {"recall_over_encoder_p50": round(ratio, 2)},
        "machine": {"cores": os.cpu_count(), "platform": platform.platform()},
    }


async def main(wanted: int) -> None:
    """Measure in a home of its own and print the figures."""
    with tempfile.TemporaryDirectory(prefix="trigraph-bench-") as home:
        async with open_memory(Settings(home=Path(home))) as memory:
            sys.stdout.write(json.dumps(await measure(memory, wanted), indent=2) + "\n")


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1]) if len(sys.argv) > 1 else 500))
