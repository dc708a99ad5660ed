"""What every reader of the graph answers, whichever store it reads."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from math import log
from uuid import UUID, uuid4

from app.domain.artifact import MemoryDomain, ReferenceClaim
from app.domain.entity import ReferenceType
from app.domain.numbers import ArtifactNumber
from app.domain.recall import Candidate
from app.domain.temporal import EVERYTHING_KNOWN, AsOf
from app.services.recall.legs.graph import EDGE_WEIGHTS
from app.stores.graph_reader import REFERENCES_PER_ANCHOR, REFERENCES_PER_ENTITY
from app.stores.postgres.projects import ensure_tenant
from app.stores.postgres.scope import Scope
from tests.conformance.conftest import Scene
from tests.conftest import memory_on
from tests.documents import RELATES_TO, ProjectFixture, adr, claims, day
from tests.services.recall.legs.asking import scope_of

EXTENDS, REFERENCES = ReferenceType.EXTENDS, ReferenceType.REFERENCES
NOW = day(2026)
AT_NOW = AsOf(NOW, EVERYTHING_KNOWN)


async def file_chain(desk: ProjectFixture, length: int, *, closed: bool = False) -> list[UUID]:
    """File so many records, each related to the one before it, the first to the last if closed."""
    before = (f"ADR-{length}",) if closed else ()
    found = []
    for number in range(1, length + 1):
        filed = await desk.file(adr(number, f"Step {number}", references=claims(RELATES_TO, *before)))
        found.append(filed.entity.id)
        before = (f"ADR-{number}",)
    return found


async def file_hub(desk: ProjectFixture, spokes: int) -> tuple[UUID, list[UUID]]:
    """File a hub and what refers to it, each a day later and once more than the one before."""
    hub = await desk.file(adr(0, "Hub"))
    found = []
    for number in range(1, spokes + 1):
        claim = ReferenceClaim(RELATES_TO, "ADR-0", count=number)
        born = day(2020) + timedelta(days=number)
        document = adr(number, f"Spoke {number}", created_at=born, references=(claim,))
        found.append((await desk.file(document)).entity.id)
    return hub.entity.id, found


async def near(scene: Scene, entity: UUID, depth: int, most: int = 100, at: datetime = NOW) -> list[UUID]:
    """Return the neighbours of one entity, whose paths have to lead there."""
    reader = await scene.read()
    found = (await reader.neighbours(scene.desk.tenant, [entity], depth, most, AsOf(at, EVERYTHING_KNOWN)))[
        entity
    ]
    for neighbour in found:
        reached = entity
        for step in neighbour.path:
            assert reached in (step.source, step.target)
            reached = step.target if step.source == reached else step.source
        assert reached == neighbour.entity
    return [neighbour.entity for neighbour in found]


async def test_neighbours_are_the_nearest_and_among_them_the_newest(scene: Scene) -> None:
    first = await scene.desk.file(adr(1, "First", created_at=day(2020)))
    older = await scene.desk.file(
        adr(2, "Older", created_at=day(2021), references=claims(RELATES_TO, "ADR-1"))
    )
    newer = await scene.desk.file(adr(3, "Newer", created_at=day(2022), references=claims(EXTENDS, "ADR-1")))
    beyond = await scene.desk.file(
        adr(4, "Beyond", created_at=day(2023), references=claims(RELATES_TO, "ADR-2"))
    )
    one, two, three, four = (each.entity.id for each in (first, older, newer, beyond))
    assert await near(scene, one, 1) == [three, two]
    assert await near(scene, one, 2) == [three, two, four]
    assert await near(scene, one, 3, most=1) == [three]
    assert await near(scene, four, 2) == [two, one]
    assert await near(scene, one, 3, at=day(2021, 6)) == [two]
    assert await near(scene, one, 3, at=day(2020, 6)) == []
    assert await near(scene, one, 3, most=0) == []


async def test_neighbours_of_several_and_of_nobody(scene: Scene) -> None:
    chain = await file_chain(scene.desk, 3)
    reader = await scene.read()
    stranger = uuid4()
    found = await reader.neighbours(scene.desk.tenant, [chain[0], chain[2], stranger], 1, 10, AT_NOW)
    assert {entity: [each.entity for each in near] for entity, near in found.items()} == {
        chain[0]: [chain[1]],
        chain[2]: [chain[1]],
        stranger: [],
    }


async def test_a_reference_is_told_whole(scene: Scene) -> None:
    target = await scene.desk.file(adr(1, "Target"))
    partial = ReferenceClaim(RELATES_TO, "ADR-1", in_part=True)
    source = await scene.desk.file(adr(2, "Source", created_at=day(2021), references=(partial,)))
    await scene.desk.file(adr(2, "Source", "alone", created_at=day(2023)))
    reader = await scene.read()
    found = await reader.path(
        scene.desk.tenant, target.entity.id, source.entity.id, 1, AsOf(day(2022), EVERYTHING_KNOWN)
    )
    assert found is not None
    (step,) = found
    assert step.edge == (source.entity.id, target.entity.id, RELATES_TO, True)
    assert (step.valid.start, step.valid.end) == (day(2021), day(2023))
    assert step.source_artifact == source.artifact.id


async def test_a_walk_in_a_circle_reaches_each_thing_once(scene: Scene) -> None:
    ring = await file_chain(scene.desk, 6, closed=True)
    assert set(await near(scene, ring[0], 3)) == set(ring[1:])
    assert len(await near(scene, ring[0], 3)) == 5


async def test_a_path_is_the_shortest_either_way_round(scene: Scene) -> None:
    ring = await file_chain(scene.desk, 6, closed=True)
    reader = await scene.read()

    async def length(source: UUID, target: UUID, longest: int = 4, at: datetime = NOW) -> int | None:
        found = await reader.path(scene.desk.tenant, source, target, longest, AsOf(at, EVERYTHING_KNOWN))
        return None if found is None else len(found)

    assert [await length(ring[0], other) for other in ring] == [0, 1, 2, 3, 2, 1]
    assert await length(ring[0], ring[3], longest=2) is None
    assert await length(ring[0], ring[1], at=day(2019)) is None
    assert await length(ring[0], uuid4()) is None


async def test_of_several_paths_the_newest_is_taken(scene: Scene) -> None:
    await scene.desk.file_all(adr(1, "Start"), adr(2, "End"))
    both = claims(RELATES_TO, "ADR-1", "ADR-2")
    for number, year in ((3, 2021), (4, 2023), (5, 2022)):
        await scene.desk.file(adr(number, f"Between {number}", created_at=day(year), references=both))
    reader = await scene.read()
    start, end, *between = await _entities(scene, 5)
    found = await reader.path(scene.desk.tenant, start, end, 4, AT_NOW)
    assert found is not None
    assert [(step.source, step.target) for step in found] == [(between[1], start), (between[1], end)]
    earlier = await reader.path(scene.desk.tenant, start, end, 4, AsOf(day(2021, 6), EVERYTHING_KNOWN))
    assert earlier is not None
    assert {step.source for step in earlier} == {between[0]}


async def test_a_hub_shows_its_newest_and_counts_its_strongest(scene: Scene) -> None:
    """EDG-13: a bound on every walk."""
    hub, spokes = await file_hub(scene.desk, REFERENCES_PER_ANCHOR + 5)
    assert await near(scene, hub, 1) == spokes[: -REFERENCES_PER_ENTITY - 1 : -1]
    reader = await scene.read()
    beside = await reader.artifacts_beside(await scope_of(scene.desk), [hub], EDGE_WEIGHTS, 1000)
    assert len(beside.candidates) == REFERENCES_PER_ANCHOR
    assert beside.candidates[0].score == _rounded(EDGE_WEIGHTS[RELATES_TO] * log(len(spokes) + 1))
    assert beside.candidates[-1].score == _rounded(EDGE_WEIGHTS[RELATES_TO] * log(7))
    # A path that leads through the hub by its oldest reference is found all the same.
    found = await reader.path(scene.desk.tenant, spokes[0], spokes[-1], 2, AT_NOW)
    assert found is not None
    assert [step.source for step in found] == [spokes[0], spokes[-1]]


async def test_the_leg_adds_up_what_anchors_share_at_the_asked_moment(scene: Scene) -> None:
    desk = scene.desk
    first, second = await desk.file_all(
        adr(1, "First"), adr(2, "Second", references=claims(EXTENDS, "ADR-1"))
    )
    both = await desk.file(
        adr(3, "Both", created_at=day(2021), references=claims(RELATES_TO, "ADR-1", "ADR-2"))
    )
    often = ReferenceClaim(REFERENCES, "ADR-1", count=9)
    single = await desk.file(adr(4, "Single", created_at=day(2022), references=(often,)))
    later = await desk.file(adr(3, "Both", "alone", created_at=day(2023)))
    anchors = [first.entity.id, second.entity.id]
    shared = 2 * round(EDGE_WEIGHTS[RELATES_TO] * log(2) * 1e12) / 1e12
    one = _rounded(EDGE_WEIGHTS[REFERENCES] * log(10))

    async def beside(scope: Scope, limit: int = 10) -> list[Candidate]:
        reader = await scene.read()
        return list((await reader.artifacts_beside(scope, anchors, EDGE_WEIGHTS, limit)).candidates)

    expected = [Candidate(both.artifact.number, shared), Candidate(single.artifact.number, one)]
    assert await beside(await scope_of(desk, day(2022, 6))) == expected
    assert await beside(await scope_of(desk, day(2022, 6)), limit=1) == expected[:1]
    assert await beside(await scope_of(desk, day(2021, 6))) == expected[:1]
    assert await beside(await scope_of(desk, day(2024))) == expected[1:]
    assert await beside(await scope_of(desk, day(2024), single.artifact.recorded_at)) == expected
    assert await beside(await scope_of(desk, day(2024), first.artifact.recorded_at)) == []
    assert later.created


async def test_the_leg_answers_what_the_scope_holds(scene: Scene) -> None:
    desk = scene.desk
    anchor = await desk.file(adr(1, "Anchor"))
    near_by = claims(RELATES_TO, "ADR-1")
    decision = await desk.file(adr(2, "Decision", domain=MemoryDomain.DECISION, references=near_by))
    plain = await desk.file(replace(adr(3, "Plain"), kind="SPEC", identifier="SPEC-1", references=near_by))
    await desk.file(adr(9, "Elsewhere"))
    scope = await scope_of(desk)
    adrs, specs = await _numbers(scene, "ADR"), await _numbers(scene, "SPEC")

    async def beside(**narrowed: object) -> list[int]:
        reader = await scene.read()
        narrow = Scope(scope.tenant, scope.projects, scope.moment, **narrowed)  # type: ignore[arg-type]
        found = await reader.artifacts_beside(narrow, [anchor.entity.id], EDGE_WEIGHTS, 10)
        return [candidate.artifact for candidate in found.candidates]

    assert await beside() == [decision.artifact.number, plain.artifact.number]
    assert await beside(types=specs) == [plain.artifact.number]
    assert await beside(types=adrs, domains=(MemoryDomain.DECISION,)) == [decision.artifact.number]
    assert await beside(domains=(MemoryDomain.RESEARCH,)) == []
    reader = await scene.read()
    nowhere = Scope(scope.tenant, (), scope.moment)
    assert not (await reader.artifacts_beside(nowhere, [anchor.entity.id], EDGE_WEIGHTS, 10)).candidates


async def test_what_is_mentioned_together_leads_across(scene: Scene) -> None:
    desk = scene.desk
    rare, common = await desk.file_all(adr(1, "Rare"), adr(2, "Common"))
    seed = await desk.file(adr(3, "Seed", references=claims(REFERENCES, "ADR-1", "ADR-2")))
    beside = await desk.file(adr(4, "Beside", references=claims(REFERENCES, "ADR-1")))
    crowd = [await desk.file(adr(n, "Crowd", references=claims(REFERENCES, "ADR-2"))) for n in range(5, 9)]
    reader = await scene.read()
    found = await reader.artifacts_sharing_mentions(await scope_of(desk), [seed.artifact.number], 100)
    assert list(found.candidates) == [
        *(Candidate(each.artifact.number, _rounded(1 / log(3))) for each in (rare, beside)),
        *(Candidate(each.artifact.number, _rounded(1 / log(6))) for each in (common, *crowd)),
    ]
    before = await scope_of(desk, known=beside.artifact.recorded_at)
    early = await reader.artifacts_sharing_mentions(before, [seed.artifact.number], 1)
    assert [candidate.artifact for candidate in early.candidates] == [common.artifact.number]


async def test_tenants_are_apart(scene: Scene) -> None:
    chain = await file_chain(scene.desk, 3)
    theirs = await ensure_tenant(scene.copy.owner, "theirs")
    other = ProjectFixture(
        memory_on(scene.desk.memory.database, scene.desk.memory.embedder, theirs), "project"
    )
    await file_chain(other, 3)
    reader = await scene.read()
    scope = await scope_of(other)
    assert (await reader.neighbours(theirs, chain, 3, 10, AT_NOW)) == {entity: [] for entity in chain}
    assert await reader.path(theirs, chain[0], chain[1], 4, AT_NOW) is None
    assert not (await reader.artifacts_beside(scope, chain, EDGE_WEIGHTS, 10)).candidates
    numbers = [ArtifactNumber(number) for number in range(1, 20)]
    ours = await reader.artifacts_sharing_mentions(await scope_of(scene.desk), numbers, 100)
    shared = await reader.artifacts_sharing_mentions(scope, numbers, 100)
    assert {each.artifact for each in ours.candidates}.isdisjoint(each.artifact for each in shared.candidates)
    assert len(await near(scene, chain[0], 3)) == 2


def _rounded(score: float) -> float:
    """Return a score as it is added up: in whole steps of 1e-12."""
    return round(score * 1e12) / 1e12


async def _entities(scene: Scene, count: int) -> list[UUID]:
    async with scene.desk.reading() as connection:
        rows = await connection.fetch("SELECT id FROM entity WHERE key LIKE 'adr%' ORDER BY recorded_at")
    assert len(rows) == count
    return [row["id"] for row in rows]


async def _numbers(scene: Scene, kind: str) -> tuple[int, ...]:
    async with scene.desk.reading() as connection:
        rows = await connection.fetch("SELECT type_id FROM type WHERE name = $1", kind)
    return tuple(row["type_id"] for row in rows)
