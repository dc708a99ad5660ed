"""What is cut short for a reader is cut between what a reader sees as characters."""

from __future__ import annotations

from ast import literal_eval

import pytest

from app.domain.text import beginning
from app.services.parsing import cut_passages, parse_markdown
from tests.services.parsing.word_pieces import piece_offsets

ASTRONAUT = "👩🏽‍🚀"
MANY = ASTRONAUT * 200


def is_whole(text: str) -> bool:
    return bool(text) and text.replace(ASTRONAUT, "") == ""


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(f"---\ntitle: {MANY}\n---\n", id="BYT-03 header"),
        pytest.param(f"# {MANY}\n", id="BYT-03 heading"),
        pytest.param(f"{MANY}\n", id="BYT-03 first words"),
    ],
)
def test_a_long_title_is_cut_between_characters(text: str) -> None:
    assert is_whole(parse_markdown(text).title)


def test_a_long_heading_is_cut_between_characters() -> None:
    """BYT-03."""
    for passage in cut_passages("Title", f"# {MANY}\n\ntext\n", piece_offsets, 254):
        assert is_whole(passage.heading or "")


def test_a_long_quote_is_cut_between_characters() -> None:
    """BYT-03."""
    (claim,) = parse_markdown(f"{MANY}Prism (now Lens){MANY}\n").alias_claims
    before, after = claim.quote.text.split("Prism (now Lens)")
    assert is_whole(before)
    assert is_whole(after)


@pytest.mark.parametrize(
    ("text", "beginning_of_warning"),
    [
        pytest.param(
            f"# T\nDate: {MANY}\n",
            "write a date as 2026-01-31; this is not a readable date: ",
            id="BYT-03 date",
        ),
    ],
)
def test_what_a_warning_quotes_is_cut_between_characters(text: str, beginning_of_warning: str) -> None:
    (warning,) = parse_markdown(text).warnings
    assert is_whole(literal_eval(warning.removeprefix(beginning_of_warning)))


def test_a_long_status_is_cut_between_characters() -> None:
    """BYT-03."""
    status = parse_markdown(f"# T\nStatus: {MANY}\n").status
    assert status is not None
    assert is_whole(status.removesuffix("…"))


@pytest.mark.parametrize(("most", "kept"), [(9, "abcd"), (4, "abcd"), (3, "abc"), (1, "a"), (0, "")])
def test_the_beginning_of_a_text_has_at_most_so_many_characters(most: int, kept: str) -> None:
    assert beginning("abcd", most) == kept
