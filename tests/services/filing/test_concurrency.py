"""Many callers at once."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from itertools import pairwise
from typing import Any

import asyncpg
import pytest

from app.domain.recall import StateFlag
from app.domain.temporal import Branch
from app.services.container import Memory
from app.stores.postgres import states
from app.stores.postgres.projects import ensure_tenant
from tests.documents import RELATES_TO, SUPERSEDES, ProjectFixture, adr, claims, day

CALLERS = 20


@pytest.mark.parametrize(
    "known_by",
    [
        pytest.param({"identifier": None, "source_uri": "git:repo/adr/0007.md"}, id="IDM-04"),
        pytest.param({"identifier": "ADR-0007"}, id="IDM-04 identifier"),
        pytest.param({"identifier": None}, id="IDM-04 content"),
        pytest.param({"identifier": None, "source_uri": "u" * 4_096}, id="IDM-04 long address"),
    ],
)
async def test_equal_content_filed_by_many_at_once_is_one_artifact(
    desk: ProjectFixture, known_by: dict[str, Any]
) -> None:
    """All calls succeed with the same artifact."""
    document = adr(7, "Queue", **known_by)
    filed = await asyncio.gather(*(desk.file(document) for _ in range(CALLERS)))
    assert {document.artifact.id for document in filed} == {filed[0].artifact.id}
    assert sorted(document.created for document in filed) == [False] * (CALLERS - 1) + [True]
    async with desk.reading() as connection:
        assert await connection.fetchval(
            "SELECT count(*) FROM artifact WHERE entity = $1", filed[0].entity.id
        ) == await connection.fetchval(
            "SELECT count(*) FROM entity_state WHERE entity = $1", filed[0].entity.id
        )


async def test_versions_filed_by_many_at_once_make_one_line(desk: ProjectFixture) -> None:
    """CON-01: every version is kept, one state is open, and the times tile."""
    filed = await asyncio.gather(*(desk.file(adr(1, "Queue", f"version {n}")) for n in range(CALLERS)))
    assert all(document.created for document in filed)
    (entity,) = {document.entity.id for document in filed}
    async with desk.reading() as connection:
        held = await states.current_states(connection, desk.tenant, entity, Branch.COMMITTED)
    assert len(held) == CALLERS
    assert all(earlier.valid.end == later.valid.start for earlier, later in pairwise(held))
    assert held[-1].valid.end is None
    assert len({document.artifact.recorded_at for document in filed}) == CALLERS
    hits = (await desk.ask("queue", first=50)).hits
    assert [hit.annotation.flag for hit in hits].count(StateFlag.CURRENT) == 1


async def test_new_projects_and_kinds_are_made_once(desk: ProjectFixture) -> None:
    memory = desk.memory
    songs = [adr(n, "Song", kind="Song", identifier=f"SONG-{n}", props={f"p{n}": n}) for n in range(10)]
    filed = await asyncio.gather(
        *(memory.filing.file(memory.caller, song, desk.project, defines_kinds=True) for song in songs)
    )
    assert sum(bool(document.warnings) for document in filed) == 1
    assert all(document.state.props[f"p{n}"] == n for n, document in enumerate(filed))


async def test_two_that_wait_for_each_other_are_joined_once(desk: ProjectFixture) -> None:
    documents = [
        adr(n, "Node", references=claims(RELATES_TO, *(f"ADR-{other}" for other in range(6) if other != n)))
        for n in range(6)
    ]
    await asyncio.gather(*map(desk.file, documents))
    async with desk.reading() as connection:
        joined = await connection.fetchval(
            "SELECT count(*) FROM reference JOIN project USING (project_id) WHERE key = $1", desk.project
        )
        waiting = await connection.fetchval(
            "SELECT count(*) FROM pending_reference JOIN project USING (project_id)"
            " WHERE key = $1 AND closed_at IS NULL",
            desk.project,
        )
    assert (joined, waiting) == (30, 0)


async def test_a_crowd_that_supersedes_one_has_one_outcome(desk: ProjectFixture) -> None:
    """CON-02: no deadlock, and the one stays superseded from the first of them on."""
    old = await desk.file(adr(1, "Queue"))
    newer = [
        adr(n, "Queue anew", created_at=day(2000 + n), references=claims(SUPERSEDES, "ADR-1"))
        for n in range(21, 27)
    ]
    await asyncio.gather(*map(desk.file, newer))
    async with desk.reading() as connection:
        held = await states.current_states(connection, desk.tenant, old.entity.id, Branch.COMMITTED)
    since = {state.valid.start for state in held if state.props["status"] == "superseded"}
    assert min(since) == day(2021)
    assert held[0].props["status"] == "Accepted"
    assert held[0].valid.end == day(2021)


async def test_positions_follow_commits_over_all_tenants(memory: Memory, owner: asyncpg.Connection) -> None:
    """Whoever reads up to a position has everything up to it, for ever."""
    other = replace(memory.caller, tenant=await ensure_tenant(owner, "other"))
    stop = asyncio.Event()
    seen: list[list[int]] = []

    async def poll() -> None:
        while not stop.is_set():
            rows = await owner.fetch("SELECT position FROM outbox ORDER BY position")
            seen.append([row["position"] for row in rows])

    poller = asyncio.create_task(poll())
    filed = await asyncio.gather(
        *(
            memory.filing.file(caller, adr(n, f"Queue {n}"))
            for n in range(CALLERS)
            for caller in (memory.caller, other)
        )
    )
    stop.set()
    await poller
    final = [row["position"] for row in await owner.fetch("SELECT position FROM outbox ORDER BY position")]
    assert len(seen) > 10
    for positions in seen:
        assert positions == final[: len(positions)]
    assert len({document.position for document in filed}) == len(filed)
    for caller in (memory.caller, other):
        rows = await owner.fetch(
            "SELECT recorded_at FROM outbox JOIN artifact ON artifact.id = row_id"
            " WHERE artifact.tenant_id = $1 ORDER BY position",
            caller.tenant,
        )
        times = [row["recorded_at"] for row in rows]
        assert times == sorted(times)
        assert len(times) == CALLERS
