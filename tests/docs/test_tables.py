"""The page of documents lists the columns that are read from a table, in the order in which they count."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from app.services.importing.table.columns import ColumnRole, column_words

PAGE = (Path(__file__).parents[2] / "docs/documents.md").read_text(encoding="utf-8")
_, _, SECTION = PAGE.partition("\n## Tables of another system\n")
ROWS = re.findall(r"^\| (`[^|]+) \|", SECTION.partition("\n## ")[0], re.MULTILINE)
ROLES = [*column_words().documents.values(), *column_words().aliases.values()]


@pytest.mark.parametrize("role", ROLES, ids=[role.name for role in ROLES])
def test_the_columns_of_a_role_are_listed(role: ColumnRole) -> None:
    names = ", ".join(f"`{name}`" for name in role.names)
    assert any(names in row.split("; ") for row in ROWS)
