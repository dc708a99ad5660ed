"""The review queues: candidates that extractors found, and the decisions of people about them.

A promotion writes the alias or fact in the same transaction as the decision.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Any, Generic, TypeVar
from uuid import UUID

import asyncpg

from app.domain.candidate import (
    AliasCandidate,
    Candidate,
    CandidateStatus,
    FactCandidate,
    Review,
    describe_review,
)
from app.domain.entity import Alias, Caller, Role
from app.domain.numbers import TenantNumber
from app.domain.page import Page, PageRequest
from app.domain.temporal import Branch, EntityState
from app.errors import Conflict, Forbidden, Invalid, NotFound, TrigraphError, Unavailable
from app.services.aliases import StatedAlias, add_alias
from app.services.catalog import Listing
from app.services.catalog.lookup import ID_HINTS, project_numbers
from app.services.idempotency import SavedAnswer, idempotent_request, write_once
from app.services.parsing import clean_text
from app.services.states import Cause, StateChange, change_state
from app.services.unit_of_work import UnitOfWork
from app.stores.postgres import artifacts, candidates, ledger_clock, lookups, states
from app.stores.postgres.candidates import CandidateFilter
from app.stores.postgres.pool import Database

FACT = "fact"


async def promote_alias(write: UnitOfWork, candidate: AliasCandidate) -> Alias:
    """Add the alias, valid from the document's date on, and return it, or the same one that exists."""
    stated = StatedAlias(
        candidate.surface_form,
        candidate.entity,
        source_artifact=candidate.artifact,
        valid_from=await _date(write, candidate),
    )
    return (await add_alias(write, stated)).alias


async def promote_fact(write: UnitOfWork, candidate: FactCandidate) -> EntityState:
    """Set the property from the document's date on, but not before the entity begins.

    Return the state that this opened.
    """
    where = (await write.flush(), write.tenant, candidate.entity)
    begins = (await states.current_states(*where, Branch.COMMITTED))[0].valid.start
    since = max(begins, await _date(write, candidate))
    change = StateChange({candidate.property: candidate.value}, since)
    cause = Cause(FACT, artifact=candidate.artifact, description=candidate.quote.text)
    return (await change_state(write, candidate.entity, change, cause)).state


async def _date(write: UnitOfWork, candidate: Candidate) -> datetime:
    found = await artifacts.artifacts_by_id(await write.flush(), write.tenant, [candidate.artifact])
    return found[candidate.artifact].created_at


Noticed = TypeVar("Noticed", AliasCandidate, FactCandidate)
Written = TypeVar("Written", Alias, EntityState)

ById = Callable[[asyncpg.Connection, TenantNumber, Sequence[UUID]], Awaitable[Mapping[UUID, Written]]]


@dataclass(frozen=True, slots=True)
class Queue(Generic[Noticed, Written]):
    """A queue of one kind of candidate; promoting a candidate writes and returns what it proposes."""

    operation: str
    page: Callable[[asyncpg.Connection, TenantNumber, CandidateFilter, PageRequest], Awaitable[Page[Noticed]]]
    count: Callable[[asyncpg.Connection, TenantNumber, CandidateFilter], Awaitable[int]]
    by_id: Callable[[asyncpg.Connection, TenantNumber, Sequence[UUID]], Awaitable[Mapping[UUID, Noticed]]]
    record: Callable[[asyncpg.Connection, TenantNumber, UUID, Review], Awaitable[None]]
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
    """The decision of a person about a candidate, and the reason."""

    candidate: UUID
    status: CandidateStatus
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class Reviewed(Generic[Noticed, Written]):
    """A candidate after its review, and what its promotion wrote.

    `position` is None if the graph did not change.
    """

    candidate: Noticed
    written: Written | None
    position: int | None


def fit_decision(decision: Decision) -> Decision:
    """Return a decision with its reason cleaned; raise Invalid, naming the field, if it is unfit."""
    if decision.status is CandidateStatus.PENDING:
        raise Invalid("status must be PROMOTED or REJECTED", field="status", allowed=("PROMOTED", "REJECTED"))
    reason = clean_text(decision.reason or "").strip() or None
    if reason is not None and len(reason) > MAX_REASON_LENGTH:
        raise Invalid(f"a reason has at most {MAX_REASON_LENGTH} characters", field="reason")
    return Decision(decision.candidate, decision.status, reason)


async def review(
    write: UnitOfWork, queue: Queue[Noticed, Written], decision: Decision
) -> Reviewed[Noticed, Written]:
    """Record a decision about a pending candidate, and write what it proposes if it is promoted.

    Raises NotFound for an unknown candidate, Conflict if it was reviewed before, and the error that refuses
    the promotion: the candidate then stays pending.
    """
    candidate = await _require_undecided(write, queue, decision.candidate)
    decided = Review(decision.status, write.actor, write.recorded_at, decision.reason)
    await queue.record(await write.flush(), write.tenant, candidate.id, decided)
    promoted = decision.status is CandidateStatus.PROMOTED
    written = await _promote(write, queue, candidate) if promoted else None
    position = await ledger_clock.finish_write(await write.flush())
    found = await queue.by_id(await write.flush(), write.tenant, [candidate.id])
    return Reviewed(found[candidate.id], written, position)


