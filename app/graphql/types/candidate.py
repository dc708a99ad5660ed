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
from app.graphql.types.node import ArtifactType, EntityType, Node, finds, require_found


@strawberry.interface(
    description="A likely alias or fact that was noticed in a document. A person decides about it."
)
class Candidate(Node):
    """What likely aliases and likely facts share."""

    quote: str = strawberry.field(description="The quoted words of the document.")
    quote_start: int = strawberry.field(
        description="The offset in the document's body at which the quote starts, in Unicode code points."
        " JavaScript counts UTF-16 units: there the quote is `Array.from(body).slice(quoteStart, quoteEnd)`."
    )
    quote_end: int = strawberry.field(
        description="The offset in the document's body at which the quote ends, in Unicode code points: that"
        " of the first character after it."
    )
    status: CandidateStatus = strawberry.field(description="Whether it is pending, promoted or rejected.")
    recorded_at: datetime = strawberry.field(description="The time at which it was noticed.")
    reviewed_by: str | None = strawberry.field(
        description="The person who decided; null while it is pending."
    )
    reviewed_at: datetime | None = strawberry.field(
        description="The time of the decision; null while it is pending."
    )
    review_reason: str | None = strawberry.field(description="The reason for the decision, if one was given.")
    noticed: strawberry.Private[domain.Candidate]

    @strawberry.field(description="The entity that it is about.")
    async def entity(self, info: Info) -> EntityType:
        """Load its entity."""
        return await entities.load_entity(info, self.noticed.entity)

    @strawberry.field(description="The document that it was noticed in.")
    async def artifact(self, info: Info) -> ArtifactType:
        """Load its artifact."""
        return require_found(await artifacts.find_artifact(info, self.noticed.artifact))


@strawberry.type(description="A name that a document seems to give to an entity.")
class AliasCandidate(Candidate):
    """A likely alias."""

    surface_form: str = strawberry.field(description="The name, alias or identifier.")

    @classmethod
    def of(cls, candidate: domain.AliasCandidate) -> AliasCandidate:
        """Wrap a likely alias."""
        return cls(surface_form=candidate.surface_form, **_shared_fields(candidate))


@strawberry.type(description="A property value that a document seems to state.")
class FactCandidate(Candidate):
    """A likely fact."""

    property: str = strawberry.field(description="The name of the property.")
    value: JSON = strawberry.field(
        description="The value that the property seems to have from the date of the document."
    )

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
        "quote_end": candidate.quote.start + len(candidate.quote.text),
        "status": domain.status_of(candidate),
        "recorded_at": candidate.recorded_at,
        "reviewed_by": None if review is None else review.actor,
        "reviewed_at": None if review is None else review.at,
        "review_reason": None if review is None else review.reason,
        "noticed": candidate,
    }


@finds("AliasCandidate")
async def find_alias_candidate(info: Info, id: UUID) -> AliasCandidate | None:
    """Load the likely alias of an id; None if there is none."""
    found = await info.context.loaders.alias_candidate_by_id.load(id)
    return None if found is None else AliasCandidate.of(found)


@finds("FactCandidate")
async def find_fact_candidate(info: Info, id: UUID) -> FactCandidate | None:
    """Load the likely fact of an id; None if there is none."""
    found = await info.context.loaders.fact_candidate_by_id.load(id)
    return None if found is None else FactCandidate.of(found)
