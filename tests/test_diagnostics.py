from __future__ import annotations

from dataclasses import replace

from app.diagnostics import search_method
from app.domain.numbers import ProjectNumber
from app.stores.postgres.vector_indexes import LargeProject

LARGE = LargeProject(ProjectNumber(1), "large", 30_000, has_index=False, is_building=False)


def test_the_doctor_says_how_a_large_project_is_searched_and_what_to_do() -> None:
    indexed, building = replace(LARGE, has_index=True), replace(LARGE, is_building=True)
    assert search_method(indexed, makes_them=False).startswith("searched with an index")
    assert "an index is being built" in search_method(building, makes_them=True)
    assert "`trigraph serve`" in search_method(LARGE, makes_them=True)
    assert "TRIGRAPH_DATABASE_URL" in search_method(LARGE, makes_them=False)
