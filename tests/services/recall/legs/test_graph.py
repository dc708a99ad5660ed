"""Along references from what is named, and across what is mentioned together."""

from __future__ import annotations

from math import log

import pytest

from app.domain.artifact import ReferenceClaim
from app.domain.entity import ReferenceType
from app.domain.recall import Candidate, LegName, Ranking
from app.services.recall.legs.graph import EDGE_WEIGHTS, CooccurrenceLeg, ReferenceLeg
from app.stores.graph_reader import REFERENCES_PER_ANCHOR
from app.stores.postgres import ledger_clock
from app.stores.postgres.scope import Scope
from tests.documents import RELATES_TO, ProjectFixture, adr, claims, day
from tests.services.recall.legs.asking import propose, scope_of


async def test_neighbours_are_found_both_ways_by_strength_and_count(desk: ProjectFixture) -> None:
    anchor = await desk.file(adr(1, "Anchor"))
    weak = await desk.file(adr(2, "Weak", references=claims(RELATES_TO, "ADR-1")))
    strong = await desk.file(adr(3, "Strong"))
    often = await desk.file(
        adr(5, "Often", references=(ReferenceClaim(ReferenceType.REFERENCES, "ADR-1", count=200),))
    )
    await desk.file(adr(6, "Two steps away", references=claims(RELATES_TO, "ADR-2")))
    await desk.file(adr(1, "Anchor", "more", references=claims(ReferenceType.EXTENDS, "ADR-3")))
    found = await propose(
        desk, ReferenceLeg(desk.memory.graph, named_exactly=True), anchors=[anchor.entity.id]
    )
    expected = {
        often.artifact.number: EDGE_WEIGHTS[ReferenceType.REFERENCES] * log(201),
        strong.artifact.number: EDGE_WEIGHTS[ReferenceType.EXTENDS] * log(2),
        weak.artifact.number: EDGE_WEIGHTS[RELATES_TO] * log(2),
    }
    assert {candidate.artifact: candidate.score for candidate in found} == pytest.approx(expected, abs=1e-9)
    assert [candidate.artifact for candidate in found] == list(expected)


async def test_two_anchors_add_up_and_do_not_find_each_other(desk: ProjectFixture) -> None:
    both = await desk.file(adr(3, "Both", references=claims(RELATES_TO, "ADR-1", "ADR-2")))
    first = await desk.file(adr(1, "First", references=claims(RELATES_TO, "ADR-2")))
    second = await desk.file(adr(2, "Second"))
    found = await propose(
        desk, ReferenceLeg(desk.memory.graph, named_exactly=True), anchors=[first.entity.id, second.entity.id]
    )
    assert [candidate.artifact for candidate in found] == [both.artifact.number]
    assert found[0].score == pytest.approx(2 * EDGE_WEIGHTS[RELATES_TO] * log(2))


async def test_references_are_those_of_the_moment(desk: ProjectFixture) -> None:
    """TIM-14: an edge no sooner than its ends, and no longer than it is stated."""
    anchor = await desk.file(adr(1, "Anchor", created_at=day(2020)))
    other = await desk.file(adr(2, "Other", created_at=day(2021), references=claims(RELATES_TO, "ADR-1")))
    known = other.artifact.recorded_at
    newer = await desk.file(adr(2, "Other", "alone", created_at=day(2023)))

    async def beside(scope: Scope) -> list[int]:
        found = await propose(
            desk, ReferenceLeg(desk.memory.graph, named_exactly=True), anchors=[anchor.entity.id], scope=scope
        )
        return [candidate.artifact for candidate in found]

    assert await beside(await scope_of(desk, day(2020, 6))) == []
    assert await beside(await scope_of(desk, day(2022))) == [other.artifact.number]
    assert await beside(await scope_of(desk, day(2024))) == []
    assert await beside(await scope_of(desk, day(2024), known)) == [other.artifact.number]
    assert newer.created


