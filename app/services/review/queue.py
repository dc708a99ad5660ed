"""One review queue: how its candidates are read, decided about and promoted."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar
from uuid import UUID

import asyncpg

from app.domain.candidate import AliasCandidate, FactCandidate, Review
from app.domain.entity import Alias
from app.domain.page import Page, PageRequest
from app.domain.temporal import EntityState
from app.services.review.promotion import promote_alias, promote_fact
from app.services.write import Write
from app.stores.postgres import candidates, lookups, states
from app.stores.postgres.candidates import CandidateFilter

Noticed = TypeVar("Noticed", AliasCandidate, FactCandidate)
Written = TypeVar("Written", Alias, EntityState)

ById = Callable[[asyncpg.Connection, int, Sequence[UUID]], Awaitable[Mapping[UUID, Written]]]


@dataclass(frozen=True, slots=True)
class Queue(Generic[Noticed, Written]):
    """A queue of one kind of candidate; promoting one writes what it says and answers that."""

    operation: str
    page: Callable[[asyncpg.Connection, int, CandidateFilter, PageRequest], Awaitable[Page[Noticed]]]
    count: Callable[[asyncpg.Connection, int, CandidateFilter], Awaitable[int]]
    by_id: Callable[[asyncpg.Connection, int, Sequence[UUID]], Awaitable[Mapping[UUID, Noticed]]]
    record: Callable[[asyncpg.Connection, int, UUID, Review], Awaitable[None]]
    promote: Callable[[Write, Noticed], Awaitable[Written]]
    written_by_id: ById[Written]


ALIASES: Queue[AliasCandidate, Alias] = Queue(
    operation="reviewAliasCandidate",
    page=candidates.alias_candidates_page,
    count=candidates.count_alias_candidates,
    by_id=candidates.alias_candidates_by_id,
    record=candidates.review_alias,
    promote=promote_alias,
    written_by_id=lookups.aliases_by_id,
)
FACTS: Queue[FactCandidate, EntityState] = Queue(
    operation="reviewFactCandidate",
    page=candidates.fact_candidates_page,
    count=candidates.count_fact_candidates,
    by_id=candidates.fact_candidates_by_id,
    record=candidates.review_fact,
    promote=promote_fact,
    written_by_id=states.states_by_id,
)
