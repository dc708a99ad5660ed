from __future__ import annotations

import pytest

from app.domain.text import is_blank, pluralize


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "\u200b",
        " \t\n ",
        "\u00a0",
        "\u3000",
        "\u2060",
        "\x00\x1b",
        "\u3164",
        "\u2800",
        "\u0301",
        "\ufe0f",
    ],
)
def test_a_text_of_nothing_to_see_is_blank(text: str) -> None:
    """DEG-06, DEG-07."""
    assert is_blank(text)


@pytest.mark.parametrize("text", ["x", " x ", "'", "?", "🚀", "é", "東", "नी", "\U0001fae8", "\u200bx"])
def test_a_text_with_one_sign_is_not(text: str) -> None:
    assert not is_blank(text)


@pytest.mark.parametrize(
    ("count", "text"), [(0, "0 documents"), (1, "1 document"), (2, "2 documents"), (1200, "1,200 documents")]
)
def test_a_number_stands_with_its_noun(count: int, text: str) -> None:
    assert pluralize(count, "document") == text


def test_a_noun_that_is_odd_in_the_plural_is_given() -> None:
    assert [pluralize(count, "entity", "entities") for count in (1, 2)] == ["1 entity", "2 entities"]
