"""`trigraph list`: entities by flag and status."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

from app.cli.list_entities import entities_json, load_entities
from app.domain.recall import StateFlag
from app.services.catalog import WantedStanding
from tests.cli.processes import Shell
from tests.documents import ProjectFixture, adr, day


@pytest.mark.parametrize(
    ("standing", "expected"),
    [
        (WantedStanding((StateFlag.CURRENT,)), ["ADR-3", "ADR-1"]),
        (WantedStanding((StateFlag.HISTORICAL, StateFlag.WIP)), ["ADR-4", "ADR-2"]),
        (WantedStanding(None, "PROPOSED"), ["ADR-2"]),
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


async def test_entities_of_one_day_are_listed_by_identifier(desk: ProjectFixture) -> None:
    days = {10: day(2020), 9: day(2020), 2: day(2020) + timedelta(hours=5), 1: day(2019), 3: day(2021)}
    for number, at in days.items():
        await desk.file(adr(number, f"Queue {number}", created_at=at))
    found = await load_entities(desk.memory, desk.project, WantedStanding())
    shown = [each["identifier"] for each in entities_json(found)["entities"]]
    assert shown == ["ADR-3", "ADR-2", "ADR-9", "ADR-10", "ADR-1"]


def test_an_unknown_status_is_answered_with_those_that_there_are(served_home: Shell, folder: Path) -> None:
    served_home.run("ingest", folder, "--project", "words", TRIGRAPH_TENANT="words")
    words = ("list", "--project", "words")
    bogus = served_home.run(*words, "--status", "bogus", TRIGRAPH_TENANT="words")
    assert (bogus.code, bogus.err) == (0, "")
    assert bogus.out.startswith("no entities with the status bogus; the statuses are ")
    assert "Accepted" in bogus.out
    assert served_home.run(*words, "--flag", "wip", TRIGRAPH_TENANT="words").out == "no entities\n"
