from __future__ import annotations

import pytest

from app.errors import Invalid
from app.services.importing import ImportRequest
from tests.documents import day, edges, identifiers, pending
from tests.services.importing.history.conftest import Believed, Repository, line_of, spans_of


def record(number: int, title: str, status: str, rest: str = "") -> str:
    return f"# {number}. {title}\n\n## Status\n\n{status}\n\n## Decision\n\nWe decided on {title}.\n{rest}"


async def titles(repository: Repository) -> dict[str, str]:
    """Return what stands in the project, by key."""
    async with repository.desk.reading() as connection:
        rows = await connection.fetch(
            "SELECT entity.key, props ->> 'title' AS title FROM entity_state AS state"
            " JOIN entity ON entity.tenant_id = state.tenant_id AND entity.id = state.entity"
            " JOIN project USING (project_id) WHERE project.key = $1"
            " AND retracted_at IS NULL AND valid_until IS NULL",
            repository.desk.project,
        )
    return {row["key"]: row["title"] for row in rows}


async def test_every_change_of_status_or_title_is_a_state_with_its_commit(repository: Repository) -> None:
    path = "adr/0001-queue.md"
    first = repository.commit("2020-01-01", {path: record(1, "Poll", "Proposed")})
    second = repository.commit("2020-02-01", {path: record(1, "Poll", "Accepted")})
    repository.commit("2020-03-01", {path: record(1, "Poll", "Accepted", "\nMore words.\n")})
    third = repository.commit("2020-04-01", {path: record(1, "Poll the queue", "Accepted")})
    summary = await repository.run()
    assert (summary.filed, summary.states_recorded, summary.refused) == (1, 3, [])
    assert await line_of(repository.desk, "adr-1") == [
        Believed("2020-01-01", "Proposed", "Poll", "created", first),
        Believed("2020-02-01", "Accepted", "Poll", "status_transition", second),
        Believed("2020-04-01", "Accepted", "Poll the queue", "rename", third),
    ]
    (hit,) = (await repository.desk.ask("queue", as_of=day(2020, 1, 2))).hits
    assert hit.artifact.body.startswith("# 1. Poll\n")


async def test_again_nothing_changes_and_then_only_what_is_new(repository: Repository) -> None:
    path = "adr/0001-queue.md"
    repository.commit("2020-01-01", {path: record(1, "Poll", "Proposed")})
    repository.commit("2020-02-01", {path: record(1, "Poll", "Accepted")})
    await repository.run()
    again = await repository.run()
    assert (again.filed, again.unchanged, again.states_recorded, again.states_unchanged) == (0, 1, 0, 2)
    latest = repository.commit("2020-05-01", {path: record(1, "Poll", "Deprecated")})
    later = await repository.run()
    assert (later.filed, later.states_recorded, later.states_unchanged) == (1, 1, 2)
    line = await line_of(repository.desk, "adr-1")
    assert [(each.since, each.status) for each in line] == [
        ("2020-01-01", "Proposed"),
        ("2020-02-01", "Accepted"),
        ("2020-05-01", "Deprecated"),
    ]
    assert line[-1].commit == latest
    final = await repository.run()
    assert (final.filed, final.states_recorded) == (0, 0)


async def test_relations_hold_from_the_commit_that_states_them(repository: Repository) -> None:
    one, two = "adr/0001-one.md", "adr/0002-two.md"
    repository.commit("2020-01-01", {one: record(1, "One", "Accepted")})
    repository.commit("2020-02-01", {two: record(2, "Two", "Accepted")})
    both = {
        one: record(1, "One", "Superseded by ADR-2"),
        two: record(2, "Two", "Accepted", "\n## Supersedes\n\n- ADR-1\n"),
    }
    repository.commit("2020-06-01", both)
    await repository.run()
    assert await spans_of(repository.desk, "adr-2", "SUPERSEDES", "adr-1") == [("2020-06-01", None)]
    statuses = [(each.since, each.status) for each in await line_of(repository.desk, "adr-1")]
    assert statuses == [("2020-01-01", "Accepted"), ("2020-06-01", "Superseded")]


