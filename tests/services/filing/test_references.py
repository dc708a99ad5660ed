"""What a document refers to: now, later, no longer, or unclearly."""

from __future__ import annotations

from datetime import datetime

import pytest

from app.domain.artifact import ReferenceClaim
from app.domain.entity import ReferenceType
from tests.documents import RELATES_TO, ProjectFixture, adr, claims, day, file


async def _believed(desk: ProjectFixture) -> set[tuple[str, str, str, datetime, datetime | None]]:
    """The references of the desk's project that are believed now."""
    async with desk.reading() as connection:
        rows = await connection.fetch(
            """
            SELECT source.key AS source, reference.type, target.key AS target, valid_from, valid_until
            FROM reference
            JOIN project USING (tenant_id, project_id)
            JOIN entity AS source ON source.id = reference.source
            JOIN entity AS target ON target.id = reference.target
            WHERE project.key = $1 AND retracted_at IS NULL
            """,
            desk.project,
        )
    return {tuple(row) for row in rows}


async def _waiting(desk: ProjectFixture) -> list[tuple[str, bool]]:
    async with desk.reading() as connection:
        rows = await connection.fetch(
            "SELECT target_text, is_ambiguous FROM pending_reference"
            " JOIN project USING (tenant_id, project_id) WHERE project.key = $1 AND closed_at IS NULL"
            " ORDER BY target_text",
            desk.project,
        )
    return [(row["target_text"], row["is_ambiguous"]) for row in rows]


async def test_a_reference_joins_what_is_there(desk: ProjectFixture) -> None:
    await desk.file(adr(2, "Clock"))
    filed = await desk.file(adr(1, "Queue", references=claims(ReferenceType.EXTENDS, "adr 0002")))
    assert [reference.type for reference in filed.references] == ["EXTENDS"]
    assert await _believed(desk) == {("adr-1", "EXTENDS", "adr-2", day(2020), None)}


async def test_a_reference_waits_for_its_target_and_joins_when_it_arrives(desk: ProjectFixture) -> None:
    """EDG-02: from the day the target exists."""
    filed = await desk.file(adr(1, "Queue", references=claims(ReferenceType.EXTENDS, "ADR-2")))
    assert filed.references == ()
    assert await _waiting(desk) == [("ADR-2", False)]
    await desk.file(adr(2, "Clock", created_at=day(2023)))
    assert await _waiting(desk) == []
    assert await _believed(desk) == {("adr-1", "EXTENDS", "adr-2", day(2023), None)}


@pytest.mark.parametrize("target", ["➊", "፩", "٣", "9" * 5_000])
async def test_what_counts_in_no_identifier_waits_under_its_own_name(
    desk: ProjectFixture, target: str
) -> None:
    await desk.file(adr(3, "Clock"))
    await desk.file(adr(1, "Queue", references=claims(ReferenceType.EXTENDS, target)))
    assert await _waiting(desk) == [(target, False)]


async def test_a_bare_number_is_one_of_the_documents_own_series(desk: ProjectFixture) -> None:
    await desk.file(adr(3, "Clock"))
    await desk.file(adr(1, "Queue", references=claims(ReferenceType.EXTENDS, "003")))
    assert await _believed(desk) == {("adr-1", "EXTENDS", "adr-3", day(2020), None)}


async def test_a_reference_read_backwards_waits_too(desk: ProjectFixture) -> None:
    await desk.file(adr(1, "Queue", references=claims(ReferenceType.IMPLEMENTS, "ADR-2", inverted=True)))
    await desk.file(adr(2, "Clock"))
    assert await _believed(desk) == {("adr-2", "IMPLEMENTS", "adr-1", day(2020), None)}


async def test_a_reference_holds_no_earlier_than_both_its_ends(desk: ProjectFixture) -> None:
    """TIM-14."""
    await desk.file(adr(2, "Clock", created_at=day(2025, 6)))
    await desk.file(adr(1, "Queue", created_at=day(2025), references=claims(RELATES_TO, "ADR-2")))
    assert await _believed(desk) == {("adr-1", "RELATES_TO", "adr-2", day(2025, 6), None)}


async def test_a_link_names_a_file_before_it_names_an_identifier(desk: ProjectFixture) -> None:
    linked = ReferenceClaim(RELATES_TO, "ADR-3", path="../spec/two.md")
    await desk.file(adr(3, "Another"))
    await desk.file(adr(2, "Clock", source_uri="docs/spec/two.md"))
    await desk.file(adr(1, "Queue", source_uri="docs/adr/one.md", references=(linked,)))
    assert await _believed(desk) == {("adr-1", "RELATES_TO", "adr-2", day(2020), None)}


async def test_a_link_waits_for_its_file(desk: ProjectFixture) -> None:
    linked = ReferenceClaim(RELATES_TO, "two", path="two.md")
    await desk.file(adr(1, "Queue", source_uri="docs/one.md", references=(linked,)))
    await desk.file(adr(2, "Clock", source_uri="docs/two.md"))
    assert await _believed(desk) == {("adr-1", "RELATES_TO", "adr-2", day(2020), None)}


