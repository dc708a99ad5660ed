"""Which document a file holds, when another was put in its place or it was given another number."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest

from tests.services.importing.history.conftest import Repository, line_of
from tests.services.importing.history.test_git import titles

Commits = Sequence[tuple[str, Mapping[str, str]]]
Line = list[tuple[str, str | None, str]]


def text(identifier: str, status: str, title: str) -> str:
    body = f"The text of {title}, which is about {title} and nothing else. " * 4
    return f"---\nid: {identifier}\nstatus: {status}\n---\n# {title}\n\n{body}\n"


def template(identifier: str, title: str, words: str = "") -> str:
    """Return one of many texts that are much alike."""
    lines = "\n".join(f"- Have you asked the {each} team?" for each in ("web", "data", "mail", "shop") * 8)
    return f"---\nid: {identifier}\nstatus: Accepted\n---\n# {title}\n\n{lines}\n{words}\n"


async def bring(repository: Repository, commits: Commits, imports: str) -> None:
    """Commit each, importing after each or at the end; paths without a text are removed."""
    for at, files in commits:
        for path in [path for path, content in files.items() if not content]:
            repository.git("rm", "--quiet", path)
        repository.commit(at, {path: content for path, content in files.items() if content})
        if imports == "each":
            assert (await repository.run()).refused == []
    assert (await repository.run()).refused == []
    assert (await repository.run()).filed == 0


async def lines(repository: Repository) -> dict[str, Line]:
    return {
        key: [(each.since, each.status, each.title) for each in await line_of(repository.desk, key)]
        for key in await titles(repository)
    }


ONE, TWO = text("ADR-1", "Accepted", "One"), text("ADR-2", "Rejected", "Two")

whenever = pytest.mark.parametrize("imports", ["each", "once"])


@whenever
async def test_a_document_in_place_of_one_that_moved_has_a_past_of_its_own(
    repository: Repository, imports: str
) -> None:
    first, second = text("Plan-1", "Active", "First quarter"), text("Plan-2", "Draft", "Second quarter")
    commits = [
        ("2020-01-05", {"plan.md": first}),
        ("2020-04-05", {"plan.md": second, "archive/p1.md": first}),
        ("2020-05-05", {"plan.md": second.replace("Draft", "Active")}),
    ]
    await bring(repository, commits, imports)
    assert await lines(repository) == {
        "plan-1": [("2020-01-05", "Active", "First quarter")],
        "plan-2": [("2020-04-05", "Draft", "Second quarter"), ("2020-05-05", "Active", "Second quarter")],
    }


@whenever
async def test_documents_that_swap_their_files_keep_their_pasts(repository: Repository, imports: str) -> None:
    commits = [
        ("2020-01-05", {"1.md": ONE, "2.md": TWO}),
        ("2020-02-05", {"1.md": TWO, "2.md": ONE}),
        ("2020-03-05", {"1.md": ONE.replace("Accepted", "Deprecated"), "2.md": TWO}),
        ("2020-04-05", {"1.md": TWO, "2.md": ONE.replace("# One", "# The one")}),
    ]
    await bring(repository, commits, imports)
    assert await lines(repository) == {
        "adr-1": [
            ("2020-01-05", "Accepted", "One"),
            ("2020-03-05", "Deprecated", "One"),
            ("2020-04-05", "Accepted", "The one"),
        ],
        "adr-2": [("2020-01-05", "Rejected", "Two")],
    }


@pytest.mark.parametrize("is_moved_first", [False, True])
async def test_one_that_moved_before_it_swapped_is_filed_as_what_it_is(
    repository: Repository, is_moved_first: bool
) -> None:
    three = text("ADR-3", "Proposed", "Three")
    repository.commit("2020-01-05", {"1.md": ONE})
    await repository.run()
    repository.git("mv", "1.md", "r.md")
    if is_moved_first:
        repository.commit("2020-02-05")
    repository.commit("2020-03-05", {"3.md": three})
    repository.commit("2020-04-05", {"r.md": three, "3.md": ONE})
    assert (await repository.run()).refused == []
    assert await lines(repository) == {
        "adr-1": [("2020-01-05", "Accepted", "One")],
        "adr-3": [("2020-03-05", "Proposed", "Three")],
    }


@whenever
@pytest.mark.parametrize("moves", [False, True])
async def test_another_document_in_place_of_one_that_is_gone_is_another(
    repository: Repository, imports: str, moves: bool
) -> None:
    """Also where its file moves before it is imported: where something was filed from says not what it is."""
    repository.commit("2020-01-05", {"a.md": ONE})
    await repository.run()
    nine = text("ADR-9", "Proposed", "Nine entirely other words")
    commits: Commits = [("2020-02-05", {"a.md": nine})]
    if moves:
        commits = [*commits, ("2020-03-05", {"a.md": "", "b.md": nine})]
    await bring(repository, commits, imports)
    assert await lines(repository) == {
        "adr-1": [("2020-01-05", "Accepted", "One")],
        "adr-9": [("2020-02-05", "Proposed", "Nine entirely other words")],
    }


@pytest.mark.parametrize("is_same_commit", [False, True])
async def test_what_states_the_identifier_elsewhere_is_the_document_however_like_the_other_is(
    repository: Repository, is_same_commit: bool
) -> None:
    first, second = template("ADR-1", "Mail"), template("ADR-2", "Shop")
    commits: Commits = [
        ("2020-01-05", {"new.md": first}),
        ("2020-02-05", {"old/1.md": first}),
        ("2020-03-05", {"new.md": second}),
    ]
    if is_same_commit:
        commits = [commits[0], ("2020-03-05", {"old/1.md": first, "new.md": second})]
    await bring(repository, commits, "once")
    found = await lines(repository)
    assert found["adr-2"] == [("2020-03-05", "Accepted", "Shop")]
    assert found["adr-1"] == [("2020-01-05", "Accepted", "Mail")]


@whenever
async def test_of_two_that_took_one_number_the_one_that_gets_another_keeps_its_past(
    repository: Repository, imports: str
) -> None:
    mine, yours = text("ADR-7", "Accepted", "Mine"), text("ADR-7", "Proposed", "Yours")
    commits = [
        ("2020-01-05", {"mine.md": mine}),
        ("2020-02-05", {"mine.md": mine, "yours.md": yours}),
        ("2020-03-05", {"yours.md": yours.replace("ADR-7", "ADR-8")}),
    ]
    if imports == "once":
        await bring(repository, commits, imports)
        found = await lines(repository)
        assert found == {
            "adr-7": [("2020-01-05", "Accepted", "Mine")],
            "adr-8": [("2020-02-05", "Proposed", "Yours")],
        }
    else:
        await bring(repository, commits[:1] + commits[2:], imports)
        assert (await lines(repository))["adr-8"] == [("2020-03-05", "Proposed", "Yours")]


async def test_a_number_given_in_place_leads_to_the_same_document(repository: Repository) -> None:
    commits = [
        ("2020-01-05", {"a.md": ONE}),
        ("2020-02-05", {"a.md": ONE.replace("ADR-1", "ADR-9").replace("Accepted", "Final")}),
    ]
    await bring(repository, commits, "each")
    assert await lines(repository) == {
        "adr-1": [("2020-01-05", "Accepted", "One"), ("2020-02-05", "Final", "One")]
    }


@whenever
async def test_a_page_in_place_of_a_document_that_moved_is_no_edition_of_it(
    repository: Repository, imports: str
) -> None:
    commits = [
        ("2020-01-05", {"a.md": ONE}),
        ("2020-02-05", {"a.md": "# Moved\n\nIt is in the folder beside.\n", "in/b.md": ONE}),
    ]
    await bring(repository, commits, imports)
    assert await lines(repository) == {
        "adr-1": [("2020-01-05", "Accepted", "One")],
        "a": [("2020-02-05", None, "Moved")],
    }
