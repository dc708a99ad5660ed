from __future__ import annotations

from app.benchmark import ratios_of
from app.benchmark.load import REPEATS, Job, Row, percentiles, time_rows
from app.benchmark.profile import ENCODER, PYTHON, WHOLE, Spans, parts_of
from app.benchmark.questions import AskedFor

QUESTIONS = [AskedFor(f"question {number}", number, names_it=False) for number in range(4)]


def test_percentiles_are_values_that_occurred() -> None:
    assert percentiles([float(value) for value in range(1, 101)]) == {"p50": 50.0, "p95": 95.0}
    assert percentiles([3.0]) == {"p50": 3.0, "p95": 3.0}


async def test_rows_take_turns_and_each_question_counts_once() -> None:
    begun: list[tuple[str, str]] = []
    advanced: list[int] = []

    def row(name: str) -> Row:
        async def prepare(asked: AskedFor) -> Job:
            async def job() -> None:
                begun.append((name, asked.text))

            return job

        return prepare

    rows = {name: row(name) for name in ("one", "two")}
    found = await time_rows(rows, QUESTIONS, lambda: advanced.append(1))
    assert {name: len(values) for name, values in found.items()} == {"one": 4, "two": 4}
    assert len(advanced) == REPEATS * 4
    first = [begun[place][0] for place in range(0, len(begun), 2)]
    assert set(first) == {"one", "two"}
    assert begun.count(("one", "question 0")) == REPEATS


def test_ratios_set_one_row_beside_another() -> None:
    row = {"p50": 2.0, "p95": 4.0}
    rows = {
        "floor": row,
        "vector_only": row,
        "service": {"p50": 3.0, "p95": 8.0},
        "graphql": {"p50": 5.0, "p95": 6.0},
        "graphql_as_of": {"p50": 10.0, "p95": 6.0},
    }
    assert ratios_of(rows, {"filed_per_second": 8.0, "embedded_per_second": 10.0}) == {
        "graphql_over_floor_p50": 2.5,
        "graphql_over_floor_p95": 1.5,
        "hybrid_over_vector_p50": 1.5,
        "as_of_over_current_p50": 2.0,
        "bulk_over_embed": 0.8,
    }


def test_what_overlaps_counts_once_and_the_rest_is_python() -> None:
    spans = Spans(whole=0.010)
    spans.add(ENCODER, 1.000, 1.006)
    spans.add("ledger.read_clock", 1.001, 1.002)
    spans.add("postings.best_by_bm25", 1.005, 1.008)
    parts = {str(part["part"]): (part["ms"], part["calls"]) for part in parts_of([spans])}
    assert parts == {
        WHOLE: (10.0, 1.0),
        ENCODER: (6.0, 1.0),
        "postings.best_by_bm25": (3.0, 1.0),
        PYTHON: (2.0, 1.0),
        "ledger.read_clock": (1.0, 1.0),
    }
