from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from app.evaluation import evaluate
from app.evaluation.scoring import Answers
from app.settings import Settings

DOCUMENTS: list[dict[str, Any]] = [
    {
        "id": "RFC-1",
        "kind": "rfc",
        "title": "Pull the jobs",
        "body": "Workers ask for jobs.",
        "created_at": "2020-01-01T00:00:00Z",
        "meta": {"status": "Superseded", "refs": [{"type": "superseded_by", "target": "RFC-2"}]},
    },
    {
        "id": "RFC-2",
        "kind": "rfc",
        "title": "Push the jobs",
        "body": "A server hands out jobs.",
        "created_at": "2021-01-01T00:00:00Z",
        "meta": {"status": "Final", "refs": [{"type": "requires", "target": "RFC-3"}]},
    },
    {
        "id": "RFC-3",
        "kind": "rfc",
        "title": "One queue",
        "body": "All jobs stand in one line.",
        "created_at": "2020-06-01T00:00:00Z",
        "meta": {"status": "Final"},
    },
]
STATES: list[dict[str, Any]] = [
    {"id": "RFC-1", "valid_from": "2020-01-01", "props": {"status": "Draft", "title": "Poll"}},
    {"id": "RFC-1", "valid_from": "2020-06-01", "props": {"status": "Final", "title": "Pull the jobs"}},
    {
        "id": "RFC-1",
        "valid_from": "2022-01-01",
        "props": {"status": "Superseded", "title": "Pull the jobs", "superseded_by": ["RFC-2"]},
    },
]


def question(category: str, subject: str, answer: dict[str, Any], as_of: str | None = None) -> dict[str, Any]:
    return {"text": f"{category} {subject}", "category": category, "subject": subject, "answer": answer} | (
        {} if as_of is None else {"as_of": f"{as_of}T00:00:00Z"}
    )


QUESTIONS = [
    question("status_asof", "RFC-1", {"status": "Draft"}, "2020-03-01"),
    question("status_asof", "RFC-1", {"status": "Final"}, "2021-03-01"),
    question("status_asof", "RFC-1", {"status": "Final"}),
    question("renamed_asof", "RFC-1", {"title": "Poll"}, "2020-03-01"),
    question("not_yet_existing", "RFC-1", {"exists": False}, "2019-03-01"),
    question("not_yet_existing", "RFC-1", {"exists": False}, "2020-03-01"),
    question("superseded_by", "RFC-1", {"ids": ["RFC-2"]}),
    question("superseded_by_before", "RFC-1", {"ids": []}, "2021-06-01"),
    question("requires", "RFC-2", {"ids": ["RFC-3"]}),
    question("required_by", "RFC-3", {"ids": ["RFC-2"]}),
    question("replaces", "RFC-2", {"ids": ["RFC-1"]}),
    question("prefer_successor", "RFC-1", {"prefer": "RFC-2", "over": "RFC-1"}) | {"text": "Poll"},
    question("prefer_predecessor_asof", "RFC-1", {"prefer": "RFC-1"}, "2020-05-01"),
    question("became", "RFC-1", {"ids": ["RFC-1"]}),
]


def write(folder: Path, name: str, rows: list[dict[str, Any]]) -> None:
    (folder / name).write_text("".join(json.dumps(row) + "\n" for row in rows))


async def test_states_and_references_answer_what_recall_is_not_for(database_url: str, tmp_path: Path) -> None:
    write(tmp_path, "docs.jsonl", DOCUMENTS)
    write(
        tmp_path,
        "states.jsonl",
        [row | {"cause_commit": f"c{number}"} for number, row in enumerate(STATES)],
    )
    write(tmp_path, "questions.jsonl", QUESTIONS)
    report = await evaluate(
        Settings(database_url=database_url), tmp_path, lambda summary: None, lambda done, total: None
    )
    assert report.answers == {
        "not_yet_existing": Answers(2, 1),
        "prefer_predecessor_asof": Answers(1, 1),
        "prefer_successor": Answers(1, 1),
        "renamed_asof": Answers(1, 1),
        "replaces": Answers(1, 1),
        "required_by": Answers(1, 1),
        "requires": Answers(1, 1),
        "status_asof": Answers(3, 2),
        "superseded_by": Answers(1, 1),
        "superseded_by_before": Answers(1, 1),
    }
    assert report.wrong == [
        "status_asof: status_asof RFC-1: Superseded",
        "not_yet_existing: not_yet_existing RFC-1 as of 2020-03-01: Draft",
    ]
