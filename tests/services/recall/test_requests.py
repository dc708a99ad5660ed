"""What may be asked, and how an answer is narrowed."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from app.domain.artifact import MemoryDomain
from app.domain.recall import LegName, StateFlag
from app.errors import Invalid, NotFound
from app.services.container import Memory
from tests.documents import RELATES_TO, SUPERSEDES, ProjectFixture, adr, ask, claims, day, identifiers
from tests.statements import counted


@pytest.mark.parametrize(
    "query",
    ["", "   ", "\u200b", " \t\n ", "\u00a0\u2060", "\x00\x01", "\u2800", "\u3164", "\u0301", "\ufe0f\u3000"],
)
async def test_a_blank_query_is_refused_before_anything_is_read(
    desk: ProjectFixture, monkeypatch: pytest.MonkeyPatch, query: str
) -> None:
    """DEG-06, DEG-07: in one way, and the encoder is not called."""
    asked: list[str] = []
    monkeypatch.setattr(desk.memory.embedder, "embed_query", asked.append)
    async with counted(desk.memory.database) as statements:
        with pytest.raises(Invalid, match="the query is blank") as refused:
            await desk.ask(query)
    assert refused.value.field == "query"
    assert asked == []
    assert statements == []


@pytest.mark.parametrize(
    ("field", "said"),
    [
        ("query", {"query": "x" * 16_385}),
        ("first", {"first": 101}),
        ("first", {"first": -1}),
        ("tokenBudget", {"token_budget": -1}),
        ("kinds", {"kinds": ("Song",)}),
    ],
)
async def test_what_cannot_be_answered_is_refused_and_named(
    desk: ProjectFixture, field: str, said: dict[str, Any]
) -> None:
    await desk.file(adr(1, "Queue"))
    with pytest.raises(Invalid) as refused:
        await desk.ask(**({"query": "queue"} | said))
    assert refused.value.field == field


async def test_a_project_nobody_made_is_not_found(desk: ProjectFixture) -> None:
    with pytest.raises(NotFound, match=f"there is no project {desk.project}"):
        await desk.ask("queue")


async def test_an_empty_ledger_answers_nothing(memory: Memory) -> None:
    result = await ask(memory, "queue")
    assert result.hits == ()
    assert result.anchors == ()
    assert {ranking.problem for ranking in result.legs} == {None}
    assert result.tokens_used == 0


async def test_a_project_is_asked_alone_or_all_are(desk: ProjectFixture) -> None:
    other = ProjectFixture(desk.memory, f"{desk.project}-other")
    mine = await desk.file(adr(1, "Queue of mine"))
    theirs = await other.file(adr(1, "Queue of theirs"))
    assert {hit.artifact.id for hit in (await desk.ask("queue")).hits} == {mine.artifact.id}
    everywhere = {hit.artifact.id for hit in (await ask(desk.memory, "queue", first=100)).hits}
    assert everywhere >= {mine.artifact.id, theirs.artifact.id}


async def test_kinds_and_domains_narrow_every_leg_and_what_leads(desk: ProjectFixture) -> None:
    await desk.file(adr(1, "Queue", references=claims(RELATES_TO, "SPEC-2", "ADR-3")))
    await desk.file(adr(2, "Queue protocol", kind="SPEC", identifier="SPEC-2", domain=MemoryDomain.RESEARCH))
    await desk.file(adr(3, "Queue colours", domain=MemoryDomain.DECISION))
    for query in ("queue", "ADR-1", "ADR-1 queue", "protocols of ADR-3"):
        assert identifiers(await desk.ask(query, kinds=("spec",))) == ["SPEC-2"]
        assert identifiers(await desk.ask(query, domains=(MemoryDomain.RESEARCH,))) == ["SPEC-2"]
        assert identifiers(await desk.ask(query, kinds=("ADR",), domains=(MemoryDomain.DECISION,))) == [
            "ADR-3"
        ]
        assert identifiers(await desk.ask(query, kinds=("Plan",))) == []
        assert set(identifiers(await desk.ask(query, kinds=("ADR", "SPEC")))) == {"ADR-1", "SPEC-2", "ADR-3"}


async def test_flags_narrow_the_answer(desk: ProjectFixture) -> None:
    """EDG-10."""
    await desk.file_all(
        adr(1, "Queue one"),
        adr(2, "Queue two", created_at=day(2021), references=claims(SUPERSEDES, "ADR-1")),
        adr(3, "Queue three", status="Draft"),
        adr(4, "Queue four", status="Withdrawn"),
    )
    asked = {
        (): {"ADR-1", "ADR-2", "ADR-3", "ADR-4"},
        (StateFlag.CURRENT,): {"ADR-2"},
        (StateFlag.HISTORICAL,): {"ADR-1", "ADR-4"},
        (StateFlag.WIP,): {"ADR-3"},
        (StateFlag.CURRENT, StateFlag.WIP): {"ADR-2", "ADR-3"},
    }
    for flags, expected in asked.items():
        assert set(identifiers(await desk.ask("queue", flags=flags))) == expected


async def test_flags_that_nothing_has_get_an_advisory(desk: ProjectFixture) -> None:
    await desk.file(adr(1, "Queue one"))
    for query in ("queue", "ADR-1"):
        result = await desk.ask(query, flags=(StateFlag.WIP, StateFlag.HISTORICAL))
        assert (result.hits, result.confidence) == ((), 0)
        assert result.advisories == ("no match is WIP or HISTORICAL; leave flags out to see the matches",)
    assert not (await desk.ask("queue", flags=(StateFlag.CURRENT,))).advisories


async def test_a_budget_is_filled_from_the_best_hit_down(desk: ProjectFixture) -> None:
    for number in range(5):
        words = (f"queue{number}{place}" for place in range(2 + 6 * number))
        await desk.file(adr(number, f"Queue {number}", f"queue {' '.join(words)}"))
    everything = await desk.ask("queue")
    assert everything.tokens_used == sum(hit.passage.tokens for hit in everything.hits)
    for budget in (0, 1, 20, 60, 120, 10_000):
        packed = await desk.ask("queue", token_budget=budget, as_of=everything.as_of)
        assert packed.hits == everything.hits[: len(packed.hits)]
        assert packed.tokens_used == sum(hit.passage.tokens for hit in packed.hits) <= budget
        left_out = everything.hits[len(packed.hits) :]
        if left_out:
            assert packed.tokens_used + left_out[0].passage.tokens > budget
        assert any(f"leaves out {len(left_out)} hits" in said for said in packed.advisories) == bool(left_out)


async def test_a_budget_is_not_spent_on_the_same_again(desk: ProjectFixture) -> None:
    """A later version, a copy and a quotation say once what they say; what replaced another stays."""
    said = "Events travel through a durable queue that every worker reads, oldest first, and none is lost."
    await desk.file(adr(1, "Queue", said))
    await desk.file(adr(1, "Queue", f"{said} Amended.", created_at=day(2021)))
    await desk.file(adr(2, "Copy of the queue", said))
    await desk.file(
        adr(3, "Queue monitoring", "How long the queue is, and how old its first event, is watched.")
    )
    everything = await desk.ask("durable queue of events")
    assert len(everything.hits) == 4
    packed = await desk.ask("durable queue of events", token_budget=500)
    assert len(packed.hits) == 2
    assert set(identifiers(packed)) & {"ADR-1", "ADR-2"}
    assert "ADR-3" in identifiers(packed)
    assert any(
        "2 hits are left out because a better hit says the same" in advisory for advisory in packed.advisories
    )


async def test_a_budget_keeps_no_hit_without_what_replaced_it(desk: ProjectFixture) -> None:
    await desk.file(adr(1, "Queue", "queue"))
    await desk.file(adr(2, "Queue anew", "queue " * 60, references=claims(SUPERSEDES, "ADR-1")))
    assert identifiers(await desk.ask("queue")) == ["ADR-2", "ADR-1"]
    assert (await desk.ask("queue", token_budget=20)).hits == ()


async def test_a_large_budget_changes_nothing(desk: ProjectFixture) -> None:
    await desk.file(adr(1, "Queue", "queue"))
    everything = await desk.ask("queue")
    again = await desk.ask("queue", token_budget=10_000, as_of=everything.as_of)
    assert again.hits == everything.hits


async def test_an_answer_explains_itself(desk: ProjectFixture) -> None:
    await desk.file_all(adr(1, "Queue"), adr(2, "Clock", references=claims(RELATES_TO, "ADR-1")))
    result = await desk.ask("the clock of ADR-1")
    assert [ranking.leg for ranking in result.legs] == list(LegName)
    by_leg = {ranking.leg: ranking for ranking in result.legs}
    for hit in result.hits:
        assert hit.score == pytest.approx(sum(share.contribution for share in hit.contributions))
        for share in hit.contributions:
            candidate = by_leg[share.leg].candidates[share.rank - 1]
            assert (candidate.artifact, candidate.score) == (hit.artifact.number, share.score)
    assert all(ranking.milliseconds >= 0 for ranking in result.legs)
    assert result.advisories == ()


async def test_asking_again_gives_the_same_order(desk: ProjectFixture) -> None:
    """RNK-02, VEC-07: equal documents stand in the order of their filing, every time."""
    for number in range(12):
        await desk.file(adr(number, "Queue", "The same words.", identifier=f"TIE-{number}", kind="Plan"))
    first = await desk.ask("same words", first=5)
    numbers = [hit.artifact.number for hit in first.hits]
    assert numbers == sorted(set(numbers))
    for _ in range(10):
        again = await desk.ask("same words", first=5, as_of=first.as_of)
        assert [(hit.artifact.number, hit.score) for hit in again.hits] == [
            (hit.artifact.number, hit.score) for hit in first.hits
        ]


async def test_many_at_once_get_the_same_answer(desk: ProjectFixture) -> None:
    await desk.file_all(*(adr(number, f"Queue {number}") for number in range(8)))
    alone = identifiers(await desk.ask("queue 3"))
    answers = await asyncio.gather(*(desk.ask("queue 3") for _ in range(20)))
    assert all(identifiers(answer) == alone for answer in answers)


async def test_a_document_asked_for_by_identifier_alone_speaks_from_its_beginning(
    desk: ProjectFixture,
) -> None:
    parts = "\n\n".join(f"## Part {number}\n\n{'Words about queues. ' * 40}" for number in range(4))
    await desk.file(adr(1, "Queue", parts))
    (alone,) = (await desk.ask("adr 1")).hits
    assert alone.passage.ordinal == 0
    (asked,) = (await desk.ask("part 3 of ADR-1")).hits
    assert asked.passage.ordinal > 0
