from __future__ import annotations

import pytest

from app.cli.output import pluralize


@pytest.mark.parametrize(
    ("count", "text"), [(0, "0 documents"), (1, "1 document"), (2, "2 documents"), (1200, "1,200 documents")]
)
def test_a_number_stands_with_its_noun(count: int, text: str) -> None:
    assert pluralize(count, "document") == text


def test_a_noun_that_is_odd_in_the_plural_is_given() -> None:
    assert [pluralize(count, "entity", "entities") for count in (1, 2)] == ["1 entity", "2 entities"]