async def _require_undecided(write: UnitOfWork, queue: Queue[Noticed, Written], id: UUID) -> Noticed:
    found = await queue.by_id(await write.flush(), write.tenant, [id])
    if id not in found:
        hint = ID_HINTS["candidate"]
        raise NotFound(f"there is no candidate {id} in this queue; {hint}", field="candidate")
    decided = found[id].review
    if decided is not None:
        raise Conflict(
            f"{describe_review(decided)}; a candidate is decided only once",
            field="candidate",
            rule="a_candidate_is_reviewed_once",
            current=id,
        )
    return found[id]


async def _promote(write: UnitOfWork, queue: Queue[Noticed, Written], candidate: Noticed) -> Written:
    try:
        return await queue.promote(write, candidate)
    except Unavailable:
        raise
    except TrigraphError as error:
        message = f"the candidate is still pending, because it cannot be written: {error.message}"
        raise type(error)(
            message,
            field="candidate",
            rule=error.rule,
            allowed=error.allowed,
            candidates=error.candidates,
            current=error.current,
        ) from error


def saved_review(queue: Queue[Noticed, Written]) -> SavedAnswer[Reviewed[Noticed, Written]]:
    """Return how the review of a queue's candidate is saved under its key."""
    return SavedAnswer(_to_response, partial(_restore, queue))


def _to_response(reviewed: Reviewed[Noticed, Written]) -> dict[str, Any]:
    written = None if reviewed.written is None else str(reviewed.written.id)
    return {"candidate": str(reviewed.candidate.id), "written": written, "position": reviewed.position}


async def _restore(
    queue: Queue[Noticed, Written],
    connection: asyncpg.Connection,
    tenant: TenantNumber,
    response: Mapping[str, Any],
) -> Reviewed[Noticed, Written]:
    id = UUID(response["candidate"])
    written = None if response["written"] is None else UUID(response["written"])
    found = await queue.by_id(connection, tenant, [id])
    there = {} if written is None else await queue.written_by_id(connection, tenant, [written])
    return Reviewed(found[id], None if written is None else there[written], response["position"])


REVIEWERS = frozenset({Role.HUMAN, Role.ADMIN})


class ReviewService:
    """Lists candidates and records decisions; each operation raises NotFound for an unknown project."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def alias_candidates(
        self, caller: Caller, project: str | None, status: CandidateStatus | None, page: PageRequest
    ) -> Listing[AliasCandidate]:
        """Return the likely aliases of a project and a status, the oldest first."""
        return await self._listing(caller, ALIASES, project, status, page)

    async def fact_candidates(
        self, caller: Caller, project: str | None, status: CandidateStatus | None, page: PageRequest
    ) -> Listing[FactCandidate]:
        """Return the likely facts of a project and a status, the oldest first."""
        return await self._listing(caller, FACTS, project, status, page)

    async def review_alias(
        self, caller: Caller, decision: Decision, idempotency_key: str | None = None
    ) -> Reviewed[AliasCandidate, Alias]:
        """Promote a likely alias, which writes it, or reject it; each candidate is reviewed once.

        Raises Forbidden unless a person asks, Invalid, NotFound, or Conflict; nothing is then written.
        """
        return await self._review(caller, ALIASES, decision, idempotency_key)

    async def review_fact(
        self, caller: Caller, decision: Decision, idempotency_key: str | None = None
    ) -> Reviewed[FactCandidate, EntityState]:
        """Promote a likely fact, which changes the entity's state, or reject it; each is reviewed once.

        Raises Forbidden unless a person asks, Invalid, NotFound, or Conflict; nothing is then written.
        """
        return await self._review(caller, FACTS, decision, idempotency_key)

    async def _listing(
        self,
        caller: Caller,
        queue: Queue[Noticed, Written],
        project: str | None,
        status: CandidateStatus | None,
        page: PageRequest,
    ) -> Listing[Noticed]:
        async with self._database.reading(caller.tenant) as connection:
            wanted = CandidateFilter(await project_numbers(connection, caller, project), status)
            found = await queue.page(connection, caller.tenant, wanted, page)

        async def count_all() -> int:
            async with self._database.reading(caller.tenant) as connection:
                return await queue.count(connection, caller.tenant, wanted)

        return Listing(found, count_all)

    async def _review(
        self,
        caller: Caller,
        queue: Queue[Noticed, Written],
        decision: Decision,
        idempotency_key: str | None,
    ) -> Reviewed[Noticed, Written]:
        require_reviewer(caller)
        decision = fit_decision(decision)
        keyed = idempotent_request(caller, queue.operation, idempotency_key, decision=decision)
        return await write_once(
            self._database, caller, keyed, saved_review(queue), lambda write: review(write, queue, decision)
        )


def require_reviewer(caller: Caller) -> None:
    """Raise Forbidden unless the caller is a person: nobody else may decide about candidates."""
    if caller.role not in REVIEWERS:
        raise Forbidden("only a person may review; use the token of a human or an admin")
