"""References over time, and chains of supersession."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from app.domain.temporal import AsOf
from app.stores.postgres import references, supersessions
from tests.documents import RELATES_TO, SUPERSEDES, ProjectFixture, adr, claims, day


async def test_a_reference_is_found_at_a_moment_or_later(desk: ProjectFixture) -> None:
    related = claims(RELATES_TO, "ADR-2")
    target = await desk.file(adr(2, "Clock"))
    source = await desk.file(adr(1, "Queue", created_at=day(2025), references=related))
    edge = (source.entity.id, target.entity.id, RELATES_TO, False)
    async with desk.reading() as connection:
        for start in (day(2021), day(2025), day(2030)):
            found = await references.current_pieces(connection, desk.tenant, edge, start)
            assert tuple(found) == source.references
        backwards = (edge[1], edge[0], RELATES_TO, False)
        assert await references.current_pieces(connection, desk.tenant, backwards, day(2021)) == []


async def test_superseders_are_followed_upward_to_the_heads(desk: ProjectFixture) -> None:
    filed = await desk.file_all(
        adr(1, "One"),
        adr(2, "Two", created_at=day(2021), references=claims(SUPERSEDES, "ADR-1")),
        adr(3, "Three", created_at=day(2022), references=claims(SUPERSEDES, "ADR-2")),
        adr(4, "Four", created_at=day(2023), references=claims(SUPERSEDES, "ADR-1")),
    )
    one, two, three, four = (document.entity.id for document in filed)
    known = filed[-1].artifact.recorded_at

    async def above(valid: datetime, moment: datetime) -> dict[UUID, list[UUID]]:
        async with desk.reading() as connection:
            return await supersessions.superseders_as_of(connection, desk.tenant, [one], AsOf(valid, moment))

    assert await above(day(2030), known) == {one: [four, two], two: [three]}
    assert await above(day(2022, 6), known) == {one: [two], two: [three]}
    assert await above(day(2021, 6), known) == {one: [two]}
    assert await above(day(2020, 6), known) == {}
    assert await above(day(2030), filed[1].artifact.recorded_at) == {one: [two]}
    async with desk.reading() as connection:
        leads = {
            (start, end): await references.supersession_leads(connection, desk.tenant, start, end, day(2030))
            for start, end in ((three, one), (four, one), (one, three), (four, three))
        }
        assert list(leads.values()) == [True, True, False, False]
