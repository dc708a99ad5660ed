from __future__ import annotations

import io
from dataclasses import replace
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from rich.console import Console

from app.cli.entity_lookup import absence_text, find_named
from app.cli.state import StateListing, load_history, load_moment, print_states, states_json
from app.domain.entity import Absence, AbsenceSource
from app.domain.temporal import Interval
from app.errors import Invalid, NotFound
from app.services.container import Memory
from app.services.filing.document_withdrawal import WithdrawalRequest
from app.services.states import StateChange, StatedCause
from tests.documents import SUPERSEDES, adr, claims, day, file


async def test_a_history_says_what_is_shown_and_what_was_said(memory: Memory) -> None:
    document = adr(1, "Queue", created_at=day(2020), props={"aliases": ["Mole"]})
    entity = (await file(memory, document, "harbor")).entity.id
    cause = StatedCause("fact", description="Found in the\nminutes of May.")
    change = StateChange({"status": "Withdrawn"}, day(2021))
    await memory.states.record_fact(memory.caller, entity, change, cause)
    listing = await load_history(memory, "mole", None, None)
    heading, _, created, since, said, says = _printed(listing).splitlines()
    assert heading == "ADR-1 Queue in harbor, by the alias Mole"
    assert _printed(listing, shows_ids=True).startswith(
        f"ADR-1 Queue ({entity}) in harbor, by the alias Mole\n"
    )
    assert created == "    identifier: ADR-1; status: Accepted; title: Queue"
    assert since.startswith("state  2021-01-01T00:00:00Z  stated (recorded by ")
    assert (said, says[:30]) == ("    Found in the minutes of May.", "    identifier: ADR-1; status:")
    shown = states_json(listing)
    assert (shown["entity"]["label"], shown["entity"]["project"]["key"]) == ("Queue", "harbor")
    assert shown["aliases"] == ("Mole",)
    assert _printed(await load_history(memory, "ADR-1", None, None)).startswith("ADR-1 Queue in harbor\n")
    with pytest.raises(NotFound, match="nothing was known of ADR Queue at that moment"):
        await load_moment(memory, str(entity), None, day(2019), None)


async def test_the_matches_of_an_ambiguous_name_are_listed_with_projects(memory: Memory) -> None:
    for project in ("harbor", "pier"):
        await file(memory, adr(1, "Queue"), project)
    with pytest.raises(Invalid) as refusal:
        await load_moment(memory, "ADR-1", None, None, None)
    assert refusal.value.message.splitlines() == [
        "ADR-1 is ambiguous: it could mean 2 things; use one of these instead",
        "  ADR-1 --project harbor  ADR-1 Queue (harbor)",
        "  ADR-1 --project pier  ADR-1 Queue (pier)",
    ]


async def test_a_state_says_what_took_its_place_and_since_when(memory: Memory) -> None:
    await file(memory, adr(1, "Queue"), "harbor")
    after = await file(
        memory, adr(2, "Tray", created_at=day(2021, 3), references=claims(SUPERSEDES, "ADR-1")), "harbor"
    )
    listing = await load_moment(memory, "0001", None, None, None)
    assert _printed(listing).splitlines()[1] == "superseded by ADR-2 Tray since 2021-03-01T00:00:00Z"
    shown = states_json(listing)["supersededBy"]
    assert shown == {"id": after.entity.id, "label": "ADR-2 Tray", "since": day(2021, 3)}
    other = adr(3, "Shelf", created_at=day(2022), references=claims(SUPERSEDES, "ADR-1"))
    await file(memory, other, "harbor")
    assert _printed(await load_moment(memory, "0001", None, None, None)).splitlines()[1:3] == [
        "superseded by ADR-2 Tray since 2021-03-01T00:00:00Z",
        "superseded by ADR-3 Shelf since 2022-01-01T00:00:00Z",
    ]
    for before in (await load_moment(memory, "ADR-1", None, day(2020, 6), None),):
        assert before.timeline.superseded == ()
    assert (await load_history(memory, "1", None, None)).timeline.superseded
    assert (await load_moment(memory, "2", None, None, None)).timeline.superseded == ()


