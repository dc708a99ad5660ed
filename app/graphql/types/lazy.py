"""Lazy references between types, resolved when the schema is built."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, TypeAlias

import strawberry

if TYPE_CHECKING:
    from app.graphql.types.alias import Alias
    from app.graphql.types.artifact import Artifact
    from app.graphql.types.candidate import AliasCandidate, FactCandidate
    from app.graphql.types.entity import Entity
    from app.graphql.types.reference import Reference
    from app.graphql.types.state import EntityState, StateEvent

AliasType: TypeAlias = Annotated["Alias", strawberry.lazy("app.graphql.types.alias")]
AliasCandidateType: TypeAlias = Annotated["AliasCandidate", strawberry.lazy("app.graphql.types.candidate")]
ArtifactType: TypeAlias = Annotated["Artifact", strawberry.lazy("app.graphql.types.artifact")]
EntityType: TypeAlias = Annotated["Entity", strawberry.lazy("app.graphql.types.entity")]
EventType: TypeAlias = Annotated["StateEvent", strawberry.lazy("app.graphql.types.state")]
FactCandidateType: TypeAlias = Annotated["FactCandidate", strawberry.lazy("app.graphql.types.candidate")]
ReferenceEdge: TypeAlias = Annotated["Reference", strawberry.lazy("app.graphql.types.reference")]
StateType: TypeAlias = Annotated["EntityState", strawberry.lazy("app.graphql.types.state")]
