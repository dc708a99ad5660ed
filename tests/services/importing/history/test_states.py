from __future__ import annotations

import asyncio
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from app.services.importing import ImportRequest, ImportSummary
from app.services.states.change import Cause, StateChange, change_state
from app.services.unit_of_work import unit_of_work
from tests.documents import ProjectFixture, ask, day, identifiers
from tests.services.importing.history.conftest import Believed, Rows, line_of, spans_of

DOCUMENTS: list[dict[str, Any]] = [
    {
        "id": "RFC-1",
        "kind": "rfc",
        "title": "Pull the jobs",
        "body": "Workers ask for jobs.",
        "created_at": "2020-01-01T00:00:00Z",
        "meta": {"status": "Superseded", "refs": [{"type": "superseded_by", "target": "RFC-2"}]},
    },
    {
        "id": "RFC-2",
        "kind": "rfc",
        "title": "Push the jobs",
        "body": "A server hands out jobs.",
        "created_at": "2021-01-01T00:00:00Z",
        "meta": {"status": "Final", "refs": [{"type": "replaces", "target": "RFC-1"}]},
    },
]


def state(identifier: str, at: str, commit: str, **props: Any) -> dict[str, Any]:
    return {"id": identifier, "valid_from": f"{at}T00:00:00Z", "props": props, "cause_commit": commit}


STATES = [
    state("RFC-1", "2020-01-01", "a1", status="Draft", title="Poll", superseded_by=[]),
    state("RFC-1", "2020-03-01", "a2", status="Final", title="Poll", superseded_by=[]),
    state("RFC-1", "2020-06-01", "a3", status="Final", title="Pull the jobs", superseded_by=[]),
    state("RFC-1", "2022-01-01", "a4", status="Superseded", title="Pull the jobs", superseded_by=["RFC-2"]),
    state("RFC-2", "2021-01-01", "b1", status="Draft", title="Push the jobs", replaces=[]),
    state("RFC-2", "2021-06-01", "b2", status="Final", title="Push the jobs", replaces=[]),
    state("RFC-2", "2023-01-01", "b3", status="Final", title="Push the jobs", replaces=["RFC-1"]),
]


async def bring(desk: ProjectFixture, documents: Path, states: Path, *revisions: Path) -> ImportSummary:
    service = desk.memory.imports
    request = ImportRequest((documents,), desk.project, None, (states,), revisions)
    return await service.run(desk.memory.caller, request)


async def test_every_state_of_a_history_is_a_state_with_its_commit(desk: ProjectFixture, rows: Rows) -> None:
    paths = rows("docs.jsonl", *DOCUMENTS), rows("states.jsonl", *STATES)
    summary = await bring(desk, *paths)
    assert (summary.filed, summary.refused) == (2, [])
    assert (summary.states_recorded, summary.states_unchanged) == (7, 0)
    assert await line_of(desk, "rfc-1") == [
        Believed("2020-01-01", "Draft", "Poll", "created", "a1"),
        Believed("2020-03-01", "Final", "Poll", "status_transition", "a2"),
        Believed("2020-06-01", "Final", "Pull the jobs", "rename", "a3"),
        Believed("2022-01-01", "Superseded", "Pull the jobs", "status_transition", "a4"),
    ]
    assert [each.event for each in await line_of(desk, "rfc-2")] == [
        "created",
        "status_transition",
        "revision",
    ]


async def test_again_nothing_changes(desk: ProjectFixture, rows: Rows) -> None:
    paths = rows("docs.jsonl", *DOCUMENTS), rows("states.jsonl", *STATES)
    await bring(desk, *paths)
    again = await bring(desk, *paths)
    assert (again.filed, again.unchanged, again.refused) == (0, 2, [])
    assert (again.states_recorded, again.states_unchanged) == (0, 7)


async def test_a_reference_holds_from_the_state_that_first_states_it(
    desk: ProjectFixture, rows: Rows
) -> None:
    await bring(desk, rows("docs.jsonl", *DOCUMENTS), rows("states.jsonl", *STATES))
    assert await spans_of(desk, "rfc-2", "SUPERSEDES", "rfc-1") == [("2022-01-01", None)]
    before = await desk.ask("jobs", as_of=day(2021, 7))
    assert {flag.annotation.flag for flag in before.hits} == {"CURRENT"}
    now = await desk.ask("rfc 1")
    assert identifiers(now)[:2] == ["RFC-1", "RFC-2"]