async def test_imp_01_names_are_exact_whatever_letters_they_hold(repository: Repository) -> None:
    """IMP-01."""
    names = [
        "decisions/0001-résumé.md",
        "決定/0002.md",
        "a b.md",
        "tab\tname.md",
        'quote".md',
        "two\nlines.md",
    ]
    repository.commit("2020-01-01", {name: f"# {number}\n" for number, name in enumerate(names)})
    summary = await repository.run()
    assert (summary.filed, summary.refused) == (6, [])
    async with repository.desk.reading() as connection:
        rows = await connection.fetch(
            "SELECT source_uri FROM artifact JOIN project USING (project_id) WHERE project.key = $1",
            repository.desk.project,
        )
    assert {row["source_uri"] for row in rows} == set(names)


async def test_imp_04_a_renamed_file_stays_one_document(repository: Repository) -> None:
    """IMP-04."""
    long = "\n".join(f"A sentence of the decision, the {number}th one." for number in range(40))
    repository.commit("2020-01-01", {"adr/0003-a.md": record(3, "Third", "Proposed", long)})
    await repository.run()
    repository.git("mv", "adr/0003-a.md", "adr/0003-b.md")
    repository.commit("2020-02-01")
    moved = await repository.run()
    assert (moved.filed, moved.unchanged) == (0, 1)
    repository.git("mv", "adr/0003-b.md", "adr/0003-c.md")
    repository.commit("2020-03-01", {"adr/0003-c.md": record(3, "Third", "Accepted", long)})
    edited = await repository.run()
    assert (edited.filed, edited.states_recorded) == (1, 1)
    assert await titles(repository) == {"adr-3": "Third"}
    line = await line_of(repository.desk, "adr-3")
    assert [each.status for each in line] == ["Proposed", "Accepted"]


async def test_imp_04_a_document_of_another_number_keeps_its_references(repository: Repository) -> None:
    """IMP-04."""
    long = "\n".join(f"A sentence of the decision, the {number}th one." for number in range(40))
    related = {"adr/0001-x.md": record(1, "First", "Accepted", "\n## Related\n\n- ADR-3\n")}
    repository.commit("2020-01-01", {"adr/0003-a.md": record(3, "Third", "Accepted", long), **related})
    await repository.run()
    repository.git("mv", "adr/0003-a.md", "adr/0004-a.md")
    repository.commit("2020-02-01", {"adr/0004-a.md": record(4, "Third", "Accepted", long)})
    summary = await repository.run()
    assert summary.refused == []
    assert set(await titles(repository)) == {"adr-1", "adr-3"}
    assert ("adr-1", "RELATES_TO", "adr-3") in await edges(repository.desk)
    hits = (await repository.desk.ask("ADR-4")).hits
    assert (hits[0].artifact.identifier, hits[0].artifact.source_uri) == ("ADR-0003", "adr/0004-a.md")
    again = await repository.run()
    assert (again.filed, again.states_recorded) == (0, 0)


async def test_imp_04_a_number_of_old_leads_to_the_document_that_has_another_now(
    repository: Repository,
) -> None:
    """IMP-04."""
    long = "\n".join(f"A sentence of the decision, the {number}th one." for number in range(40))
    related = {"adr/0001-x.md": record(1, "First", "Accepted", "\n## Related\n\n- ADR-3\n")}
    repository.commit("2020-01-01", {"adr/0003-a.md": record(3, "Third", "Proposed", long), **related})
    repository.git("mv", "adr/0003-a.md", "adr/0004-a.md")
    repository.commit("2020-02-01", {"adr/0004-a.md": record(4, "Third", "Accepted", long)})
    await repository.run()
    assert set(await titles(repository)) == {"adr-1", "adr-4"}
    assert [each.status for each in await line_of(repository.desk, "adr-4")] == ["Proposed", "Accepted"]
    assert identifiers(await repository.desk.ask("ADR-3"))[0] == "ADR-0004"
    assert ("adr-1", "RELATES_TO", "adr-4") in await edges(repository.desk)
    assert await pending(repository.desk) == set()


