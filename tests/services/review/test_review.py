from __future__ import annotations

from dataclasses import replace
from typing import Any

import asyncpg
import pytest

from app.domain.artifact import Document
from app.domain.candidate import AliasCandidate, CandidateStatus, Review
from app.domain.entity import Caller, Role
from app.domain.page import PageRequest
from app.domain.temporal import Branch
from app.errors import Conflict, NotFound
from app.services.container import Memory
from app.services.entities import StatedEntity
from app.services.filing import StatedDocument, document_from
from app.services.review import Decision, ReviewService
from app.stores.postgres import candidates, ledger_clock, states
from app.stores.postgres.projects import ensure_tenant
from tests.documents import ProjectFixture, day

PROMOTED, REJECTED = CandidateStatus.PROMOTED, CandidateStatus.REJECTED
TEXT = "Beacon was formerly known as Lighthouse."


def read(title: str, body: str, **stated: Any) -> Document:
    """Return a decision record of 2020 as it is read from its text."""
    said = StatedDocument("ADR", body, identifier="ADR-1", title=title, created_at=day(2020))
    return document_from(replace(said, **stated))


@pytest.fixture
def review(desk: ProjectFixture) -> ReviewService:
    return desk.memory.review


async def likely_aliases(desk: ProjectFixture, review: ReviewService) -> tuple[AliasCandidate, ...]:
    listing = await review.alias_candidates(desk.memory.caller, desk.project, None, PageRequest(10))
    return listing.page.items


async def test_the_ledger_itself_lets_a_candidate_be_reviewed_once(
    desk: ProjectFixture, review: ReviewService
) -> None:
    await desk.file(read("Beacon", TEXT))
    (candidate,) = await likely_aliases(desk, review)
    await review.review_alias(desk.memory.caller, Decision(candidate.id, REJECTED))
    with pytest.raises(Conflict) as refused:
        await _review_past_the_service(desk, candidate)
    assert refused.value.rule == "a_candidate_is_reviewed_once"


async def _review_past_the_service(desk: ProjectFixture, candidate: AliasCandidate) -> None:
    async with desk.memory.database.writing(desk.tenant) as connection:
        again = Review(PROMOTED, "grace", await ledger_clock.advance_clock(connection, desk.tenant), None)
        await candidates.review_alias(connection, desk.tenant, candidate.id, again)


async def test_a_name_that_is_there_already_is_promoted_all_the_same(
    desk: ProjectFixture, review: ReviewService
) -> None:
    await desk.file(read("Beacon", f"---\naliases: [LIGHTHOUSE]\n---\n{TEXT}"))
    (candidate,) = await likely_aliases(desk, review)
    reviewed = await review.review_alias(desk.memory.caller, Decision(candidate.id, PROMOTED))
    assert reviewed.written is not None
    assert reviewed.written.surface_form == "LIGHTHOUSE"
    assert reviewed.candidate.review is not None
    assert reviewed.position is None


async def test_what_was_judged_is_not_queued_again(desk: ProjectFixture, review: ReviewService) -> None:
    await desk.file(read("Beacon", TEXT))
    (candidate,) = await likely_aliases(desk, review)
    await review.review_alias(desk.memory.caller, Decision(candidate.id, REJECTED))
    await desk.file(read("Beacon", f"{TEXT} It says so again.", created_at=day(2021)))
    (still,) = await likely_aliases(desk, review)
    assert still.review is not None


async def test_a_likely_alias_is_about_the_one_thing_of_that_name(
    desk: ProjectFixture, review: ReviewService
) -> None:
    created = await desk.memory.canonical.create_entity(
        desk.memory.caller, StatedEntity("Component", {"name": "Beacon"}), desk.project
    )
    await desk.file(read("Retro", TEXT))
    (candidate,) = await likely_aliases(desk, review)
    assert candidate.entity == created.entity.id


async def test_a_fact_stated_by_an_older_version_holds_until_the_next(
    desk: ProjectFixture, review: ReviewService
) -> None:
    filed = await desk.file(read("Queue", "The status is now Accepted.", status="Draft"))
    await desk.file(read("Queue", "Changed.", status="Rejected", created_at=day(2022)))
    listing = await review.fact_candidates(desk.memory.caller, desk.project, None, PageRequest(10))
    (candidate,) = listing.page.items
    admin = replace(desk.memory.caller, role=Role.ADMIN, principal="grace")
    reviewed = await review.review_fact(admin, Decision(candidate.id, PROMOTED))
    assert reviewed.written is not None
    assert (reviewed.written.valid.start, reviewed.written.valid.end) == (day(2020), day(2022))
    assert reviewed.written.actor == "grace"
    async with desk.reading() as connection:
        held = await states.current_states(connection, desk.tenant, filed.entity.id, Branch.COMMITTED)
    assert [state.props["status"] for state in held] == ["Accepted", "Rejected"]


async def test_another_tenant_sees_and_reviews_nothing(memory: Memory, owner: asyncpg.Connection) -> None:
    desk, review = ProjectFixture(memory, "reviewed"), memory.review
    await desk.file(read("Beacon", TEXT))
    (candidate,) = await likely_aliases(desk, review)
    stranger = Caller(await ensure_tenant(owner, "other"), Role.HUMAN, "mallory")
    listing = await review.alias_candidates(stranger, None, None, PageRequest(10))
    assert listing.page.items == ()
    assert await listing.count() == 0
    with pytest.raises(NotFound):
        await review.review_alias(stranger, Decision(candidate.id, REJECTED))
