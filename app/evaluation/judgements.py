"""Read the judged queries of a folder: questions with answers, or queries with judgements."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import IO

import orjson

from app.domain.entity import Direction, ReferenceType
from app.domain.identifier import identifier_key
from app.domain.temporal import require_offset
from app.errors import Invalid
from app.services.importing.open_file import open_file


@dataclass(frozen=True, slots=True)
class Fields:
    """The fields of one object, its place in a file, and a description of what is required there."""

    values: dict[str, object]
    place: str
    needed: str

    def invalid(self, problem: str) -> Invalid:
        """Return an error that names the place, the problem and what is required."""
        return Invalid(f"{self.place}: {problem}; {self.needed}")

    def text(self, name: str) -> str:
        """Return a text that is not blank; raise Invalid if there is none."""
        value = self.text_or_none(name)
        if value is None or not value.strip():
            raise self.invalid(f'"{name}" must be a string')
        return value

    def text_or_none(self, name: str) -> str | None:
        """Return a text, or None if it is missing; raise Invalid for any other value."""
        value = self.values.get(name)
        if value is not None and not isinstance(value, str):
            raise self.invalid(f'"{name}" must be a string')
        return value

    def whole(self, name: str) -> int:
        """Return an integer; raise Invalid if there is none."""
        value = self.values.get(name)
        if not isinstance(value, int) or isinstance(value, bool):
            raise self.invalid(f'"{name}" must be a whole number')
        return value

    def texts(self, name: str) -> list[str]:
        """Return a list of texts, empty if it is missing; raise Invalid for any other value."""
        values = self._list(name)
        texts = [value for value in values if isinstance(value, str)]
        if len(texts) < len(values):
            raise self.invalid(f'"{name}" must be a list of strings')
        return texts

    def objects(self, name: str) -> list[Fields]:
        """Return a list of objects, empty if it is missing; raise Invalid for any other value."""
        values = self._list(name)
        objects = [value for value in values if isinstance(value, dict)]
        if len(objects) < len(values):
            raise self.invalid(f'"{name}" must be a list of objects')
        return [Fields(value, self.place, self.needed) for value in objects]

    def _list(self, name: str) -> list[object]:
        value = self.values.get(name)
        if value is not None and not isinstance(value, list):
            raise self.invalid(f'"{name}" must be a list')
        return value or []


def lines_of(path: Path) -> Iterator[tuple[int, str]]:
    """Yield the lines that are not blank, by number; raise Invalid for one that is not UTF-8."""
    with _open(path) as file:
        for number, line in enumerate(file, start=1):
            try:
                text = line.decode("utf-8-sig" if number == 1 else "utf-8").strip("\r\n")
            except UnicodeDecodeError as error:
                raise Invalid(f"{path.name}, line {number}: it is not UTF-8; convert it") from error
            if text.strip():
                yield number, text


def _open(path: Path) -> IO[bytes]:
    try:
        return open_file(path.resolve())
    except Invalid as error:
        raise Invalid(f"{path.name}: {error.message}") from error


def rows_of(path: Path, needed: str) -> Iterator[Fields]:
    """Yield the object on each line; raise Invalid for a line without one."""
    for number, line in lines_of(path):
        place = f"{path.name}, line {number}"
        try:
            value = orjson.loads(line)
        except orjson.JSONDecodeError as error:
            raise Invalid(f"{place}: it is not JSON ({error}); {needed}") from error
        if not isinstance(value, dict):
            raise Invalid(f"{place}: it is not an object; {needed}")
        yield Fields(value, place, needed)


_PROPERTIES = ("status", "title")


@dataclass(frozen=True, slots=True)
class ExpectedRelation:
    """A category's reference type and direction, and the property in which documents state the same."""

    type: ReferenceType
    direction: Direction
    property: str | None = None


RELATIONS = {
    "requires": ExpectedRelation(ReferenceType.DEPENDS_ON, Direction.OUT, "requires"),
    "required_by": ExpectedRelation(ReferenceType.DEPENDS_ON, Direction.IN),
    "replaces": ExpectedRelation(ReferenceType.SUPERSEDES, Direction.OUT, "replaces"),
    "superseded_by": ExpectedRelation(ReferenceType.SUPERSEDES, Direction.IN, "superseded_by"),
    "superseded_by_before": ExpectedRelation(ReferenceType.SUPERSEDES, Direction.IN, "superseded_by"),
}


@dataclass(frozen=True, slots=True)
class Expected:
    """The right answer about a subject: its absence, properties, related documents, or the leading document.

    `related` has keys; `leader` is the document that recall must rank first.
    """

    subject: str
    is_absent: bool = False
    props: tuple[tuple[str, str], ...] = ()
    relation: ExpectedRelation | None = None
    related: frozenset[str] = frozenset()
    leader: str | None = None


def read_expected(row: Fields, category: str) -> Expected | None:
    """Return what a question expects; None if it expects only relevant documents.

    Raises Invalid when its answer cannot be read.
    """
    subject, answer = row.text_or_none("subject"), row.values.get("answer")
    if subject is None or not isinstance(answer, dict):
        return None
    fields = Fields(answer, row.place, row.needed)
    props = tuple((name, fields.text(name)) for name in _PROPERTIES if name in answer)
    if answer.get("exists") is False:
        return Expected(subject, is_absent=True)
    if props:
        return Expected(subject, props=props)
    if "prefer" in answer:
        return Expected(subject, leader=fields.text("prefer"))
    if category in RELATIONS and "ids" in answer:
        related = frozenset(identifier_key(name) for name in fields.texts("ids"))
        return Expected(subject, relation=RELATIONS[category], related=related)
    return None


@dataclass(frozen=True, slots=True)
class ReferenceVerdict:
    """Whether the ledger says what a question expects, and what it says instead."""

    is_right: bool
    found: str


UNCATEGORISED = "all"
TREC_COLUMNS = 4

_QUESTION = (
    'a question is {"text": ..., "relevant": [{"id": ..., "rel": 1}]},'
    ' and may have "category", "as_of", "forbidden", "exclude", "subject" and "answer"'
)
_QUERY = 'a query is {"qid": ..., "text": ...}; the id may also be in "_id"'
_GRADE = "a judgement is query, document and whole grade with tabs between, or: query 0 document grade"
_GRADE_NAMES = frozenset({"score", "grade", "rel", "relevance", "relevancy", "label"})


@dataclass(frozen=True, slots=True)
class Judged:
    """One query with the grade of each relevant document.

    `forbidden` must not be returned; `excluded` is dropped before scoring, such as the document the query
    was taken from. `expected` is what the ledger must say about its subject, if anything.
    """

    text: str
    category: str
    as_of: datetime | None
    relevance: Mapping[str, int]
    forbidden: frozenset[str]
    excluded: frozenset[str]
    expected: Expected | None = None


def read_judged(folder: Path) -> list[Judged]:
    """Return every judged query of a folder: `questions*.jsonl`, else `queries.jsonl` with `qrels.tsv`.

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
            raise Invalid(
                f"{judgements.name} judges no query of {queries.name}; check that the query ids are the same"
            )
    else:
        raise Invalid(f"{folder} has no questions*.jsonl, and no queries.jsonl with qrels.tsv")
    if not judged:
        names = ", ".join(path.name for path in questions or [queries])
        raise Invalid(f"{names} has no question: {_QUESTION if questions else _QUERY}")
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
        raise row.invalid('"qid" or "_id" must be a string')
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
