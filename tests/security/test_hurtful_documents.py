"""A document made to hurt is read beside everybody else, within bounds that its refusal or warning names."""

from __future__ import annotations

import asyncio
import sys
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from dataclasses import dataclass
from time import perf_counter
from types import FrameType

import pytest

from app.domain.numbers import TenantNumber
from app.embedding import Embedder
from app.errors import Invalid
from app.services.container import Memory
from app.services.filing import FiledDocument, StatedDocument, read_stated
from app.services.parsing import parse_markdown
from app.services.parsing.references import MAX_REFERENCES, MAX_SUPERSESSIONS
from app.stores.postgres.pool import Database
from tests.conftest import memory_on
from tests.documents import SUPERSEDES, adr
from tests.hurtful import SHAPES
from tests.ledger import contents
from tests.services.filing.test_sizes import HastyEmbedder
from tests.statements import Statements

Counted = Callable[[Database], AbstractAsyncContextManager[Statements]]

SIZE = 60_000
MAX_CALLS = 60_000


@dataclass
class LongestTurn:
    """The most calls, of Python and of C, in one turn of the event loop: work, whatever the load."""

    calls: int = 0
    _since: int = 0

    def count(self, frame: FrameType, event: str, argument: object) -> None:
        self._since += event in {"call", "c_call"}

    async def watch(self) -> None:
        while True:
            self._since = 0
            await asyncio.sleep(0)
            self.calls = max(self.calls, self._since)


@asynccontextmanager
async def turns() -> AsyncIterator[LongestTurn]:
    longest = LongestTurn()
    watching = asyncio.create_task(longest.watch())
    sys.setprofile(longest.count)
    try:
        yield longest
    finally:
        sys.setprofile(None)
        watching.cancel()


@pytest.fixture
def hasty(database: Database, embedder: Embedder, tenant: TenantNumber) -> Memory:
    """Services whose encoder does not make long documents slow."""
    return memory_on(database, HastyEmbedder(embedder), tenant)


async def filed(memory: Memory, body: str, identifier: str = "ADR-900000") -> FiledDocument:
    document = await read_stated(StatedDocument("ADR", body, identifier=identifier), frozenset())
    return await memory.filing.file(memory.caller, document, "p")


@pytest.mark.parametrize("shape", SHAPES)
async def test_the_loop_goes_on_while_a_document_is_read_and_written(hasty: Memory, shape: str) -> None:
    body = SHAPES[shape](SIZE)
    await filed(hasty, "warm up", "ADR-1")
    async with turns() as longest:
        with suppress(Invalid):
            await filed(hasty, body)
    assert longest.calls < MAX_CALLS


@pytest.mark.parametrize(
    ("body", "limit"),
    [
        pytest.param("## Related\n" * 81_000, "more than 20000 headings", id="headings"),
        pytest.param("- a\n" * 120_000, "more than 100000 blocks", id="list items"),
        pytest.param("|a|b|\n|-|-|\n" + "|c|d|\n" * 70_000, "more than 100000 blocks", id="table cells"),
        pytest.param("\n" * 400_000 + "x", "has 400000 lines", id="lines"),
    ],
)
async def test_a_refusal_names_the_limit_and_nothing_is_written(
    hasty: Memory, database: Database, tenant: TenantNumber, body: str, limit: str
) -> None:
    async with database.reading(tenant) as connection:
        before = await contents(connection)
    with pytest.raises(Invalid, match=limit) as refused:
        await filed(hasty, body)
    async with database.reading(tenant) as connection:
        assert await contents(connection) == before
    assert refused.value.field == "body"


def test_what_is_pointed_at_beyond_a_number_is_left_out_with_a_warning() -> None:
    body = SHAPES["identifiers in sections"](400_000)
    document = parse_markdown(body)
    assert len(document.references) == MAX_REFERENCES
    assert document.warnings[-2:] == (
        "only the first 20000 links and identifiers were read",
        "the document has 20000 references; only the first 2000 are recorded",
    ) or any(f"only the first {MAX_REFERENCES} are recorded" in each for each in document.warnings)
    assert len(parse_markdown(SHAPES["links"](300_000)).links) == MAX_REFERENCES


