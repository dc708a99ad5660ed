"""The limits of names: each is set once, in one place."""

from __future__ import annotations

import ast
from pathlib import Path

from app.domain import bounds

APP = Path(bounds.__file__).parents[1]
LIMITS = {name for name in vars(bounds) if name.startswith(("MAX_", "MIN_"))}


def test_no_other_module_sets_a_limit_of_the_same_name() -> None:
    """A second `MAX_NAME` meant another length."""
    assert {"MAX_NAME", "MAX_TYPE_NAME", "MAX_IDENTIFIER", "MAX_TITLE", "MAX_SURFACE_FORM"} <= LIMITS
    found = [
        f"{path.relative_to(APP)}: {target.id}"
        for path in APP.rglob("*.py")
        if path != Path(bounds.__file__)
        for node in ast.parse(path.read_text(encoding="utf-8")).body
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name) and target.id in LIMITS
    ]
    assert found == []
