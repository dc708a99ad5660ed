"""Walks along references: bounded, and over things, not over ways."""

from __future__ import annotations

from typing import Any

import pytest

from tests.documents import RELATES_TO, ProjectFixture, adr, claims
from tests.graphql.api import Api

WALK = """
query ($id: ID!, $depth: Int, $first: Int) {
  entity(id: $id) { neighbors(depth: $depth, first: $first) { distance entity { id } path { id } } }
}
"""


@pytest.mark.parametrize("depth", [1_000_000, 4, 0, -1, 2**31 - 1])
async def test_edg_12_a_walk_has_a_depth_from_one_to_three(desk: ProjectFixture, depth: int) -> None:
    """EDG-12."""
    record = await desk.file(adr(1, "Queue"))
    error = await Api(desk.memory).refused(WALK, id=str(record.entity.id), depth=depth)
    assert error["extensions"] == {"code": "BAD_USER_INPUT", "field": "depth"}


@pytest.mark.parametrize("depth", [2**31, -(2**31) - 1, 1.5, "2"])
async def test_edg_12_what_is_no_depth_is_refused_before_anything_is_read(
    desk: ProjectFixture, depth: Any
) -> None:
    """EDG-12."""
    record = await desk.file(adr(1, "Queue"))
    error = await Api(desk.memory).refused(WALK, id=str(record.entity.id), depth=depth)
    assert error["extensions"]["code"] == "BAD_USER_INPUT"


async def test_edg_13_a_walk_reaches_each_thing_once_however_many_ways_lead_there(
    desk: ProjectFixture,
) -> None:
    """EDG-13: among forty things, each joined to four others."""
    records = [
        await desk.file(adr(number, f"Step {number}", references=claims(RELATES_TO, *_others(number))))
        for number in range(40)
    ]
    start = str(records[0].entity.id)
    found = (await Api(desk.memory).ask(WALK, id=start, depth=3, first=100))["entity"]["neighbors"]
    reached = [neighbour["entity"]["id"] for neighbour in found]
    assert len(reached) == len(set(reached)) > 30
    assert set(reached) < {str(record.entity.id) for record in records[1:]}
    assert all(len(neighbour["path"]) == neighbour["distance"] for neighbour in found)
    result = await desk.ask("ADR-1")
    assert all(report.problem is None for report in result.legs)
    assert result.hits[0].artifact.identifier == "ADR-1"


def _others(number: int) -> list[str]:
    return [f"ADR-{(number + step) % 40}" for step in (1, 3, 7, 11)]
