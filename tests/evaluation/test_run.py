from __future__ import annotations

import asyncpg

from app.domain.artifact import Document
from app.domain.recall import RecallRequest
from app.evaluation import PREFIX, scratch_memory
from app.evaluation.judgements import Judged
from app.evaluation.scoring import score
from app.settings import Settings


async def scratch_databases(owner: asyncpg.Connection) -> list[str]:
    rows = await owner.fetch("SELECT datname FROM pg_database WHERE starts_with(datname, $1)", PREFIX)
    return [row["datname"] for row in rows]


async def test_a_scratch_ledger_holds_nothing_and_leaves_nothing(
    database_url: str, owner: asyncpg.Connection
) -> None:
    async with scratch_memory(Settings(database_url=database_url)) as memory:
        assert len(await scratch_databases(owner)) == 1
        result = await memory.recall.recall(memory.caller, RecallRequest("anything"))
        assert result.hits == ()
    assert await scratch_databases(owner) == []


async def test_what_a_killed_measurement_left_is_dropped_and_a_live_one_is_not(
    database_url: str, owner: asyncpg.Connection
) -> None:
    await owner.execute(f"CREATE DATABASE {PREFIX}abandoned")
    async with scratch_memory(Settings(database_url=database_url)):
        (live,) = await scratch_databases(owner)
        async with scratch_memory(Settings(database_url=database_url)):
            assert live in await scratch_databases(owner)
    assert await scratch_databases(owner) == []


async def test_each_leg_the_plain_fusion_and_recall_are_scored(database_url: str) -> None:
    async with scratch_memory(Settings(database_url=database_url)) as memory:
        for number, text in ((1, "Kites fly in the wind."), (2, "Trains run on rails.")):
            document = Document("SPEC", f"SPEC-{number}", text, text)
            await memory.filing.file(memory.caller, document)
        judged = [
            Judged("kites in wind", "prose", None, {"SPEC-1": 1}, frozenset(), frozenset()),
            Judged("spec 2", "identifier", None, {"SPEC-2": 1}, frozenset({"SPEC-1"}), frozenset()),
            Judged("kites again", "prose", None, {"SPEC-2": 1}, frozenset(), frozenset({"SPEC-1"})),
        ]
        asked: list[None] = []
        report = await score(memory, judged, 2, lambda: asked.append(None))
    assert len(asked) == report.queries == 3
    assert set(report.scores) == {"dense", "lexical", "graph", "fused", "rrf"}
    assert report.scores["fused"]["ndcg@10"] == 1.0
    assert report.categories["identifier"]["mrr"] == 1.0
    assert report.forbidden == 1
    assert report.unknown == []


async def test_a_judged_document_that_is_not_there_is_told(database_url: str) -> None:
    async with scratch_memory(Settings(database_url=database_url)) as memory:
        await memory.filing.file(memory.caller, Document("SPEC", "SPEC-1", "Kites", "Kites fly."))
        judged = [Judged("kites", "prose", None, {"SPEC-1": 1, "NOPE": 1}, frozenset(), frozenset())]
        report = await score(memory, judged, 1, lambda: None)
    assert report.unknown == ["NOPE"]