async def test_a_dropped_relation_ends_with_the_state_that_drops_it(desk: ProjectFixture, rows: Rows) -> None:
    states = [
        state("RFC-1", "2020-01-01", "a1", status="Draft", requires=["RFC-2"]),
        state("RFC-1", "2021-06-01", "a2", status="Final", requires=[]),
        state("RFC-1", "2022-06-01", "a3", status="Final", requires=["RFC-2"]),
    ]
    bare = [each | {"meta": {}} for each in DOCUMENTS]
    await bring(desk, rows("docs.jsonl", *bare), rows("states.jsonl", *states))
    assert await spans_of(desk, "rfc-1", "DEPENDS_ON", "rfc-2") == [
        ("2021-01-01", "2021-06-01"),
        ("2022-06-01", None),
    ]


async def test_states_that_came_since_are_told_at_the_next_import(desk: ProjectFixture, rows: Rows) -> None:
    documents = rows("docs.jsonl", *DOCUMENTS)
    await bring(desk, documents, rows("states.jsonl", *STATES[:3], *STATES[4:5]))
    later = await bring(desk, documents, rows("states.jsonl", *STATES))
    assert (later.filed, later.states_recorded, later.states_unchanged) == (0, 3, 4)
    line = await line_of(desk, "rfc-1")
    assert [each.commit for each in line] == ["a1", "a2", "a3", "a4"]
    assert line[-1].status == "Superseded"
    assert await spans_of(desk, "rfc-2", "SUPERSEDES", "rfc-1") == [("2022-01-01", None)]


async def test_a_document_filed_before_gets_the_past_that_its_history_tells(
    desk: ProjectFixture, rows: Rows
) -> None:
    documents = rows("docs.jsonl", {**DOCUMENTS[1], "created_at": "2022-01-01T00:00:00Z"})
    service = desk.memory.imports
    await service.run(desk.memory.caller, ImportRequest((documents,), desk.project))
    summary = await bring(desk, documents, rows("states.jsonl", *STATES[4:]))
    assert (summary.filed, summary.unchanged, summary.states_recorded) == (0, 1, 3)
    line = await line_of(desk, "rfc-2")
    assert [each.since for each in line] == ["2021-01-01", "2021-06-01", "2023-01-01"]


async def test_a_document_begins_with_its_history(desk: ProjectFixture, rows: Rows) -> None:
    documents = rows("docs.jsonl", {**DOCUMENTS[1], "created_at": "2024-01-01T00:00:00Z"})
    await bring(desk, documents, rows("states.jsonl", *STATES[4:]))
    assert identifiers(await desk.ask("push the jobs", as_of=day(2021, 2))) == ["RFC-2"]
    assert identifiers(await desk.ask("push the jobs", as_of=day(2020, 12))) == []


async def test_what_came_after_the_history_stays(desk: ProjectFixture, rows: Rows) -> None:
    """A document of today supersedes one whose history ends earlier."""
    successor = {**DOCUMENTS[1], "created_at": "2024-01-01T00:00:00Z"}
    documents = rows("docs.jsonl", {**DOCUMENTS[0], "meta": {"status": "Final"}}, successor)
    await bring(desk, documents, rows("states.jsonl", *STATES[:3]))
    line = await line_of(desk, "rfc-1")
    assert [(each.since, each.status) for each in line] == [
        ("2020-01-01", "Draft"),
        ("2020-03-01", "Final"),
        ("2020-06-01", "Final"),
        ("2024-01-01", "superseded"),
    ]


async def test_changes_of_one_instant_keep_their_order(desk: ProjectFixture, rows: Rows) -> None:
    states = [
        state("RFC-2", "2021-01-01", "b1", status="Draft"),
        state("RFC-2", "2021-06-01", "b2", status="Accepted"),
        state("RFC-2", "2021-06-01", "b3", status="Final"),
    ]
    summary = await bring(desk, rows("docs.jsonl", DOCUMENTS[1]), rows("states.jsonl", *states))
    assert summary.states_recorded == 3
    assert [each.status for each in await line_of(desk, "rfc-2")] == ["Draft", "Accepted", "Final"]


async def test_a_bad_row_is_refused_by_its_place_and_stops_no_other(desk: ProjectFixture, rows: Rows) -> None:
    broken = [
        None,
        {"id": "RFC-2", "valid_from": "some day", "props": {}, "cause_commit": "x"},
        {"id": "RFC-2", "valid_from": "2021-01-01", "props": {}},
        {"id": "RFC-2", "valid_from": "2021-01-01", "props": [], "cause_commit": "x"},
        state("RFC-9", "2021-01-01", "x", status="Draft"),
        state("RFC-2", "9999-12-31", "x", status="Draft"),
    ]
    summary = await bring(desk, rows("docs.jsonl", *DOCUMENTS), rows("states.jsonl", *STATES, *broken))
    assert summary.states_recorded == 7
    refused = {each.source.rpartition(":")[2]: each.reason for each in summary.refused}
    assert sorted(refused) == ["10", "11", "12", "13", "8", "9"]
    assert refused["9"].startswith("valid_from is not a readable date")
    assert refused["10"].startswith("cause_commit must be a string")
    assert refused["12"].startswith("RFC-9: no document in the project has this identifier")


