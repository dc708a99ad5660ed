from __future__ import annotations

from datetime import UTC, datetime

import pytest

from app.errors import Invalid
from app.services.parsing import parse_row
from tests.services.parsing.claims import edges


def test_a_row_becomes_a_document() -> None:
    document = parse_row(
        {
            "id": "forms/ADR-002",
            "kind": "adr",
            "title": "Use Notify",
            "body": "# ADR002: Use Notify\n\n## Status\n\nProposed. See ADR-9.\n",
            "created_at": "2022-04-07T11:01:18Z",
            "meta": {
                "status": "Superseded",
                "project": "forms",
                "milestone": {"alpha": "v1"},
                "topic": None,
                "refs": [
                    {"type": "superseded_by", "target": "forms/ADR-019"},
                    {"type": "requires", "target": "forms/ADR-001"},
                    {"type": "amended_by", "target": "forms/ADR-003"},
                    {"type": "see_also", "target": "forms/ADR-004"},
                    {"type": "mentions", "target": "forms/ADR-005", "n": 3},
                    {"type": "envies", "target": "forms/ADR-006"},
                ],
            },
        }
    )
    assert (document.kind, document.identifier, document.title) == ("adr", "forms/ADR-002", "Use Notify")
    assert document.status == "Superseded"
    assert document.created_at == datetime(2022, 4, 7, 11, 1, 18, tzinfo=UTC)
    assert document.props == {"project": "forms", "milestone": {"alpha": "v1"}}
    assert edges(document) == [
        ("SUPERSEDES<", "forms/ADR-019"),
        ("DEPENDS_ON", "forms/ADR-001"),
        ("EXTENDS<", "forms/ADR-003"),
        ("RELATES_TO", "forms/ADR-004"),
        ("REFERENCES", "forms/ADR-005"),
        ("REFERENCES", "forms/ADR-006"),
    ]
    assert document.references[4].count == 3
    assert len(document.warnings) == 1


def test_a_row_without_title_and_references_is_read_from_its_body() -> None:
    document = parse_row({"id": "ADR-3", "title": "", "body": "# 3. Use X\n\n## Supersedes\nADR-1\n"})
    assert (document.kind, document.title) == ("ADR", "Use X")
    assert edges(document) == [("SUPERSEDES", "ADR-1")]


@pytest.mark.parametrize(
    ("row", "field"),
    [
        ([], None),
        ({"body": "x"}, "id"),
        ({"id": 7, "body": "x"}, "id"),
        ({"id": " ", "body": "x"}, "id"),
        ({"id": "A", "title": "t"}, "body"),
        ({"id": "A", "body": "x", "title": 7}, "title"),
        ({"id": "A", "body": "x", "kind": []}, "kind"),
        ({"id": "A", "body": "x", "created_at": "soon"}, "created_at"),
        ({"id": "A", "body": "x", "meta": []}, "meta"),
        ({"id": "A", "body": "x", "meta": {"refs": {}}}, "meta.refs"),
        ({"id": "A", "body": "x", "meta": {"refs": ["ADR-1"]}}, "meta.refs"),
    ],
)
def test_what_cannot_be_a_document_is_refused_with_its_field(row: object, field: str | None) -> None:
    with pytest.raises(Invalid) as refused:
        parse_row(row)  # type: ignore[arg-type]
    assert refused.value.field == field
