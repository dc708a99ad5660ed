"""Time `trigraph check`: `python -m tests.benchmarks.checking [RECORDS]`, 300 unless it says otherwise.

Writes so many decision records of 400 words that refer to each other, checks them as the command does, in a
process of its own, and prints JSON: seconds by the clock, the best and the middle of five, and the findings.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from random import Random
from statistics import median
from time import perf_counter

RECORDS = 300
REPEATS = 5
WORDS = 400
SEED = 7


def write_records(folder: Path, count: int) -> None:
    """Write records of which each names two earlier ones, and every tenth supersedes one."""
    random = Random(SEED)
    words = [f"word{number}" for number in range(2_000)]
    for number in range(1, count + 1):
        earlier = [random.randint(1, number) for _ in range(2)]
        prose = " ".join(random.choices(words, k=WORDS))
        replaced = f"## Supersedes\n\n- ADR-{number - 5}\n\n" if number % 10 == 0 else ""
        (folder / f"{number:04}-record.md").write_text(
            f"---\nstatus: accepted\ndate: 2026-01-10\ndeciders: [Ada, Grace]\n---\n# Record {number}\n\n"
            f"## Context\n\n{prose}\n\n## Decision\n\n"
            f"As ADR-{earlier[0]} and [this](000{earlier[1]}-x.md).\n\n"
            f"{replaced}## Consequences\n\n- good\n- bad\n"
        )


def main() -> None:
    """Print the times."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else RECORDS
    with tempfile.TemporaryDirectory(prefix="trigraph-check-") as name:
        folder = Path(name) / "adr"
        folder.mkdir()
        write_records(folder, count)
        times = []
        for _ in range(REPEATS):
            started = perf_counter()
            done = subprocess.run(
                [sys.executable, "-m", "app", "check", str(folder), "--json"], capture_output=True, check=True
            )
            times.append(perf_counter() - started)
    report = json.loads(done.stdout)
    result = {
        "records": report["records"],
        "findings": len(report["findings"]),
        "best_s": round(min(times), 2),
        "median_s": round(median(times), 2),
    }
    sys.stdout.write(f"{json.dumps(result)}\n")


if __name__ == "__main__":
    main()
