"""Reading what a folder asks: questions with answers, or queries with judgements."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from app.domain.temporal import require_offset
from app.errors import Invalid
from app.services.evaluation.expected import Expected, read_expected
from app.services.evaluation.judged_lines import Fields, lines_of, rows_of

UNCATEGORISED = "all"
TREC_COLUMNS = 4

_QUESTION = (
    'a question is {"text": ..., "relevant": [{"id": ..., "rel": 1}]},'
    ' and may hold "category", "as_of", "forbidden", "exclude", "subject" and "answer"'
)
_QUERY = 'a query is {"qid": ..., "text": ...}; its id may stand under "_id" as well'
_GRADE = "a judgement is query, document and whole grade with tabs between, or: query 0 document grade"
_GRADE_NAMES = frozenset({"score", "grade", "rel", "relevance", "relevancy", "label"})


@dataclass(frozen=True, slots=True)
class Judged:
    """One query with the grade of each relevant document.

    `forbidden` must not be returned; `excluded` is dropped before scoring, as the document the query
    was taken from. `expected` is what the ledger has to tell of its subject, if anything.
    """

    text: str
    category: str
    as_of: datetime | None
    relevance: Mapping[str, int]
    forbidden: frozenset[str]
    excluded: frozenset[str]
    expected: Expected | None = None


def read_judged(folder: Path) -> list[Judged]:
    """Answer every judged query of a folder: `questions*.jsonl`, else `queries.jsonl` with `qrels.tsv`.

    Raises Invalid when the folder holds neither, or nothing is asked or judged in them; and, naming file,
    line and what is needed, when a line cannot be read.
    """
    questions = sorted(folder.glob("questions*.jsonl"))
    queries, judgements = folder / "queries.jsonl", folder / "qrels.tsv"
    if questions:
        judged = [_question(row) for path in questions for row in rows_of(path, _QUESTION)]
    elif queries.is_file() and judgements.is_file():
        grades = _grades(judgements)
        judged = [_query(row, grades) for row in rows_of(queries, _QUERY)]
        if judged and not any(query.relevance for query in judged):
            raise Invalid(f"{judgements.name} judges no query of {queries.name}; do their query ids agree?")
    else:
        raise Invalid(f"{folder} has no questions*.jsonl and no queries.jsonl with qrels.tsv")
    if not judged:
        names = ", ".join(path.name for path in questions or [queries])
        raise Invalid(f"{names} asks nothing: {_QUESTION if questions else _QUERY}")
    return judged


def _question(row: Fields) -> Judged:
    category = row.text_or_none("category") or UNCATEGORISED
    return Judged(
        text=row.text("text"),
        category=category,
        as_of=_moment(row),
        relevance={found.text("id"): found.whole("rel") for found in row.objects("relevant")},
        forbidden=frozenset(row.texts("forbidden")),
        excluded=frozenset(row.texts("exclude")),
        expected=read_expected(row, category),
    )


def _moment(row: Fields) -> datetime | None:
    written = row.text_or_none("as_of")
    try:
        return None if written is None else require_offset(datetime.fromisoformat(written), "as_of")
    except (ValueError, Invalid) as error:
        raise row.invalid('"as_of" must be a moment with an offset, as in 2026-06-01T09:00:00Z') from error


def _query(row: Fields, grades: Mapping[str, Mapping[str, int]]) -> Judged:
    name = row.text_or_none("qid") or row.text_or_none("_id")
    if name is None:
        raise row.invalid('"qid" or "_id" must be a text')
    return Judged(row.text("text"), UNCATEGORISED, None, grades.get(name, {}), frozenset(), frozenset())


def _grades(path: Path) -> dict[str, dict[str, int]]:
    grades: dict[str, dict[str, int]] = defaultdict(dict)
    for number, line in lines_of(path):
        columns = [column.strip() for column in line.split("\t" if "\t" in line else None)]
        if number == 1 and columns[-1].casefold() in _GRADE_NAMES:
            continue
        if len(columns) == TREC_COLUMNS:
            del columns[1]
        elif "\t" not in line:
            columns = []
        try:
            query, document, grade = columns
            grades[query][document] = int(grade)
        except ValueError as error:
            raise Invalid(f"{path.name}, line {number}: {_GRADE}") from error
    return grades
