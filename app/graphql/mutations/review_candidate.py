"""The mutations reviewAliasCandidate and reviewFactCandidate."""

from __future__ import annotations

import strawberry

from app.domain import candidate as domain
from app.domain.entity import Alias as DomainAlias
from app.domain.temporal import EntityState as DomainState
from app.graphql.arguments import IDEMPOTENCY_KEY, id_of
from app.graphql.context import Context
from app.graphql.errors import Problem
from app.graphql.mutations.payload import answers_with, position_text
from app.graphql.types.alias import Alias
from app.graphql.types.candidate import AliasCandidate, FactCandidate
from app.graphql.types.enums import CandidateStatus
from app.graphql.types.state import EntityState
from app.services.review import Decision, Reviewed


@strawberry.input(description="What a person decides about a candidate.")
class ReviewCandidateInput:
    """The input of reviewAliasCandidate and reviewFactCandidate."""

    candidate: strawberry.ID = strawberry.field(description="The id of the candidate.")
    status: CandidateStatus = strawberry.field(
        description="PROMOTED writes what it says, on the authority of who decides; REJECTED writes nothing."
    )
    reason: str | None = strawberry.field(default=None, description="Why; at most 2,000 characters.")
    idempotency_key: str | None = strawberry.field(default=None, description=IDEMPOTENCY_KEY)

    def decision(self) -> Decision:
        """Return the decision; raise NotFound for an unknown id."""
        return Decision(id_of(self.candidate, "candidate", "candidate"), self.status, self.reason)


@strawberry.type(description="A likely alias as it was decided about.")
class AliasCandidatePayload:
    """The payload of reviewAliasCandidate."""

    candidate: AliasCandidate | None = strawberry.field(default=None, description="The candidate.")
    alias: Alias | None = strawberry.field(
        default=None, description="The alias that promoting it wrote, or the same one that was there."
    )
    position: str | None = strawberry.field(
        default=None, description="The write's place in the ledger; null when nothing but the queue changed."
    )
    problems: list[Problem] = strawberry.field(
        default_factory=list, description="Why the candidate stays as it was; empty when all went well."
    )

    @classmethod
    def of(cls, reviewed: Reviewed[domain.AliasCandidate, DomainAlias]) -> AliasCandidatePayload:
        """Create the payload from the decision."""
        return cls(
            candidate=AliasCandidate.of(reviewed.candidate),
            alias=None if reviewed.written is None else Alias.of(reviewed.written),
            position=position_text(reviewed.position),
        )


@answers_with(AliasCandidatePayload)
async def review_alias_candidate(
    context: Context, input: ReviewCandidateInput
) -> Reviewed[domain.AliasCandidate, DomainAlias]:
    """Decide."""
    return await context.review.review_alias(context.caller, input.decision(), input.idempotency_key)


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
        """Create the payload from the decision."""
        return cls(
            candidate=FactCandidate.of(reviewed.candidate),
            state=None if reviewed.written is None else EntityState.of(reviewed.written),
            position=position_text(reviewed.position),
        )


@answers_with(FactCandidatePayload)
async def review_fact_candidate(
    context: Context, input: ReviewCandidateInput
) -> Reviewed[domain.FactCandidate, DomainState]:
    """Decide."""
    return await context.review.review_fact(context.caller, input.decision(), input.idempotency_key)
