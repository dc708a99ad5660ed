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


@strawberry.input(
    description="The document to file. A value given here takes precedence over the same value in the"
    " document's text."
)
class FileArtifactInput:
    """The input of fileArtifact."""

    kind: str = strawberry.field(
        description="The name of a document type, such as ADR; case does not matter."
    )
    body: str = strawberry.field(
        description="The document in Markdown, with its header if it has one. Words of more than 128 bytes"
        " are not indexed. A document of more than 5,000 passages, about a million words, is"
        " rejected, not cut."
    )
    project: str | None = strawberry.field(
        default=None,
        description="The key of the project; it is created if it does not exist. The default is the project"
        " `default`.",
    )
    identifier: str | None = strawberry.field(
        default=None,
        description="Its identifier, such as ADR-7, of at most 256 characters. A changed document with the"
        " same identifier is a new version. Without an identifier the document is known by its"
        " sourceUri, and without that by its text.",
    )
    title: str | None = strawberry.field(default=None, description="Its title, of at most 1,024 characters.")
    status: str | None = strawberry.field(default=None, description="Its status, such as Accepted.")
    domain: MemoryDomain | None = strawberry.field(
        default=None, description="The memory domain that it belongs to."
    )
    created_at: datetime | None = strawberry.field(
        default=None,
        description="The instant from which it is valid. The default is the date in its header, or now.",
    )
    source_uri: str | None = strawberry.field(
        default=None, description="The URI or path where it was found, of at most 4,096 characters."
    )
    source_commit: str | None = strawberry.field(
        default=None, description="The commit at which it was found."
    )
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


@strawberry.type(description="The result of fileArtifact.")
class FileArtifactPayload:
    """The payload of fileArtifact."""

    artifact: Artifact | None = strawberry.field(
        default=None, description="The new document, or the existing one if nothing changed."
    )
    entity: Entity | None = strawberry.field(
        default=None, description="The entity that the document is a version of."
    )
    state: EntityState | None = strawberry.field(
        default=None, description="The state that the document gives to its entity."
    )
    created: bool = strawberry.field(
        default=False,
        description="Whether something was written; false if the newest version has the same content.",
    )
    references: list[Reference] | None = strawberry.field(
        default_factory=list,
        description="The references that the document makes to existing entities. Null if their requested"
        " fields could not be read; the document is filed in that case too.",
    )
    candidates: int = strawberry.field(
        default=0,
        description="The number of alias candidates and fact candidates that the document put into the review"
        " queue.",
    )
    warnings: list[str] = strawberry.field(
        default_factory=list,
        description="Warnings: what was unusual in the document and how it was read, and which of its"
        " references are unresolved.",
    )
    position: str | None = strawberry.field(
        default=None, description="The position of the write in the ledger; null if nothing was written."
    )
    problems: list[Problem] = strawberry.field(
        default_factory=list, description="The reasons why nothing was written; empty on success."
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
