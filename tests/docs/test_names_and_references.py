"""The examples of docs/names-and-references.md run as they stand, in order."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from tests.documents import ProjectFixture
from tests.graphql.api import Api
from tests.things import make_thing

PAGE = (Path(__file__).parents[2] / "docs/names-and-references.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"^```graphql\n(.+?)^```$", PAGE, re.MULTILINE | re.DOTALL)
VARIABLE = re.compile(r"\$(\w+): ID!")


async def test_every_example_does_what_it_says(desk: ProjectFixture) -> None:
    """What an example writes is the variable of that name in those that follow."""
    known = {name: str(await make_thing(desk, name.title())) for name in ("prism", "queue", "stream")}
    for example in EXAMPLES:
        asked = {name: known[name] for name in VARIABLE.findall(example)}
        for answered in (await Api(desk.memory).ask(example, **asked)).values():
            assert answered.get("problems", []) == [], example
            known |= {name: value["id"] for name, value in answered.items() if _has_id(value)}


def _has_id(value: Any) -> bool:
    return isinstance(value, dict) and "id" in value


@pytest.mark.parametrize("verb", ["createAlias", "withdrawAlias", "createReference", "withdrawReference"])
def test_every_verb_has_an_example(verb: str) -> None:
    assert any(f"{verb}(" in example for example in EXAMPLES)
