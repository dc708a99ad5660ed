from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from app.errors import Invalid
from app.services.evaluation.judgements import read_judged


def test_questions_carry_their_time_and_what_may_not_come_back(tmp_path: Path) -> None:
    (tmp_path / "questions.dev.jsonl").write_text(
        '{"text": "What replaced ADR 1?", "category": "replaced", "as_of": "2026-01-01T12:00:00Z",'
        ' "relevant": [{"id": "ADR-2", "rel": 2}], "forbidden": ["ADR-3"], "exclude": ["ADR-4"]}\n'
    )
    (judged,) = read_judged(tmp_path)
    assert judged.text == "What replaced ADR 1?"
    assert judged.category == "replaced"
    assert judged.as_of == datetime(2026, 1, 1, 12, tzinfo=UTC)
    assert judged.relevance == {"ADR-2": 2}
    assert judged.forbidden == {"ADR-3"}
    assert judged.excluded == {"ADR-4"}


def test_queries_are_judged_by_the_file_beside_them(tmp_path: Path) -> None:
    (tmp_path / "queries.jsonl").write_text('{"qid": "7", "text": "one"}\n{"qid": "8", "text": "two"}\n')
    (tmp_path / "qrels.tsv").write_text("7\tdoc-1\t1\n7\tdoc-2\t2\n")
    first, second = read_judged(tmp_path)
    assert first.relevance == {"doc-1": 1, "doc-2": 2}
    assert second.relevance == {}


@pytest.mark.parametrize(
    ("name", "content", "place"),
    [
        ("questions.jsonl", '{"text": "fine"}\n{"text": \n', "questions.jsonl, line 2"),
        ("qrels.tsv", "7 doc-1 1\n", "qrels.tsv, line 1"),
    ],
)
def test_a_broken_line_is_named(tmp_path: Path, name: str, content: str, place: str) -> None:
    (tmp_path / "queries.jsonl").write_text('{"qid": "7", "text": "one"}\n')
    (tmp_path / name).write_text(content)
    with pytest.raises(Invalid, match=place):
        read_judged(tmp_path)


def test_a_folder_without_questions_is_refused(tmp_path: Path) -> None:
    with pytest.raises(Invalid, match=r"no questions\*\.jsonl"):
        read_judged(tmp_path)
