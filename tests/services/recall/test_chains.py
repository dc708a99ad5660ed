"""Chains of replacements, and an order of hits that does not depend on how many are asked for."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from random import Random
from typing import Any
from uuid import uuid4

import numpy as np
import pytest

from app.domain.entity import Alias, AuthorityTier
from app.domain.recall import StateFlag
from app.domain.temporal import Interval
from app.embedding import Vectors
from app.services.filing import FilingService
from app.services.states import Cause, DraftChange, StateService
from app.stores.postgres import aliases, ledger_clock
from tests.documents import SUPERSEDES, ProjectFixture, adr, ask, claims, day, identifiers
from tests.services.states.things import Thing
from tests.things import make_thing

STEPS = 6


async def _chain(desk: ProjectFixture) -> None:
    """File a chain of six records, of which only the first speaks of retries, and six notes that do."""
    titles = [
        "Retry with jitter",
        "Spare the gateway",
        "Name the owner",
        "Count the trays",
        "Paint it",
        "Lease",
    ]
    for number, title in enumerate(titles, start=1):
        replaced = claims(SUPERSEDES, f"ADR-{number - 1}") if number > 1 else ()
        body = f"{title}, each time that a carrier is asked again." if number == 1 else f"{title} on Monday."
        await desk.file(adr(number, title, body, references=replaced, created_at=day(2020, number)))
    for number in range(11, 17):
        await desk.file(
            adr(number, f"Note {number}", f"Retry with jitter when a carrier is asked, {number}.")
        )


async def test_a_chain_brings_what_was_asked_for_and_its_head(desk: ProjectFixture) -> None:
    await _chain(desk)
    named = await desk.ask("ADR-1", first=3)
    assert identifiers(named)[:2] == ["ADR-1", "ADR-6"]
    assert named.hits[0].annotation.flag is StateFlag.HISTORICAL
    for step in (2, 4, 5):
        asked = await desk.ask(f"what did adr {step:04} decide", first=3)
        assert identifiers(asked)[:2] == [f"ADR-{step}", "ADR-6"]
    found = identifiers(await desk.ask("retry with jitter when a carrier is asked again", first=10))
    assert {f"ADR-{number}" for number in range(11, 17)} <= set(found)
    assert found.index("ADR-6") < found.index("ADR-1")
    earlier = await desk.ask("ADR-1", first=3, as_of=day(2020, 4, 2))
    assert identifiers(earlier)[:2] == ["ADR-1", "ADR-4"]


async def _seeded(desk: ProjectFixture) -> None:
    random = Random(7)
    words = ["queue", "carrier", "retry", "gateway", "clock", "ledger", "harbor", "tray", "owner", "lease"]
    statuses = ["Accepted", "Proposed", "Rejected", "Superseded", "Draft"]
    for number in range(1, 41):
        replaced = claims(SUPERSEDES, f"ADR-{random.randint(1, number - 1)}") if number % 3 == 0 else ()
        said = " ".join(random.choices(words, k=12))
        document = adr(
            number,
            " ".join(random.sample(words, 3)),
            f"{said}. See ADR-{random.randint(1, 40)}.",
            status=random.choice(statuses),
            references=replaced,
            created_at=day(2020, 1) + timedelta(days=20 * random.randint(0, 60)),
        )
        filed = await desk.file(document)
        if number % 10 == 0:
            await StateService(desk.memory.database).save_wip(
                desk.memory.caller, filed.entity.id, DraftChange({"status": "Accepted"})
            )


QUESTIONS: Sequence[tuple[str, dict[str, Any]]] = [
    ("ADR-3", {}),
    ("adr 9 and ADR-12", {"as_of": day(2021, 6)}),
    ("retry budget of the gateway", {}),
    ("harbor", {"flags": (StateFlag.CURRENT,)}),
    ("clock ledger", {"flags": (StateFlag.HISTORICAL, StateFlag.WIP)}),
    ("carrier lease jitter", {"flags": (StateFlag.CURRENT,), "as_of": day(2021, 2)}),
    ("owner of the tray", {"prefer_wip": False}),
]


async def test_fewer_hits_are_the_first_of_more(desk: ProjectFixture) -> None:
    await _seeded(desk)
    for query, asked in QUESTIONS:
        whole = [hit.artifact.id for hit in (await desk.ask(query, first=30, **asked)).hits]
        assert whole
        for first in (1, 4, 10, 11):
            fewer = await desk.ask(query, first=first, **asked)
            assert [hit.artifact.id for hit in fewer.hits] == whole[:first], (query, first)
        legs = (await desk.ask(query, first=30, **asked)).legs
        if not asked.get("flags"):
            winners = {leg.candidates[0].artifact for leg in legs if leg.candidates and leg.leg != "RECENCY"}
            numbers = [hit.artifact.number for hit in (await desk.ask(query, first=10, **asked)).hits]
            assert winners <= set(numbers)


@pytest.mark.parametrize("former", ["Lighthouse", "PrismGR", "retry-gateway"])
async def test_a_rename_hides_no_decision_in_force(desk: ProjectFixture, former: str) -> None:
    thing = Thing(desk.memory, await make_thing(desk, former))
    await desk.file(adr(1, "Queue", f"We moved the queue behind {former}."))
    await thing.change(day(2023), cause=Cause("rename"), name="Beacon")
    (hit,) = (await desk.ask("what is behind Beacon", flags=(StateFlag.CURRENT,))).hits
    assert hit.annotation.summary == f"[historical: current Component is Beacon, this reflects {former}]"
    assert not (await desk.ask("what is behind Beacon", flags=(StateFlag.HISTORICAL,))).hits


@pytest.mark.parametrize("order", [(2, 3), (3, 2)])
async def test_of_two_successors_of_one_date_the_higher_number_is_the_head(
    desk: ProjectFixture, order: Sequence[int]
) -> None:
    await desk.file(adr(1, "Queue"))
    for number in (9 if place == 2 else 10 for place in order):
        await desk.file(adr(number, f"Other {number}", references=claims(SUPERSEDES, "ADR-1")))
    hit = (await desk.ask("ADR-1", first=1)).hits[0]
    assert hit.annotation.summary == "[historical: ADR-1 is superseded by ADR-10 Other 10]"
    assert identifiers(await desk.ask("ADR-1"))[:2] == ["ADR-1", "ADR-10"]


async def test_a_chain_of_names_leads_to_its_end_however_long(desk: ProjectFixture) -> None:
    length = 130
    names = [await make_thing(desk, f"Harbor {number}") for number in range(length)]
    async with desk.memory.database.writing(desk.tenant) as connection:
        recorded_at = await ledger_clock.advance_clock(connection, desk.tenant)
        project = await connection.fetchval("SELECT project_id FROM project WHERE key = $1", desk.project)
        for number, (source, target) in enumerate(pairwise(names)):
            alias = Alias(
                id=uuid4(),
                surface_form=f"step {number}",
                target=target,
                source=source,
                tier=AuthorityTier.PERSON,
                source_artifact=None,
                valid=Interval(day(2021)),
            )
            await aliases.insert_alias(connection, desk.tenant, project, alias, recorded_at, "ada")
    (anchor,) = (await desk.ask("Harbor 0")).anchors
    assert anchor.entity.id == names[-1]


class ZeroEmbedder:
    """An encoder that fails to say anything of what is filed."""

    def __init__(self, embedder: Any) -> None:
        self._embedder = embedder

    def __getattr__(self, name: str) -> Any:
        return getattr(self._embedder, name)

    async def embed_passages(self, texts: Sequence[str]) -> Vectors:
        return np.zeros((len(texts), self._embedder.dimensions), np.float32)


async def test_a_vector_of_zeros_is_near_to_nothing_and_harms_nobody(desk: ProjectFixture) -> None:
    memory = desk.memory
    await desk.file(adr(1, "Queue", "Carriers are asked again."))
    zeros = FilingService(memory.database, ZeroEmbedder(memory.embedder))
    await zeros.file(memory.caller, adr(2, "Emptiness", "Void."), desk.project)
    for query in ("asking carriers again", "emptiness", "ADR-2"):
        result = await desk.ask(query)
        assert all(leg.problem is None for leg in result.legs), query
        assert result.confidence == result.confidence
    assert identifiers(await desk.ask("asking carriers again"))[0] == "ADR-1"


async def test_what_will_be_known_is_not_known_yet(desk: ProjectFixture) -> None:
    """The answer names a moment at which the same is answered again."""
    await desk.file(adr(1, "Queue", "Carriers are asked again."))
    asked = await desk.ask("carriers", known_at=datetime.now(UTC) + timedelta(days=900))
    assert asked.known_at < datetime.now(UTC)
    await desk.file(adr(2, "Carriers", "Carriers and carriers."))
    again = await ask(desk.memory, "carriers", project=desk.project, known_at=asked.known_at)
    assert identifiers(again) == identifiers(asked) == ["ADR-1"]


@pytest.mark.parametrize("number", ["0049", "49", "(49)"])
async def test_a_bare_number_finds_the_document_of_the_one_kind_that_has_it(
    desk: ProjectFixture, number: str
) -> None:
    await desk.file(adr(49, "Queue"))
    await desk.file(adr(1, "Forty-nine", "In 0049 there were 49 queues."))
    result = await desk.ask(number)
    assert [anchor.entity.key for anchor in result.anchors] == ["adr-49"]
    assert identifiers(result)[0] == "ADR-49"
    await desk.file(adr(49, "Streams", kind="SPEC", identifier="SPEC-49"))
    assert (await desk.ask(number)).anchors == ()