async def test_a_file_written_anew_under_another_name_is_known_by_its_identifier(
    repository: Repository,
) -> None:
    repository.commit("2020-01-01", {"adr/0003-a.md": record(3, "Third", "Proposed")})
    repository.git("rm", "--quiet", "adr/0003-a.md")
    repository.commit("2020-02-01")
    repository.commit("2020-03-01", {"records/0003-z.md": "---\nid: ADR-3\nstatus: Accepted\n---\n# Anew\n"})
    await repository.run()
    line = await line_of(repository.desk, "adr-3")
    assert [(each.since, each.status) for each in line] == [
        ("2020-01-01", "Proposed"),
        ("2020-03-01", "Accepted"),
    ]


async def test_files_that_swap_their_names_keep_what_they_are(repository: Repository) -> None:
    texts = {name: "\n".join(f"{name} says {number}" for number in range(30)) for name in "ab"}
    repository.commit("2020-01-01", {f"{name}.md": f"# {name}\n{text}" for name, text in texts.items()})
    repository.git("mv", "a.md", "c.md")
    repository.git("mv", "b.md", "a.md")
    repository.git("mv", "c.md", "b.md")
    repository.commit("2020-02-01")
    await repository.run()
    assert await titles(repository) == {"a": "b", "b": "a"}


async def test_a_deleted_document_ends_at_its_commit(repository: Repository) -> None:
    repository.commit("2020-01-01", {"adr/0001-a.md": record(1, "First", "Accepted"), "b.md": "# b\n"})
    await repository.run()
    repository.git("rm", "--quiet", "adr/0001-a.md")
    repository.commit("2020-02-01")
    summary = await repository.run()
    assert (summary.filed, summary.unchanged, summary.refused) == (0, 2, [])
    assert summary.removed == ["adr/0001-a.md"]
    assert identifiers(await repository.desk.ask("First")) == ["b"]
    assert "ADR-0001" in identifiers(await repository.desk.ask("First", as_of=day(2020, 1, 20)))


async def test_imp_06_a_bad_file_is_tried_again_each_time_until_it_is_mended(repository: Repository) -> None:
    """IMP-06."""
    good: dict[str, str | bytes] = {
        f"adr/{number:04}-x.md": record(number, f"Number {number}", "Accepted") for number in range(1, 10)
    }
    repository.commit("2020-01-01", {**good, "adr/0010-bad.md": b"# 10. \xff\xfe\x00"})
    for filed, unchanged in ((9, 0), (0, 9)):
        summary = await repository.run()
        assert (summary.filed, summary.unchanged) == (filed, unchanged)
        (refused,) = summary.refused
        assert refused.source == "adr/0010-bad.md"
        assert "not UTF-8" in refused.reason
    repository.commit("2020-02-01", {"adr/0010-bad.md": record(10, "Mended", "Accepted")})
    mended = await repository.run()
    assert (mended.filed, mended.unchanged, mended.refused) == (1, 9, [])
    assert [each.since for each in await line_of(repository.desk, "adr-10")] == ["2020-02-01"]


async def test_imp_07_files_are_linked_by_name_from_the_root_and_from_folders(repository: Repository) -> None:
    """IMP-07."""
    related = "# Links\n\n## Related\n\n[[north-plan]] [[north_plan]] [[plans/south]] [[south]]\n"
    repository.commit(
        "2020-01-01", {"north-plan.md": "# North\n", "plans/south.md": "# South plan\n", "links.md": related}
    )
    await repository.run()
    found = {target for source, _, target in await edges(repository.desk) if source == "links"}
    assert found == {"north-plan", "plans/south"}
    assert await pending(repository.desk) == {("north_plan", False)}


