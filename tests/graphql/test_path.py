"""The shortest way between two things, over the API."""

from __future__ import annotations

from uuid import uuid4

import pytest

from tests.graphql.api import Api, ids_by_label

PATH = """
query ($source: ID!, $target: ID!, $length: Int, $asOf: DateTime) {
  path(source: $source, target: $target, maxLength: $length, asOf: $asOf) {
    type source { label } target { label }
  }
}
"""


async def test_a_path_tells_each_reference_as_it_points(records: Api) -> None:
    ids = await ids_by_label(records)
    poll, name = ids["Poll the queue"], ids["Name the queue"]
    found = (await records.ask(PATH, source=poll, target=name))["path"]
    assert found == [
        {"type": "RELATES_TO", "source": {"label": "Name the queue"}, "target": {"label": "Poll the queue"}}
    ]
    assert (await records.ask(PATH, source=poll, target=poll))["path"] == []
    earlier = await records.ask(PATH, source=poll, target=name, asOf="2022-06-01T00:00:00Z")
    assert earlier["path"] is None


@pytest.mark.parametrize("other", [pytest.param(str(uuid4()), id="new"), "nothing"])
async def test_to_what_is_not_there_no_path_leads(records: Api, other: str) -> None:
    ids = await ids_by_label(records)
    known = ids["Poll the queue"]
    for source, target in ((known, other), (other, known), (other, other)):
        assert (await records.ask(PATH, source=source, target=target))["path"] is None


@pytest.mark.parametrize("length", [0, 7, -1, 2**31 - 1])
async def test_a_path_has_a_length_from_one_to_six(records: Api, length: int) -> None:
    ids = await ids_by_label(records)
    some = ids["Poll the queue"]
    error = await records.refused(PATH, source=some, target=some, length=length)
    assert error["extensions"] == {"code": "BAD_USER_INPUT", "field": "maxLength"}
