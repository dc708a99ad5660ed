from __future__ import annotations

import io
from datetime import UTC, datetime
from typing import Any
from uuid import UUID, uuid4

import pytest
from rich.console import Console

from app.cli.recall_output import print_hits
from app.domain.artifact import Artifact, MemoryDomain, Passage
from app.domain.numbers import ArtifactNumber, ProjectNumber
from app.domain.recall import (
    Annotation,
    FlagGround,
    Hit,
    LegContribution,
    LegName,
    RecallRequest,
    RecallResult,
    StateFlag,
)

NOW = datetime(2026, 6, 1, tzinfo=UTC)
FOUND = (LegContribution(LegName.DENSE, 1, 0.5, 0.016),)


def hit(rank: int, entity: UUID, passage: Passage, **said: Any) -> Hit:
    artifact = Artifact(
        id=uuid4(),
        number=ArtifactNumber(rank),
        project=ProjectNumber(1),
        entity=entity,
        kind="ADR",
        identifier=f"ADR-{rank}",
        title="Queues",
        body=passage.text,
        domain=MemoryDomain.DECISION,
        created_at=NOW,
        recorded_at=NOW,
        source_uri=None,
        source_commit=None,
        author=None,
        content_hash="0",
    )
    above = said.get("superseded_by")
    flag = StateFlag.CURRENT if above is None else StateFlag.HISTORICAL
    note = Annotation(flag, FlagGround.OWN_STATE, None, None, above)
    return Hit(artifact, passage, said.get("score", 0.02), rank, note, said.get("contributions", FOUND))


def printed(*hits: Hit, explain: bool = False) -> list[str]:
    result = RecallResult(uuid4(), hits, (), (), NOW, NOW, 0, None, ())
    console = Console(file=io.StringIO(), markup=False, highlight=False)
    print_hits(console, RecallRequest("queues"), result, explain=explain)
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue().splitlines()


def test_a_hit_that_no_leg_found_says_which_one_it_replaces() -> None:
    text = Passage(0, None, "Text.", 1)
    new, old, stray = uuid4(), uuid4(), uuid4()
    hits = (
        hit(1, new, text, contributions=()),
        hit(2, stray, text, contributions=()),
        hit(3, old, text, superseded_by=new),
    )
    assert printed(*hits)[2::3] == ["    replaces 3", "    added as a replacement", "    ranks: dense 1"]
    lines = printed(*hits, explain=True)[2::3]
    assert lines[0] == "    score 0.02000; replaces 3; current because of its own state"
    assert lines[2] == (
        "    score 0.02000; historical because of its own state; dense rank 1, scored 0.5000, adds 0.01600"
    )


def test_a_hit_above_a_better_one_that_it_replaced_says_so() -> None:
    text = Passage(0, None, "Text.", 1)
    new, old = uuid4(), uuid4()
    below = hit(2, old, text, superseded_by=new, score=0.03)
    assert printed(hit(1, new, text), below)[2::3] == ["    replaces 2; ranks: dense 1", "    ranks: dense 1"]
    version = hit(2, new, text, superseded_by=new, score=0.03)
    assert printed(hit(1, new, text), version)[2] == "    newer version of 2; ranks: dense 1"
    assert printed(hit(1, new, text, score=0.04), below)[2::3] == ["    ranks: dense 1", "    ranks: dense 1"]


@pytest.mark.parametrize(
    ("heading", "text", "shown"),
    [
        ("ADR-1: Queues > Status", "# ADR-1: Queues\n\n## Status\n\nAccepted", "Status: Accepted"),
        ("Queues > Decision > Scope", "### Scope\nAll of it.", "Scope: All of it."),
        ("Queues > Decision", "Decision\n--------\nUse them.", "Decision: Use them."),
        ("ADR-1: Queues", "We use queues.", "We use queues."),
        (
            "ADR-1 > Decision",
            "Date: today\n\n## Status\n\nAccepted\n\n## Decision ##\n\nUse #queues.",
            "Date: today Status: Accepted Decision: Use #queues.",
        ),
        ("Queues > Ends", "## Ends", "## Ends"),
        (None, "#123 is fixed.", "#123 is fixed."),
        ("Plan", "Short.\n\nEnds\n====\n\nThey end.", "Plan: Short. Ends: They end."),
        ("Plan", "Short.\n\none\n--\ntwo", "Plan: Short. one -- two"),
    ],
)
def test_a_heading_is_shown_once(heading: str | None, text: str, shown: str) -> None:
    assert printed(hit(1, uuid4(), Passage(0, heading, text, 9)))[1] == f"    {shown}"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        pytest.param("word " * 60, "word " * 39 + "word …", id="BYT-03 words"),
        pytest.param("決" * 300, "決" * 200 + " …", id="BYT-03 without spaces"),
        pytest.param("a" * 199 + "👍🏽" * 9, "a" * 199 + " …", id="BYT-03 a tinted emoji"),
        pytest.param("a" * 199 + "e\u0301" * 9, "a" * 199 + " …", id="BYT-03 an accent"),
        pytest.param("a" * 198 + "🇩🇪" * 9, "a" * 198 + "🇩🇪 …", id="BYT-03 a flag"),
    ],
)
def test_a_long_passage_is_cut_between_characters(text: str, shown: str) -> None:
    assert printed(hit(1, uuid4(), Passage(0, None, text, 9)))[1] == f"    {shown}"