async def say(desk: ProjectFixture, key: str, since: datetime, **props: str) -> None:
    """State facts of a document as a caller of a verb."""
    async with unit_of_work(desk.memory.database, desk.memory.caller) as write:
        entity = await write.connection.fetchval(
            "SELECT entity.id FROM entity JOIN project USING (tenant_id, project_id)"
            " WHERE project.key = $1 AND entity.key = $2",
            desk.project,
            key,
        )
        await change_state(write, entity, StateChange(props, since), Cause("fact"))


async def test_what_somebody_said_holds_until_the_history_says_otherwise(
    desk: ProjectFixture, rows: Rows
) -> None:
    documents = rows("docs.jsonl", DOCUMENTS[1])
    await bring(desk, documents, rows("states.jsonl", *STATES[4:5]))
    await say(desk, "rfc-2", day(2021, 3), status="Accepted", author="Ada")
    summary = await bring(desk, documents, rows("states.jsonl", *STATES[4:]))
    assert summary.states_recorded == 2
    assert [(each.since, each.status) for each in await line_of(desk, "rfc-2")] == [
        ("2021-01-01", "Draft"),
        ("2021-03-01", "Accepted"),
        ("2021-06-01", "Final"),
        ("2023-01-01", "Final"),
    ]
    assert await authors(desk, "rfc-2") == [None, "Ada", "Ada", "Ada"]


async def test_what_somebody_said_before_the_history_was_told_holds_on(
    desk: ProjectFixture, rows: Rows
) -> None:
    documents = rows("docs.jsonl", DOCUMENTS[1])
    service = desk.memory.imports
    await service.run(desk.memory.caller, ImportRequest((documents,), desk.project))
    await say(desk, "rfc-2", day(2021, 3), author="Ada")
    await bring(desk, documents, rows("states.jsonl", *STATES[4:]))
    line = await line_of(desk, "rfc-2")
    assert [(each.since, each.status) for each in line] == [
        ("2021-01-01", "Draft"),
        ("2021-03-01", "Draft"),
        ("2021-06-01", "Final"),
        ("2023-01-01", "Final"),
    ]
    assert await authors(desk, "rfc-2") == [None, "Ada", "Ada", "Ada"]
    again = await bring(desk, documents, rows("states.jsonl", *STATES[4:]))
    assert (again.states_recorded, again.states_unchanged) == (0, 3)


async def authors(desk: ProjectFixture, key: str) -> list[str | None]:
    """Return the author in each state of a document, the earliest first."""
    async with desk.reading() as connection:
        rows = await connection.fetch(
            "SELECT props ->> 'author' AS author FROM entity_state AS state"
            " JOIN entity ON entity.tenant_id = state.tenant_id AND entity.id = state.entity"
            " JOIN project USING (project_id) WHERE project.key = $1 AND entity.key = $2"
            " AND state.retracted_at IS NULL ORDER BY valid_from",
            desk.project,
            key,
        )
    return [row["author"] for row in rows]


async def test_relations_become_properties_of_a_kind_of_their_own(desk: ProjectFixture, rows: Rows) -> None:
    await bring(desk, rows("docs.jsonl", *DOCUMENTS), rows("states.jsonl", *STATES))
    async with desk.reading() as connection:
        props = await connection.fetchval(
            "SELECT props FROM entity_state JOIN entity ON entity.id = entity_state.entity"
            " JOIN project USING (project_id) WHERE project.key = $1 AND entity.key = 'rfc-1'"
            " AND retracted_at IS NULL AND valid_until IS NULL",
            desk.project,
        )
    assert props["superseded_by"] == ["RFC-2"]


