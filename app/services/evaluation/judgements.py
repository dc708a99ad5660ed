"""Reading what a folder asks: questions with answers, or queries with judgements."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

import orjson

from app.domain.temporal import require_offset
from app.errors import Invalid

UNCATEGORISED = "all"


@dataclass(frozen=True, slots=True)
class Judged:
    """One query with the grade of each relevant document.

    `forbidden` must not be returned; `excluded` is dropped before scoring, as the document the query
    was taken from.
    """

    text: str
    category: str
    as_of: datetime | None
    relevance: Mapping[str, int]
    forbidden: frozenset[str]
    excluded: frozenset[str]


def read_judged(folder: Path) -> list[Judged]:
    """Answer every judged query of a folder: `questions*.jsonl`, else `queries.jsonl` with `qrels.tsv`.

    Raises Invalid when the folder holds neither or a line cannot be read.
    """
    questions = sorted(folder.glob("questions*.jsonl"))
    if questions:
        return [_question(row) for path in questions for row in _rows(path)]
    queries, judgements = folder / "queries.jsonl", folder / "qrels.tsv"
    if queries.is_file() and judgements.is_file():
        grades = _grades(judgements)
        return [_query(row, grades) for row in _rows(queries)]
    raise Invalid(f"{folder} has no questions*.jsonl and no queries.jsonl with qrels.tsv")


def _rows(path: Path) -> Iterator[dict[str, Any]]:
    with path.open("rb") as lines:
        for number, line in enumerate(lines, start=1):
            try:
                yield orjson.loads(line)
            except orjson.JSONDecodeError as error:
                raise Invalid(f"{path.name}, line {number}: {error}") from error


def _question(row: dict[str, Any]) -> Judged:
    as_of = row.get("as_of")
    return Judged(
        text=row["text"],
        category=row.get("category", UNCATEGORISED),
        as_of=None if as_of is None else require_offset(datetime.fromisoformat(as_of), "as_of"),
        relevance={found["id"]: found["rel"] for found in row.get("relevant", ())},
        forbidden=frozenset(row.get("forbidden", ())),
        excluded=frozenset(row.get("exclude", ())),
    )


def _query(row: dict[str, Any], grades: Mapping[str, Mapping[str, int]]) -> Judged:
    relevance = grades.get(row["qid"], {})
    return Judged(row["text"], UNCATEGORISED, None, relevance, frozenset(), frozenset())


def _grades(path: Path) -> dict[str, dict[str, int]]:
    grades: dict[str, dict[str, int]] = defaultdict(dict)
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        try:
            query, document, grade = line.split("\t")
            grades[query][document] = int(grade)
        except ValueError as error:
            raise Invalid(f"{path.name}, line {number}: expected query, document and grade") from error
    return grades
