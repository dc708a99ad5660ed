from __future__ import annotations

import pytest
from graphql import build_schema
from graphql.utilities import BreakingChangeType, find_breaking_changes

from tests.graphql.breaking_changes import ROOT, baseline_of, unnamed_breaking_changes

RELEASED = """
directive @cached(seconds: Int) repeatable on FIELD | QUERY
interface Node { id: ID! }
type Record implements Node { id: ID! title: String! body(characters: Int): String }
type Page { number: Int! }
union Found = Record | Page
enum Flag { CURRENT SUPERSEDED }
input RecordInput { title: String! }
type Query { record(flag: Flag): Record find: Found page: Page }
type Mutation { file(input: RecordInput!): Record }
"""
CHANGES = {
    BreakingChangeType.FIELD_REMOVED: ("title: String! body", "body", "Record.title"),
    BreakingChangeType.FIELD_CHANGED_KIND: ("title: String! body", "title: String body", "Record.title"),
    BreakingChangeType.VALUE_REMOVED_FROM_ENUM: ("CURRENT SUPERSEDED", "CURRENT", "Flag.SUPERSEDED"),
    BreakingChangeType.REQUIRED_ARG_ADDED: ("(flag: Flag)", "(flag: Flag, id: ID!)", "Query.record(id:)"),
    BreakingChangeType.ARG_REMOVED: ("(characters: Int)", "", "Record.body(characters:)"),
    BreakingChangeType.ARG_CHANGED_KIND: ("(flag: Flag)", "(flag: Flag!)", "Query.record(flag:)"),
    BreakingChangeType.REQUIRED_INPUT_FIELD_ADDED: (
        "RecordInput { ",
        "RecordInput { day: Int! ",
        "RecordInput.day",
    ),
    BreakingChangeType.TYPE_REMOVED: ("type Mutation { file(input: RecordInput!): Record }", "", "Mutation"),
    BreakingChangeType.TYPE_CHANGED_KIND: ("union Found = Record | Page", "scalar Found", "Found"),
    BreakingChangeType.TYPE_REMOVED_FROM_UNION: ("= Record | Page", "= Record", "Page"),
    BreakingChangeType.IMPLEMENTED_INTERFACE_REMOVED: ("Record implements Node", "Record", "Record"),
    BreakingChangeType.DIRECTIVE_REMOVED: (
        "directive @cached(seconds: Int) repeatable on FIELD | QUERY",
        "",
        "@cached",
    ),
    BreakingChangeType.DIRECTIVE_ARG_REMOVED: ("(seconds: Int)", "", "@cached(seconds:)"),
    BreakingChangeType.REQUIRED_DIRECTIVE_ARG_ADDED: (
        "(seconds: Int)",
        "(seconds: Int, by: Int!)",
        "@cached(by:)",
    ),
    BreakingChangeType.DIRECTIVE_REPEATABLE_REMOVED: (" repeatable", "", "@cached"),
    BreakingChangeType.DIRECTIVE_LOCATION_REMOVED: (" | QUERY", "", "@cached"),
}


def changelog(entry: str) -> str:
    return f"## [Unreleased]\n\n### Changed\n\n{entry}\n\n## [0.1.0] - 2026-12-24\n\n### Added\n\n- Record.\n"


def is_named(coordinate: str, present: str, entry: str) -> bool:
    lines = unnamed_breaking_changes(RELEASED, present, changelog(entry))
    return not any(f"with `{coordinate}`" in line for line in lines)


def test_every_kind_of_breaking_change_has_an_example() -> None:
    assert set(CHANGES) == set(BreakingChangeType)


@pytest.mark.parametrize("kind", BreakingChangeType)
def test_a_breaking_change_passes_only_when_it_is_named(kind: BreakingChangeType) -> None:
    old, new, coordinate = CHANGES[kind]
    present = RELEASED.replace(old, new)
    breaking = find_breaking_changes(build_schema(RELEASED), build_schema(present))
    assert kind in {change.type for change in breaking}
    for entry in (
        "",
        f"- `{coordinate}` is described.",
        f"- Breaking: `{coordinate}s` changed.",
        f"- Breaking: {coordinate} changed.",
        f"- Breaking: `Query`.\n- `{coordinate}` is described.",
    ):
        assert not is_named(coordinate, present, entry)
    assert is_named(
        coordinate, present, f"- Breaking: what clients read\n  from `Query` and `{coordinate}`.\n- More."
    )


def test_an_entry_of_an_earlier_release_names_nothing() -> None:
    present = RELEASED.replace("title: String! body", "body")
    earlier = changelog("") + "- Breaking: `Record.title` is gone.\n"
    assert unnamed_breaking_changes(RELEASED, present, earlier)


def test_an_addition_breaks_nothing() -> None:
    present = RELEASED.replace("(flag: Flag)", "(flag: Flag, day: Int)").replace("title:", "day: Int title:")
    assert unnamed_breaking_changes(RELEASED, present, changelog("")) == []


def test_each_release_has_its_baseline() -> None:
    assert baseline_of(changelog("")).name == "0.1.0.graphql"
    assert baseline_of("## [Unreleased]\n").name == "unreleased.graphql"
    assert baseline_of((ROOT / "CHANGELOG.md").read_text(encoding="utf-8")).is_file()
