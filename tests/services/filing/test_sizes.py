"""What is long: kept under a short key, left out and told, or refused by its field."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import Any

import pytest

from app.domain.artifact import ReferenceClaim
from tests.documents import RELATES_TO, Desk, adr, identifiers

_RANDOM = random.Random("sizes")


def noise(length: int, first: str = "A", last: str = "z") -> str:
    """Answer letters that no index can press together."""
    return "".join(chr(_RANDOM.randint(ord(first), ord(last))) for _ in range(length))


ADDRESS = f"https://ex.example/?q={noise(4_000)}"


@pytest.mark.parametrize(
    "said",
    [
        pytest.param({"identifier": None, "source_uri": ADDRESS}, id="BYT-07 address"),
        pytest.param({"identifier": None, "source_uri": noise(4_096, "一", "鿐")}, id="BYT-07 wide address"),
        pytest.param({"identifier": noise(256, "㌀", "㍗")}, id="BYT-07 identifier that grows when folded"),
        pytest.param({"title": noise(1_024, "一", "鿐")}, id="BYT-07 title"),
        pytest.param({"author": noise(50_000)}, id="BYT-07 author"),
        pytest.param({"props": {"summary": noise(100_000), "tags": [noise(9_000)]}}, id="BYT-07 properties"),
        pytest.param({"references": (ReferenceClaim(RELATES_TO, noise(4_000)),)}, id="BYT-07 target"),
        pytest.param(
            {
                "source_uri": f"{noise(3_000)}/a.md",
                "references": (ReferenceClaim(RELATES_TO, "b", path=f"{noise(900)}/b.md"),),
            },
            id="BYT-07 path",
        ),
    ],
)
async def test_what_is_long_is_filed_once_and_is_one_thing(desk: Desk, said: dict[str, Any]) -> None:
    document = replace(adr(1, "Needle"), **said)
    filed, again = await desk.file(document), await desk.file(document)
    changed = await desk.file(replace(document, body="A needle again."))
    assert (filed.created, again.created, changed.created) == (True, False, True)
    assert filed.entity.id == again.entity.id == changed.entity.id
    assert len((await desk.ask("needle")).hits) == 2


async def test_two_long_addresses_that_differ_at_their_ends_are_two_things(desk: Desk) -> None:
    """BYT-07."""
    filed = [await desk.file(adr(1, "A", identifier=None, source_uri=ADDRESS[:-1] + end)) for end in "xy"]
    assert filed[0].entity.id != filed[1].entity.id


@pytest.mark.parametrize("target_first", [True, False])
async def test_a_long_title_is_found_by_whom_it_means(desk: Desk, target_first: bool) -> None:
    """BYT-07."""
    title = noise(1_024, "一", "鿐")
    documents = [adr(1, title), adr(2, "Source", references=(ReferenceClaim(RELATES_TO, title),))]
    filed = await desk.file_all(*(documents if target_first else documents[::-1]))
    named = [anchor.entity.id for anchor in (await desk.ask(title)).anchors]
    assert named == [each.entity.id for each in filed if each.artifact.title == title]
    async with desk.reading() as connection:
        joined = await connection.fetchval(
            "SELECT count(*) FROM reference WHERE target = $1 AND retracted_at IS NULL", named[0]
        )
    assert joined == 1


@pytest.mark.parametrize(
    ("form", "length"),
    [
        pytest.param("x" * 9_000, 9_000, id="BYT-07"),
        pytest.param(noise(9_000), 9_000, id="BYT-07 noise"),
        pytest.param(noise(512, "㌀", "㍗"), 512, id="BYT-07 grows when folded"),
        pytest.param("ß", 1, id="BYT-07 too short unfolded"),
    ],
)
async def test_an_alias_beyond_its_limit_is_left_out_and_told(desk: Desk, form: str, length: int) -> None:
    filed = await desk.file(adr(1, "Needle", props={"aliases": [form, "Thimble"]}))
    assert filed.warnings == (f"left out an alias of {length} characters; 2 to 512 are kept",)
    assert identifiers(await desk.ask("thimble")) == ["ADR-1"]


async def test_a_long_alias_within_its_limit_is_kept(desk: Desk) -> None:
    """BYT-07."""
    form = noise(512, "\U00020000", "\U00029fff")
    filed = await desk.file(adr(1, "Needle", props={"aliases": [form]}))
    assert filed.warnings == ()
    assert [anchor.entity.id for anchor in (await desk.ask(form)).anchors] == [filed.entity.id]