def test_supersessions_beyond_a_number_are_plain_references() -> None:
    body = "## Supersedes\n\n" + "".join(f"- ADR-{number}\n" for number in range(1, MAX_SUPERSESSIONS + 21))
    document = parse_markdown(body)
    typed = [claim for claim in document.references if claim.type is SUPERSEDES]
    assert (len(typed), len(document.references)) == (MAX_SUPERSESSIONS, MAX_SUPERSESSIONS + 20)
    assert any("only the first 100 count" in warning for warning in document.warnings)


@pytest.mark.parametrize("text", [SHAPES["dotted TOML"](0), SHAPES["deep TOML"](0)])
def test_keys_of_many_parts_are_not_read(text: str) -> None:
    (warning,) = parse_markdown(text).warnings
    assert "more than 100 parts" in warning or "deeper than 12 levels" in warning


@pytest.mark.parametrize("piece", ["[[Page %]] ", "ADR-%\n\n", "[a](f%.md) "])
async def test_the_number_of_statements_does_not_grow_with_the_references(
    hasty: Memory, database: Database, counted: Counted, piece: str
) -> None:
    """Neither for a new document, nor for a version of one whose targets are there by then."""
    await hasty.filing.file(hasty.caller, adr(5, "Target"), "p")
    told = []
    for count in (10, 20, 1_000):  # the first connections ask for the driver's own sake
        pieces = (piece.replace("%", str(number)) for number in range(100, 100 + count))
        body = f"# List of {count}\n\n{''.join(pieces)}"
        await filed(hasty, "x", f"ADR-{count + 5_000}")
        for version in (body, f"{body} again"):
            async with counted(database) as statements:
                result = await filed(hasty, version, f"ADR-{count + 6_000}")
            assert result.created
            told.append(Counter(statements))
    assert told[2:4] == told[4:]


async def test_statements_do_not_grow_with_the_targets_that_are_there(
    hasty: Memory, database: Database, counted: Counted
) -> None:
    told = []
    for first, count in ((100, 5), (200, 5), (300, 60)):
        numbers = range(first, first + count)
        for number in numbers:
            await hasty.filing.file(hasty.caller, adr(number, f"Target {number}"), "p")
        body = f"# List of {count}\n\n" + " ".join(f"ADR-{number}" for number in numbers)
        for version in (body, f"{body} again", "nothing any more"):
            async with counted(database) as statements:
                await filed(hasty, version, f"ADR-{first + 7_000}")
            told.append(Counter(statements))
    assert told[3:6] == told[6:]


async def test_names_in_a_long_text_are_found_before_others_wait(hasty: Memory) -> None:
    """The mentions of a long document are those that a short one with the same words has."""
    await hasty.filing.file(
        hasty.caller, adr(1, "Queue", props={"aliases": ["PrismGR", "C++", "The big queue"]}), "p"
    )
    text = "PrismGR and the big queue use C++, not prismgrid. "
    mentions = []
    for number, body in ((2, text), (3, text + "word " * 20_000)):
        document = await filed(hasty, body, f"ADR-{number}")
        async with hasty.database.reading(hasty.caller.tenant) as connection:
            rows = await connection.fetch(
                "SELECT surface_form, occurrences FROM mention WHERE artifact = $1 ORDER BY 1",
                document.artifact.id,
            )
        mentions.append([tuple(row) for row in rows])
    assert mentions[0] == mentions[1]
    assert len(mentions[0]) == 3


async def test_a_long_title_source_or_kind_is_refused_before_it_is_folded(hasty: Memory) -> None:
    long = "\u0301\u0315" * 400_000
    for stated in (
        StatedDocument("ADR", "text", title=long),
        StatedDocument("ADR", "text", identifier=long),
        StatedDocument("ADR", "text", source_uri=long),
    ):
        before = perf_counter()
        with pytest.raises(Invalid, match="characters; at most"):
            await read_stated(stated, frozenset())
        assert perf_counter() - before < 5  # folding it takes minutes
    with pytest.raises(Invalid, match="kind has 800000 characters"):
        await read_stated(StatedDocument(long, "text"), frozenset())
