from __future__ import annotations

import pytest

from app.services.parsing import cut_passages, parse_markdown
from tests.services.parsing.claims import edges
from tests.services.parsing.word_pieces import piece_offsets

ENOUGH = (
    "enough words that a passage of its own is worth it, which takes about a hundred characters, as here."
)


def test_headings_in_code_fences_are_no_headings() -> None:
    """MDP-01."""
    text = "## Decision\nUse it.\n```sh\n## Supersedes\nADR-0001\n```\n## Implements\nSPEC-020\n"
    assert edges(parse_markdown(text)) == [("IMPLEMENTS", "SPEC-020")]


def test_a_thematic_break_ends_a_typed_section() -> None:
    """MDP-03."""
    text = "## Supersedes\n- ADR-0004\n---\nADR-0009 is related history.\n"
    document = parse_markdown(text)
    assert edges(document) == [("SUPERSEDES", "ADR-0004"), ("REFERENCES", "ADR-0009")]
    assert [passage.heading for passage in cut_passages("T", text, piece_offsets, 254)] == ["Supersedes"]


def test_inline_code_refers_to_nothing() -> None:
    """MDP-05."""
    text = "## Supersedes\nWrite lines such as `ADR-0004` or `[[ADR-0004]]` here.\n\nADR-0005\n"
    assert edges(parse_markdown(text)) == [("SUPERSEDES", "ADR-0005")]


def test_double_brackets_in_code_are_no_wiki_links() -> None:
    """MDP-06."""
    assert edges(parse_markdown("## Related\n```sh\nif [[ -n ADR-9 ]]; then :; fi\n```\n")) == []


@pytest.mark.parametrize(
    ("value", "targets"),
    [
        pytest.param("0017", ["ADR-0017"], id="MDP-10 scalar"),
        pytest.param("[0008, 0010]", ["ADR-0008", "ADR-0010"], id="MDP-10 list"),
        pytest.param("ADR-3, ADR-4", ["ADR-3", "ADR-4"], id="text"),
        pytest.param("[[ADR-4]]", ["ADR-4"], id="wiki_link"),
        pytest.param("none", [], id="nothing"),
        pytest.param("ADR-XXXX", [], id="placeholder"),
        pytest.param("The old queue", ["The old queue"], id="title"),
    ],
)
def test_header_fields_name_what_a_document_supersedes(value: str, targets: list[str]) -> None:
    document = parse_markdown(f"---\nsupersedes: {value}\n---", kind="ADR")
    assert edges(document) == [("SUPERSEDES", target) for target in targets]


@pytest.mark.parametrize(
    ("front_matter", "title", "warns"),
    [
        pytest.param("title: [a, b]", "a, b", True, id="list"),
        pytest.param("tags: x", "Heading", False, id="scalar_tags"),
        pytest.param("tags: {a: 1}", "Heading", True, id="mapping_tags"),
        pytest.param("title:", "Heading", False, id="empty"),
        pytest.param("- list", "Heading", True, id="no_fields"),
        pytest.param("title: a: b", "a: b", True, id="colon"),
        pytest.param("title: a\ntitle: b", "a", True, id="twice"),
        pytest.param("title: true", "true", False, id="bool"),
        pytest.param("title: 0017", "0017", False, id="number"),
        pytest.param("title: &x [*x, *x]", "Heading", True, id="alias"),
        pytest.param("title: " + "[" * 200, "[" * 200, True, id="deep"),
        pytest.param("\x07 : [", "Heading", True, id="garbage"),
        pytest.param("aliases: {Lamp: 1}", "Heading", True, id="mapping_aliases"),
        pytest.param("kind: [ADR, SPEC]", "Heading", True, id="list_kind"),
        pytest.param("author: {a: 1}", "Heading", True, id="mapping_author"),
        pytest.param("date: [soon]", "Heading", True, id="list_date"),
    ],
)
def test_odd_headers_never_stop_a_document(front_matter: str, title: str, warns: bool) -> None:
    """MDP-12."""
    document = parse_markdown(f"---\n{front_matter}\n---\n# Heading\ntext\n")
    assert document.title == title
    assert bool(document.warnings) is warns
    assert "text" in document.body


def test_front_matter_that_never_closes_is_read_as_text_and_said_so() -> None:
    document = parse_markdown("---\nid: ADR-7\nstatus: Accepted\n\n# Heading\n\nText.\n")
    assert document.warnings == ("the front matter starts with --- and never ends: it was read as text",)
    assert "id: ADR-7" in document.body
    assert parse_markdown("---\n\n# Heading\n\nAfter a rule.\n").warnings == ()


def test_an_empty_section_takes_nothing_from_the_next() -> None:
    """MDP-16."""
    document = parse_markdown("## Supersedes\n\n## Context\nADR-0003 was slow.\n")
    assert edges(document) == [("REFERENCES", "ADR-0003")]


def test_closing_hashes_are_no_part_of_a_heading() -> None:
    """MDP-17."""
    assert edges(parse_markdown("### Implements ###\nSPEC-5\n")) == [("IMPLEMENTS", "SPEC-5")]


@pytest.mark.parametrize(
    ("body", "headings"),
    [
        pytest.param("# Intro\n## Scope\n\n\n\n# Part B\ntext\n", ["Part B"], id="MDP-18"),
        pytest.param("# Intro\n***\n\n \n# Part B\ntext\n", ["Part B"], id="MDP-18 a rule"),
        pytest.param(f"# A\n{ENOUGH}\n# B\n<!-- -->\n# C\n{ENOUGH}\n", ["A", "C"], id="MDP-18 a comment"),
        pytest.param(f"# A\n{ENOUGH}\n# B\n# C\n\n\n# D\n{ENOUGH}\n", ["A", "D"], id="MDP-18 several"),
        pytest.param("# A\n## B\n### C\ntext\n", ["A > B > C"], id="MDP-18 one in the other"),
        pytest.param("Intro\n===\n\nPart B\n===\ntext\n", ["Part B"], id="MDP-18 underlined"),
    ],
)
def test_headings_alone_make_no_passage(body: str, headings: list[str]) -> None:
    passages = cut_passages("Doc", body, piece_offsets, 254)
    assert [passage.heading for passage in passages] == headings
    assert passages[-1].text.endswith(("text", ENOUGH))
    assert all(not passage.text.lstrip().startswith("#") or len(passage.text) > 12 for passage in passages)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("> " * 1_000 + "ADR-3", id="quotes"),
        pytest.param("- " * 1_000 + "ADR-3", id="lists"),
        pytest.param("# h\n" * 3_000, id="headings"),
        pytest.param("word ADR-3 " * 10_000, id="one_line"),
        pytest.param("[" * 20_000, id="brackets"),
        pytest.param("<a " * 5_000, id="tags"),
        pytest.param("`" * 5_000 + "x", id="ticks"),
        pytest.param("---\n" * 3_000, id="fences"),
        pytest.param("\ud83d\x00", id="unkeepable"),
    ],
)
def test_text_made_to_hurt_is_read(text: str) -> None:
    document = parse_markdown(text)
    assert document.title
    assert cut_passages(document.title, document.body, piece_offsets, 254)
