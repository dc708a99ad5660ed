"""The result of a recall."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

import strawberry

from app.domain import recall as domain
from app.graphql.context import Info
from app.graphql.types.artifact import Artifact, Passage
from app.graphql.types.entity import Entity, find_entity
from app.graphql.types.enums import FlagGround, LegName, StateFlag
from app.graphql.types.lazy import EntityType
from app.graphql.types.state import EntityState


@strawberry.type(description="What one leg gave to a hit's score.")
class LegContribution:
    """A leg's share."""

    leg: LegName = strawberry.field(description="The leg.")
    rank: int = strawberry.field(description="The hit's place among the leg's candidates, from 1.")
    score: float = strawberry.field(description="The leg's own score, on its own scale; higher is better.")
    contribution: float = strawberry.field(
        description="What that adds to the hit's score; RECENCY takes a little from what is old."
    )

    @classmethod
    def of(cls, share: domain.LegContribution) -> LegContribution:
        """Wrap a contribution."""
        return cls(leg=share.leg, rank=share.rank, score=share.score, contribution=share.contribution)


@strawberry.type(description="How one leg did.")
class LegReport:
    """A leg's report."""

    leg: LegName = strawberry.field(description="The leg.")
    candidates: int = strawberry.field(description="How many artifacts it proposed.")
    milliseconds: float = strawberry.field(description="How long it took.")
    served: str = strawberry.field(description="The store that answered.")
    problem: str | None = strawberry.field(description="Why it was late or failed; null when it answered.")
    approximate: bool = strawberry.field(
        description="Whether it may have missed a document that fits better: an index of nearest vectors,"
        " used in large projects, finds nearly all of them. Ask with asOf or knownAt, as this result tells"
        " them, and every vector is looked at, which takes longer and answers the same each time."
    )

    @classmethod
    def of(cls, ranking: domain.Ranking) -> LegReport:
        """Wrap a ranking."""
        return cls(
            leg=ranking.leg,
            candidates=len(ranking.candidates),
            milliseconds=ranking.milliseconds,
            served=ranking.served,
            problem=ranking.problem,
            approximate=ranking.approximate,
        )


@strawberry.type(description="An entity that the query names.")
class Anchor:
    """An anchor."""

    entity: EntityType = strawberry.field(description="The entity.")
    surface_form: str = strawberry.field(description="The form by which the query names it.")
    state: EntityState | None = strawberry.field(description="Its state at the asked instant.")

    @classmethod
    def of(cls, anchor: domain.Anchor) -> Anchor:
        """Wrap an anchor."""
        return cls(
            entity=Entity.of(anchor.entity),
            surface_form=anchor.surface_form,
            state=None if anchor.state is None else EntityState.of(anchor.state),
        )


@strawberry.type(description="One answer: a document, its best passage, and whether it still holds.")
class Hit:
    """A hit."""

    artifact: Artifact = strawberry.field(description="The document.")
    passage: Passage = strawberry.field(description="The passage that answers best.")
    content: str = strawberry.field(description="The text of that passage.")
    score: float = strawberry.field(
        description="The fused score, comparable within one result only. Ranks may differ from its order:"
        " what the query names leads, and what replaced a hit stands above it."
    )
    rank: int = strawberry.field(description="Its place in the order of all hits, from 1.")
    state_flag: StateFlag | None = strawberry.field(
        description="Whether it is current, historical or a draft."
    )
    state_summary: str | None = strawberry.field(
        description="Why, in one line; null when there is nothing to add."
    )
    flag_ground: FlagGround | None = strawberry.field(description="What the flag rests on.")
    state: EntityState | None = strawberry.field(description="The state of its entity at the asked instant.")
    explanation: list[LegContribution] = strawberry.field(
        description="What each leg gave to its score; empty for a hit that no leg proposed, which is named by"
        " the query or replaced another hit."
    )
    superseder_id: strawberry.Private[UUID | None]

    @classmethod
    def of(cls, hit: domain.Hit) -> Hit:
        """Wrap a hit."""
        standing = hit.annotation
        return cls(
            artifact=Artifact.of(hit.artifact),
            passage=Passage.of(hit.passage),
            content=hit.passage.text,
            score=hit.score,
            rank=hit.rank,
            state_flag=standing.flag,
            state_summary=standing.summary,
            flag_ground=standing.ground,
            state=None if standing.state is None else EntityState.of(standing.state),
            explanation=[LegContribution.of(share) for share in hit.contributions],
            superseder_id=standing.superseded_by,
        )

    @strawberry.field(description="What the document is a version of.")
    async def entity(self, info: Info) -> EntityType | None:
        """Load its entity."""
        return await find_entity(info, self.artifact.entity_id)

    @strawberry.field(
        description="What replaced it: the entity that superseded it, or its own when a newer version did."
    )
    async def superseded_by(self, info: Info) -> EntityType | None:
        """Load what replaced it."""
        return None if self.superseder_id is None else await find_entity(info, self.superseder_id)


@strawberry.type(description="The answer to a question.")
class RecallResult:
    """A recall's result."""

    id: strawberry.ID = strawberry.field(description="The id of this answer.")
    hits: list[Hit] = strawberry.field(description="The answers, best first.")
    anchors: list[Anchor] = strawberry.field(description="The entities that the query names.")
    legs: list[LegReport] = strawberry.field(description="How each leg did.")
    as_of: datetime = strawberry.field(
        description="The instant it was answered for; ask with it again for the same."
    )
    known_at: datetime = strawberry.field(
        description="By what was known at this instant; ask with it again for the same."
    )
    tokens_used: int = strawberry.field(
        description="How many word pieces the passages of the hits have together."
    )
    confidence: float | None = strawberry.field(
        description="How likely it is, from 0 to 1, that something here answers the question; below .2 an"
        " advisory says that nothing seems to. Null when the DENSE leg did not answer."
    )
    advisories: list[str] = strawberry.field(description="What to bear in mind when reading this answer.")

    @classmethod
    def of(cls, result: domain.RecallResult) -> RecallResult:
        """Wrap a result."""
        return cls(
            id=strawberry.ID(str(result.id)),
            hits=[Hit.of(hit) for hit in result.hits],
            anchors=[Anchor.of(anchor) for anchor in result.anchors],
            legs=[LegReport.of(ranking) for ranking in result.legs],
            as_of=result.as_of,
            known_at=result.known_at,
            tokens_used=result.tokens_used,
            confidence=result.confidence,
            advisories=list(result.advisories),
        )
