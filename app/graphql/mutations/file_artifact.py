"""The mutation fileArtifact."""

from __future__ import annotations

from datetime import datetime

import strawberry

from app.graphql.arguments import IDEMPOTENCY_KEY
from app.graphql.context import Context
from app.graphql.errors import Problem
from app.graphql.mutations.payload import answers_with, position_text
from app.graphql.types.artifact import Artifact
from app.graphql.types.entity import Entity
from app.graphql.types.enums import MemoryDomain
from app.graphql.types.reference import Reference
from app.graphql.types.state import EntityState
from app.services.catalog import describe_pending
from app.services.filing import FiledDocument, StatedDocument, read_stated


@strawberry.input(description="A document to file. What is given here wins over what its text says.")
class FileArtifactInput:
    """The input of fileArtifact."""

    kind: str = strawberry.field(
        description="The name of a document type, such as ADR, compared without case."
    )
    body: str = strawberry.field(
        description="The document in Markdown, with its header if it has one. All of it is indexed but"
        " words of more than 128 bytes; one of more than 5,000 passages, about a million words, is refused,"
        " not cut."
    )
    project: str | None = strawberry.field(
        default=None, description="The key of the project, made when it is new; default without one."
    )
    identifier: str | None = strawberry.field(
        default=None,
        description="What it is cited by, such as ADR-7; at most 256 characters. A changed document filed"
        " under it is a new version. Without one sourceUri tells what is the same, without both the text.",
    )
    title: str | None = strawberry.field(default=None, description="Its title; at most 1,024 characters.")
    status: str | None = strawberry.field(default=None, description="Its status, such as Accepted.")
    domain: MemoryDomain | None = strawberry.field(
        default=None, description="The part of memory it belongs to."
    )
    created_at: datetime | None = strawberry.field(default=None, description="When it takes effect.")
    source_uri: str | None = strawberry.field(
        default=None, description="Where it was found; at most 4,096 characters."
    )
    source_commit: str | None = strawberry.field(default=None, description="The commit it was found at.")
    idempotency_key: str | None = strawberry.field(default=None, description=IDEMPOTENCY_KEY)

    def to_document(self) -> StatedDocument:
        """Return the document that the input states."""
        return StatedDocument(
            kind=self.kind,
            body=self.body,
            identifier=self.identifier,
            title=self.title,
            status=self.status,
            domain=self.domain,
            created_at=self.created_at,
            source_uri=self.source_uri,
            source_commit=self.source_commit,
        )


@strawberry.type(description="What filing a document left in the ledger.")
class FileArtifactPayload:
    """The payload of fileArtifact."""

    artifact: Artifact | None = strawberry.field(
        default=None, description="The document, or the same one filed before."
    )
    entity: Entity | None = strawberry.field(default=None, description="What it is a version of.")
    state: EntityState | None = strawberry.field(
        default=None, description="The state that it gives its entity."
    )
    created: bool = strawberry.field(
        default=False,
        description="Whether something was written; false when the newest version says the same.",
    )
    references: list[Reference] | None = strawberry.field(
        default_factory=list,
        description="The references it made, to what is there already; null when what was asked of them"
        " could not be read, which undoes nothing.",
    )
    candidates: int = strawberry.field(
        default=0, description="How many likely aliases and facts now wait in the review queue."
    )
    warnings: list[str] = strawberry.field(
        default_factory=list,
        description="What was odd in the document, and how it was read; which of its references wait for what"
        " is not there yet.",
    )
    position: str | None = strawberry.field(
        default=None, description="The write's place in the ledger; null when nothing was written."
    )
    problems: list[Problem] = strawberry.field(
        default_factory=list, description="Why nothing was written; empty when all went well."
    )

    @classmethod
    def of(cls, filed: FiledDocument) -> FileArtifactPayload:
        """Create the payload from the filed document."""
        return cls(
            artifact=Artifact.of(filed.artifact),
            entity=Entity.of(filed.entity),
            state=EntityState.of(filed.state),
            created=filed.created,
            references=[Reference.of(reference) for reference in filed.references],
            candidates=filed.candidates,
            warnings=[*filed.warnings, *describe_pending(filed.pending)],
            position=position_text(filed.position),
        )


@answers_with(FileArtifactPayload)
async def file_artifact(context: Context, input: FileArtifactInput) -> FiledDocument:
    """File the document."""
    prefixes = await context.filing.prefixes(context.caller, input.project)
    document = await read_stated(input.to_document(), prefixes)
    return await context.filing.file(
        context.caller, document, input.project, idempotency_key=input.idempotency_key
    )
