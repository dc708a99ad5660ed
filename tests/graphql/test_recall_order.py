"""The order of an answer, the whole way: what was replaced, what is old, what is long."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from app.services.container import Memory
from app.services.recall import pipeline
from tests.graphql.api import Api
from tests.graphql.test_recall import cited, recall

FILLER = " ".join(
    ["The committee met again on a cloudy morning and spoke at length about chairs, lamps and paint."] * 38
).split()[:600]


@pytest.fixture
async def shelf(shared_memory: Memory) -> Api:
    return Api(shared_memory)


def _days_ago(days: float) -> str:
    return (datetime.now(UTC) - timedelta(days=days)).isoformat()


async def test_rnk_06_an_old_exact_title_stays_above_a_new_weak_match(shelf: Api) -> None:
    """RNK-06: age decides between equals and takes no answer away."""
    said: dict[str, Any] = {"project": "ages"}
    await shelf.file(
        "Every token expires after an hour.",
        title="Token rotation policy",
        identifier="EXACT",
        createdAt=_days_ago(900),
        **said,
    )
    await shelf.file(
        "We spoke of rotation in passing.",
        title="Minutes",
        identifier="WEAK",
        createdAt=_days_ago(1),
        **said,
    )
    for number in range(8):
        await shelf.file(
            f"Lunch was served at noon, {number}.",
            title=f"Lunch {number}",
            identifier=f"NEW-{number}",
            createdAt=_days_ago(1),
            **said,
        )
    assert cited(await recall(shelf, "Token rotation policy", project="ages"))[0] == "EXACT"
    in_words = await recall(shelf, "what does the policy of token rotation say", project="ages")
    assert "EXACT" in cited(in_words)[:2]
    assert len(cited(in_words)) == 10


async def test_rnk_08_a_current_version_is_found_among_many_former_ones(shelf: Api) -> None:
    """RNK-08: forty former ones and the one of today."""
    for version in range(41):
        await shelf.file(
            f"The retry budget is {version} per cent.",
            title="Retry budget",
            identifier="LIMIT",
            project="versions",
            createdAt=f"{1930 + version}-01-01T00:00:00Z",
        )
    result = await recall(shelf, "what is the retry budget", project="versions", first=5, flags=["CURRENT"])
    assert [hit["content"] for hit in result["hits"]] == ["The retry budget is 40 per cent."]


async def test_rnk_08_former_versions_do_not_crowd_out_what_fits_less(
    shelf: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    """RNK-08: with more of them than a leg proposes at first."""
    monkeypatch.setattr(pipeline, "CANDIDATES_PER_LEG", 10)
    await shelf.file("Clients count retries.", title="Counting", identifier="LESS", project="crowded")
    for version in range(12):
        await shelf.file(
            f"The retry budget is {version} per cent.",
            title="Retry budget",
            identifier="LIMIT",
            project="crowded",
            createdAt=f"{2000 + version}-01-01T00:00:00Z",
        )
    for first, flags in ((5, ["CURRENT"]), (5, ["CURRENT", "WIP"]), (10, ["CURRENT"])):
        asked: dict[str, Any] = {"project": "crowded", "first": first, "flags": flags}
        assert cited(await recall(shelf, "what is the retry budget", **asked)) == ["LIMIT", "LESS"]
    historical = await recall(shelf, "retry budget", project="crowded", first=20, flags=["HISTORICAL"])
    assert cited(historical) == ["LIMIT"] * 11


async def test_rnk_10_a_document_counts_once_by_its_best_passage(shelf: Api) -> None:
    """RNK-10: five passages of one document are one hit, and one rank in each leg."""
    chapter = " ".join(FILLER[:180])
    passages = "\n\n".join(f"## Part {n}\n\nThe retry budget of part {n}. {chapter}" for n in range(5))
    filed = await shelf.file(passages, title="Long", identifier="LONG", project="passages")
    assert filed["created"]
    for number in range(3):
        await shelf.file(
            f"A retry budget is kept, says note {number}.",
            title=f"Note {number}",
            identifier=f"NOTE-{number}",
            project="passages",
        )
    result = await recall(shelf, "retry budget", project="passages", first=3)
    assert len(cited(result)) == len(set(cited(result))) == 3
    everything = await recall(shelf, "retry budget", project="passages", first=10)
    assert sorted(cited(everything)) == ["LONG", "NOTE-0", "NOTE-1", "NOTE-2"]
    for hit in everything["hits"]:
        legs = [share["leg"] for share in hit["explanation"]]
        assert len(legs) == len(set(legs))
    for report in everything["legs"]:
        assert report["candidates"] <= 4


@pytest.mark.parametrize(
    ("project", "body"),
    [
        ("words", f"{' '.join(FILLER)} The quorum size is five."),
        (
            "han",
            "会議は雲の多い朝に再び開かれ、椅子や塗料について長く話し合われた。" * 30
            + "The quorum size is five.",
        ),
        ("code", "```\n" + "chair = paint(lamp)\n" * 200 + "# The quorum size is five.\n```"),
        ("links", "https://ex.example/chair/lamp " * 120 + "The quorum size is five."),
    ],
)
async def test_vec_04_the_last_sentence_of_a_long_document_is_found(
    shelf: Api, project: str, body: str
) -> None:
    """VEC-04: its passage is cut by the word pieces that the encoder reads."""
    await shelf.file(body, title="Minutes", identifier="LONG", project=project)
    for number, text in enumerate(("Birds sing at dawn.", "Five birds sing.", "A shed is painted green.")):
        await shelf.file(text, title="Note", identifier=f"NOTE-{number}", project=project)
    result = await recall(shelf, "how large is the quorum", project=project)
    hit = result["hits"][0]
    assert hit["artifact"]["identifier"] == "LONG"
    assert {"leg": "DENSE", "rank": 1} in [
        {"leg": share["leg"], "rank": share["rank"]} for share in hit["explanation"]
    ]
    assert hit["passage"]["ordinal"] > 0
    assert "The quorum size is five." in hit["content"][-40:]
    pieces = shelf.memory.embedder.piece_offsets(hit["content"])
    assert len(pieces) <= shelf.memory.embedder.longest_passage - 2 == 254


async def test_rnk_05_a_date_at_the_end_of_time_is_answered(shelf: Api) -> None:
    """RNK-05: as of now it is not there yet, and as of then it is."""
    for identifier, born in (("LAST", "9999-12-31T00:00:00Z"), ("FIRST", "0001-01-02T00:00:00Z")):
        payload = await shelf.file(
            "Sentinel dates.", title="Sentinel", identifier=identifier, project="sentinels", createdAt=born
        )
        assert payload["problems"] == []
    assert cited(await recall(shelf, "sentinel dates", project="sentinels")) == ["FIRST"]
    then = await recall(shelf, "sentinel dates", project="sentinels", asOf="9999-12-31T23:59:59Z")
    assert cited(then) == ["LAST", "FIRST"]
    assert {report["problem"] for report in then["legs"]} == {None}
