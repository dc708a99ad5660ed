"""What only shows when there are more documents than a leg proposes or annotation looks at."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from app.domain.numbers import TenantNumber
from app.domain.recall import LegName, StateFlag
from app.embedding import Embedder
from app.errors import Invalid
from app.services.container import Memory
from tests.conftest import Server, new_memory
from tests.documents import RELATES_TO, adr, ask, claims, file, identifiers
from tests.statements import counted

CROWD = 130
FEW = 7


@pytest.fixture(scope="module")
async def crowd(server: Server, embedder: Embedder, tenant: TenantNumber) -> AsyncIterator[Memory]:
    """Many documents about one thing, and one about another that only a reference leads to."""
    async with new_memory(server, embedder, tenant) as memory:
        away = adr(900, "Zoo", body="Giraffes eat leaves of acacia trees.")
        named = adr(901, "Queue", body="Nothing here.", references=claims(RELATES_TO, "ADR-900"))
        alike = [adr(n, f"Retry budget {n}", f"Clients keep a retry budget {n}.") for n in range(CROWD)]
        few = [
            adr(n, f"Retry quota {n}", "A quota.", kind="SPEC", identifier=f"SPEC-{n}") for n in range(FEW)
        ]
        for document in (away, named, *alike, *few):
            await file(memory, document)
        yield memory


async def test_the_winner_of_a_leg_survives_however_far_behind_it_is(crowd: Memory) -> None:
    result = await ask(crowd, "retry budget of ADR-901", first=5)
    graph = next(ranking for ranking in result.legs if ranking.leg is LegName.GRAPH)
    assert len(graph.candidates) == 1
    assert identifiers(result)[0] == "ADR-901"
    assert "ADR-900" in identifiers(result)
    assert len(result.hits) == 5


@pytest.mark.parametrize("first", [0, 1, 2, 49, 50, 51, 99, 100])
async def test_as_many_hits_as_asked_for(crowd: Memory, first: int) -> None:
    result = await ask(crowd, "retry budget", first=first)
    assert len(result.hits) == first
    assert len(set(identifiers(result))) == first
    assert [hit.rank for hit in result.hits] == list(range(1, first + 1))


async def test_vec_03_there_is_no_cliff_at_any_limit(crowd: Memory) -> None:
    """VEC-03: every limit there is gives that many, or all there are."""
    for first in range(1, 101):
        assert len((await ask(crowd, "retry", kinds=("ADR",), first=first)).hits) == first
    for first in range(1, 21):
        assert len((await ask(crowd, "retry", kinds=("SPEC",), first=first)).hits) == min(first, FEW)
    for first in (101, 600):
        with pytest.raises(Invalid, match="first must be from 0 to 100"):
            await ask(crowd, "retry", kinds=("ADR",), first=first)


async def test_a_longer_answer_begins_with_the_shorter_one(crowd: Memory) -> None:
    longer = identifiers(await ask(crowd, "retry budget", first=20))
    assert identifiers(await ask(crowd, "retry budget", first=10)) == longer[:10]


async def test_the_number_of_statements_does_not_grow_with_the_hits(crowd: Memory) -> None:
    await ask(crowd, "retry budget of ADR-901", first=100)
    spoken = []
    for first in (1, 10, 100):
        async with counted(crowd.database) as statements:
            await ask(crowd, "retry budget of ADR-901", first=first)
        spoken.append(len(statements))
    assert spoken[0] == spoken[1] == spoken[2]
    assert spoken[0] <= 24


async def test_a_flag_is_asked_of_every_candidate(crowd: Memory) -> None:
    result = await ask(crowd, "retry budget", flags=(StateFlag.CURRENT,), first=100)
    assert len(result.hits) == 100
    assert not (await ask(crowd, "retry budget", flags=(StateFlag.HISTORICAL,))).hits
