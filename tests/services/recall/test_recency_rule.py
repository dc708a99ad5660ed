"""How age moves what fits: a little, or as the older formula has it."""

from __future__ import annotations

from dataclasses import replace

from tests.documents import ProjectFixture, adr, ask, day, identifiers

QUESTION = "which queue carries the events"


async def test_an_old_decision_leads_unless_the_older_formula_is_asked_for(desk: ProjectFixture) -> None:
    """RNK-06: the literal rule buries what is old and binding; by default age only decides between equals."""
    await desk.file(adr(1, "Events travel through a durable queue", created_at=day(2016)))
    await desk.file(adr(2, "Events have a schema of their own", created_at=day(2026)))
    asked = {"project": desk.project, "as_of": day(2026, 6)}
    assert identifiers(await ask(desk.memory, QUESTION, **asked))[0] == "ADR-1"
    memory = desk.memory
    found = await ask(replace(memory, recency="literal"), QUESTION, **asked)
    assert identifiers(found) == ["ADR-2", "ADR-1"]
