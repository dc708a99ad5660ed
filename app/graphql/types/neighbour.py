"""What is near an entity, along references or in meaning."""

from __future__ import annotations

import strawberry

from app.graphql.types.lazy import EntityType, ReferenceEdge


@strawberry.type(description="An entity that references lead to.")
class Neighbor:
    """A neighbour."""

    entity: EntityType = strawberry.field(description="The entity.")
    distance: int = strawberry.field(description="How many references away it is.")
    path: list[ReferenceEdge] = strawberry.field(description="The references that lead to it, one a step.")


@strawberry.type(description="An entity whose newest document is near in meaning.")
class SimilarEntity:
    """A similar entity."""

    entity: EntityType = strawberry.field(description="The entity.")
    score: float = strawberry.field(
        description="Cosine to its nearest passage: 1 for the same meaning, 0 for none."
    )
