"""A git history with its texts: each is a version, and one import gives what many give."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import pytest

from app.domain.recall import StateFlag
from app.embedding import Embedder, Vectors
from tests.documents import ProjectFixture, day, edges, identifiers
from tests.services.importing.history.conftest import Repository
from tests.services.importing.test_one_set import meaning

Commits: TypeAlias = Sequence[tuple[str, Mapping[str, str]]]


def adr(number: int, title: str, status: str, *paragraphs: str) -> str:
    body = "\n\n".join(paragraphs)
    return f"# {number}. {title}\n\n## Status\n\n{status}\n\n## Decision\n\n{body}\n"


POLL = "Workers poll the table every ten seconds, because the broker is not approved yet."
PUSH = "The broker pushes each message to one worker, and the table keeps what was pushed."

TWO_EDITIONS: Commits = [
    ("2026-02-01", {"adr/0001-queue.md": adr(1, "Queue", "Proposed", POLL)}),
    ("2026-06-01", {"adr/0001-queue.md": adr(1, "Queue", "Accepted", PUSH)}),
]
HISTORIES: Mapping[str, Commits] = {
    "two editions": TWO_EDITIONS,
    "a new title beside a file that stays": [
        (
            "2026-02-01",
            {"adr/0001-queue.md": adr(1, "Poll", "Accepted", POLL), "notes/day.md": "# Day\n\nSun.\n"},
        ),
        ("2026-04-01", {"notes/day.md": "# Day\n\nSun, then rain. See ADR-1.\n"}),
        ("2026-06-01", {"adr/0001-queue.md": adr(1, "Push", "Accepted", PUSH)}),
    ],
    "references that come and go": [
        ("2026-02-01", {"adr/0001-a.md": adr(1, "A", "Accepted", "Alone, see ADR-2.")}),
        ("2026-03-01", {"adr/0002-b.md": adr(2, "B", "Accepted", "See ADR-1 and ADR-3.")}),
        ("2026-04-01", {"adr/0001-a.md": adr(1, "A", "Accepted", "Alone again.")}),
        ("2026-05-01", {"adr/0003-c.md": adr(3, "C", "Accepted", "New.\n\n## Supersedes\n\n- ADR-2")}),
        ("2026-06-01", {"adr/0001-a.md": adr(1, "A", "Accepted", "See ADR-2, ADR-3.")}),
    ],
    "a document removed and one that returns": [
        (
            "2026-02-01",
            {
                "adr/0001-a.md": adr(1, "A", "Accepted", POLL),
                "adr/0002-b.md": adr(2, "B", "Accepted", "See ADR-1."),
            },
        ),
        ("2026-03-01", {"adr/0001-a.md": ""}),
        ("2026-04-01", {"adr/0003-c.md": adr(3, "C", "Accepted", "Also ADR-1.")}),
        ("2026-05-01", {"adr/0001-a.md": adr(1, "A", "Accepted", PUSH)}),
        ("2026-06-01", {"adr/0002-b.md": ""}),
    ],
    "a superseded document removed and there again with another text": [
        ("2026-02-01", {"adr/0001-a.md": adr(1, "A", "Accepted", POLL)}),
        (
            "2026-03-01",
            {"adr/0002-b.md": adr(2, "B", "Accepted", PUSH, "See ADR-1.\n\n## Supersedes\n\n- ADR-1")},
        ),
        ("2026-04-01", {"adr/0001-a.md": ""}),
        ("2026-05-01", {"adr/0001-a.md": adr(1, "A", "Accepted", POLL, "Again.")}),
    ],
    "a file that moves, with and without a change": [
        ("2026-02-01", {"adr/0001-a.md": adr(1, "A", "Proposed", POLL, PUSH)}),
        ("2026-03-01", {"adr/0001-a.md": "", "records/0001-a.md": adr(1, "A", "Proposed", POLL, PUSH)}),
        (
            "2026-04-01",
            {"records/0001-a.md": "", "adr/0001-z.md": adr(1, "A", "Accepted", POLL, PUSH, "So be it.")},
        ),
        ("2026-05-01", {"adr/0002-b.md": adr(2, "B", "Accepted", "See ADR-1.")}),
    ],
}


async def bring(repository: Repository, commits: Commits, *, at_once: bool) -> None:
    for at, files in commits:
        for path in [path for path, content in files.items() if not content]:
            repository.git("rm", "--quiet", path)
        repository.commit(at, {path: content for path, content in files.items() if content})
        if not at_once:
            assert (await repository.run()).refused == []
    assert (await repository.run()).refused == []


_TEXTS = (
    "SELECT key, artifact.created_at, title, body, source_uri, source_commit, date_source FROM artifact"
    " JOIN entity ON entity.tenant_id = artifact.tenant_id AND entity.id = artifact.entity"
    " WHERE artifact.project_id = (SELECT project_id FROM project WHERE key = $1)"
)
_ABSENCES = (
    "SELECT key, valid_from, valid_until, source, source_commit FROM absence"
    " JOIN entity ON entity.tenant_id = absence.tenant_id AND entity.id = absence.entity"
    " WHERE retracted_at IS NULL AND absence.project_id = (SELECT project_id FROM project WHERE key = $1)"
)


async def digest(desk: ProjectFixture) -> dict[str, list[tuple[Any, ...]]]:
    """Return what the ledger says of a project: texts, absences, states, references and names."""
    found = await meaning(desk, desk.project)
    found["pending"] = [(row[0], row[1], row[2], row[3]) for row in found["pending"]]
    async with desk.reading() as connection:
        for of, statement in (("texts", _TEXTS), ("absences", _ABSENCES)):
            found[of] = sorted(
                (tuple(row) for row in await connection.fetch(statement, desk.project)), key=repr
            )
    return found


@pytest.mark.parametrize("name", HISTORIES)
async def test_one_import_gives_what_an_import_after_every_commit_gives(
    repository: Repository, name: str
) -> None:
    await bring(repository, HISTORIES[name], at_once=False)
    each = await digest(repository.desk)
    again = replace(repository, desk=replace(repository.desk, project=f"{repository.desk.project}-once"))
    await again.run()
    once = await digest(again.desk)
    for of in each:
        assert once[of] == each[of], of
    await again.run()
    assert await digest(again.desk) == once


NOTES, CATS = f"# Notes\n\n{POLL}\n\n{PUSH}\n", "Cats are kept in the office from now on, two at most."
TAKEN: Mapping[str, Commits] = {
    "a note": [
        ("2026-02-01", {"x.md": NOTES}),
        ("2026-03-01", {"x.md": "", "y.md": f"{NOTES}\nMore.\n"}),
        ("2026-04-01", {"x.md": f"# Cats\n\n{CATS}\n"}),
    ],
    "a number": [
        ("2026-02-01", {"adr/0001-a.md": adr(1, "A", "Accepted", POLL, PUSH)}),
        ("2026-03-01", {"adr/0001-a.md": "", "adr/0005-a.md": adr(5, "A", "Accepted", POLL, PUSH)}),
        ("2026-04-01", {"adr/0001-a.md": adr(1, "Cats", "Accepted", CATS)}),
    ],
}


@pytest.mark.parametrize("name", TAKEN)
async def test_a_document_whose_path_another_took_is_there_once(repository: Repository, name: str) -> None:
    await bring(repository, TAKEN[name], at_once=False)
    desk = repository.desk
    again = replace(repository, desk=replace(desk, project=f"{desk.project}-once"))
    await again.run()
    for at in (day(2026, 2, 15), day(2026, 3, 15), day(2026, 4, 15)):
        each, once = (
            sorted((hit.artifact.identifier or "", hit.artifact.body) for hit in found.hits)
            for found in (
                await desk.ask("workers poll the table", as_of=at),
                await again.desk.ask("workers poll the table", as_of=at),
            )
        )
        assert each == once
    settled = await digest(desk)
    await repository.run()
    assert await digest(desk) == settled


@pytest.mark.parametrize("new", ["o.md", "notes/b.md", "adr/b.md"])
async def test_a_record_that_loses_its_number_as_it_moves_stays_one_document(
    repository: Repository, new: str
) -> None:
    body = f"\n## Decision\n\n{POLL}\n\n{PUSH}\n"
    repository.commit("2026-02-01", {"adr/0002-b.md": f"# 2. B\n{body}"})
    await repository.run()
    repository.git("rm", "--quiet", "adr/0002-b.md")
    repository.commit("2026-03-01", {new: f"# B\n{body}\nStill so.\n"})
    summary = await repository.run()
    assert (summary.filed, summary.refused) == (1, [])
    hits = (await repository.desk.ask("ADR-2")).hits
    assert {(hit.artifact.identifier, hit.artifact.kind) for hit in hits} == {("ADR-0002", "ADR")}
    assert any("Still so." in hit.artifact.body for hit in hits)
    assert (await repository.run()).filed == 0


@dataclass(frozen=True)
class CountingEmbedder:
    """An encoder that counts the passages it embeds."""

    embedder: Embedder
    texts: list[str]

    def __getattr__(self, name: str) -> Any:
        return getattr(self.embedder, name)

    async def embed_passages(self, texts: Sequence[str]) -> Vectors:
        self.texts.extend(texts)
        return await self.embedder.embed_passages(texts)


async def test_as_of_a_date_recall_quotes_its_text_under_its_status(repository: Repository) -> None:
    await bring(repository, TWO_EDITIONS, at_once=True)
    for at, words, flag in (
        (day(2026, 3), POLL, StateFlag.WIP),
        (day(2026, 7), PUSH, StateFlag.CURRENT),
    ):
        hit = (await repository.desk.ask("how do workers get messages", as_of=at)).hits[0]
        assert words in hit.artifact.body
        assert hit.passage.text in hit.artifact.body
        assert hit.annotation.flag is flag
    assert (await repository.desk.ask("workers", as_of=day(2026, 1, 5))).hits == ()


@pytest.mark.parametrize("at_once", [False, True])
async def test_only_passages_that_changed_are_embedded(repository: Repository, at_once: bool) -> None:
    parts = [f"## Part {number}\n\n" + f"It says the {number}th thing. " * 40 for number in range(6)]
    changed = [*parts[:5], parts[5].replace("thing", "other thing")]
    desk = repository.desk
    counting = CountingEmbedder(desk.memory.embedder, [])
    memory = replace(desk.memory, embedder=counting)
    repository = replace(repository, desk=replace(desk, memory=memory))
    commits: Commits = [
        ("2026-02-01", {"long.md": "# Long\n\n" + "\n\n".join(parts)}),
        ("2026-03-01", {"long.md": "# Long\n\n" + "\n\n".join(changed)}),
        ("2026-04-01", {"long.md": "# Long\n\n" + "\n\n".join(reversed(changed))}),
    ]
    await bring(repository, commits, at_once=at_once)
    assert len(counting.texts) == len(set(counting.texts))
    assert sum("other thing" in text for text in counting.texts) < len(counting.texts) / 3


async def removed(repository: Repository, path: str, at: str) -> None:
    repository.git("rm", "--quiet", path)
    repository.commit(at)


NEW = adr(2, "Push", "Accepted", PUSH, "See ADR-1.\n\n## Supersedes\n\n- ADR-1")


async def test_what_a_removed_document_states_ends_with_it(repository: Repository) -> None:
    repository.commit("2026-02-01", {"adr/0001-a.md": adr(1, "Poll", "Accepted", POLL)})
    repository.commit("2026-03-01", {"adr/0002-b.md": NEW})
    await repository.run()
    await removed(repository, "adr/0002-b.md", "2026-04-01")
    assert (await repository.run()).removed == ["adr/0002-b.md"]
    desk = repository.desk
    flags = {}
    for at in (day(2026, 2, 15), day(2026, 3, 15), day(2026, 4, 15)):
        hits = (await desk.ask("ADR-1", as_of=at)).hits
        flags[at.month] = [(hit.artifact.identifier, hit.annotation.flag) for hit in hits]
    current, historical = StateFlag.CURRENT, StateFlag.HISTORICAL
    assert flags == {
        2: [("ADR-0001", current)],
        3: [("ADR-0001", historical), ("ADR-0002", current)],
        4: [("ADR-0001", current)],
    }


async def rewrite(repository: Repository, back: int) -> None:
    repository.git("reset", "--quiet", "--hard", f"HEAD~{back}")


async def _lose_a_document(repository: Repository) -> None:
    repository.commit("2026-03-01", {"adr/0002-b.md": adr(2, "Lost", "Accepted", PUSH)})
    await repository.run()
    await rewrite(repository, 1)


async def _lose_an_edition(repository: Repository) -> None:
    repository.commit("2026-03-01", {"adr/0001-a.md": adr(1, "Lost", "Deprecated", PUSH)})
    await repository.run()
    await rewrite(repository, 1)


async def _lose_a_removal(repository: Repository) -> None:
    await removed(repository, "adr/0001-a.md", "2026-03-01")
    await repository.run()
    await rewrite(repository, 1)


async def _lose_all_but_the_text(repository: Repository) -> None:
    repository.commit("2026-03-01", {"adr/0001-a.md": adr(1, "Lost", "Deprecated", PUSH)})
    await repository.run()
    await rewrite(repository, 1)
    repository.commit("2026-03-05", {"adr/0001-a.md": adr(1, "Poll on", "Final", POLL)})


@pytest.mark.parametrize(
    "lose", [_lose_a_document, _lose_an_edition, _lose_a_removal, _lose_all_but_the_text]
)
async def test_what_only_lost_commits_held_is_withdrawn(
    repository: Repository, lose: Callable[[Repository], Awaitable[None]]
) -> None:
    desk = repository.desk
    repository.commit(
        "2026-02-01",
        {"adr/0001-a.md": adr(1, "Poll", "Accepted", POLL), "b.md": "# B\n\nSee ADR-1 and ADR-2.\n"},
    )
    await lose(repository)
    before = (await desk.ask("lost")).known_at
    assert (await repository.run()).refused == []
    for at in (None, day(2026, 3, 3), day(2026, 4)):
        for hit in (await desk.ask("lost push broker", as_of=at)).hits:
            assert hit.artifact.title != "Lost"
            assert hit.annotation.flag in (StateFlag.CURRENT, StateFlag.HISTORICAL)
    newest = (await desk.ask("ADR-1")).hits[0]
    assert (newest.artifact.identifier, newest.annotation.flag) == ("ADR-0001", StateFlag.CURRENT)
    assert ("b", "REFERENCES", "adr-1") in await edges(desk)
    again = await digest(desk)
    await repository.run()
    assert await digest(desk) == again
    then = (await desk.ask("lost push broker", as_of=day(2026, 4), known_at=before)).hits
    if lose is not _lose_a_removal:
        assert "Lost" in {hit.artifact.title for hit in then}


async def test_a_history_that_comes_back_restores_what_it_held(repository: Repository) -> None:
    repository.commit("2026-02-01", {"adr/0001-a.md": adr(1, "Poll", "Accepted", POLL)})
    repository.commit("2026-03-01", {"adr/0002-b.md": NEW})
    await repository.run()
    tip = repository.git("rev-parse", "HEAD")
    await rewrite(repository, 1)
    await repository.run()
    assert identifiers(await repository.desk.ask("ADR-2")) != ["ADR-0002"]
    assert ("adr-2", "SUPERSEDES", "adr-1") not in await edges(repository.desk)
    repository.git("reset", "--quiet", "--hard", tip)
    await repository.run()
    assert identifiers(await repository.desk.ask("ADR-2"))[0] == "ADR-0002"
    (first,) = [
        hit for hit in (await repository.desk.ask("ADR-1")).hits if hit.artifact.identifier == "ADR-0001"
    ]
    assert first.annotation.flag is StateFlag.HISTORICAL


LATIN = "# 1. Caf\u00e9\n\n## Status\n\nDraft\n\nDie Gr\u00f6\u00dfe z\u00e4hlt.\n"


async def test_an_edition_in_latin_1_is_read_with_a_warning(repository: Repository) -> None:
    """What a later edition says is not said of the time before."""
    dated = "---\ndate: 2020-01-01\n---\n"
    repository.commit("2026-02-01", {"adr/0001-a.md": (dated + LATIN).encode("latin-1")})
    repository.commit("2026-03-01", {"adr/0001-a.md": dated + LATIN.replace("Draft", "Accepted")})
    summary = await repository.run()
    assert summary.refused == []
    (warned,) = summary.warnings.values()
    assert warned.examples == ["adr/0001-a.md: an edition of it is not UTF-8; it was read as Latin-1"]
    for at, flag in ((day(2026, 2, 15), StateFlag.WIP), (day(2026, 4), StateFlag.CURRENT)):
        (hit,) = (await repository.desk.ask("Gr\u00f6\u00dfe", as_of=at, first=1)).hits
        assert (hit.artifact.title, hit.annotation.flag) == ("Caf\u00e9", flag)


async def test_an_edition_that_is_no_text_is_reported_and_dates_nothing_back(repository: Repository) -> None:
    dated = "---\ndate: 2020-01-01\n---\n# 1. A\n\n## Status\n\nAccepted\n"
    repository.commit("2026-02-01", {"adr/0001-a.md": b"\x89PNG\x00\x01\x02\xff"})
    repository.commit("2026-03-01", {"adr/0001-a.md": dated})
    summary = await repository.run()
    assert any("left out" in warning for warning in summary.warnings)
    assert (await repository.desk.ask("ADR-1", as_of=day(2026, 2, 15))).hits == ()
    assert identifiers(await repository.desk.ask("ADR-1")) == ["ADR-0001"]