async def test_a_document_is_superseded_since_the_moment_that_its_timeline_shows(memory: Memory) -> None:
    since, at_ten = day(2021, 3), day(2021, 3) + timedelta(hours=10)
    await file(memory, adr(1, "Queue"), "harbor")
    entity = (await find_named(memory, "ADR-1", None, None)).entity.id
    change = StateChange({"status": "Superseded"}, since)
    await memory.states.record_fact(memory.caller, entity, change, StatedCause("fact"))
    await file(memory, adr(2, "Tray", created_at=at_ten, references=claims(SUPERSEDES, "ADR-1")), "harbor")
    for listing in (
        await load_moment(memory, "ADR-1", None, None, None),
        await load_history(memory, "ADR-1", None, None),
    ):
        assert [each.since for each in listing.timeline.superseded] == [since]


async def test_what_has_ended_or_not_begun_says_when_and_why(memory: Memory) -> None:
    await file(memory, adr(4, "Queue"), "harbor")
    await file(memory, adr(7, "Moon", created_at=day(2062, 4)), "harbor")
    queue = (await find_named(memory, "ADR-4", None, None)).entity
    request = WithdrawalRequest(entity=queue.id, valid_from=day(2021, 7), reason="it was\nnever built")
    await memory.withdrawals.withdraw(memory.caller, request)
    ended = f"ended on 2021-07-01 (withdrawn by {memory.caller.principal}: it was never built)"
    for name in ("ADR-4", "adr 4", "Queue", str(queue.id)):
        with pytest.raises(NotFound) as refusal:
            await load_moment(memory, name, None, None, None)
        assert refusal.value.message == f"{name} {ended}; use --as-of with a date before"
        history = await load_history(memory, name, None, None)
        assert _printed(history).splitlines()[-1] == (
            f"ended  2021-07-01T00:00:00Z  withdrawn by {memory.caller.principal}: it was never built"
        )
        assert states_json(history)["absences"][0]["reason"] == "it was\nnever built"
    with pytest.raises(NotFound, match=r"^4 ended on"):
        await load_moment(memory, "4", None, None, None)
    before = await load_moment(memory, "ADR-4", None, day(2021), None)
    assert (before.label, before.timeline.absences) == ("Queue", ())
    with pytest.raises(NotFound, match=r"^ADR-7 begins on 2062-04-01$"):
        await load_moment(memory, "ADR-7", None, None, None)
    with pytest.raises(NotFound, match=r"^ADR-7 begins on 2062-04-01; leave out --as-of"):
        await load_moment(memory, "ADR-7", None, day(2020), None)
    with pytest.raises(NotFound, match=r"^no document or entity is called ADR-8;"):
        await load_moment(memory, "ADR-8", None, None, None)


async def test_each_of_several_that_ended_is_named(memory: Memory) -> None:
    for project in ("harbor", "pier"):
        filed = await file(memory, adr(1, "Queue"), project)
        await memory.withdrawals.withdraw(memory.caller, WithdrawalRequest(entity=filed.entity.id))
    for load in (load_moment(memory, "ADR-1", None, None, None), load_history(memory, "ADR-1", None, None)):
        with pytest.raises(NotFound) as refusal:
            await load
        starts = [line.partition(" ended on ")[0] for line in refusal.value.message.splitlines()]
        assert starts == ["ADR-1 Queue (harbor)", "ADR-1 Queue (pier)"]


@pytest.mark.parametrize(
    ("absence", "text"),
    [
        (
            {"commit": "4176247aa0", "source": AbsenceSource.GIT},
            "ended on 2025-07-01 (removed at commit 4176247)",
        ),
        (
            {"source": AbsenceSource.FOLDER, "reason": "no file"},
            "ended on 2025-07-01 (removed by ada: no file)",
        ),
        (
            {"valid": Interval(day(2025, 7), day(2025, 9))},
            "was away from 2025-07-01 until 2025-09-01 (withdrawn by ada)",
        ),
    ],
)
def test_an_absence_says_its_days_and_its_reason(absence: dict[str, Any], text: str) -> None:
    id = uuid4()
    plain = Absence(
        id, id, None, Interval(day(2025, 7)), AbsenceSource.CALLER, None, None, day(2025, 8), "ada"
    )
    assert absence_text(replace(plain, **absence)) == text


def _printed(listing: StateListing, *, shows_ids: bool = False) -> str:
    written = io.StringIO()
    print_states(Console(file=written, markup=False, highlight=False), listing, shows_ids=shows_ids)
    return written.getvalue()
