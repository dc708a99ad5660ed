"""What a git history costs: `python -m tests.benchmarks.git_history DIR [DOCUMENTS]`.

Makes a repository of the documents of DIR and their revisions, a commit for each text, and imports it into an
empty project of the ledger that the settings name, and once more after that. Prints as JSON how many
documents and editions there are, their passages, how many of those were embedded, and the seconds.
"""

from __future__ import annotations

import asyncio
import gzip
import json
import lzma
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from time import perf_counter
from typing import Any

from app.embedding import Embedder, Vectors
from app.services.container import Memory, open_memory
from app.services.importing import ImportRequest
from app.settings import read_settings


@dataclass
class CountingEmbedder:
    """An encoder that counts the passages it embeds."""

    embedder: Embedder
    passages: int = 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self.embedder, name)

    async def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """Return the vectors of some texts, and count these."""
        self.passages += len(texts)
        return await self.embedder.embed_passages(texts)


def editions(folder: Path, most: int) -> Iterator[tuple[datetime, str, str]]:
    """Yield the moment, the path and the text of each edition of the documents with the most revisions."""
    with lzma.open(folder / "revisions.jsonl.xz", "rt", encoding="utf-8") as lines:
        revisions = [json.loads(line) for line in lines]
    with gzip.open(folder / "docs.jsonl.gz", "rt", encoding="utf-8") as lines:
        documents = {row["id"]: row for row in map(json.loads, lines)}
    counts = {id: sum(row["id"] == id for row in revisions) for id in documents}
    chosen = sorted(documents, key=lambda id: (-counts[id], id))[:most]
    for id in chosen:
        own = sorted((row for row in revisions if row["id"] == id), key=lambda row: row["valid_from"])
        for row in own:
            yield _moment(row["valid_from"]), f"{id}.md", _text(row, row["status"])
        present = documents[id]
        moment = present["meta"].get("updated_at") or present["created_at"]
        last = [_moment(row["valid_from"]) for row in own]
        yield max([_moment(moment), *last]), f"{id}.md", _text(present, present["meta"].get("status"))


def _moment(text: str) -> datetime:
    return datetime.fromisoformat(text if "T" in text else f"{text}T00:00:00+00:00")


def _text(row: dict[str, Any], status: str | None) -> str:
    return f"---\nid: {row['id']}\ntitle: {json.dumps(row['title'])}\nstatus: {status}\n---\n{row['body']}"


def make_repository(folder: Path, texts: Sequence[tuple[datetime, str, str]]) -> None:
    """Make a repository with a commit for each text, in order of time."""
    subprocess.run(["git", "init", "--quiet", "--initial-branch=main", str(folder)], check=True)
    stream = bytearray()
    for moment, path, text in sorted(texts, key=lambda each: each[0]):
        data, at = text.encode(), int(moment.timestamp())
        stream += f"commit refs/heads/main\ncommitter a <a@example.org> {at} +0000\ndata 0\n".encode()
        stream += f"M 644 inline {path}\ndata {len(data)}\n".encode() + data + b"\n"
    subprocess.run(["git", "-C", str(folder), "fast-import", "--quiet"], input=bytes(stream), check=True)


async def measure(memory: Memory, folder: Path, project: str) -> dict[str, object]:
    """Import a repository, and return the counts and the seconds."""
    counting = CountingEmbedder(memory.embedder)
    measured = replace(memory, embedder=counting)
    begun = perf_counter()
    summary = await measured.imports.run(measured.caller, ImportRequest(project=project, repository=folder))
    seconds = perf_counter() - begun
    return {
        "filed": summary.filed,
        "refused": summary.refused_count,
        "states": summary.states_recorded,
        "passages embedded": counting.passages,
        "seconds": round(seconds, 1),
    }


async def main(folder: Path, most: int) -> None:
    """Measure the first import of a history and one that finds nothing new."""
    texts = list(editions(folder, most))
    with tempfile.TemporaryDirectory(prefix="trigraph-history-") as place:
        make_repository(Path(place), texts)
        async with open_memory(read_settings()) as memory:
            project = f"history-{Path(place).name}"
            first = await measure(memory, Path(place), project)
            again = await measure(memory, Path(place), project)
            async with memory.database.reading(memory.caller.tenant) as connection:
                stored = await connection.fetchrow(
                    "SELECT count(DISTINCT artifact_number) AS editions, count(*) AS passages FROM passage"
                    " JOIN artifact ON artifact.number = artifact_number JOIN project USING (project_id)"
                    " WHERE project.key = $1",
                    project,
                )
    report = {
        "documents": len({path for _, path, _ in texts}),
        **dict(stored),
        "first": first,
        "again": again,
    }
    sys.stdout.write(json.dumps(report, indent=2) + "\n")


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 10_000))
