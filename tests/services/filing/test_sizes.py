"""What is long: kept whole, kept under a short key, left out with a warning, or refused by its field."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from app.domain.artifact import ReferenceClaim
from app.domain.numbers import TenantNumber
from app.domain.recall import LegName, RecallResult
from app.embedding import Embedder, Vector, Vectors
from app.services.container import Memory
from app.services.recall.legs.lexical import LexicalLeg
from app.stores.postgres.pool import Database
from tests.conftest import memory_on
from tests.documents import RELATES_TO, ProjectFixture, adr, ask, file, identifiers
from tests.services.recall.legs.asking import propose

_RANDOM = random.Random("sizes")


def noise(length: int, first: str = "A", last: str = "z") -> str:
    """Return letters that no index can press together."""
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
async def test_what_is_long_is_filed_once_and_is_one_thing(
    desk: ProjectFixture, said: dict[str, Any]
) -> None:
    document = replace(adr(1, "Needle"), **said)
    filed, again = await desk.file(document), await desk.file(document)
    changed = await desk.file(replace(document, body="A needle again."))
    assert (filed.created, again.created, changed.created) == (True, False, True)
    assert filed.entity.id == again.entity.id == changed.entity.id
    assert len((await desk.ask("needle")).hits) == 2


async def test_two_long_addresses_that_differ_at_their_ends_are_two_things(desk: ProjectFixture) -> None:
    """BYT-07."""
    filed = [await desk.file(adr(1, "A", identifier=None, source_uri=ADDRESS[:-1] + end)) for end in "xy"]
    assert filed[0].entity.id != filed[1].entity.id


@pytest.mark.parametrize("target_first", [True, False])
async def test_a_long_title_is_found_by_whom_it_means(desk: ProjectFixture, target_first: bool) -> None:
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
async def test_an_alias_beyond_its_limit_is_left_out_with_a_warning(
    desk: ProjectFixture, form: str, length: int
) -> None:
    filed = await desk.file(adr(1, "Needle", props={"aliases": [form, "Thimble"]}))
    assert filed.warnings == (f"left out an alias of {length} characters; an alias has 2 to 512",)
    assert identifiers(await desk.ask("thimble")) == ["ADR-1"]


async def test_a_long_alias_within_its_limit_is_kept(desk: ProjectFixture) -> None:
    """BYT-07."""
    form = noise(512, "\U00020000", "\U00029fff")
    filed = await desk.file(adr(1, "Needle", props={"aliases": [form]}))
    assert filed.warnings == ()
    assert [anchor.entity.id for anchor in (await desk.ask(form)).anchors] == [filed.entity.id]


class HastyEmbedder:
    """Reads queries as the real one does, and takes no time over passages: all of them lie in one place."""

    def __init__(self, real: Embedder) -> None:
        self._real = real
        self.name = real.name
        self.fingerprint = real.fingerprint
        self.dimensions = real.dimensions
        self.longest_passage = real.longest_passage
        self.piece_offsets = real.piece_offsets
        self.read = 0

    async def embed_query(self, text: str) -> Vector:
        return await self._real.embed_query(text)

    async def embed_passages(self, texts: Sequence[str]) -> Vectors:
        self.read += len(texts)
        (place,) = await self._real.embed_passages(["passage"])
        return np.tile(place, (len(texts), 1))

    async def close(self) -> None:
        """Leave the real one open."""


def word(number: int) -> str:
    return hashlib.md5(str(number).encode()).hexdigest()


def lexical(result: RecallResult) -> list[int]:
    (ranking,) = [ranking for ranking in result.legs if ranking.leg is LegName.LEXICAL]
    assert ranking.problem is None
    return [candidate.artifact for candidate in ranking.candidates]


@pytest.fixture
def hasty(database: Database, embedder: Embedder, tenant: TenantNumber) -> tuple[Memory, HastyEmbedder]:
    """Services on a ledger of their own whose encoder does not make long documents slow."""
    encoder = HastyEmbedder(embedder)
    return memory_on(database, encoder, tenant), encoder


async def test_megabytes_are_kept_whole_and_search_goes_on(hasty: tuple[Memory, HastyEmbedder]) -> None:
    """BYT-04: every distinct word is found, to the last one; what a text repeats is embedded once."""
    memory, encoder = hasty
    few = await file(memory, adr(1, "Few", "red green " * 500_000))
    assert encoder.read < 10
    many = await file(memory, adr(2, "Many", " ".join(map(word, range(40_000)))))
    small = await file(memory, adr(3, "Small", "a needle, red"))
    assert not few.warnings + many.warnings
    for number in (0, 20_000, 39_999):
        assert lexical(await ask(memory, word(number))) == [many.artifact.number]
    assert set(lexical(await ask(memory, "red"))) == {few.artifact.number, small.artifact.number}
    assert lexical(await ask(memory, "needle")) == [small.artifact.number]


@pytest.mark.parametrize(
    ("body", "found"),
    [
        pytest.param("".join(map(word, range(9_000))) + " needle", "needle", id="BYT-04 one unbroken string"),
        pytest.param("字典大全書目錄" * 20_000 + " needle", "needle", id="BYT-04 without spaces"),
        pytest.param(
            "".join(chr(0x4E00 + number * 7919 % 20_000) for number in range(40_000)),
            chr(0x4E00 + 39_999 * 7919 % 20_000),
            id="BYT-04 distinct characters",
        ),
        pytest.param("\n".join(f"ADR-{n}" for n in range(20_000)), "ADR-19999", id="BYT-04 identifiers"),
    ],
)
async def test_a_dump_of_any_kind_is_found_by_its_last_word(
    hasty: tuple[Memory, HastyEmbedder], body: str, found: str
) -> None:
    memory, _ = hasty
    filed = await file(memory, adr(1, "Dump", body, identifier="Dump"))
    assert lexical(await ask(memory, found)) == [filed.artifact.number]


@pytest.mark.parametrize(
    "long",
    [
        pytest.param("a" * 2_047, id="BYT-08"),
        pytest.param("é" * 2_047, id="BYT-08 two bytes each"),
        pytest.param("\U0001f680" * 2_047, id="BYT-08 emoji"),
        pytest.param("a1B2" * 4_000, id="BYT-08 data"),
        pytest.param("x" * 2_047 + "-" + "y" * 2_047, id="BYT-08 joined"),
    ],
)
async def test_a_word_too_long_is_no_word_and_hides_none(desk: ProjectFixture, long: str) -> None:
    filed = await desk.file(adr(1, "Data", f"{long} needle"))
    assert [each.artifact for each in await propose(desk, LexicalLeg(), "needle")] == [filed.artifact.number]
    assert identifiers(await desk.ask("needle")) == ["ADR-1"]
    assert await propose(desk, LexicalLeg(), long) == []
    result = await desk.ask(long)
    assert lexical(result) == []
    assert all(ranking.problem is None for ranking in result.legs)
