"""What can be changed, one file per action."""

from __future__ import annotations

from typing import Annotated

import strawberry

from app.graphql.context import Info
from app.graphql.mutations.file_artifact import FileArtifactInput, FileArtifactPayload, file_artifact


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
