from __future__ import annotations

import io

import pytest
from rich.console import Console

from app.cli.state import StateListing, load_history, load_moment, print_states, states_json
from app.errors import Invalid, NotFound
from app.services.container import Memory
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
    assert since.startswith("committed  2021-01-01T00:00:00Z  fact (recorded by ")
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
    for before in (await load_moment(memory, "ADR-1", None, day(2020, 6), None),):
        assert before.timeline.superseded is None
    assert (await load_history(memory, "1", None, None)).timeline.superseded is not None
    assert (await load_moment(memory, "2", None, None, None)).timeline.superseded is None


def _printed(listing: StateListing, *, shows_ids: bool = False) -> str:
    written = io.StringIO()
    print_states(Console(file=written, markup=False, highlight=False), listing, shows_ids=shows_ids)
    return written.getvalue()
