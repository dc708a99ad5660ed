"""A history tells when a successor came into force: what it supersedes gives way then, and not before."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import pytest

from app.domain.recall import StateFlag
from tests.documents import ProjectFixture, day, hit_of
from tests.services.importing.history.conftest import Repository, Rows, line_of, spans_of
from tests.services.importing.history.test_git import record
from tests.services.importing.history.test_states import DOCUMENTS, bring, state

OLD: dict[str, Any] = {**DOCUMENTS[0], "meta": {"status": "Final"}}
OF_NEW = [
    state("RFC-2", "2021-01-01", "b1", status="Draft"),
    state("RFC-2", "2023-01-01", "b2", status="Final"),
]
OF_BOTH = [state("RFC-1", "2020-01-01", "a1", status="Final"), *OF_NEW]


async def flags(desk: ProjectFixture, identifier: str, *moments: datetime) -> list[StateFlag | None]:
    return [hit_of(await desk.ask(identifier, as_of=at), identifier).annotation.flag for at in moments]


@pytest.mark.parametrize("states", [OF_NEW, OF_BOTH, OF_BOTH[::-1]])
async def test_rows_of_states_date_a_supersession(
    desk: ProjectFixture, rows: Rows, states: list[dict[str, Any]]
) -> None:
    """Whichever is told first, and when nothing is told of the superseded one."""
    await bring(desk, rows("docs.jsonl", OLD, DOCUMENTS[1]), rows("states.jsonl", *states))
    assert await flags(desk, "RFC-1", day(2020, 6), day(2022), day(2023), day(2025)) == [
        StateFlag.CURRENT,
        StateFlag.CURRENT,
        StateFlag.HISTORICAL,
        StateFlag.HISTORICAL,
    ]
    assert [each.status for each in await line_of(desk, "rfc-1")][-1] == "superseded"


async def test_commits_date_a_supersession(repository: Repository) -> None:
    """The superseded record is never touched again; its successor is accepted a year after it is proposed."""
    rest = "\n## Supersedes\n\n- ADR-1\n"
    repository.commit("2020-01-01", {"adr/0001-a.md": record(1, "First", "Accepted")})
    repository.commit("2021-01-01", {"adr/0002-b.md": record(2, "Second", "Proposed", rest)})
    repository.commit("2022-01-01", {"adr/0002-b.md": record(2, "Second", "Accepted", rest)})
    await repository.run()
    assert await flags(repository.desk, "ADR-0001", day(2021, 6), day(2022, 2)) == [
        StateFlag.CURRENT,
        StateFlag.HISTORICAL,
    ]
    *earlier, last = await line_of(repository.desk, "adr-1")
    assert {each.status for each in earlier} == {"Accepted"}
    assert (last.since, last.status) == ("2022-01-01", "superseded")


async def test_a_supersession_that_was_stated_later_moves_states_then(repository: Repository) -> None:
    """The successor was in force before anybody wrote that it supersedes the other."""
    rest = "\n## Supersedes\n\n- ADR-1\n"
    repository.commit("2020-01-01", {"adr/0001-a.md": record(1, "First", "Accepted")})
    repository.commit("2021-01-01", {"adr/0002-b.md": record(2, "Second", "Accepted")})
    repository.commit("2022-01-01", {"adr/0002-b.md": record(2, "Second", "Accepted", rest)})
    await repository.run()
    *earlier, last = await line_of(repository.desk, "adr-1")
    assert {each.status for each in earlier} == {"Accepted"}
    assert (last.since, last.status) == ("2022-01-01", "superseded")
    assert await flags(repository.desk, "ADR-0001", day(2021, 6), day(2022, 2)) == [
        StateFlag.CURRENT,
        StateFlag.HISTORICAL,
    ]


async def test_what_was_in_force_before_it_claimed_so_supersedes_nothing(
    desk: ProjectFixture, rows: Rows
) -> None:
    new = {**DOCUMENTS[1], "meta": {"status": "Draft", "refs": []}}
    states = [
        state("RFC-2", "2021-01-01", "b1", status="Final", replaces=[]),
        state("RFC-2", "2021-02-01", "b2", status="Draft", replaces=[]),
        state("RFC-2", "2021-03-01", "b3", status="Draft", replaces=["RFC-1"]),
    ]
    await bring(desk, rows("docs.jsonl", OLD, new), rows("states.jsonl", *states))
    assert await spans_of(desk, "rfc-2", "SUPERSEDES", "rfc-1") == [("2021-03-01", None)]
    assert await flags(desk, "RFC-1", day(2022)) == [StateFlag.CURRENT]
    assert {each.status for each in await line_of(desk, "rfc-1")} == {"Final"}


async def test_what_was_accepted_once_superseded_the_other(desk: ProjectFixture, rows: Rows) -> None:
    """What became of the successor afterwards brings nothing back; the present text tells only the latter."""
    withdrawn = {**DOCUMENTS[1], "meta": {"status": "Withdrawn", "refs": DOCUMENTS[1]["meta"]["refs"]}}
    states = [
        state("RFC-1", "2020-01-01", "a1", status="Final"),
        state("RFC-2", "2021-01-01", "b1", status="Accepted", replaces=["RFC-1"]),
        state("RFC-2", "2023-01-01", "b2", status="Withdrawn", replaces=["RFC-1"]),
    ]
    await bring(desk, rows("docs.jsonl", OLD, withdrawn), rows("states.jsonl", *states))
    assert [(each.since, each.status) for each in await line_of(desk, "rfc-1")] == [
        ("2020-01-01", "Final"),
        ("2021-01-01", "superseded"),
    ]
    assert await flags(desk, "RFC-1", day(2020, 6), day(2022)) == [StateFlag.CURRENT, StateFlag.HISTORICAL]
