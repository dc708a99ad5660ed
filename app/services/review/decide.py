"""Deciding about one candidate, in one transaction with what it promotes."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Generic, TypeVar
from uuid import UUID

import asyncpg

from app.domain.candidate import (
    AliasCandidate,
    Candidate,
    CandidateStatus,
    FactCandidate,
    Review,
    decision_told,
)
from app.domain.entity import Alias, Caller
from app.domain.page import Page, PageRequest
from app.domain.temporal import Branch, EntityState
from app.errors import Conflict, Invalid, NotFound, TrigraphError, Unavailable
from app.services import idempotency
from app.services.aliases import StatedAlias, add_alias
from app.services.catalog.lookup import TOLD_BY
from app.services.parsing import clean_text
from app.services.states import Cause, StateChange, change_state
from app.services.unit_of_work import UnitOfWork
from app.stores.postgres import artifacts, candidates, ledger_clock, lookups, states
from app.stores.postgres.candidates import CandidateFilter
from app.stores.postgres.idempotency import IdempotentRequest

FACT = "fact"


async def promote_alias(write: UnitOfWork, candidate: AliasCandidate) -> Alias:
    """Let the form mean the entity from the document's date on; answers the alias, or the same one there."""
    stated = StatedAlias(
        candidate.surface_form,
        candidate.entity,
        source_artifact=candidate.artifact,
        valid_from=await _date(write, candidate),
    )
    return (await add_alias(write, stated)).alias


async def promote_fact(write: UnitOfWork, candidate: FactCandidate) -> EntityState:
    """Let the property have the value from the document's date on, once the entity is there.

    Answers the state that this opened.
    """
    where = (write.connection, write.tenant, candidate.entity)
    begins = (await states.current_states(*where, Branch.COMMITTED))[0].valid.start
    since = max(begins, await _date(write, candidate))
    change = StateChange({candidate.property: candidate.value}, since)
    cause = Cause(FACT, artifact=candidate.artifact, description=candidate.quote.text)
    return (await change_state(write, candidate.entity, change, cause)).state


async def _date(write: UnitOfWork, candidate: Candidate) -> datetime:
    found = await artifacts.artifacts_by_id(write.connection, write.tenant, [candidate.artifact])
    return found[candidate.artifact].created_at


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
    promote: Callable[[UnitOfWork, Noticed], Awaitable[Written]]
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


MAX_REASON_LENGTH = 2_000


@dataclass(frozen=True, slots=True)
class Decision:
    """What a person decides about a candidate, and why."""

    candidate: UUID
    status: CandidateStatus
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class Reviewed(Generic[Noticed, Written]):
    """A candidate as it was decided about, and what promoting it wrote.

    `position` is None when the graph did not change.
    """

    candidate: Noticed
    written: Written | None
    position: int | None


def fit_decision(decision: Decision) -> Decision:
    """Return a decision with its reason cleaned; raises Invalid, naming the field, for one that is none."""
    if decision.status is CandidateStatus.PENDING:
        raise Invalid("a review promotes or rejects: give PROMOTED or REJECTED", field="status")
    reason = clean_text(decision.reason or "").strip() or None
    if reason is not None and len(reason) > MAX_REASON_LENGTH:
        raise Invalid(f"a reason has at most {MAX_REASON_LENGTH} characters", field="reason")
    return Decision(decision.candidate, decision.status, reason)


def keyed_decision(
    caller: Caller, operation: str, key: str | None, decision: Decision
) -> IdempotentRequest | None:
    """Return the decision as its key is kept by, or None without a key; raises Invalid for an unfit one."""
    return idempotency.idempotent_request(caller, operation, key, decision=decision)


async def review(
    write: UnitOfWork, queue: Queue[Noticed, Written], decision: Decision
) -> Reviewed[Noticed, Written]:
    """Decide about a candidate that waits, and write what it says when it is promoted.

    Raises NotFound when there is none, Conflict when somebody decided before, and what the promotion is
    refused with: it then waits on.
    """
    candidate = await _waiting(write, queue, decision.candidate)
    decided = Review(decision.status, write.actor, write.recorded_at, decision.reason)
    await queue.record(write.connection, write.tenant, candidate.id, decided)
    promoted = decision.status is CandidateStatus.PROMOTED
    written = await _promoted(write, queue, candidate) if promoted else None
    position = await ledger_clock.settle(write.connection)
    found = await queue.by_id(write.connection, write.tenant, [candidate.id])
    return Reviewed(found[candidate.id], written, position)


async def _waiting(write: UnitOfWork, queue: Queue[Noticed, Written], id: UUID) -> Noticed:
    found = await queue.by_id(write.connection, write.tenant, [id])
    if id not in found:
        raise NotFound(f"there is no candidate {id} in this queue; {TOLD_BY['candidate']}", field="candidate")
    decided = found[id].review
    if decided is not None:
        raise Conflict(
            f"{decision_told(decided)}; a candidate is reviewed once",
            field="candidate",
            rule="a_candidate_is_reviewed_once",
        )
    return found[id]


async def _promoted(write: UnitOfWork, queue: Queue[Noticed, Written], candidate: Noticed) -> Written:
    try:
        return await queue.promote(write, candidate)
    except Unavailable:
        raise
    except TrigraphError as error:
        message = f"the candidate still waits, since what it says is refused: {error.message}"
        raise type(error)(message, field="candidate", rule=error.rule) from error


async def reviewed_before(
    connection: asyncpg.Connection,
    tenant: int,
    queue: Queue[Noticed, Written],
    request: IdempotentRequest | None,
) -> Reviewed[Noticed, Written] | None:
    """Return what was answered to this key; raises Conflict when it came with other input."""
    answer = await idempotency.load_response(connection, tenant, request)
    if answer is None:
        return None
    id = UUID(answer["candidate"])
    written = None if answer["written"] is None else UUID(answer["written"])
    found = await queue.by_id(connection, tenant, [id])
    there = {} if written is None else await queue.written_by_id(connection, tenant, [written])
    return Reviewed(found[id], None if written is None else there[written], answer["position"])


async def keep_reviewed(
    write: UnitOfWork, request: IdempotentRequest | None, reviewed: Reviewed[Noticed, Written]
) -> None:
    """Keep what is answered to this key, in the transaction that decides."""
    written = None if reviewed.written is None else str(reviewed.written.id)
    answer = {"candidate": str(reviewed.candidate.id), "written": written, "position": reviewed.position}
    await idempotency.save_response(write, request, answer)
