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
from app.graphql.types.node import EntityType
from app.graphql.types.state import EntityState


@strawberry.type(description="The contribution of one leg to the score of a hit.")
class LegContribution:
    """A leg's share."""

    leg: LegName = strawberry.field(description="The leg.")
    rank: int = strawberry.field(description="The rank of the hit among the candidates of the leg, from 1.")
    score: float = strawberry.field(
        description="The score in the leg, on the leg's own scale. Higher is better."
    )
    contribution: float = strawberry.field(
        description="The part of the hit's score that comes from this leg. RECENCY lowers the score of old"
        " documents a little."
    )

    @classmethod
    def of(cls, share: domain.LegContribution) -> LegContribution:
        """Wrap a contribution."""
        return cls(leg=share.leg, rank=share.rank, score=share.score, contribution=share.contribution)


@strawberry.type(description="The outcome of one leg.")
class LegReport:
    """A leg's report."""

    leg: LegName = strawberry.field(description="The leg.")
    candidates: int = strawberry.field(description="The number of artifacts that it found.")
    milliseconds: float = strawberry.field(description="Its duration in milliseconds.")
    served: str = strawberry.field(description="The database that served it.")
    problem: str | None = strawberry.field(description="Why it was late or failed; null if it succeeded.")
    approximate: bool = strawberry.field(
        description="Whether the leg may have missed a document that fits better. In large projects it uses"
        " an approximate vector index, which finds nearly all of them. With the asOf and knownAt"
        " of this result the leg compares every vector, which takes longer and always gives the"
        " same result."
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
    surface_form: str = strawberry.field(description="The name that the query uses for the entity.")
    state: EntityState | None = strawberry.field(description="Its state at the instant of the query.")

    @classmethod
    def of(cls, anchor: domain.Anchor) -> Anchor:
        """Wrap an anchor."""
        return cls(
            entity=Entity.of(anchor.entity),
            surface_form=anchor.surface_form,
            state=None if anchor.state is None else EntityState.of(anchor.state),
        )


@strawberry.type(
    description="One result: a document, its best passage, and whether the document is in force."
)
class Hit:
    """A hit."""

    artifact: Artifact = strawberry.field(description="The document to file.")
    passage: Passage = strawberry.field(description="The passage that fits the query best.")
    content: str = strawberry.field(description="The text of that passage.")
    score: float = strawberry.field(
        description="The fused score. Compare it only within one result. The order of the hits may differ"
        " from it: a document that the query names comes first, and the replacement of a hit"
        " stands above that hit."
    )
    rank: int = strawberry.field(description="Its rank among the hits, from 1.")
    state_flag: StateFlag | None = strawberry.field(
        description="Whether it is current, historical or a draft."
    )
    state_summary: str | None = strawberry.field(
        description="The reason for the flag, in one line; null if there is nothing to add."
    )
    flag_ground: FlagGround | None = strawberry.field(description="The evidence for the flag.")
    state: EntityState | None = strawberry.field(
        description="The state of its entity at the instant of the query."
    )
    explanation: list[LegContribution] = strawberry.field(
        description="The contribution of each leg to the score. It is empty if no leg found the document, but"
        " the query names it or it replaced another hit."
    )
    superseder_id: strawberry.Private[UUID | None]

    @classmethod
    def of(cls, hit: domain.Hit) -> Hit:
        """Wrap a hit."""
        standing = hit.annotation
        return cls(
            artifact=Artifact.of(hit.artifact),
            passage=Passage.of(hit.passage, hit.artifact),
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

    @strawberry.field(description="The entity that the document is a version of.")
    async def entity(self, info: Info) -> EntityType | None:
        """Load its entity."""
        return await find_entity(info, self.artifact.entity_id)

    @strawberry.field(
        description="The entity that superseded it; its own entity if a newer version replaced it."
    )
    async def superseded_by(self, info: Info) -> EntityType | None:
        """Load what replaced it."""
        return None if self.superseder_id is None else await find_entity(info, self.superseder_id)


@strawberry.type(description="The result of a recall.")
class RecallResult:
    """A recall's result."""

    id: strawberry.ID = strawberry.field(description="The id of this result.")
    hits: list[Hit] = strawberry.field(description="The hits, best first.")
    anchors: list[Anchor] = strawberry.field(description="The entities that the query names.")
    legs: list[LegReport] = strawberry.field(description="The outcome of each leg.")
    as_of: datetime = strawberry.field(
        description="The instant in valid time that was used. Pass it as asOf to get the same result again."
    )
    known_at: datetime = strawberry.field(
        description="The instant in transaction time that was used. Pass it as knownAt to get the same result"
        " again."
    )
    tokens_used: int = strawberry.field(
        description="The number of tokens (word pieces of the encoder) in the passages of all hits together."
    )
    confidence: float | None = strawberry.field(
        description="The probability, from 0 to 1, that a hit answers the question. Below .2 an advisory says"
        " that probably none does. Null if the DENSE leg failed."
    )
    advisories: list[str] = strawberry.field(
        description="Notes about this result, such as a leg that failed or hits that were left out."
    )

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
