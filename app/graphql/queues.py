"""The review queues that can be asked for."""

from __future__ import annotations

from typing import Annotated, TypeAlias

import strawberry

from app.graphql.arguments import ProjectArgument
from app.graphql.connections import (
    ALIAS_CANDIDATES,
    FACT_CANDIDATES,
    AfterArgument,
    Connection,
    FirstArgument,
)
from app.graphql.context import Info
from app.graphql.types.candidate import AliasCandidate, FactCandidate
from app.graphql.types.enums import CandidateStatus
from app.graphql.types.lazy import AliasCandidateType, FactCandidateType

StatusArgument: TypeAlias = Annotated[
    CandidateStatus | None,
    strawberry.argument(description="Those that wait, were promoted or were rejected alone; all by default."),
]


@strawberry.type(description="What waits for a person's decision, and what was decided.")
class Queues:
    """The review queues of the API."""

    @strawberry.field(description="The names that documents seem to give entities, the oldest first.")
    async def alias_candidates(
        self,
        info: Info,
        project: ProjectArgument = None,
        status: StatusArgument = None,
        first: FirstArgument = 20,
        after: AfterArgument = None,
    ) -> Connection[AliasCandidateType]:
        """List likely aliases."""
        page = ALIAS_CANDIDATES.request(first, after)
        listing = await info.context.review.alias_candidates(info.context.caller, project, status, page)
        return ALIAS_CANDIDATES.connection(listing.page, AliasCandidate.of, page, listing.count)

    @strawberry.field(description="The facts that documents seem to state, the oldest first.")
    async def fact_candidates(
        self,
        info: Info,
        project: ProjectArgument = None,
        status: StatusArgument = None,
        first: FirstArgument = 20,
        after: AfterArgument = None,
    ) -> Connection[FactCandidateType]:
        """List likely facts."""
        page = FACT_CANDIDATES.request(first, after)
        listing = await info.context.review.fact_candidates(info.context.caller, project, status, page)
        return FACT_CANDIDATES.connection(listing.page, FactCandidate.of, page, listing.count)
