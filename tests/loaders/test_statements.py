from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager
from typing import Any

import pytest

from app.domain.artifact import Document
from app.domain.numbers import TenantNumber
from app.embedding import Embedder
from app.stores.postgres import ledger_clock, recall
from app.stores.postgres.pool import Database
from tests.conftest import Server, new_memory
from tests.documents import RELATES_TO, SUPERSEDES, adr, claims, day
from tests.graphql.api import Api
from tests.statements import Statements

CLOCK = ledger_clock.SQL["read_clock"]
HITS = recall.SQL["hits_by_vector"]
Counted = Callable[[Database], AbstractAsyncContextManager[Statements]]

EDGES = [
    "label",
    "type { name canReference { type target } }",
    "project { key entityCount artifactCount }",
    "sourceArtifact { identifier body }",
    "state(preferWip: true) { props entity { id } sourceArtifact { id } }",
    'state(asOf: "2021-01-01T00:00:00Z", knownAt: "2100-01-01T00:00:00Z") { props }',
    "states(first: 5) { nodes { id validFrom } }",
    "states(first: 5) { totalCount }",
    "state { previous { eventType from { id } to { id } causeArtifact { id } } next { eventType } }",
    "aliases { surfaceForm target { id } }",
    "aliases { canonical { id } }",
    "references(first: 5) { nodes { id type source { id } } }",
    "references(first: 5) { totalCount }",
    "artifacts(first: 5) { nodes { id entity { id } } }",
    "artifacts(first: 5) { nodes { passages { text } } }",
    "artifacts(first: 5) { totalCount }",
    "neighbors(depth: 1, first: 3) { distance entity { id } }",
    "similar(first: 2) { score entity { id } }",
    "supersededBy { id }",
    "stateFlag status identifier",
    "artifacts(first: 5) { nodes { stateFlag } }",
]
FEWEST = {"supersededBy { id }": 10}  # the first few were not superseded: nothing to load for them
LIST = "query ($first: Int) { entities(first: $first) { nodes { id createdAt %s } } }"
RECALL = """
query ($first: Int) {
  recall(query: "the record of the queue", first: $first) {
    hits { rank score content stateFlag stateSummary flagGround passage { text } explanation { leg }
           artifact { identifier title body } state { props } %s }
    legs { leg candidates } anchors { surfaceForm }
  }
}
"""
HIT_EDGES = [
    "entity { id }",
    "entity { project { key } type { name } }",
    "entity { label }",
    "supersededBy { id }",
    "artifact { passages { ordinal } }",
    "artifact { entity { id } }",
    "state { previous { eventType } }",
    "state { entity { id } }",
]


def record(number: int) -> Document:
    return adr(
        number,
        f"Record {number} of the queue",
        f"The queue, told a {number}th time.",
        created_at=day(2020, 1, number),
        props={"aliases": [f"Queue{number}"]},
        references=(
            *claims(RELATES_TO, f"ADR-{number - 1}"),
            *(claims(SUPERSEDES, f"ADR-{number - 3}") if number % 2 else ()),
        ),
    )


@pytest.fixture(scope="module")
async def records(server: Server, embedder: Embedder, tenant: TenantNumber) -> AsyncIterator[Api]:
    """Twenty-four records, each related to the one before and half of them superseding another."""
    async with new_memory(server, embedder, tenant) as memory:
        api = Api(memory)
        await api.file_all([record(number) for number in range(1, 25)])
        yield api


async def statements(api: Api, counted: Counted, operation: str, first: int) -> tuple[Statements, Any]:
    """Return what an operation sent to the ledger, and its data."""
    await api.ask(operation, first=first)  # the encoder remembers the query from here on
    async with counted(api.memory.database) as sent:
        data = await api.ask(operation, first=first)
    return sent, data


@pytest.mark.parametrize("edge", EDGES)
async def test_an_edge_costs_the_same_for_one_entity_and_for_twenty(
    records: Api, counted: Counted, edge: str
) -> None:
    few = FEWEST.get(edge, 1)
    of_few, found = await statements(records, counted, LIST % edge, few)
    of_many, many = await statements(records, counted, LIST % edge, 20)
    assert (len(found["entities"]["nodes"]), len(many["entities"]["nodes"])) == (few, 20)
    assert sorted(of_many) == sorted(of_few)
    assert len(of_few) == len(set(of_few)) + of_few.count(CLOCK) - 1


async def test_many_nodes_cost_the_same_as_one(records: Api, counted: Counted) -> None:
    found = await records.ask("{ entities(first: 20) { nodes { id } } }")
    ids = [node["id"] for node in found["entities"]["nodes"]]
    query = "query ($ids: [ID!]!) { nodes(ids: $ids) { id ... on Entity { label } } }"
    counts = []
    for asked in (ids[:1], ids):
        async with counted(records.memory.database) as sent:
            await records.ask(query, ids=asked)
        counts.append(sorted(sent))
    assert counts[0] == counts[1]
    assert len(counts[0]) == 4  # the kinds, the entities, the clock, the labels


async def test_edges_asked_together_share_their_statements(records: Api, counted: Counted) -> None:
    together = " ".join(f"e{number}: {edge}" for number, edge in enumerate(EDGES))
    of_one, _ = await statements(records, counted, LIST % together, 1)
    of_many, _ = await statements(records, counted, LIST % together, 20)
    assert set(of_many) == set(of_one)
    # What is loaded by way of several edges may come in as many turns as there are edges to it.
    assert len(of_many) <= len(EDGES) * 2


@pytest.mark.parametrize("edge", ["", *HIT_EDGES])
async def test_recall_costs_the_same_for_one_hit_and_for_twenty(
    records: Api, counted: Counted, edge: str
) -> None:
    few = FEWEST.get(edge, 1)
    of_few, found = await statements(records, counted, RECALL % edge, few)
    of_many, many = await statements(records, counted, RECALL % edge, 20)
    assert (len(found["recall"]["hits"]), len(many["recall"]["hits"])) == (few, 20)
    others = [sorted(statement for statement in sent if statement != HITS) for sent in (of_few, of_many)]
    assert others[0] == others[1]
    # What replaced a hit without being one itself is read after the hits: once, however many there are.
    assert {of_few.count(HITS), of_many.count(HITS)} <= {1, 2}


async def test_hits_without_edges_cost_no_statement_of_their_own(records: Api, counted: Counted) -> None:
    bare = 'query ($first: Int) { recall(query: "the record of the queue", first: $first) { id } }'
    of_bare, _ = await statements(records, counted, bare, 20)
    of_full, data = await statements(records, counted, RECALL % "", 20)
    assert len(data["recall"]["hits"]) == 20
    assert sorted(of_full) == sorted(of_bare)
