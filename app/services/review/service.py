"""List the review queues, and record the decisions of people about candidates."""

from __future__ import annotations

from app.domain.candidate import AliasCandidate, CandidateStatus, FactCandidate
from app.domain.entity import Alias, Caller, Role
from app.domain.page import PageRequest
from app.domain.temporal import EntityState
from app.errors import Forbidden
from app.services.catalog import Listing
from app.services.catalog.lookup import project_numbers
from app.services.idempotency import idempotent_request, write_once
from app.services.review.decide import (
    ALIASES,
    FACTS,
    Decision,
    Noticed,
    Queue,
    Reviewed,
    Written,
    fit_decision,
    review,
    saved_review,
)
from app.stores.postgres.candidates import CandidateFilter
from app.stores.postgres.pool import Database

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
