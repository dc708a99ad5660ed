"""What can be changed, one file per action."""

from __future__ import annotations

from typing import Annotated

import strawberry

from app.graphql.context import Info
from app.graphql.mutations.file_artifact import FileArtifactInput, FileArtifactPayload, file_artifact
from app.graphql.mutations.review_alias_candidate import (
    AliasCandidatePayload,
    ReviewCandidateInput,
    review_alias_candidate,
)
from app.graphql.mutations.review_fact_candidate import FactCandidatePayload, review_fact_candidate


@strawberry.type(
    description="What can be changed. A caller's mistake is answered with `problems`, and nothing is written."
)
class Mutation:
    """The mutations of the API."""

    @strawberry.mutation(
        description="File a document: all of it is written at once, and searchable when this answers."
    )
    async def file_artifact(
        self,
        info: Info,
        input: Annotated[FileArtifactInput, strawberry.argument(description="The document.")],
    ) -> FileArtifactPayload:
        """File a document."""
        return await file_artifact(info, input)

    @strawberry.mutation(
        description="Promote a likely alias, which then means its entity from its document's date on, or"
        " reject it. For people alone, and once: the second decision is a conflict."
    )
    async def review_alias_candidate(
        self,
        info: Info,
        input: Annotated[ReviewCandidateInput, strawberry.argument(description="The decision.")],
    ) -> AliasCandidatePayload:
        """Decide about a likely alias."""
        return await review_alias_candidate(info, input)

    @strawberry.mutation(
        description="Promote a likely fact, which then holds from its document's date on, or reject it. For"
        " people alone, and once: the second decision is a conflict."
    )
    async def review_fact_candidate(
        self,
        info: Info,
        input: Annotated[ReviewCandidateInput, strawberry.argument(description="The decision.")],
    ) -> FactCandidatePayload:
        """Decide about a likely fact."""
        return await review_fact_candidate(info, input)
