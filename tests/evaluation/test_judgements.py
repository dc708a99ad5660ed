from __future__ import annotations

import re
from datetime import UTC, datetime
from pathlib import Path

import pytest

from app.errors import Invalid
from app.evaluation.judgements import read_judged


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
    "content",
    [
        pytest.param("query-id\tcorpus-id\tscore\n7\tdoc-1\t1\n\n7\tdoc-2\t2\n", id="header"),
        pytest.param("7 0 doc-1 1\n7 0 doc-2 2\n", id="trec"),
        pytest.param("7\t0\tdoc-1\t1\r\n7\t0\tdoc-2\t2\r\n", id="trec_with_tabs"),
    ],
)
def test_judgements_are_read_in_every_usual_form(tmp_path: Path, content: str) -> None:
    (tmp_path / "queries.jsonl").write_text('{"_id": "7", "text": "one"}\n\n')
    (tmp_path / "qrels.tsv").write_text(content)
    (judged,) = read_judged(tmp_path)
    assert judged.relevance == {"doc-1": 1, "doc-2": 2}


@pytest.mark.parametrize(
    ("name", "content", "problem"),
    [
        ("questions.jsonl", '{"text": "fine"}\n{"text": \n', "questions.jsonl, line 2: it is not JSON"),
        ("questions.jsonl", '["fine"]\n', "line 1: it is not an object; a question is"),
        ("questions.jsonl", '{"question": "x"}\n', '"text" must be a string; a question is'),
        ("questions.jsonl", '{"text": "x", "relevant": ["ADR-1"]}\n', '"relevant" must be a list of objects'),
        ("questions.jsonl", '{"text": "x", "relevant": [{"id": "ADR-1"}]}', '"rel" must be a whole number'),
        ("questions.jsonl", '{"text": "x", "forbidden": "ADR-1"}\n', '"forbidden" must be a list'),
        ("questions.jsonl", '{"text": "x", "exclude": [1]}\n', '"exclude" must be a list of strings'),
        ("questions.jsonl", '{"text": "x", "category": 1}\n', '"category" must be a string'),
        ("questions.jsonl", '{"text": "x", "as_of": "2026-01-01T00:00:00"}\n', '"as_of" must be a moment'),
        ("questions.jsonl", "\n", "questions.jsonl has no question"),
        ("queries.jsonl", "", "queries.jsonl has no question"),
        ("queries.jsonl", '{"text": "one"}\n', 'queries.jsonl, line 1: "qid" or "_id" must be a string'),
        ("queries.jsonl", '{"qid": "8", "text": "one"}\n', "qrels.tsv judges no query"),
        ("qrels.tsv", "7 doc-1 1\n", "qrels.tsv, line 1: a judgement is query, document"),
        ("qrels.tsv", "7\tdoc-1\t1\n7\tdoc-2\tgood\n", "qrels.tsv, line 2"),
        ("qrels.tsv", b"7\tdoc-\xff\t1\n", "qrels.tsv, line 1: it is not UTF-8"),
    ],
)
def test_what_is_wrong_is_named_by_its_place(
    tmp_path: Path, name: str, content: str | bytes, problem: str
) -> None:
    (tmp_path / "queries.jsonl").write_text('{"qid": "7", "text": "one"}\n')
    (tmp_path / "qrels.tsv").write_text("7\tdoc-1\t1\n")
    (tmp_path / name).write_bytes(content.encode() if isinstance(content, str) else content)
    with pytest.raises(Invalid, match=re.escape(problem)):
        read_judged(tmp_path)


def test_a_folder_without_questions_is_refused(tmp_path: Path) -> None:
    with pytest.raises(Invalid, match=r"no questions\*\.jsonl"):
        read_judged(tmp_path)
