"""Deciding about a likely fact."""

from __future__ import annotations

import strawberry

from app.domain import candidate as domain
from app.domain.temporal import EntityState as DomainState
from app.errors import TrigraphError
from app.graphql.context import Info
from app.graphql.errors import Problem, problem_from
from app.graphql.mutations.review_alias_candidate import ReviewCandidateInput
from app.graphql.types.candidate import FactCandidate
from app.graphql.types.state import EntityState
from app.services.review import Reviewed


@strawberry.type(description="A likely fact as it was decided about.")
class FactCandidatePayload:
    """The payload of reviewFactCandidate."""

    candidate: FactCandidate | None = strawberry.field(default=None, description="The candidate.")
    state: EntityState | None = strawberry.field(
        default=None, description="The state that promoting it gave the entity."
    )
    position: str | None = strawberry.field(
        default=None, description="The write's place in the ledger; null when nothing but the queue changed."
    )
    problems: list[Problem] = strawberry.field(
        default_factory=list, description="Why the candidate stays as it was; empty when all went well."
    )

    @classmethod
    def of(cls, reviewed: Reviewed[domain.FactCandidate, DomainState]) -> FactCandidatePayload:
        """Wrap what was decided."""
        return cls(
            candidate=FactCandidate.of(reviewed.candidate),
            state=None if reviewed.written is None else EntityState.of(reviewed.written),
            position=None if reviewed.position is None else str(reviewed.position),
        )


async def review_fact_candidate(info: Info, input: ReviewCandidateInput) -> FactCandidatePayload:
    """Decide; a caller's mistake becomes a problem."""
    context = info.context
    context.renew()
    try:
        reviewed = await context.review.review_fact(context.caller, input.decision(), input.idempotency_key)
    except TrigraphError as error:
        return FactCandidatePayload(problems=[problem_from(error)])
    return FactCandidatePayload.of(reviewed)
