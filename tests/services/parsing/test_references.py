from __future__ import annotations

import pytest

from app.domain.entity import ReferenceType
from app.services.parsing import parse_markdown
from tests.services.parsing.claims import edges


def test_names_of_standards_are_no_references() -> None:
    """REF-01."""
    text = "## Related\nUses RFC-2119 words, UTF-8, SHA-256, ISO-8601, CVE-2024-1234, GPT-4 and SPEC-020.\n"
    assert edges(parse_markdown(text)) == [("RELATES_TO", "SPEC-020")]


@pytest.mark.parametrize(
    ("text", "status", "expected"),
    [
        pytest.param(
            "# ADR-0061: A\n## Status\nAccepted; replaces (supersedes) ADR-0012\n",
            "Accepted",
            [("SUPERSEDES", "ADR-0012")],
            id="REF-03 successor",
        ),
        pytest.param(
            "# ADR-0020: B\n## Status\nSuperseded by ADR-0063\n",
            "Superseded",
            [("SUPERSEDES<", "ADR-0063")],
            id="REF-03 superseded",
        ),
        pytest.param(
            "# ADR-0064: C\n## Context\nADR-0061 had superseded ADR-0012 by then.\n",
            None,
            [("REFERENCES", "ADR-0061"), ("REFERENCES", "ADR-0012")],
            id="REF-03 bystander",
        ),
        pytest.param(
            "# 3. D\n## Status\nPartly superseded by ADR-9\n",
            "Partly superseded",
            [("RELATES_TO<", "ADR-9")],
            id="partly",
        ),
        pytest.param(
            "# 3. D\n## Status\nProposed. Will be superseded by ADR-9\n",
            "Proposed",
            [("REFERENCES", "ADR-9")],
            id="not_yet",
        ),
        pytest.param(
            "# 3. D\n* Status: superseded by [ADR-5](0005-a.md)\n",
            "superseded",
            [("SUPERSEDES<", "ADR-5")],
            id="status_line",
        ),
        pytest.param(
            "# 3. D\n## Status\nAccepted\n\nSupersedes [4. Old](0004-old.md)\n\nAmended by ADR-7\n",
            "Accepted",
            [("SUPERSEDES", "ADR-0004"), ("EXTENDS<", "ADR-7")],
            id="later_paragraphs",
        ),
        pytest.param(
            "# 3. D\n## Status\nAccepted. ADR-9 supersedes this record; ADR-7 amends this decision.\n",
            "Accepted",
            [("SUPERSEDES<", "ADR-9"), ("EXTENDS<", "ADR-7")],
            id="by_another",
        ),
        pytest.param(
            "# 3. D\n## Status\nAccepted. ADR-9 will be in force once ADR-7 supersedes this record.\n",
            "Accepted",
            [("REFERENCES", "ADR-9"), ("REFERENCES", "ADR-7")],
            id="by_another_later",
        ),
        pytest.param(
            "# 3. D\n## Status\nAccepted. Supersedes this section of ADR-7.\n",
            "Accepted",
            [("RELATES_TO", "ADR-7")],
            id="this_section",
        ),
    ],
)
def test_status_lines_state_relations(text: str, status: str | None, expected: list[tuple[str, str]]) -> None:
    document = parse_markdown(text, kind="ADR")
    assert document.status == status
    assert edges(document) == expected


def test_a_link_names_one_of_two_files_with_one_number() -> None:
    """REF-05."""
    text = "## Supersedes\n[21](0021-cache.md)\n\n## Related\n[21](0021-queue.md)\n"
    document = parse_markdown(text, path="adr/0030-x.md")
    assert [(claim.target, claim.path) for claim in document.references] == [
        ("ADR-0021", "0021-cache.md"),
        ("ADR-0021", "0021-queue.md"),
    ]
    assert document.links == ("0021-cache.md", "0021-queue.md")


def test_one_section_supersedes_several() -> None:
    """REF-06."""
    text = "## Supersedes\n- ADR-0003\n- [ADR 4](0004-x.md), ADR-0005 and ADR-6\n## Amends\nADR-0007\n"
    document = parse_markdown(text)
    assert edges(document) == [
        ("SUPERSEDES", "ADR-0003"),
        ("SUPERSEDES", "ADR 4"),
        ("SUPERSEDES", "ADR-0005"),
        ("SUPERSEDES", "ADR-6"),
        ("EXTENDS", "ADR-0007"),
    ]
    assert document.references[1].path == "0004-x.md"


def test_anchors_lead_to_the_document_and_titles_stay_whole() -> None:
    """REF-11."""
    text = "## Related\n[[ADR-0007#Decision]] and [x](0007-a.md#decision), [[Release #12]]\n"
    document = parse_markdown(text, kind="ADR")
    assert [(claim.target, claim.path, claim.count) for claim in document.references] == [
        ("ADR-0007", "0007-a.md", 2),
        ("Release #12", None, 1),
    ]


def test_placeholders_are_no_references() -> None:
    """REF-12."""
    text = "## Supersedes\n<!-- ADR-XXXX or ADR-0000 -->\nADR-NNNN, ACME-000, N/A, none\n"
    assert edges(parse_markdown(text)) == []


