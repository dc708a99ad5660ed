"""Front matter in the forms that teams write it."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from app.services.parsing import parse_markdown


def test_toml_between_plus_signs_is_front_matter() -> None:
    document = parse_markdown(
        '+++\ntitle = "Cookies"\ndate = 2025-11-03\nstatus = "accepted"\ntags = ["web", "login"]\n'
        'draft = false\naliases = ["Cookie jar"]\n[params]\nowner = "Ada"\n+++\n\nWe use cookies.\n',
        kind="ADR",
    )
    assert (document.title, document.status) == ("Cookies", "accepted")
    assert document.created_at == datetime(2025, 11, 3, tzinfo=UTC)
    assert document.props["tags"] == ["web", "login"]
    assert document.props["draft"] == "false"
    assert document.body.strip() == "We use cookies."
    assert document.warnings == ()


@pytest.mark.parametrize(
    "front_matter",
    ["title = ", "a = 1\na = 2", f"a = {'[' * 3_000}{']' * 3_000}", f'a = "{"x" * 100_000}"', "[[a]\n"],
)
def test_toml_that_cannot_be_read_is_kept_as_text_with_a_warning(front_matter: str) -> None:
    document = parse_markdown(f"+++\n{front_matter}\n+++\n\n# Title\n", kind="ADR")
    assert front_matter in document.body
    assert any(warning.startswith("the front matter could not be read") for warning in document.warnings)


def test_a_comment_in_front_matter_that_is_no_yaml_is_passed_over() -> None:
    document = parse_markdown(
        "---\nTitle: RFC: gateway\nStatus: in review\n# a comment\n---\n\n# Gateway\n", kind="ADR"
    )
    assert (document.title, document.status) == ("RFC: gateway", "in review")
    assert "a comment" not in document.body


def test_a_heading_below_header_lines_stays_a_heading() -> None:
    document = parse_markdown("Title: One\nStatus: accepted\n# Heading\n\nText.\n", kind="ADR")
    assert "# Heading" in document.body


LINES = "EIP: 7\nTitle: DELEGATECALL\nAuthor: Ada &lt;ada@x.org&gt;\nStatus: Final\nCreated: 2015-11-15"


@pytest.mark.parametrize(
    "text",
    [
        f"```\n{LINES}\n```\n\n## Why\n\nIt forwards.\n",
        f"~~~text\n{LINES}\n~~~\n## Why\n\nIt forwards.\n",
        "<pre>\n  " + LINES.replace("\n", "\n  ") + "\n</pre>\n\n## Why\n\nIt forwards.\n",
        "    " + LINES.replace("\n", "\n    ") + "\n\n## Why\n\nIt forwards.\n",
        "\t" + LINES.replace("\n", "\n\t") + "\n## Why\n\nIt forwards.\n",
        f"# EIP 7\n\n```\n{LINES}\n```\n\n## Why\n\nIt forwards.\n",
    ],
)
def test_lines_as_in_mail_may_stand_in_a_block_of_their_own(text: str) -> None:
    document = parse_markdown(text, path="EIPS/a.md", known_prefixes=frozenset({"EIP"}))
    assert (document.identifier, document.title, document.status) == ("EIP-7", "DELEGATECALL", "Final")
    assert document.created_at == datetime(2015, 11, 15, tzinfo=UTC)
    assert "Author" not in document.body
    assert document.body.endswith("## Why\n\nIt forwards.\n")


@pytest.mark.parametrize(
    "text",
    [
        "```\nname: value\nother: value\n```\n\nText.\n",
        "```\nTitle: x\n```\n\nText.\n",
        "Words first.\n\n```\nTitle: x\nStatus: Final\n```\n",
        "    Title: x\n    $ run it\n\nText.\n",
    ],
)
def test_a_block_of_code_is_no_header(text: str) -> None:
    document = parse_markdown(text, path="notes/a.md")
    assert document.status is None
    assert document.body == text