async def test_side_branches_count_from_when_they_reach_the_main_line(repository: Repository) -> None:
    repository.commit("2020-01-01", {"adr/0001-a.md": record(1, "First", "Proposed")})
    repository.git("checkout", "--quiet", "-b", "side")
    repository.commit("2020-02-01", {"adr/0001-a.md": record(1, "First", "Accepted")})
    repository.git("checkout", "--quiet", "main")
    repository.commit("2020-02-15", {"b.md": "# b\n"})
    repository.git("merge", "--quiet", "--no-ff", "--message", "Merge", "side", at="2020-03-01T12:00:00Z")
    await repository.run()
    line = await line_of(repository.desk, "adr-1")
    assert [(each.since, each.status) for each in line] == [
        ("2020-01-01", "Proposed"),
        ("2020-03-01", "Accepted"),
    ]


async def test_a_commit_whose_clock_is_off_counts_from_its_parent(repository: Repository) -> None:
    path = "adr/0001-a.md"
    repository.commit("2020-01-01", {path: record(1, "First", "Proposed")})
    repository.commit("2009-01-01", {path: record(1, "First", "Accepted")})
    repository.commit("2020-03-01", {path: record(1, "First", "Deprecated")})
    await repository.run()
    assert [(each.since, each.status) for each in await line_of(repository.desk, "adr-1")] == [
        ("2020-01-01", "Proposed"),
        ("2020-01-01", "Accepted"),
        ("2020-03-01", "Deprecated"),
    ]


async def test_what_is_not_committed_or_not_below_the_folder_is_not_read(repository: Repository) -> None:
    repository.commit("2020-01-01", {"docs/a.md": "# a\n", "other/b.md": "# b\n", ".hidden/c.md": "# c\n"})
    (repository.folder / "docs/draft.md").write_text("# Draft\n")
    (repository.folder / "docs/link.md").symlink_to("a.md")
    repository.git("add", "docs/link.md")
    repository.git("commit", "--quiet", "--message", "Link")
    summary = await repository.run("docs")
    assert (summary.filed, summary.refused) == (1, [])
    assert set(await titles(repository)) == {"docs/a"}


async def test_a_folder_that_is_no_repository_is_refused_with_the_words_of_git(
    repository: Repository,
) -> None:
    memory = repository.desk.memory
    service = memory.imports
    with pytest.raises(Invalid, match="no commit yet"):
        await service.run(memory.caller, ImportRequest(repository=repository.folder))
    with pytest.raises(Invalid, match=r"git cannot read .*nowhere"):
        await service.run(memory.caller, ImportRequest(repository=repository.folder / "nowhere"))


async def test_a_line_that_was_written_anew_takes_the_place_of_the_former(repository: Repository) -> None:
    path = "adr/0001-a.md"
    repository.commit("2020-01-01", {path: record(1, "First", "Proposed")})
    repository.commit("2020-02-01", {path: record(1, "First", "Accepted")})
    await repository.run()
    repository.git("reset", "--quiet", "--hard", "HEAD~1")
    repository.git("commit", "--quiet", "--amend", "--no-edit", "--reset-author", at="2020-01-10T12:00:00Z")
    repository.commit("2020-03-01", {path: record(1, "First", "Accepted")})
    await repository.run()
    line = await line_of(repository.desk, "adr-1")
    assert [(each.since, each.status) for each in line] == [
        ("2020-01-01", "Proposed"),
        ("2020-03-01", "Accepted"),
    ]


async def test_what_people_set_for_their_own_eyes_changes_nothing(repository: Repository) -> None:
    for name, value in (
        ("diff.relative", "true"),
        ("log.showRoot", "false"),
        ("color.ui", "always"),
        ("diff.renames", "false"),
        ("core.quotePath", "true"),
    ):
        repository.git("config", name, value)
    repository.commit("2020-01-01", {"docs/é.md": "# One\n\nStatus: Draft\n", "b.md": "# b\n"})
    summary = await repository.run("docs")
    assert (summary.filed, summary.states_recorded) == (1, 1)
