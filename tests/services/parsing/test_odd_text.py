"""Texts that no one would write on purpose: read as far as they make sense, and told of where they do not."""

from __future__ import annotations

import pytest

from app.domain.status_words import flag_of_status, unknown_status_warnings
from app.services.parsing import parse_markdown, parse_row
from app.services.parsing.front_matter import MAX_FIELDS, MAX_NAME_LENGTH
from app.services.parsing.references import MAX_REFERENCES
from app.services.parsing.status import MAX_STATUS_LENGTH


@pytest.mark.parametrize("mark", ["\ufeff", "\ufeff\ufeff"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_marks_and_line_ends_change_nothing_of_what_is_read(mark: str, end: str) -> None:
    lines = ("---", "id: ADR-7", "status: Accepted", "---", "", "# Title", "", "Supersedes ADR-3", "")
    plain = parse_markdown("\n".join(lines))
    assert parse_markdown(mark + end.join(lines)) == plain
    assert (plain.identifier, plain.status, plain.title) == ("ADR-7", "Accepted", "Title")


@pytest.mark.parametrize(
    ("title", "shown"),
    [
        pytest.param("שלום عالم", "שלום عالم", id="right_to_left"),
        pytest.param("e\u0301\u0302\u0303 z\u0300", "e\u0301\u0302\u0303 z\u0300", id="combining"),
        pytest.param("safe\u202egpj.exe\u202c", "safe\u202egpj.exe\u202c", id="bidi"),
        pytest.param("zero\u200bwidth\u2060", "zero\u200bwidth\u2060", id="zero_width"),
        pytest.param("👨‍👩‍👧‍👦 🇩🇪🇫🇷 👍🏽 🏴󠁧󠁢󠁥󠁮󠁧󠁿", "👨‍👩‍👧‍👦 🇩🇪🇫🇷 👍🏽 🏴󠁧󠁢󠁥󠁮󠁧󠁿", id="emoji"),
        pytest.param("决定 日本語 한국어", "决定 日本語 한국어", id="cjk"),
        pytest.param("a\x00b\ud83d", "a\ufffdb\ufffd", id="unkeepable"),
    ],
)
def test_letters_of_every_kind_stay_as_they_are(title: str, shown: str) -> None:
    document = parse_markdown(f"# {title}\n\nSee ADR-3, {title}.\n")
    assert document.title == shown
    assert document.body.endswith(f"See ADR-3, {shown}.\n")
    assert [claim.target for claim in document.references] == ["ADR-3"]


def test_a_header_has_so_many_fields_and_no_more() -> None:
    many = "".join(f"f{number}: x\n" for number in range(5_000))
    document = parse_markdown(f"---\nid: ADR-7\n{many}---\ntext\n")
    assert document.identifier == "ADR-7"
    assert len(document.props) == MAX_FIELDS - 1
    assert document.warnings == ("the header has 5001 fields; only the first 256 are read",)
    meta = {f"f{number}": "x" for number in range(5_000)}
    row = parse_row({"id": "ADR-7", "title": "T", "body": "text", "meta": meta})
    assert len(row.props) == MAX_FIELDS


def test_a_field_has_a_name_of_some_length() -> None:
    document = parse_markdown(f"---\n{'n' * (MAX_NAME_LENGTH + 1)}: x\nid: ADR-7\n---\ntext\n")
    assert (document.identifier, document.props) == ("ADR-7", {})
    assert "longer than 128" in document.warnings[0]


def test_front_matter_of_a_megabyte_keeps_its_fields() -> None:
    document = parse_markdown(f"---\nid: ADR-7\nsummary: {'word ' * 200_000}\n---\ntext\n")
    assert (document.identifier, document.body) == ("ADR-7", "text\n")
    assert len(str(document.props["summary"])) == 999_999
    assert "line by line" in document.warnings[0]


@pytest.mark.parametrize(
    "front_matter",
    [
        pytest.param("just a text", id="scalar"),
        pytest.param("- a\n- b", id="list"),
        pytest.param("a: &a [x, x]\nb: &b [*a, *a]\nc: [*b, *b, *b]", id="bomb"),
        pytest.param("base: &b {title: T}\n<<: *b", id="merge"),
        pytest.param("".join(" " * depth + "a:\n" for depth in range(100)), id="deep"),
        pytest.param("title: !!python/object/apply:os.system [exit]", id="tag"),
        pytest.param("date: 99999-99-99\nstatus: .nan", id="numbers"),
        pytest.param('title: "a\\0b"', id="nul"),
    ],
)
def test_front_matter_of_any_shape_is_read_or_told_of(front_matter: str) -> None:
    document = parse_markdown(f"---\n{front_matter}\n---\n\n# Heading\n\nThe text.\n")
    assert document.body.endswith("The text.\n")
    assert "\x00" not in document.title
    assert document.warnings or "\ufffd" in document.title


def test_a_status_is_kept_as_far_as_its_bounds_allow() -> None:
    document = parse_markdown(f"---\nstatus: {'x' * (MAX_STATUS_LENGTH + 1)}\n---\ntext\n")
    assert document.status == "x" * MAX_STATUS_LENGTH + "…"
    assert flag_of_status(document.status) is None
    (warning,) = unknown_status_warnings(document.status)
    assert warning.startswith("unknown status of more than 12 words xxx")
    assert len(warning) < 200


def test_what_stands_in_html_or_an_open_fence_is_no_heading_and_no_reference() -> None:
    html = parse_markdown("<script>\n# ADR-9\n</script>\n\n# Title <img src=x onerror=alert(1)>\n")
    assert (html.title, html.references) == ("Title", ())
    fence = parse_markdown("# Title\n\n```\n## Supersedes\nADR-9\n")
    assert fence.references == ()


def test_references_have_an_end_and_typed_ones_come_first() -> None:
    many = " ".join(f"ADR-{number}" for number in range(1, MAX_REFERENCES + 10))
    document = parse_markdown(f"# Title\n\n{many}\n\n## Supersedes\n\nADR-{MAX_REFERENCES + 20}\n")
    assert len(document.references) == MAX_REFERENCES
    assert document.references[0].target == f"ADR-{MAX_REFERENCES + 20}"
    assert document.warnings == ("the document has 2010 references; only the first 2000 are recorded",)


def test_a_warning_is_given_once_and_many_have_an_end() -> None:
    once = parse_markdown("---\na: &a [x]\nb: [*a, *a, *a]\n---\ntext\n")
    assert once.warnings == ("an alias in the front matter was not followed",)
    twice = "".join(f"f{number}: x\nf{number}: y\n" for number in range(60))
    many = parse_markdown(f"---\n{twice}---\ntext\n").warnings
    assert (len(many), many[-1]) == (51, "and 10 more warnings")
