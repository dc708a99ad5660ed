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


@strawberry.input(description="The decision of a person about a candidate.")
class ReviewCandidateInput:
    """The input of reviewAliasCandidate and reviewFactCandidate."""

    candidate: strawberry.ID = strawberry.field(description="The id of the candidate.")
    status: CandidateStatus = strawberry.field(
        description="PROMOTED writes the alias or fact with the authority of the caller. REJECTED writes only"
        " the decision."
    )
    reason: str | None = strawberry.field(
        default=None, description="The reason, of at most 2,000 characters."
    )
    idempotency_key: str | None = strawberry.field(default=None, description=IDEMPOTENCY_KEY)

    def decision(self) -> Decision:
        """Return the decision; raise NotFound for an unknown id."""
        return Decision(id_of(self.candidate, "candidate", "candidate"), self.status, self.reason)


@strawberry.type(description="The result of reviewAliasCandidate.")
class AliasCandidatePayload:
    """The payload of reviewAliasCandidate."""

    candidate: AliasCandidate | None = strawberry.field(
        default=None, description="The candidate after the decision."
    )
    alias: Alias | None = strawberry.field(
        default=None,
        description="The alias that the promotion created, or the same one if it already existed. It holds"
        " from its validFrom, the date of the document.",
    )
    position: str | None = strawberry.field(
        default=None, description="The position of the write in the ledger; null if only the queue changed."
    )
    problems: list[Problem] = strawberry.field(
        default_factory=list, description="The reasons why the candidate did not change; empty on success."
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


@strawberry.type(description="The result of reviewFactCandidate.")
class FactCandidatePayload:
    """The payload of reviewFactCandidate."""

    candidate: FactCandidate | None = strawberry.field(
        default=None, description="The candidate after the decision."
    )
    state: EntityState | None = strawberry.field(
        default=None,
        description="The state that the promotion created. The fact holds from its validFrom: the date of the"
        " document, or the beginning of the entity if that is later.",
    )
    position: str | None = strawberry.field(
        default=None, description="The position of the write in the ledger; null if only the queue changed."
    )
    problems: list[Problem] = strawberry.field(
        default_factory=list, description="The reasons why the candidate did not change; empty on success."
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
