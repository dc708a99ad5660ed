"""All of a document is there, or none of it; and the ledger keeps its books."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import pytest

from app.domain.artifact import AliasClaim, FactClaim, Quote
from app.embedding import Embedder
from app.stores.postgres import (
    aliases,
    artifacts,
    candidates,
    entities,
    ledger_clock,
    mentions,
    passage_vectors,
    references,
    states,
)
from app.stores.postgres.lexical import postings
from tests.documents import RELATES_TO, SUPERSEDES, ProjectFixture, adr, claims, day
from tests.ledger import contents

WHOLE = adr(
    1,
    "Queue",
    "Workers read one queue, says Ann.",
    created_at=day(2021),
    references=(*claims(RELATES_TO, "ADR-2"), *claims(RELATES_TO, "ADR-9"), *claims(SUPERSEDES, "ADR-3")),
    props={"aliases": ["The queue"]},
    alias_claims=(AliasClaim("The big queue", "ADR-1", Quote("formerly known as The big queue", 3)),),
    fact_claims=(FactClaim("status", "Retired", Quote("status is now Retired", 40)),),
)
STEPS = [
    (artifacts, "insert_artifact"),
    (artifacts, "insert_passages"),
    (passage_vectors, "insert_embeddings"),
    (postings, "insert_postings"),
    (postings, "count_document"),
    (entities, "insert_entity"),
    (states, "insert_state"),
    (states, "insert_event"),
    (states, "retract_state"),
    (references, "insert_reference"),
    (references, "insert_pending"),
    (references, "close_pending"),
    (mentions, "insert_mentions"),
    (aliases, "insert_alias"),
    (candidates, "queue_alias"),
    (candidates, "queue_fact"),
    (ledger_clock, "finish_write"),
]


class Struck(Exception):
    """The failure injected."""


@pytest.mark.parametrize(("store", "step"), STEPS, ids=lambda value: getattr(value, "__name__", value))
@pytest.mark.parametrize("done", [False, True], ids=["before", "after"])
async def test_a_step_that_fails_leaves_no_row(
    desk: ProjectFixture, monkeypatch: pytest.MonkeyPatch, store: ModuleType, step: str, done: bool
) -> None:
    await desk.file_all(
        adr(2, "Clock", props={"aliases": ["Ann"]}), adr(3, "Old", references=claims(RELATES_TO, "ADR-1"))
    )
    real = getattr(store, step)

    async def struck(*given: Any, **named: Any) -> Any:
        if done:
            await real(*given, **named)
        raise Struck

    async with desk.reading() as connection:
        before = await contents(connection)
        monkeypatch.setattr(store, step, struck)
        with pytest.raises(Struck):
            await desk.file(WHOLE)
        monkeypatch.undo()
        assert await contents(connection) == before
        assert (await desk.file(WHOLE)).created
        changed = {table for table, held in (await contents(connection)).items() if held != before[table]}
    assert changed >= {"entity", "artifact", "passage", "embedding", "posting", "entity_state", "reference"}
    assert changed >= {"alias", "mention", "alias_candidate", "fact_candidate", "outbox", "pending_reference"}


async def test_an_encoder_that_fails_leaves_no_row(
    desk: ProjectFixture, embedder: Embedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def struck(*given: Any) -> Any:
        raise Struck

    async with desk.reading() as connection:
        before = await contents(connection)
        monkeypatch.setattr(embedder, "embed_passages", struck)
        with pytest.raises(Struck):
            await desk.file(WHOLE)
        assert await contents(connection) == before


async def test_every_row_of_the_ledger_is_in_the_outbox(desk: ProjectFixture) -> None:
    """And nothing else is, each change of a transaction once."""
    before = await desk.file_all(adr(2, "Clock"), adr(3, "Old"))
    filed = await desk.file(WHOLE)
    assert before[-1].position is not None
    assert filed.position is not None
    async with desk.reading() as connection:
        noted = await connection.fetch(
            "SELECT kind, row_id FROM outbox WHERE position > $1 AND position <= $2",
            before[-1].position,
            filed.position,
        )
        since = "recorded_at >= (SELECT recorded_at FROM artifact WHERE id = $1)"
        written = await connection.fetch(
            f"""
            SELECT 'entity' AS kind, id FROM entity WHERE {since}
            UNION ALL SELECT 'artifact', id FROM artifact WHERE {since}
            UNION ALL SELECT 'entity_state', id FROM entity_state
                WHERE {since} OR retracted_at >= (SELECT recorded_at FROM artifact WHERE id = $1)
            UNION ALL SELECT 'state_event', id FROM state_event WHERE {since}
            UNION ALL SELECT 'alias', id FROM alias WHERE {since}
            UNION ALL SELECT 'reference', id FROM reference WHERE {since}
            UNION ALL SELECT DISTINCT 'mentions', artifact FROM mention WHERE {since}
            """,
            filed.artifact.id,
        )
    assert sorted(map(tuple, noted)) == sorted(map(tuple, written))
    assert {row["kind"] for row in noted} == {
        "entity",
        "artifact",
        "entity_state",
        "state_event",
        "alias",
        "reference",
        "mentions",
    }


async def test_the_counts_of_recall_are_those_of_its_postings(desk: ProjectFixture) -> None:
    for number in range(4):
        for version in range(2):
            text = "queue " * (number + version) + f"v{version}"
            await desk.file(adr(number, f"Retry {number}", text, created_at=day(2020 + version)))
    async with desk.reading() as connection:
        counted = await connection.fetch(
            "SELECT project_id, term, documents FROM term_statistics ORDER BY project_id, term"
        )
        held = await connection.fetch(
            "SELECT project_id, term, count(*) FROM posting GROUP BY 1, 2 ORDER BY project_id, term"
        )
        scopes = await connection.fetch(
            "SELECT project_id, documents, total_terms, latest_created_at, latest_recorded_at"
            " FROM scope_statistics ORDER BY project_id"
        )
        there = await connection.fetch(
            "SELECT project_id, count(*), sum(term_count), max(created_at), max(recorded_at)"
            " FROM artifact GROUP BY project_id ORDER BY project_id"
        )
        lengths = await connection.fetch(
            "SELECT FROM posting JOIN artifact ON number = artifact_number"
            " WHERE posting.term_count <> artifact.term_count OR posting.project_id <> artifact.project_id"
        )
    assert list(map(tuple, counted)) == list(map(tuple, held))
    assert list(map(tuple, scopes)) == list(map(tuple, there))
    assert lengths == []
