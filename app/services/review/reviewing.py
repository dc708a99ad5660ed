"""Deciding about one candidate, in one transaction with what it promotes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic
from uuid import UUID

import asyncpg

from app.domain.candidate import CandidateStatus, Review, decision_told
from app.domain.entity import Caller
from app.errors import Conflict, Invalid, NotFound, TrigraphError, Unavailable
from app.services import repeating
from app.services.absent import TOLD_BY
from app.services.parsing import clean_text
from app.services.review.queue import Noticed, Queue, Written
from app.services.write import Write
from app.stores.postgres import ledger
from app.stores.postgres.idempotency import KeyedRequest

LONGEST_REASON = 2_000


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
    """Answer a decision with its reason cleaned; raises Invalid, naming the field, for one that is none."""
    if decision.status is CandidateStatus.PENDING:
        raise Invalid("a review promotes or rejects: give PROMOTED or REJECTED", field="status")
    reason = clean_text(decision.reason or "").strip() or None
    if reason is not None and len(reason) > LONGEST_REASON:
        raise Invalid(f"a reason has at most {LONGEST_REASON} characters", field="reason")
    return Decision(decision.candidate, decision.status, reason)


def keyed_decision(
    caller: Caller, operation: str, key: str | None, decision: Decision
) -> KeyedRequest | None:
    """Answer the decision as its key is kept by, or None without a key; raises Invalid for an unfit one."""
    return repeating.keyed_request(caller, operation, key, decision=decision)


async def review(
    write: Write, queue: Queue[Noticed, Written], decision: Decision
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
    position = await ledger.settle(write.connection)
    found = await queue.by_id(write.connection, write.tenant, [candidate.id])
    return Reviewed(found[candidate.id], written, position)


async def _waiting(write: Write, queue: Queue[Noticed, Written], id: UUID) -> Noticed:
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


async def _promoted(write: Write, queue: Queue[Noticed, Written], candidate: Noticed) -> Written:
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
    request: KeyedRequest | None,
) -> Reviewed[Noticed, Written] | None:
    """Answer what was answered to this key; raises Conflict when it came with other input."""
    answer = await repeating.kept_answer(connection, tenant, request)
    if answer is None:
        return None
    id = UUID(answer["candidate"])
    written = None if answer["written"] is None else UUID(answer["written"])
    found = await queue.by_id(connection, tenant, [id])
    there = {} if written is None else await queue.written_by_id(connection, tenant, [written])
    return Reviewed(found[id], None if written is None else there[written], answer["position"])


async def keep_reviewed(
    write: Write, request: KeyedRequest | None, reviewed: Reviewed[Noticed, Written]
) -> None:
    """Keep what is answered to this key, in the transaction that decides."""
    written = None if reviewed.written is None else str(reviewed.written.id)
    answer = {"candidate": str(reviewed.candidate.id), "written": written, "position": reviewed.position}
    await repeating.keep_answer(write, request, answer)
