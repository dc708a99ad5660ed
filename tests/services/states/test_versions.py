"""Facts about a document, and the versions of it that are filed beside them."""

from __future__ import annotations

from app.domain.temporal import Branch
from app.services.container import Memory
from app.services.filing import FiledDocument
from app.services.states import StateChange, StatedCause
from app.stores.postgres import states
from tests.documents import ProjectFixture, adr, day


async def events_of(desk: ProjectFixture, filed: FiledDocument) -> list[tuple[int, str, object, object]]:
    """Return year, title, status and tags of each state that is believed."""
    async with desk.reading() as connection:
        held = await states.current_states(connection, desk.tenant, filed.entity.id, Branch.COMMITTED)
    return [
        (state.valid.start.year, state.props["title"], state.props.get("status"), state.props.get("tags"))
        for state in held
    ]


async def fact(memory: Memory, filed: FiledDocument, year: int, **props: object) -> None:
    service, change = memory.states, StateChange(dict(props), day(year))
    await service.record_fact(memory.caller, filed.entity.id, change, StatedCause("fact"))


async def test_a_fact_outlives_the_versions_that_say_nothing_of_it(desk: ProjectFixture) -> None:
    filed = await desk.file(adr(1, "One", created_at=day(2020)))
    await fact(desk.memory, filed, 2021, tags=["a"])
    await desk.file(adr(1, "Two", created_at=day(2022), status=None))
    await desk.file(adr(1, "Three", created_at=day(2023), props={"tags": ["b"]}))
    await desk.file(adr(1, "Four", created_at=day(2024)))
    assert await events_of(desk, filed) == [
        (2020, "One", "Accepted", None),
        (2021, "One", "Accepted", ["a"]),
        (2022, "Two", None, ["a"]),
        (2023, "Three", "Accepted", ["b"]),
        (2024, "Four", "Accepted", None),
    ]


async def test_a_version_reaches_through_later_facts_and_not_into_the_next_version(
    desk: ProjectFixture,
) -> None:
    """One that says the same status as the version before it says nothing new of it."""
    filed = await desk.file(adr(1, "One", created_at=day(2020)))
    await fact(desk.memory, filed, 2023, status="Rejected")
    await desk.file(adr(1, "Two", created_at=day(2022), props={"tags": ["a"]}))
    assert await events_of(desk, filed) == [
        (2020, "One", "Accepted", None),
        (2022, "Two", "Accepted", ["a"]),
        (2023, "Two", "Rejected", ["a"]),
    ]
    await desk.file(adr(1, "Four", created_at=day(2090), status="Final"))
    now = (await desk.file(adr(1, "Three", props={"tags": ["b"]}))).artifact.created_at.year
    assert (await events_of(desk, filed))[3:] == [
        (now, "Three", "Rejected", ["b"]),
        (2090, "Four", "Final", None),
    ]


async def test_a_version_records_what_it_changed_of_the_state_at_its_date(desk: ProjectFixture) -> None:
    """Not of what somebody said of a later day."""
    filed = await desk.file(adr(1, "One", created_at=day(2020)))
    await fact(desk.memory, filed, 2024, status="Deprecated")
    second = await desk.file(adr(1, "Two", created_at=day(2022)))
    async with desk.reading() as connection:
        event = await connection.fetchval(
            "SELECT event_type FROM state_event WHERE cause_artifact = $1", second.artifact.id
        )
    assert event == "rename"
