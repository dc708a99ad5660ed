"""Documents in the styles that teams write, each read as it was meant: filed once, by a real import."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from app.domain.identifier import identifier_key
from app.domain.numbers import TenantNumber
from app.domain.temporal import AsOf
from app.embedding import Embedder
from app.services.importing import ImportRequest, ImportService
from app.services.recall.annotation import annotate
from app.services.recall.annotation_inputs import load_standings
from app.stores.postgres.scope import Scope
from tests.conftest import Server, new_memory

PROJECT = "styles"
ROWS = [
    json.loads(line)
    for line in (Path(__file__).parent / "styles.jsonl").read_text(encoding="utf-8").splitlines()
]
CASES = [(row["id"], what) for row in ROWS for what in row["expect"]]


@dataclass(frozen=True)
class Filed:
    """What the ledger holds of each file, by its path."""

    artifacts: dict[str, Any]
    flags: dict[str, str | None]
    edges: dict[str, set[tuple[str, str, int]]]


@pytest.fixture(scope="module")
async def filed(
    server: Server, embedder: Embedder, tenant: TenantNumber, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[Filed]:
    folder = tmp_path_factory.mktemp("styles") / "docs"
    for row in ROWS:
        path = folder / row["path"]
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(row["text"], encoding="utf-8")
    async with new_memory(server, embedder, tenant) as memory:
        service = ImportService(memory.database, memory.filing, 8)
        summary = await service.run(memory.caller, ImportRequest((folder,), PROJECT))
        assert (summary.filed, summary.refused) == (len(ROWS), [])
        async with memory.database.reading(tenant) as connection:
            artifacts = await connection.fetch("SELECT * FROM artifact")
            keys = dict(await connection.fetch("SELECT id, key FROM entity"))
            held = await connection.fetch("SELECT * FROM reference WHERE retracted_at IS NULL")
            clock = await connection.fetchval("SELECT max(recorded_at) FROM artifact")
        numbers = [row["number"] for row in artifacts]
        scope = Scope(tenant, tuple({row["project_id"] for row in artifacts}), AsOf(clock, clock))
        standings = await load_standings(memory.database, scope, numbers, [])
        edges: dict[str, set[tuple[str, str, int]]] = {}
        for row in artifacts:
            found = edges.setdefault(row["source_uri"], set())
            for edge in held:
                for own, other, way in (("source", "target", "OUT"), ("target", "source", "IN")):
                    word, _, number = keys[edge[other]].partition("-")
                    stated = edge["source_artifact"] == row["id"]
                    if edge[own] == row["entity"] and stated and word == "adr" and number.isdigit():
                        found.add((edge["type"], way, int(number)))
        yield Filed(
            {row["source_uri"]: row for row in artifacts},
            {
                row["source_uri"]: annotate(standings.by_artifact[row["number"]], prefer_wip=True).flag
                for row in artifacts
            },
            edges,
        )


@pytest.mark.parametrize(("name", "what"), CASES, ids=[f"{name}-{what}" for name, what in CASES])
def test_a_document_is_read_as_it_was_meant(filed: Filed, name: str, what: str) -> None:
    row = next(row for row in ROWS if row["id"] == name)
    expected, artifact = row["expect"][what], filed.artifacts[row["path"]]
    if what == "flag":
        assert filed.flags[row["path"]] in expected
    elif what == "date":
        assert artifact["created_at"].date().isoformat() == expected
    elif what == "title_has":
        assert expected in artifact["title"]
    elif what == "identifier":
        assert artifact["identifier"] == expected
    elif what == "not_identifier":
        assert identifier_key(artifact["identifier"]) != identifier_key(expected)
    elif expected == "no SUPERSEDES":
        assert not any(kind == "SUPERSEDES" for kind, _, _ in filed.edges[row["path"]])
    else:
        assert filed.edges[row["path"]] == {(kind, way, number) for kind, way, number in expected}