async def test_a_reference_no_longer_stated_ends_at_the_new_version(desk: ProjectFixture) -> None:
    await desk.file_all(adr(2, "Clock"), adr(3, "Cache"))
    await desk.file(adr(1, "Queue", references=claims(RELATES_TO, "ADR-2", "ADR-3")))
    await desk.file(adr(1, "Queue", "less", created_at=day(2022), references=claims(RELATES_TO, "ADR-3")))
    assert await _believed(desk) == {
        ("adr-1", "RELATES_TO", "adr-2", day(2020), day(2022)),
        ("adr-1", "RELATES_TO", "adr-3", day(2020), None),
    }
    await desk.file(
        adr(1, "Queue", "more", created_at=day(2024), references=claims(RELATES_TO, "ADR-2", "ADR-3"))
    )
    assert ("adr-1", "RELATES_TO", "adr-2", day(2024), None) in await _believed(desk)


async def test_a_reference_that_ends_in_the_future_may_be_stated_until_then(desk: ProjectFixture) -> None:
    related = claims(RELATES_TO, "ADR-2")
    await desk.file_all(adr(2, "Clock"), adr(1, "Queue", references=related))
    await desk.file(adr(1, "Queue", "later without", created_at=day(2090)))
    await desk.file(adr(1, "Queue", "now with", references=related))
    assert await _believed(desk) == {("adr-1", "RELATES_TO", "adr-2", day(2020), day(2090))}


async def test_a_pending_reference_no_longer_stated_waits_no_longer(desk: ProjectFixture) -> None:
    await desk.file(adr(1, "Queue", references=claims(RELATES_TO, "ADR-2")))
    await desk.file(adr(1, "Queue", "changed", created_at=day(2021)))
    await desk.file(adr(2, "Clock"))
    assert await _believed(desk) == set()


async def test_an_ambiguous_target_is_kept_with_what_it_could_mean(desk: ProjectFixture) -> None:
    await desk.file_all(
        adr(7, "Forms", identifier="forms/ADR-7"), adr(7, "Billing", identifier="billing/ADR-7")
    )
    filed = await desk.file(adr(1, "Queue", references=claims(RELATES_TO, "ADR-7")))
    assert filed.references == ()
    assert filed.warnings == ("ADR-7 could mean billing/adr-7, forms/adr-7; the reference is unresolved",)
    assert await _waiting(desk) == [("ADR-7", True)]
    near = await desk.file(adr(8, "Form", identifier="forms/ADR-8", references=claims(RELATES_TO, "ADR-7")))
    assert near.warnings == ()
    assert await _believed(desk) == {("forms/adr-8", "RELATES_TO", "forms/adr-7", day(2020), None)}


@pytest.mark.parametrize("kind", list(ReferenceType))
async def test_nothing_refers_to_itself(desk: ProjectFixture, kind: ReferenceType) -> None:
    """EDG-07."""
    for body in ("one", "two"):
        filed = await desk.file(adr(1, "Queue", body, references=claims(kind, "ADR-01", "adr 1")))
        assert filed.references == ()
    assert await _believed(desk) == set()
    assert await _waiting(desk) == []


async def test_two_claims_of_one_kind_make_one_reference(desk: ProjectFixture) -> None:
    await desk.file(adr(2, "Clock"))
    await desk.file(adr(1, "Queue", references=claims(RELATES_TO, "ADR-2", "adr-02", "ADR 2")))
    assert len(await _believed(desk)) == 1


async def test_a_typed_reference_makes_the_generic_one_needless(desk: ProjectFixture) -> None:
    await desk.file(adr(2, "Clock"))
    said = (*claims(ReferenceType.REFERENCES, "ADR-2"), *claims(ReferenceType.EXTENDS, "ADR-2"))
    await desk.file(adr(1, "Queue", references=said))
    assert {edge[1] for edge in await _believed(desk)} == {"EXTENDS"}


async def test_a_dangling_reference_keeps_the_text_it_was_written_with(desk: ProjectFixture) -> None:
    """EDG-03."""
    await desk.file(adr(1, "Queue", references=claims(RELATES_TO, "SPEC-009")))
    assert await _waiting(desk) == [("SPEC-009", False)]


async def test_projects_are_worlds_of_their_own(desk: ProjectFixture) -> None:
    await file(desk.memory, adr(2, "Clock"), f"{desk.project}-other")
    await desk.file(adr(1, "Queue", references=claims(RELATES_TO, "ADR-2")))
    assert await _believed(desk) == set()


@pytest.mark.parametrize("target_first", [True, False])
async def test_a_title_names_a_target_too_now_or_later(desk: ProjectFixture, target_first: bool) -> None:
    target = adr(1, "Release #12")
    source = adr(2, "Another", references=claims(RELATES_TO, "release #12"))
    for document in (target, source) if target_first else (source, target):
        await desk.file(document)
    assert {edge[:3] for edge in await _believed(desk)} == {("adr-2", "RELATES_TO", "adr-1")}