@pytest.mark.parametrize(
    ("heading", "relation"),
    [
        ("Implements", "IMPLEMENTS"),
        ("Extends", "EXTENDS"),
        ("Supersedes", "SUPERSEDES"),
        ("Superseded by", "SUPERSEDES<"),
        ("Depends on", "DEPENDS_ON"),
        ("Requires", "DEPENDS_ON"),
        ("Depends on / Requires", "DEPENDS_ON"),
        ("Specifies", "SPECIFIES"),
        ("Formalizes", "FORMALIZES"),
        ("Resolves", "RESOLVES"),
        ("Fixes:", "RESOLVES"),
        ("3. Closes", "RESOLVES"),
        ("Documents", "DOCUMENTS"),
        ("Related", "RELATES_TO"),
        ("See also", "RELATES_TO"),
        ("COMPLEMENTS", "RELATES_TO"),
        ("Informs", "RELATES_TO"),
        ("Amends", "EXTENDS"),
    ],
)
def test_headings_give_a_reference_its_type(heading: str, relation: str) -> None:
    assert edges(parse_markdown(f"# ADR-1: Title\n## {heading}\n- SPEC-5\n")) == [(relation, "SPEC-5")]


def test_remarks_beside_a_typed_reference_stay_generic() -> None:
    document = parse_markdown("## Supersedes\n- ADR-0003 (not ADR-0004)\n- None of ADR-0005\n")
    assert edges(document) == [
        ("SUPERSEDES", "ADR-0003"),
        ("REFERENCES", "ADR-0004"),
        ("REFERENCES", "ADR-0005"),
    ]


def test_generic_references_are_counted_and_leave_out_the_document_itself() -> None:
    document = parse_markdown("# ADR-7: A\nADR-3 and adr-0003, as ADR-0007 says.\n\n> ADR-9\n\n`ADR-8`\n")
    assert [(claim.target, claim.count) for claim in document.references] == [("ADR-3", 2)]


def test_a_document_that_supersedes_itself_is_warned_about() -> None:
    document = parse_markdown("# ADR-7: A\n## Supersedes\nADR-0007\n")
    assert edges(document) == []
    assert len(document.warnings) == 1


def test_lines_below_the_title_state_relations_and_later_prose_does_not() -> None:
    document = parse_markdown("# ADR-7: A\nAmends: ADR-3\n\n## Notes\nIt supersedes ADR-4.\n")
    assert edges(document) == [("EXTENDS", "ADR-3"), ("REFERENCES", "ADR-4")]


def test_addresses_and_links_elsewhere_name_no_file() -> None:
    document = parse_markdown(
        "See https://x.test/ADR-3, [ADR-4](https://x.test/a.md) and [b](../b/c%20d.md#e).\n"
    )
    assert document.links == ("../b/c d.md",)
    assert edges(document) == [("REFERENCES", "ADR-4"), ("REFERENCES", "../b/c d.md")]


def test_a_field_may_mix_identifiers_and_bare_numbers() -> None:
    document = parse_markdown("---\nid: ADR-9\nrequires: 4, ADR-7 (for now, see notes)\n---\n# Nine\n")
    wanted = {(claim.type, claim.target) for claim in document.references}
    assert wanted == {(ReferenceType.DEPENDS_ON, "ADR-4"), (ReferenceType.DEPENDS_ON, "ADR-7")}


def test_bold_words_state_a_relation_as_plain_ones_do() -> None:
    document = parse_markdown("# ADR-7: Seven\n\nStatus: **Superseded** by [ADR-9](9.md)\n")
    (claim,) = document.references
    assert (claim.type, claim.target, claim.inverted) == (ReferenceType.SUPERSEDES, "ADR-9", True)


@pytest.mark.parametrize("text", ["[[Bonn]]", "[Bonn](bonn.md)", "[[Vienna]] as a plan", "[Linn](Linn.md)"])
def test_words_that_end_in_what_stands_for_a_digit_are_names(text: str) -> None:
    """REF-12."""
    assert len(parse_markdown(f"## Related\n{text}\n").references) == 1


@pytest.mark.parametrize(
    "status",
    [
        "Superseded on 2024-05-01 by ADR-9",
        "Superseded: 2024-05-01 by [ADR-9](0009-x.md)",
        "superseded (1 May 2024) by ADR-9",
        "Replaced, as of May 2024, by ADR-9",
        "**Superseded** since May 1st, 2024 by ADR-9",
    ],
)
def test_a_date_may_part_the_words_of_a_relation(status: str) -> None:
    for text in (f"# A\n\n## Status\n\n{status}\n", f'---\nstatus: "{status}"\n---\n# A\n'):
        read = parse_markdown(text, path="adr/0001-a.md")
        assert [(each.type, each.inverted) for each in read.references] == [(ReferenceType.SUPERSEDES, True)]


def test_a_link_in_brackets_is_no_wiki_link() -> None:
    text = "# A\n\nAs [[2]] and [[Bonn]] say.\n\n[2]: https://x.example/\n"
    assert [each.target for each in parse_markdown(text, path="adr/0001-a.md").references] == ["Bonn"]
