"""What a document's text suggests, queued where somebody can promote it."""

from __future__ import annotations

from uuid import UUID

import pytest

from app.domain.candidate import CandidateStatus, FactCandidate
from app.domain.page import PageRequest
from app.services.filing import StatedDocument, document_from
from app.services.review import Decision
from tests.documents import ProjectFixture, day
from tests.services.states.things import Thing
from tests.things import make_thing


async def _facts(desk: ProjectFixture) -> tuple[FactCandidate, ...]:
    service = desk.memory.review
    listing = await service.fact_candidates(desk.memory.caller, desk.project, None, PageRequest(10))
    return listing.page.items


async def _filed(desk: ProjectFixture, body: str, kind: str = "ADR") -> UUID:
    stated = StatedDocument(kind, body, identifier=f"{kind}-1", title="Record", created_at=day(2021))
    return (await desk.file(document_from(stated))).entity.id


async def test_a_likely_fact_is_of_what_the_sentence_names(desk: ProjectFixture) -> None:
    harbor = await make_thing(desk, "Lighthouse")
    record = await _filed(
        desk, "Lighthouse status is now degraded. The owner of the Lighthouse is now Grace. It is status."
    )
    assert {(each.entity, each.property, each.value) for each in await _facts(desk)} == {
        (harbor, "status", "degraded"),
        (harbor, "owner", "Grace"),
    }
    other = await _filed(desk, "Beacon status is now degraded. The status is now Final.", "SPEC")
    assert {(each.entity, each.value) for each in (await _facts(desk))[2:]} == {
        (other, "degraded"),
        (other, "Final"),
    }
    assert record != other


async def test_what_the_type_lacks_waits_for_nobody(desk: ProjectFixture) -> None:
    record = await _filed(desk, "The owner is now Grace. The phase is now Build. The status is now Final.")
    assert [(each.entity, each.property) for each in await _facts(desk)] == [(record, "status")]


async def test_a_fact_of_what_begins_after_its_document_holds_from_the_beginning(
    desk: ProjectFixture,
) -> None:
    thing = Thing(desk.memory, await make_thing(desk, "Lighthouse", day(2023), status="running"))
    await _filed(desk, "Lighthouse status is now degraded.")
    (fact,) = await _facts(desk)
    service = desk.memory.review
    await service.review_fact(desk.memory.caller, Decision(fact.id, CandidateStatus.PROMOTED))
    assert await thing.history() == [(day(2023), {"name": "Lighthouse", "status": "degraded"})]


@pytest.mark.parametrize(
    "sentence",
    [
        "Beacon, formerly known as Lighthouse, was lit.",
        "Lighthouse (now Beacon) was lit.",
        "It was renamed from Lighthouse to Beacon.",
    ],
)
async def test_a_former_name_is_proposed_for_what_is_named_and_never_for_the_text(
    desk: ProjectFixture, sentence: str
) -> None:
    service = desk.memory.review

    async def proposed() -> list[tuple[UUID, str]]:
        listing = await service.alias_candidates(desk.memory.caller, desk.project, None, PageRequest(10))
        return [(each.entity, each.surface_form) for each in listing.page.items]

    await _filed(desk, sentence, "Journal")
    assert await proposed() == []
    beacon = await make_thing(desk, "Beacon")
    await _filed(desk, sentence, "ADR")
    assert await proposed() == [(beacon, "Lighthouse")]
