"""What things were called before, in the texts that recall answers with."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from app.domain.recall import FlagGround, LegName, RecallResult, StateFlag
from app.domain.temporal import EVERYTHING_KNOWN, AsOf
from app.services.filing.document_rename import RenameRequest
from app.services.states import Cause
from app.stores.postgres.anchors import other_forms_of
from tests.documents import ProjectFixture, adr, day, hit_of, identifiers
from tests.graphql.api import Api
from tests.graphql.verbs import done
from tests.services.states.things import Thing
from tests.things import make_thing

TEXT = "We moved the queue behind Lighthouse."


async def _renamed(desk: ProjectFixture) -> Thing:
    thing = Thing(desk.memory, await make_thing(desk, "Lighthouse"))
    await desk.file(adr(1, "Queue", TEXT))
    await thing.change(day(2023), cause=Cause("rename"), name="Beacon")
    return thing


async def test_a_text_by_the_former_name_of_a_thing_is_historical(desk: ProjectFixture) -> None:
    """From the rename on, whichever of its names is asked by."""
    await _renamed(desk)
    for query in ("what is behind Beacon", "what is behind Lighthouse"):
        annotation = hit_of(await desk.ask(query), "ADR-1").annotation
        assert (annotation.flag, annotation.ground) == (StateFlag.HISTORICAL, FlagGround.MENTION)
        assert annotation.summary == "[historical: current Component is Beacon, this reflects Lighthouse]"


async def test_before_the_rename_and_before_it_was_known_nothing_is_historical(desk: ProjectFixture) -> None:
    thing = Thing(desk.memory, await make_thing(desk, "Lighthouse"))
    known = (await desk.file(adr(1, "Queue", TEXT))).artifact.recorded_at
    await thing.change(day(2023), cause=Cause("rename"), name="Beacon")
    for asked in ({"as_of": day(2022)}, {"known_at": known}):
        annotation = hit_of(await desk.ask("what is behind Lighthouse", **asked), "ADR-1").annotation
        assert annotation.flag is StateFlag.CURRENT


async def test_a_thing_that_has_its_name_again_dates_no_text(desk: ProjectFixture) -> None:
    thing = await _renamed(desk)
    await thing.change(day(2024), cause=Cause("rename"), name="Lighthouse")
    annotation = hit_of(await desk.ask("what is behind Lighthouse"), "ADR-1").annotation
    assert annotation.flag is StateFlag.CURRENT
    between = hit_of(await desk.ask("what is behind Beacon", as_of=day(2023, 6)), "ADR-1").annotation
    assert between.flag is StateFlag.HISTORICAL


async def test_a_text_by_a_former_name_is_found_by_the_present_one(desk: ProjectFixture) -> None:
    await _renamed(desk)
    await desk.file_all(*(adr(n, f"Note {n}", "We moved the tray behind the shelf.") for n in range(3, 9)))
    assert identifiers(await desk.ask("Beacon"))[0] == "ADR-1"


async def test_a_document_goes_by_its_identifier_whatever_its_title_was(desk: ProjectFixture) -> None:
    await desk.file(adr(1, "Lighthouse"))
    await desk.file(adr(1, "Beacon", created_at=day(2021)))
    await desk.file(adr(2, "Queue", TEXT))
    annotation = hit_of(await desk.ask("Beacon queue behind lighthouse"), "ADR-2").annotation
    assert annotation.flag is StateFlag.CURRENT


@pytest.mark.parametrize("asked", ["ADR-7", "ADR-70"])
async def test_texts_by_either_identifier_of_a_renamed_document_are_found(
    desk: ProjectFixture, asked: str
) -> None:
    """No reference leads from what stands in code to the document: its words must be found."""
    others = [adr(n, f"Note {n}", f"The header of the tray has the number `ADR-{n}`.") for n in range(20, 40)]
    await desk.file_all(*others[:10])
    queue = await desk.file(adr(7, "Queue"))
    await desk.file(adr(1, "Old", "The header of the worker has the number `ADR-7`."))
    await desk.file(adr(2, "New", "The header of the poller has the number `ADR-70`."))
    await desk.file_all(*others[10:])
    request = RenameRequest("ADR-70", entity=queue.entity.id)
    await desk.memory.renames.rename(desk.memory.caller, request)
    result = await desk.ask(asked, first=5)
    assert {anchor.entity.id for anchor in result.anchors} == {queue.entity.id}
    assert {"ADR-1", "ADR-2"} <= _found_by_words(result)
    assert all(hit.annotation.flag is StateFlag.CURRENT for hit in result.hits)


def _found_by_words(result: RecallResult) -> set[str | None]:
    """Return the identifiers of the hits of which the lexical leg found more than the prefix of all."""
    return {
        hit.artifact.identifier
        for hit in result.hits
        if any(each.leg is LegName.LEXICAL and each.score > 1 for each in hit.contributions)
    }


async def test_a_former_identifier_is_searched_while_nothing_else_has_it(desk: ProjectFixture) -> None:
    memory, queue = desk.memory, await desk.file(adr(7, "Queue"))
    before = datetime.now(UTC)
    await memory.renames.rename(memory.caller, RenameRequest("ADR-70", entity=queue.entity.id))

    async def forms(moment: datetime) -> set[str]:
        async with memory.database.reading(memory.caller.tenant) as connection:
            at = AsOf(moment, EVERYTHING_KNOWN)
            scope = (connection, memory.caller.tenant, [queue.entity.id], at)
            return {form.form for form in await other_forms_of(*scope, with_identifiers=True)}

    now = await memory.catalog.read_present(memory.caller)
    assert (await forms(before), await forms(now)) == (set(), {"adr-7", "adr-70"})
    taken = await desk.file(adr(7, "Storage", "Another decision."))
    for asked, entity in (("ADR-7", taken.entity.id), ("ADR-70", queue.entity.id)):
        assert {anchor.entity.id for anchor in (await desk.ask(asked)).anchors} == {entity}
    assert await forms(await memory.catalog.read_present(memory.caller)) == {"adr-70"}


async def test_a_draft_dates_nothing(desk: ProjectFixture) -> None:
    thing = await make_thing(desk, "Lighthouse")
    await desk.file(adr(1, "Queue", TEXT))
    api = Api(desk.memory)
    draft = (await done(api, "saveWip", entity=str(thing), props={"name": "Beacon"}))["state"]
    annotation = hit_of(await desk.ask("what is behind Lighthouse"), "ADR-1").annotation
    assert annotation.flag is StateFlag.CURRENT
    await done(api, "discardWip", state=draft["id"])
    annotation = hit_of(await desk.ask("what is behind Lighthouse"), "ADR-1").annotation
    assert annotation.flag is StateFlag.CURRENT
    assert (await desk.ask("Beacon")).anchors == ()