async def test_revisions_are_versions_that_hold_in_their_time(desk: ProjectFixture, rows: Rows) -> None:
    document = {**DOCUMENTS[1], "meta": {"status": "Final", "updated_at": "2023-05-01T00:00:00Z"}}
    revisions = rows(
        "revisions.jsonl",
        {
            "id": "RFC-2",
            "valid_from": "2021-01-01T00:00:00Z",
            "status": "Draft",
            "title": "Push",
            "body": "Kites carry the jobs.",
            "cause_commit": "b1",
        },
        {"id": "RFC-2", "valid_from": "2021-06-01T00:00:00Z", "body": 5, "cause_commit": "b2"},
    )
    paths = rows("docs.jsonl", document), rows("states.jsonl", *STATES[4:]), revisions
    summary = await bring(desk, *paths)
    assert (summary.filed, summary.states_recorded, len(summary.refused)) == (1, 3, 1)
    (then,) = (await desk.ask("kites", as_of=day(2022))).hits
    assert (then.artifact.title, then.artifact.body) == ("Push", "Kites carry the jobs.")
    assert (await desk.ask("who hands out jobs")).hits[0].artifact.body == "A server hands out jobs."
    again = await bring(desk, *paths)
    assert (again.filed, again.unchanged, again.states_recorded) == (0, 1, 0)
    assert len((await ask(desk.memory, "jobs", project=desk.project)).hits) == 2


@pytest.mark.parametrize("first", ["RFC-1", "nobody"])
async def test_what_is_superseded_says_so_itself_and_the_other_before(
    desk: ProjectFixture, rows: Rows, first: str
) -> None:
    states = [
        state("RFC-1", "2020-01-01", "a1", status="Final"),
        state("RFC-1", "2022-06-01", "a2", status="Superseded", superseded_by=["RFC-2"]),
        state("RFC-2", "2021-01-01", "b1", status="Final", replaces=["RFC-1"]),
    ]
    first_rows = rows("first.jsonl", *(each for each in states if each["id"] == first))
    await bring(desk, rows("docs.jsonl", *DOCUMENTS), first_rows)
    await bring(desk, rows("docs.jsonl", *DOCUMENTS), rows("states.jsonl", *states))
    assert await spans_of(desk, "rfc-2", "SUPERSEDES", "rfc-1") == [
        ("2021-01-01", "2022-06-01"),
        ("2022-06-01", None),
    ]
    async with desk.reading() as connection:
        stating = await connection.fetch(
            "SELECT artifact.identifier FROM reference JOIN project USING (tenant_id, project_id)"
            " JOIN artifact ON artifact.id = reference.source_artifact"
            " WHERE project.key = $1 AND retracted_at IS NULL ORDER BY valid_from",
            desk.project,
        )
    assert [row["identifier"] for row in stating] == ["RFC-2", "RFC-1"]


async def test_an_import_that_was_stopped_goes_on_where_it_ended(desk: ProjectFixture, rows: Rows) -> None:
    documents, states = rows("docs.jsonl", *DOCUMENTS), rows("states.jsonl", *STATES)
    stop = asyncio.Event()

    def watch(summary: ImportSummary) -> None:
        if summary.histories_seen == 1:
            stop.set()

    service = desk.memory.imports
    request = ImportRequest((documents,), desk.project, states=(states,))
    stopped = await service.run(desk.memory.caller, request, stop=stop, watch=watch)
    assert (stopped.was_stopped, stopped.histories, stopped.histories_seen) == (True, 2, 1)
    assert stopped.states_recorded == 4
    rest = await service.run(desk.memory.caller, request)
    assert (rest.was_stopped, rest.states_recorded, rest.states_unchanged) == (False, 3, 4)
    assert await spans_of(desk, "rfc-2", "SUPERSEDES", "rfc-1") == [("2022-01-01", None)]


@pytest.mark.parametrize("name", ["summary", "owner", "reviewers"])
async def test_what_a_history_says_outlasts_a_supersession(
    desk: ProjectFixture, rows: Rows, name: str
) -> None:
    documents = [
        {**DOCUMENTS[0], "meta": {"status": "Final"}},
        {**DOCUMENTS[1], "meta": {"status": "Final", "refs": [{"type": "replaces", "target": "RFC-1"}]}},
    ]
    states = [state("RFC-1", "2020-01-01", "a1", status="Final", **{name: "Ada"})]
    await bring(desk, rows("docs.jsonl", *documents), rows("states.jsonl", *states))
    line = await line_of(desk, "rfc-1")
    assert [each.status for each in line] == ["Final", "superseded"]
    async with desk.reading() as connection:
        held = await connection.fetch(
            "SELECT props FROM entity_state JOIN entity ON entity.id = entity_state.entity"
            " JOIN project ON project.project_id = entity.project_id"
            " WHERE project.key = $1 AND entity.key = 'rfc-1' AND retracted_at IS NULL ORDER BY valid_from",
            desk.project,
        )
    assert [row["props"].get(name) for row in held] == ["Ada", "Ada"]