async def test_a_hub_gives_its_strongest_and_no_more(desk: ProjectFixture) -> None:
    """EDG-13: a bound on every walk."""
    hub = await desk.file(adr(0, "Hub"))
    async with desk.memory.database.writing(desk.tenant) as connection:
        recorded_at = await ledger_clock.advance_clock(connection, desk.tenant)
        for number in range(REFERENCES_PER_ANCHOR + 20):
            spoke = await connection.fetchval(
                """
                WITH added AS (
                    INSERT INTO entity SELECT tenant_id, gen_random_uuid(), project_id, type_id, $2, $2,
                        created_at, $3, NULL, actor
                    FROM entity WHERE id = $1 RETURNING *
                )
                INSERT INTO artifact (tenant_id, id, project_id, entity, type_id, title, body, created_at,
                    recorded_at, content_hash, term_count, actor)
                SELECT tenant_id, gen_random_uuid(), project_id, id, type_id, 'Spoke', '', created_at, $3,
                    'hash', 0, actor FROM added RETURNING entity
                """,
                hub.entity.id,
                f"spoke-{number}",
                recorded_at,
            )
            await connection.execute(
                "INSERT INTO entity_state SELECT tenant_id, gen_random_uuid(), $1, branch, valid_from,"
                " NULL, $3, NULL, '{}', NULL, NULL, actor FROM entity_state WHERE entity = $2",
                spoke,
                hub.entity.id,
                recorded_at,
            )
            await connection.execute(
                "INSERT INTO reference SELECT tenant_id, gen_random_uuid(), project_id, id, $1, 'RELATES_TO',"
                " $4, NULL, created_at, NULL, $3, NULL, actor FROM entity WHERE id = $2",
                hub.entity.id,
                spoke,
                recorded_at,
                number + 1,
            )
    found = await propose(
        desk, ReferenceLeg(desk.memory.graph, named_exactly=True), anchors=[hub.entity.id], limit=1000
    )
    assert len(found) == REFERENCES_PER_ANCHOR
    assert found[0].score == pytest.approx(EDGE_WEIGHTS[RELATES_TO] * log(REFERENCES_PER_ANCHOR + 21))
    assert (
        len(
            await propose(
                desk, ReferenceLeg(desk.memory.graph, named_exactly=True), anchors=[hub.entity.id], limit=7
            )
        )
        == 7
    )


async def test_what_is_mentioned_together_leads_across(desk: ProjectFixture) -> None:
    """To what mentions the same and to what is mentioned; the rarer it is, the more it tells."""
    things = await desk.file_all(adr(1, "Rare"), adr(2, "Common"))
    mentions = ReferenceType.REFERENCES
    seed = await desk.file(adr(3, "Seed", references=claims(mentions, "ADR-1", "ADR-2")))
    beside = await desk.file(adr(4, "Beside the rare", references=claims(mentions, "ADR-1")))
    crowd = [await desk.file(adr(n, "Crowd", references=claims(mentions, "ADR-2"))) for n in range(5, 9)]
    await desk.file(adr(9, "Alone"))
    rare, common = (thing.artifact.number for thing in things)
    ranking = Ranking(LegName.DENSE, (Candidate(seed.artifact.number, 1.0),), weight=1.0)
    found = await propose(desk, CooccurrenceLeg(desk.memory.graph, ranking))
    expected = dict.fromkeys([rare, beside.artifact.number], 1 / log(3))
    expected |= dict.fromkeys([common, *(document.artifact.number for document in crowd)], 1 / log(6))
    assert {candidate.artifact: candidate.score for candidate in found} == pytest.approx(expected, abs=1e-9)
    assert [candidate.artifact for candidate in found[:2]] == [rare, beside.artifact.number]
    before = await scope_of(desk, known=beside.artifact.recorded_at)
    early = await propose(desk, CooccurrenceLeg(desk.memory.graph, ranking), scope=before)
    assert [candidate.artifact for candidate in early] == [common, rare, beside.artifact.number]


async def test_a_seed_counts_by_what_it_shares_with_the_others(desk: ProjectFixture) -> None:
    await desk.file(adr(1, "Thing"))
    mentions = claims(ReferenceType.REFERENCES, "ADR-1")
    seeds = [await desk.file(adr(n, "Seed", references=mentions)) for n in (2, 3)]
    both = Ranking(LegName.DENSE, tuple(Candidate(seed.artifact.number, 1.0) for seed in seeds), weight=1.0)
    found = {
        candidate.artifact: candidate.score
        for candidate in await propose(desk, CooccurrenceLeg(desk.memory.graph, both))
    }
    assert [found[seed.artifact.number] for seed in seeds] == pytest.approx([1 / log(3)] * 2, abs=1e-9)


async def test_without_seeds_there_is_nothing_to_share(desk: ProjectFixture) -> None:
    await desk.file(adr(1, "Alone"))
    assert await propose(desk, CooccurrenceLeg(desk.memory.graph, Ranking(LegName.LEXICAL, ()))) == []


async def test_anchors_decide_which_way_the_graph_is_read(desk: ProjectFixture) -> None:
    await desk.file_all(adr(1, "Queue"), adr(2, "Clock", references=claims(RELATES_TO, "ADR-1")))
    for query, found in (("ADR-1", ["ADR-2"]), ("which clock", ["ADR-1"])):
        result = await desk.ask(query)
        graph = next(ranking for ranking in result.legs if ranking.leg is LegName.GRAPH)
        numbers = {hit.artifact.number: hit.artifact.identifier for hit in result.hits}
        assert [numbers[candidate.artifact] for candidate in graph.candidates] == found
