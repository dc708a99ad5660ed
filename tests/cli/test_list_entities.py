"""`trigraph list`: entities by flag and status."""

from __future__ import annotations

import pytest

from app.cli.list_entities import entities_json, load_entities
from app.domain.recall import StateFlag
from app.services.catalog import WantedStanding
from tests.documents import ProjectFixture, adr, day


@pytest.mark.parametrize(
    ("standing", "expected"),
    [
        (WantedStanding((StateFlag.CURRENT,)), ["ADR-3", "ADR-1"]),
        (WantedStanding((StateFlag.HISTORICAL, StateFlag.WIP)), ["ADR-4", "ADR-2"]),
        (WantedStanding((), "PROPOSED"), ["ADR-2"]),
        (WantedStanding((StateFlag.CURRENT,), "accepted"), ["ADR-3", "ADR-1"]),
        (WantedStanding((StateFlag.HISTORICAL,), "accepted"), []),
    ],
)
async def test_entities_are_listed_by_standing(
    desk: ProjectFixture, standing: WantedStanding, expected: list[str]
) -> None:
    await desk.file_all(
        adr(1, "Queue", created_at=day(2020)),
        adr(2, "Tray", status="Proposed", created_at=day(2021)),
        adr(3, "Clock", created_at=day(2022)),
        adr(4, "Gate", status="Rejected", created_at=day(2023)),
    )
    found = await load_entities(desk.memory, desk.project, standing)
    assert [each["identifier"] for each in entities_json(found)["entities"]] == expected
    assert found.count == len(expected)
    then = await load_entities(desk.memory, desk.project, standing, "ADR", day(2020, 6))
    assert [each["identifier"] for each in entities_json(then)["entities"]] == (
        ["ADR-1"] if "ADR-1" in expected else []
    )
