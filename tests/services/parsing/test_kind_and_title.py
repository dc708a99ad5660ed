from __future__ import annotations

from datetime import UTC, datetime

import pytest

from app.domain.artifact import MemoryDomain
from app.services.parsing import parse_markdown
from tests.services.parsing.claims import edges


@pytest.mark.parametrize(
    ("text", "path", "kind", "identifier", "title"),
    [
        ("# 1. Record decisions\n", "adr/0001-record.md", "ADR", "ADR-0001", "Record decisions"),
        ("# ADR-0007: Use X\n", None, "ADR", "ADR-0007", "Use X"),
        ("# ADR 7 - Use `X` **well**\n", None, "ADR", "ADR-7", "Use X well"),
        ("# ADR003: Use X\n", "docs/ADR003-x.md", "ADR", "ADR-003", "Use X"),
        ("text\n", "docs/adr-012.md", "ADR", "ADR-012", "ADR-012"),
        ("text\n", "adr/0007-use-x.md", "ADR", "ADR-0007", "use x"),
        ("# Add AppArmor\n", "keps/sig-node/24-apparmor/README.md", "KEP", "KEP-24", "Add AppArmor"),
        ("# Notes\n", "2024-01-31-retro.md", "Note", None, "Notes"),
        ("# ADR 025 Commit\n", None, "ADR", "ADR-025", "Commit"),
        ("# 1. Introduction\n", None, "Note", None, "1. Introduction"),
        ("---\nid: 0007\nkind: adr\ntitle: Use X\n---\n", None, "ADR", "ADR-0007", "Use X"),
        ("---\nid: ADR-9\n---\n# ADR-9: Use X\n", None, "ADR", "ADR-9", "Use X"),
        ("# 2. Use X\n## Context\nc\n## Decision\nd\n", None, "ADR", "ADR-2", "Use X"),
        ("", None, "Note", None, "Untitled"),
    ],
)
def test_a_document_is_known_by_header_heading_or_file_name(
    text: str, path: str | None, kind: str, identifier: str | None, title: str
) -> None:
    document = parse_markdown(text, path=path)
    assert (document.kind, document.identifier, document.title) == (kind, identifier, title)


@pytest.mark.parametrize("words", ["Documents", "References", "Requires", "Status", "Overview"])
def test_a_heading_that_leads_the_document_is_its_title_whatever_it_says(words: str) -> None:
    document = parse_markdown(f"# {words}\n\nSee ADR-1, and more.\n\n## Setup\n\nText.\n", path="guide.md")
    assert document.title == words
    assert edges(document) == [("REFERENCES", "ADR-1")]
    assert (document.status, document.warnings) == (None, ())


@pytest.mark.parametrize(
    ("text", "title", "expected"),
    [
        ("# Requires\n\n- ADR-1\n\n# Context\n\nText.\n", "guide", [("DEPENDS_ON", "ADR-1")]),
        ("---\ntitle: Guide\n---\n# Requires\n\n- ADR-1\n", "Guide", [("DEPENDS_ON", "ADR-1")]),
        ("---\ntitle: requires\n---\n# Requires\n\n- ADR-1\n", "requires", [("REFERENCES", "ADR-1")]),
        ("# Requires\n\n- ADR-1\n\n# Setup\n", "Requires", [("REFERENCES", "ADR-1")]),
        ("## Requires\n\n- ADR-1\n\n# Setup\n", "Setup", [("DEPENDS_ON", "ADR-1")]),
        ("# Setup\n\n# Requires\n\n- ADR-1\n", "Setup", [("DEPENDS_ON", "ADR-1")]),
    ],
)
def test_a_heading_of_relations_is_no_title_where_another_is(
    text: str, title: str, expected: list[tuple[str, str]]
) -> None:
    document = parse_markdown(text, path="guide.md")
    assert (document.title, edges(document)) == (title, expected)


def test_a_mail_header_is_read_and_leaves_the_body() -> None:
    text = (
        "PEP: 484\nTitle: Type Hints\nAuthor: Guido,\n  Jukka\nStatus: Final\nType: Standards Track\n"
        "Requires: 3107, 526\nCreated: 29-Sep-2014\nPython-Version: 3.5\n\nAbstract\n========\n\nText.\n"
    )
    document = parse_markdown(text)
    assert (document.kind, document.identifier, document.title) == ("PEP", "PEP-484", "Type Hints")
    assert (document.author, document.status) == ("Guido, Jukka", "Final")
    assert document.created_at == datetime(2014, 9, 29, tzinfo=UTC)
    assert document.props == {"Type": "Standards Track", "Python-Version": "3.5"}
    assert document.body.startswith("Abstract")
    assert [claim.target for claim in document.references] == ["PEP-3107", "PEP-526"]


def test_prose_that_begins_with_a_colon_is_no_header() -> None:
    text = "Note: this is prose.\nMore: of it.\n\nEnd.\n"
    assert parse_markdown(text).body == text


def test_title_and_file_that_disagree_are_warned_about() -> None:
    document = parse_markdown("# 8. Use X\n", path="adr/0007-x.md")
    assert document.identifier == "ADR-0007"
    assert len(document.warnings) == 1


def test_prefixes_of_a_project_are_accepted_beside_the_shipped_ones() -> None:
    document = parse_markdown("# RFC 12: Use X\nSee RFC-9 and ADR-1.\n", known_prefixes=frozenset({"RFC"}))
    assert (document.kind, document.identifier) == ("RFC", "RFC-12")
    assert [claim.target for claim in document.references] == ["RFC-9", "ADR-1"]


def test_header_fields_nobody_reads_become_properties() -> None:
    text = (
        "---\ndomain: decision\ntags: [a, b, a]\nauthor: [Ann, Bob]\nstage: {alpha: v1}\nempty:\n---\n# T\n"
    )
    document = parse_markdown(text)
    assert document.domain is MemoryDomain.DECISION
    assert document.author == "Ann, Bob"
    assert document.props == {"tags": ["a", "b"], "stage": {"alpha": "v1"}}
    assert parse_markdown("---\nAliases: {Lamp: 1}\n---\n# T\n").props == {"aliases": ["Lamp"]}


def test_marks_of_bytes_and_line_ends_are_made_one() -> None:
    assert parse_markdown("\ufeff# T\r\na\x00b\ud83d\rc").body == "# T\na\ufffdb\ufffd\nc"
