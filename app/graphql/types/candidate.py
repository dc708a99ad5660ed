"""Candidates: likely aliases and facts that a person reviews."""

from __future__ import annotations

from datetime import datetime
from typing import Any
from uuid import UUID

import strawberry
from strawberry.scalars import JSON

from app.domain import candidate as domain
from app.graphql.context import Info
from app.graphql.types import artifact as artifacts
from app.graphql.types import entity as entities
from app.graphql.types.enums import CandidateStatus
from app.graphql.types.lazy import ArtifactType, EntityType
from app.graphql.types.node import Node, require_found


@strawberry.interface(description="Something that a document seems to say and that a person decides about.")
class Candidate(Node):
    """What likely aliases and likely facts share."""

    quote: str = strawberry.field(description="The words of the document that say so.")
    quote_start: int = strawberry.field(
        description="Where the quote starts in the document's body, in Unicode characters."
    )
    status: CandidateStatus = strawberry.field(description="Whether it waits, or what was decided.")
    recorded_at: datetime = strawberry.field(description="When it was noticed.")
    reviewed_by: str | None = strawberry.field(description="Who decided; null while it waits.")
    reviewed_at: datetime | None = strawberry.field(description="When that was; null while it waits.")
    review_reason: str | None = strawberry.field(description="Why, if whoever decided said so.")
    noticed: strawberry.Private[domain.Candidate]

    @strawberry.field(description="What it is about.")
    async def entity(self, info: Info) -> EntityType:
        """Load its entity."""
        return await entities.load_entity(info, self.noticed.entity)

    @strawberry.field(description="The document that seems to say so.")
    async def artifact(self, info: Info) -> ArtifactType:
        """Load its artifact."""
        return require_found(await artifacts.find_artifact(info, self.noticed.artifact))


@strawberry.type(description="Another name that a document seems to give an entity.")
class AliasCandidate(Candidate):
    """A likely alias."""

    surface_form: str = strawberry.field(description="The name as it is written.")

    @classmethod
    def of(cls, candidate: domain.AliasCandidate) -> AliasCandidate:
        """Wrap a likely alias."""
        return cls(surface_form=candidate.surface_form, **_shared_fields(candidate))


@strawberry.type(description="A property's value that a document seems to state.")
class FactCandidate(Candidate):
    """A likely fact."""

    property: str = strawberry.field(description="The property of the entity.")
    value: JSON = strawberry.field(description="The value that it seems to have from then on.")

    @classmethod
    def of(cls, candidate: domain.FactCandidate) -> FactCandidate:
        """Wrap a likely fact."""
        return cls(property=candidate.property, value=JSON(candidate.value), **_shared_fields(candidate))


def _shared_fields(candidate: domain.Candidate) -> dict[str, Any]:
    review = candidate.review
    return {
        "id": strawberry.ID(str(candidate.id)),
        "quote": candidate.quote.text,
        "quote_start": candidate.quote.start,
        "status": domain.status_of(candidate),
        "recorded_at": candidate.recorded_at,
        "reviewed_by": None if review is None else review.actor,
        "reviewed_at": None if review is None else review.at,
        "review_reason": None if review is None else review.reason,
        "noticed": candidate,
    }


async def find_alias_candidate(info: Info, id: UUID) -> AliasCandidate | None:
    """Load the likely alias of an id; None if there is none."""
    found = await info.context.loaders.alias_candidate_by_id.load(id)
    return None if found is None else AliasCandidate.of(found)


async def find_fact_candidate(info: Info, id: UUID) -> FactCandidate | None:
    """Load the likely fact of an id; None if there is none."""
    found = await info.context.loaders.fact_candidate_by_id.load(id)
    return None if found is None else FactCandidate.of(found)
