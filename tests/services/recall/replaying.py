"""Repeated recalls: random documents and questions, and what must be equal in their results."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from random import Random

from app.domain.artifact import Document, MemoryDomain, ReferenceClaim
from app.domain.entity import ReferenceType
from app.domain.recall import RecallRequest, RecallResult, StateFlag
from tests.documents import adr, day

SERIES = 12
WORDS = ["queue", "retry budget", "Prism", "PrismGR", "outbox", "cache", "tenant", "clock", "ledger", "naïve"]
QUERIES = [
    "retry budget of the queue",
    "ADR-3",
    "ADR-5 and ADR-7",
    "PrismGR",
    "Prism cache",
    "who owns the outbox",
]
MOMENTS = [day(2019), day(2021, 6), day(2023), day(2026), day(2100)]


def random_document(random: Random, number: int, series: int = SERIES) -> Document:
    """A version of a record, dated anywhere and pointing anywhere in its series."""
    words = random.sample(WORDS, 3)
    others = random.sample(range(series), 3)
    kinds = random.choices(list(ReferenceType), k=3)
    return adr(
        number,
        f"{words[0]} {number}",
        " ".join([*words, f"ADR-{others[0]}", *random.choices(WORDS, k=random.randint(0, 30))]),
        created_at=random.choice([None, day(random.randint(2018, 2027), random.randint(1, 12))]),
        status=random.choice(["Accepted", "Draft", "Superseded", "Deprecated", None]),
        domain=random.choice([None, *MemoryDomain]),
        source_uri=f"adr/{number}.md" if random.random() < 0.7 else None,
        props=random.choice([{}, {}, {"aliases": [random.choice(["Prism", "PrismGR", "the outbox"])]}]),
        references=tuple(
            ReferenceClaim(
                kind,
                f"ADR-{other}",
                inverted=random.random() < 0.3,
                path=f"{other}.md" if random.random() < 0.3 else None,
            )
            for kind, other in zip(kinds, others, strict=True)
            if other != number
        ),
    )


def random_requests(random: Random, project: str) -> Iterator[RecallRequest]:
    """One request for each of the queries, at any moment and of any flags."""
    for query in QUERIES:
        moment = random.choice([None, *MOMENTS])
        flags = random.choice([(), (), (StateFlag.CURRENT,), (StateFlag.HISTORICAL, StateFlag.WIP)])
        yield RecallRequest(
            query=query, project=project, as_of=moment, first=random.choice([3, 10, 50]), flags=flags
        )


def comparable(result: RecallResult) -> object:
    """Everything an answer says, but for its id, its times in milliseconds, whether a state it shows was
    given up since, and the keys of its entities, which no answer shows."""
    hits = [replace(hit, annotation=replace(hit.annotation, state=None)) for hit in result.hits]
    states = [*(hit.annotation.state for hit in result.hits), *(anchor.state for anchor in result.anchors)]
    anchors = [
        replace(anchor, state=None, entity=replace(anchor.entity, key=None)) for anchor in result.anchors
    ]
    legs = [(ranking.leg, ranking.candidates, ranking.problem) for ranking in result.legs]
    return (
        hits,
        anchors,
        [state and replace(state, retracted_at=None) for state in states],
        legs,
        result.tokens_used,
    )
