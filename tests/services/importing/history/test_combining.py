"""What a document's history, others and callers say of it gives one line, whatever comes first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

import pytest

from app.domain.recall import StateFlag
from app.services.filing import StatedDocument, document_from
from app.services.importing import ImportRequest
from tests.documents import ProjectFixture, day, file
from tests.services.importing.history.conftest import Believed, Repository, Rows, line_of
from tests.services.importing.history.test_git import record
from tests.services.importing.history.test_states import DOCUMENTS, bring, say, state

OLD, NEW = "adr/0001-a.md", "adr/0002-b.md"
REST = "\n## Supersedes\n\n- ADR-1\n"


def of(line: Sequence[Believed]) -> list[tuple[str, str | None, str]]:
    return [(each.since, each.status, each.event) for each in line]


async def flags(desk: ProjectFixture, identifier: str, *moments: datetime) -> list[StateFlag | None]:
    """Return what recall says of the newest version of a document, moment by moment."""
    found = []
    for at in moments:
        hits = (await desk.ask(identifier, as_of=at)).hits
        versions = [hit for hit in hits if hit.artifact.identifier == identifier]
        found.append(max(versions, key=lambda hit: hit.artifact.created_at).annotation.flag)
    return found


def dated(number: int, title: str, status: str, date: str, rest: str = "") -> str:
    return f"---\ndate: {date}\n---\n" + record(number, title, status, rest)


async def import_each(
    repository: Repository, commits: Sequence[tuple[str, dict[str, str]]], at_once: bool
) -> None:
    """Import each commit as it comes, or all of them together."""
    for at, files in commits:
        repository.commit(at, files)
        if not at_once:
            await repository.run()
    await repository.run()


@pytest.mark.parametrize("at_once", [False, True])
async def test_a_new_title_undoes_no_supersession(repository: Repository, at_once: bool) -> None:
    """Whether each commit is imported as it comes, or all of them together."""
    commits = [
        ("2020-01-05", {OLD: record(1, "First", "Accepted")}),
        ("2020-04-05", {NEW: record(2, "Second", "Accepted", REST)}),
        ("2020-05-05", {OLD: record(1, "The first", "Accepted")}),
        ("2020-06-05", {OLD: record(1, "The very first", "Final")}),
    ]
    for at, files in commits:
        repository.commit(at, files)
        if not at_once:
            await repository.run()
    summary = await repository.run()
    assert summary.states_recorded == (4 if at_once else 0)
    line = await line_of(repository.desk, "adr-1")
    assert [(each.since, each.status, each.title) for each in line] == [
        ("2020-01-05", "Accepted", "First"),
        ("2020-04-05", "superseded", "First"),
        ("2020-05-05", "superseded", "The first"),
        ("2020-06-05", "superseded", "The very first"),
    ]
    assert [each.event for each in line] == ["created", "superseded", "rename", "superseded"]
    assert await flags(repository.desk, "ADR-0001", day(2020, 2), day(2020, 4, 20), day(2020, 7)) == [
        StateFlag.CURRENT,
        StateFlag.HISTORICAL,
        StateFlag.HISTORICAL,
    ]


@pytest.mark.parametrize("at_once", [False, True])
@pytest.mark.parametrize("old", ["adr/0001-a.md", "adr/z.md"])
async def test_a_relation_that_was_added_later_supersedes_from_then_on(
    repository: Repository, old: str, at_once: bool
) -> None:
    """Whichever file is told first."""
    commits = [
        ("2020-01-05", {old: record(1, "First", "Accepted"), NEW: record(2, "Second", "Accepted")}),
        ("2020-04-05", {NEW: record(2, "Second", "Accepted", REST)}),
    ]
    await import_each(repository, commits, at_once)
    assert [(each.since, each.status) for each in await line_of(repository.desk, "adr-1")] == [
        ("2020-01-05", "Accepted"),
        ("2020-04-05", "superseded"),
    ]


@pytest.mark.parametrize("at_once", [False, True])
@pytest.mark.parametrize("old", ["adr/0001-a.md", "adr/z.md"])
async def test_a_proposal_supersedes_once_it_is_accepted(
    repository: Repository, old: str, at_once: bool
) -> None:
    commits = [
        ("2020-01-05", {old: record(1, "First", "Accepted")}),
        ("2020-02-05", {NEW: record(2, "Second", "Proposed", REST)}),
        ("2020-03-05", {old: record(1, "The first", "Accepted")}),
        ("2020-04-05", {NEW: record(2, "Second", "Accepted", REST)}),
    ]
    await import_each(repository, commits, at_once)
    assert [(each.since, each.status) for each in await line_of(repository.desk, "adr-1")] == [
        ("2020-01-05", "Accepted"),
        ("2020-03-05", "Accepted"),
        ("2020-04-05", "superseded"),
    ]


async def test_rows_of_a_proposal_supersede_once_it_is_accepted(desk: ProjectFixture, rows: Rows) -> None:
    states = [
        state("RFC-1", "2021-01-01", "a1", status="Final", title="Pull"),
        state("RFC-1", "2021-06-01", "a2", status="Final", title="Pull the jobs"),
        state("RFC-2", "2021-01-01", "b1", status="Draft", title="Push"),
        state("RFC-2", "2022-01-01", "b2", status="Final", title="Push", replaces=["RFC-1"]),
    ]
    documents = [{**each, "meta": {"status": "Final"}} for each in DOCUMENTS[:2]]
    await bring(desk, rows("docs.jsonl", *documents), rows("states.jsonl", *states))
    assert [(each.since, each.status) for each in await line_of(desk, "rfc-1")] == [
        ("2020-01-01", "Final"),
        ("2021-06-01", "Final"),
        ("2022-01-01", "superseded"),
    ]


@pytest.mark.parametrize("at_once", [False, True])
async def test_what_calls_itself_superseded_later_was_so_before(
    repository: Repository, at_once: bool
) -> None:
    commits = [
        ("2020-01-05", {OLD: record(1, "First", "Accepted")}),
        ("2020-04-05", {NEW: record(2, "Second", "Accepted", REST)}),
        ("2020-06-05", {OLD: record(1, "First", "Superseded by ADR-2")}),
    ]
    for at, files in commits:
        repository.commit(at, files)
        if not at_once:
            await repository.run()
    await repository.run()
    assert [(each.since, each.status) for each in await line_of(repository.desk, "adr-1")] == [
        ("2020-01-05", "Accepted"),
        ("2020-04-05", "superseded"),
        ("2020-06-05", "Superseded"),
    ]


async def test_both_may_begin_at_one_instant(repository: Repository) -> None:
    """A repository of one commit, as a shallow clone has."""
    repository.commit(
        "2020-01-05", {OLD: record(1, "First", "Accepted"), NEW: record(2, "Second", "Accepted", REST)}
    )
    await repository.run()
    assert [each.status for each in await line_of(repository.desk, "adr-1")] == ["superseded"]
    assert await flags(repository.desk, "ADR-0001", day(2020, 2)) == [StateFlag.HISTORICAL]


@pytest.mark.parametrize("by_git", [False, True])
@pytest.mark.parametrize("said", ["Superseded by ADR-2", "Superseded"])
async def test_a_status_of_now_is_not_one_of_then(repository: Repository, by_git: bool, said: str) -> None:
    """The texts are dated long before their only commit: the older one was in force until the younger was."""
    old = dated(1, "First", said, "2020-01-01")
    repository.commit("2023-01-01", {OLD: old, NEW: dated(2, "Second", "Accepted", "2021-01-01", REST)})
    if by_git:
        await repository.run()
    else:
        memory = repository.desk.memory
        service = replace(memory, import_width=1).imports
        await service.run(memory.caller, ImportRequest((repository.folder,), repository.desk.project))
    assert await flags(repository.desk, "ADR-0001", day(2020, 6), day(2022), day(2024)) == [
        StateFlag.CURRENT,
        StateFlag.HISTORICAL,
        StateFlag.HISTORICAL,
    ]
    line = await line_of(repository.desk, "adr-1")
    assert [(each.since, each.status) for each in line] == [
        ("2020-01-01", None),
        ("2021-01-01", "Superseded"),
    ]


async def test_a_commit_is_believed_from_when_it_was_made(repository: Repository) -> None:
    """What it says of the time before is not known where its successor is younger."""
    repository.commit("2020-06-01", {OLD: dated(1, "First", "Superseded by ADR-2", "2020-01-01")})
    repository.commit("2021-01-01", {NEW: record(2, "Second", "Accepted")})
    await repository.run()
    assert [(each.since, each.status) for each in await line_of(repository.desk, "adr-1")] == [
        ("2020-01-01", None),
        ("2020-06-01", "Superseded"),
    ]


@pytest.mark.parametrize("when", ["before", "meanwhile", "after"])
async def test_a_new_title_undoes_no_fact(repository: Repository, when: str) -> None:
    """Whether the fact is stated before the commit, before it is imported, or afterwards."""
    repository.commit("2020-01-05", {OLD: record(1, "First", "Accepted")})
    await repository.run()
    if when == "before":
        await say(repository.desk, "adr-1", day(2020, 7), status="Deprecated")
    repository.commit("2020-08-05", {OLD: record(1, "The first", "Accepted")})
    if when == "meanwhile":
        await say(repository.desk, "adr-1", day(2020, 7), status="Deprecated")
    await repository.run()
    if when == "after":
        await say(repository.desk, "adr-1", day(2020, 7), status="Deprecated")
    repository.commit("2020-09-05", {OLD: record(1, "The very first", "Accepted")})
    await repository.run()
    line = await line_of(repository.desk, "adr-1")
    assert [(each.since, each.status, each.title) for each in line] == [
        ("2020-01-05", "Accepted", "First"),
        ("2020-07-01", "Deprecated", "First"),
        ("2020-08-05", "Deprecated", "The first"),
        ("2020-09-05", "Deprecated", "The very first"),
    ]


async def test_new_words_undo_no_fact(repository: Repository) -> None:
    """A commit that changed the body alone is a new version, and begins no state."""
    repository.commit("2020-01-05", {OLD: record(1, "First", "Accepted")})
    await repository.run()
    await say(repository.desk, "adr-1", day(2020, 7), status="Deprecated")
    repository.commit("2020-08-05", {OLD: record(1, "First", "Accepted", "\nMore words.\n")})
    summary = await repository.run()
    assert (summary.filed, summary.refused) == (1, [])
    assert [(each.since, each.status, each.event) for each in await line_of(repository.desk, "adr-1")] == [
        ("2020-01-05", "Accepted", "created"),
        ("2020-07-01", "Deprecated", "fact"),
    ]


async def test_a_new_status_ends_a_fact(repository: Repository) -> None:
    repository.commit("2020-01-05", {OLD: record(1, "First", "Proposed")})
    await repository.run()
    await say(repository.desk, "adr-1", day(2020, 7), status="Deprecated")
    repository.commit("2020-08-05", {OLD: record(1, "First", "Accepted")})
    await repository.run()
    assert [each.status for each in await line_of(repository.desk, "adr-1")] == [
        "Proposed",
        "Deprecated",
        "Accepted",
    ]


async def test_a_fact_stated_of_what_is_superseded_holds_through_new_titles(repository: Repository) -> None:
    repository.commit("2020-01-05", {OLD: record(1, "First", "Accepted")})
    repository.commit("2020-04-05", {NEW: record(2, "Second", "Accepted", REST)})
    await repository.run()
    await say(repository.desk, "adr-1", day(2020, 7), status="Active")
    repository.commit("2020-08-05", {OLD: record(1, "The first", "Accepted")})
    await repository.run()
    assert [(each.since, each.status) for each in await line_of(repository.desk, "adr-1")] == [
        ("2020-01-05", "Accepted"),
        ("2020-04-05", "superseded"),
        ("2020-07-01", "Active"),
        ("2020-08-05", "Active"),
    ]


async def test_rows_tell_facts_that_no_other_document_changes(desk: ProjectFixture, rows: Rows) -> None:
    """A header stays what it was until it was changed; the last one gives way to what comes after it."""
    states = [
        state("RFC-1", "2020-01-01", "a1", status="Final", title="Pull"),
        state("RFC-1", "2024-01-01", "a2", status="Superseded", title="Pull"),
        state("RFC-2", "2021-01-01", "b1", status="Final", title="Push", replaces=["RFC-1"]),
    ]
    old = {**DOCUMENTS[0], "meta": {"status": "Superseded"}}
    new = {**DOCUMENTS[1], "meta": {"status": "Final"}}
    for given in (states[:1] + states[2:], states[::-1]):
        await bring(desk, rows("docs.jsonl", old, new), rows("states.jsonl", *given))
        line = [(each.since, each.status) for each in await line_of(desk, "rfc-1")]
        if len(given) == 2:
            assert line == [("2020-01-01", "Final"), ("2021-01-01", "superseded")]
    assert line == [("2020-01-01", "Final"), ("2024-01-01", "Superseded")]


@pytest.mark.parametrize("filed_first", [False, True])
async def test_a_document_filed_beside_a_repository_supersedes_likewise(
    repository: Repository, filed_first: bool
) -> None:
    text = record(2, "Second", "Accepted", REST)
    new = document_from(StatedDocument("ADR", text, identifier="ADR-2", created_at=day(2020, 4)))
    repository.commit("2020-01-05", {OLD: record(1, "First", "Accepted")})
    repository.commit("2020-05-05", {OLD: record(1, "The first", "Accepted")})
    repository.commit("2020-06-05", {OLD: record(1, "The first", "Final")})
    if filed_first:
        await file(repository.desk.memory, new, repository.desk.project)
    await repository.run()
    if not filed_first:
        await file(repository.desk.memory, new, repository.desk.project)
    line = await line_of(repository.desk, "adr-1")
    assert [(each.since, each.status) for each in line] == [
        ("2020-01-05", "Accepted"),
        ("2020-04-01", "superseded"),
        ("2020-05-05", "superseded"),
        ("2020-06-05", "superseded"),
    ]


async def test_a_shallow_clone_is_told_of_and_takes_nothing_away(
    repository: Repository, tmp_path_factory: pytest.TempPathFactory
) -> None:
    repository.commit("2020-01-05", {OLD: record(1, "First", "Proposed")})
    repository.commit("2020-04-05", {OLD: record(1, "First", "Accepted")})
    await repository.run()
    latest = repository.commit("2020-09-05", {OLD: record(1, "The first", "Accepted")})
    folder = tmp_path_factory.mktemp("clone") / "team"
    repository.git("clone", "--quiet", "--depth", "1", f"file://{repository.folder}", str(folder))
    clone = Repository(folder, repository.desk)
    summary = await clone.run()
    (warning,) = [each for each in summary.warnings if "shallow" in each]
    assert "git fetch --unshallow" in warning
    expected = [
        ("2020-01-05", "Proposed", "created"),
        ("2020-04-05", "Accepted", "status_transition"),
        ("2020-09-05", "Accepted", "rename"),
    ]
    line = await line_of(repository.desk, "adr-1")
    assert (of(line), line[-1].commit) == (expected, latest)
    again = await repository.run()
    assert (again.states_recorded, again.warnings) == (0, {})
    assert of(await line_of(repository.desk, "adr-1")) == expected


async def test_a_shallow_clone_may_be_completed(
    repository: Repository, tmp_path_factory: pytest.TempPathFactory
) -> None:
    repository.commit("2020-01-05", {OLD: record(1, "First", "Proposed")})
    repository.commit("2020-04-05", {OLD: record(1, "First", "Accepted")})
    folder = tmp_path_factory.mktemp("clone") / "team"
    repository.git("clone", "--quiet", "--depth", "1", f"file://{repository.folder}", str(folder))
    clone = Repository(folder, repository.desk)
    await clone.run()
    assert of(await line_of(repository.desk, "adr-1")) == [("2020-04-05", "Accepted", "created")]
    clone.git("fetch", "--quiet", "--unshallow")
    await clone.run()
    line = await line_of(repository.desk, "adr-1")
    assert of(line) == [
        ("2020-01-05", "Proposed", "created"),
        ("2020-04-05", "Accepted", "status_transition"),
    ]
