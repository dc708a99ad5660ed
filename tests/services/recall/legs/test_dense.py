"""The dense leg against cosines computed here."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from app.domain.artifact import MemoryDomain
from app.domain.recall import StateFlag
from app.services.recall.legs.dense import DenseLeg
from app.stores.postgres.passage_vectors import PASSAGES_PER_ARTIFACT
from tests.documents import ProjectFixture, adr, day, identifiers
from tests.services.recall.legs.asking import propose, scope_of

TEXTS = [
    "Workers read one queue",
    "The bicycle shed is painted blue",
    "Clients keep a retry budget",
    "Backups are taken every night",
    "A request that fails is sent again, but not for ever",
]
QUERIES = ["how often may a client try again", "which colour", "restore a database", "queue"]


@pytest.mark.parametrize("query", QUERIES)
async def test_the_order_is_that_of_exact_cosine(desk: ProjectFixture, query: str) -> None:
    filed = [await desk.file(adr(n, text, text)) for n, text in enumerate(TEXTS)]
    async with desk.reading() as connection:
        rows = await connection.fetch(
            "SELECT artifact_number, vector FROM embedding WHERE artifact_number = ANY ($1)",
            [document.artifact.number for document in filed],
        )
    asked = await desk.memory.embedder.embed_query(query)
    cosines: dict[int, float] = {}
    for row in rows:
        vector = np.array(row["vector"].to_list(), dtype=np.float64)
        cosine = float(vector @ asked / np.linalg.norm(vector) / np.linalg.norm(asked))
        cosines[row["artifact_number"]] = max(cosine, cosines.get(row["artifact_number"], -1.0))
    found = await propose(desk, DenseLeg(desk.memory.embedder), query)
    assert [candidate.artifact for candidate in found] == sorted(cosines, key=lambda n: -cosines[n])
    assert {candidate.artifact: candidate.score for candidate in found} == pytest.approx(cosines, abs=1e-3)


async def test_an_artifact_counts_once_by_its_nearest_passage(desk: ProjectFixture) -> None:
    """RNK-10 and VEC-04: the last sentence of a long document is found."""
    long = "\n\n".join(["Nothing in this paragraph tells anything of use."] * 90)
    filed = await desk.file(adr(1, "Notes", f"{long}\n\nThe quorum size is five."))
    others = [await desk.file(adr(n, f"Other {n}", "Birds sing at dawn.")) for n in (2, 3, 4)]
    found = await propose(desk, DenseLeg(desk.memory.embedder), "how large is the quorum")
    assert found[0].artifact == filed.artifact.number
    assert len(found) == 1 + len(others)
    hit = (await desk.ask("how large is the quorum")).hits[0]
    assert "quorum size is five" in hit.passage.text
    assert hit.passage.ordinal > 0


async def test_documents_of_many_near_passages_leave_room_for_others(desk: ProjectFixture) -> None:
    sections = "".join(
        f"\n\n## Queue {n}\n\nWorkers read one queue." for n in range(PASSAGES_PER_ARTIFACT + 2)
    )
    crowd = [await desk.file(adr(n, "Queues", f"{n}{sections}")) for n in (1, 2)]
    other = await desk.file(adr(3, "Shed", "The bicycle shed is painted blue."))
    for limit in (1, 2, 3, 4):
        found = await propose(desk, DenseLeg(desk.memory.embedder), "workers read a queue", limit=limit)
        expected = [*(document.artifact.number for document in crowd), other.artifact.number]
        assert {candidate.artifact for candidate in found[:2]} <= set(expected[:2])
        assert [candidate.artifact for candidate in found[2:]] == expected[2:limit]


async def test_the_past_is_searched_as_it_was(desk: ProjectFixture) -> None:
    old = await desk.file(adr(1, TEXTS[0], created_at=day(2020)))
    await desk.file(adr(2, TEXTS[0], created_at=day(2024)))
    in_time = await propose(
        desk, DenseLeg(desk.memory.embedder), "queue", scope=await scope_of(desk, day(2022))
    )
    known = await scope_of(desk, known=old.artifact.recorded_at)
    assert [candidate.artifact for candidate in in_time] == [old.artifact.number]
    assert await propose(desk, DenseLeg(desk.memory.embedder), "queue", scope=known) == in_time


async def test_superseded_versions_do_not_crowd_out_the_current_one(desk: ProjectFixture) -> None:
    """RNK-08."""
    for version in range(40):
        await desk.file(adr(1, "Limit", f"The limit is {version}.", created_at=day(1980 + version)))
    result = await desk.ask("what is the limit", flags=(StateFlag.CURRENT,), first=5)
    assert [hit.passage.text for hit in result.hits] == ["The limit is 39."]
    assert identifiers(await desk.ask("what is the limit", first=50)) == ["ADR-1"] * 40


async def test_kinds_and_domains_narrow_before_the_limit(desk: ProjectFixture) -> None:
    await desk.file(adr(1, "Queue", "queue"))
    other = await desk.file(adr(2, "Shed", "Blue paint", kind="SPEC", domain=MemoryDomain.RESEARCH))
    for narrowed in (replace(await scope_of(desk), domains=("RESEARCH",)),):
        found = await propose(desk, DenseLeg(desk.memory.embedder), "queue", scope=narrowed, limit=1)
        assert [candidate.artifact for candidate in found] == [other.artifact.number]
