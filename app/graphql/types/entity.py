"""Entities and their edges."""

from __future__ import annotations

import asyncio
from datetime import datetime
from typing import Annotated, TypeVar
from uuid import UUID

import strawberry

from app.domain import entity as domain
from app.domain.temporal import known_moment
from app.graphql.arguments import AsOfArgument, CommittedFirstArgument, KnownAtArgument
from app.graphql.connections import (
    ARTIFACTS,
    REFERENCES,
    STATES,
    AfterArgument,
    BeforeArgument,
    Connection,
    FirstArgument,
    LastArgument,
)
from app.graphql.context import Info, moment_of
from app.graphql.types import alias as aliases
from app.graphql.types import artifact as artifacts
from app.graphql.types import reference as references
from app.graphql.types import state as states
from app.graphql.types.enums import Direction, ReferenceType, StateFlag
from app.graphql.types.node import (
    AliasType,
    ArtifactType,
    EntityType,
    Node,
    ReferenceEdge,
    StateType,
    finds,
    require_found,
)
from app.graphql.types.project import Project, Type
from app.graphql.types.withdrawal import Absence, begins_by
from app.loaders import (
    BatchedKey,
    HistoryQuestion,
    NeighbourQuestion,
    ReferenceQuestion,
    SimilarQuestion,
    StateQuestion,
)


@strawberry.type(description="An entity that references lead to.")
class Neighbor:
    """A neighbour."""

    entity: EntityType = strawberry.field(description="The entity.")
    distance: int = strawberry.field(description="The number of references between the two entities.")
    path: list[ReferenceEdge] = strawberry.field(description="The references that lead to it, in order.")


@strawberry.type(description="An entity whose newest document is similar in meaning.")
class SimilarEntity:
    """A similar entity."""

    entity: EntityType = strawberry.field(description="The entity.")
    score: float = strawberry.field(
        description="The cosine similarity of the nearest passages: 1 is the same meaning, 0 is no relation."
    )


Question = TypeVar("Question")


@strawberry.type(
    description="A thing with an identity of its own. Everything about it that can change is state."
)
class Entity(Node):
    """An entity."""

    created_at: datetime | None = strawberry.field(
        description="The instant at which it begins; null if nobody knows."
    )
    known: strawberry.Private[domain.Entity]

    @classmethod
    def of(cls, entity: domain.Entity) -> Entity:
        """Wrap an entity."""
        return cls(id=strawberry.ID(str(entity.id)), created_at=known_moment(entity.created_at), known=entity)

    @strawberry.field(description="The type of the entity.")
    async def type(self, info: Info) -> Type:
        """Load its type."""
        return Type.of(require_found(await info.context.loaders.type_by_entity_id.load(self.known.id)))

    @strawberry.field(description="The project that it belongs to.")
    async def project(self, info: Info) -> Project:
        """Load its project."""
        return Project.of(
            require_found(await info.context.loaders.project_by_number.load(self.known.project))
        )

    @strawberry.field(description="The document that it was first read from.")
    async def source_artifact(self, info: Info) -> ArtifactType | None:
        """Load its first artifact."""
        return await artifacts.find_artifact(info, self.known.source_artifact)

    @strawberry.field(
        description="The name of the entity at the instant of the fields above, or at its start if that is"
        " later: its name, title or identifier, or else its immutable properties."
    )
    async def label(self, info: Info) -> str:
        """Load its label."""
        return require_found(await info.context.loaders.label_by_entity.load(self._key(moment_of(info))))

    @strawberry.field(
        description="Its state at an instant; null before its first state. With preferWip it is the open"
        " draft, if there is one."
    )
    async def state(
        self,
        info: Info,
        as_of: AsOfArgument = None,
        known_at: KnownAtArgument = None,
        prefer_wip: CommittedFirstArgument = False,
    ) -> StateType | None:
        """Load the state of a moment."""
        question = StateQuestion(moment_of(info, as_of, known_at), bool(prefer_wip))
        found = await info.context.loaders.state_by_entity.load(self._key(question))
        return None if found is None else states.EntityState.of(found)

    @strawberry.field(
        description="Whether it is current, historical or a draft at the instant of the fields above,"
        " by its committed state. Null if its status says nothing, and before its first state."
    )
    async def state_flag(self, info: Info) -> StateFlag | None:
        """Load its flag."""
        return await info.context.flags.load((self.known.id, moment_of(info)))

    @strawberry.field(
        description="The status that its committed state has at the instant of the fields above, as it was"
        " written; null if it has none."
    )
    async def status(self, info: Info) -> str | None:
        """Load its status."""
        return await self._property(info, "status")

    @strawberry.field(
        description="The identifier that its document is cited by at the instant of the fields above, such as"
        " ADR-7; null if it has none."
    )
    async def identifier(self, info: Info) -> str | None:
        """Load its identifier."""
        return await self._property(info, "identifier")

    @strawberry.field(
        description="All its states, drafts included, earliest first; below a field with asOf, those that"
        " begin by then."
    )
    async def states(
        self,
        info: Info,
        known_at: KnownAtArgument = None,
        first: FirstArgument = 20,
        after: AfterArgument = None,
        last: LastArgument = None,
        before: BeforeArgument = None,
    ) -> Connection[StateType]:
        """Load a page of its history."""
        order, moment = STATES.about(self.id, known_at), moment_of(info, known_at=known_at)
        page = order.request(info, first, after, last, before)
        loaders = info.context.loaders
        found = await loaders.states_by_entity.load(self._key(HistoryQuestion(moment, page)))
        return order.connection(
            found,
            states.EntityState.of,
            lambda: loaders.state_count_by_entity.load(self._key(moment)),
        )

    @strawberry.field(description="Its other names.")
    async def aliases(self, info: Info, as_of: AsOfArgument = None) -> list[AliasType]:
        """Load its aliases."""
        found = await info.context.loaders.aliases_by_entity.load(self._key(moment_of(info, as_of)))
        return [aliases.Alias.of(alias) for alias in found]

    @strawberry.field(description="The references from and to it, newest first.")
    async def references(
        self,
        info: Info,
        direction: Annotated[
            Direction, strawberry.argument(description="The direction of the references.")
        ] = Direction.BOTH,
        type: Annotated[
            ReferenceType | None, strawberry.argument(description="Only references of this type.")
        ] = None,
        as_of: AsOfArgument = None,
        first: FirstArgument = 20,
        after: AfterArgument = None,
        last: LastArgument = None,
        before: BeforeArgument = None,
    ) -> Connection[ReferenceEdge]:
        """Load a page of its references."""
        order = REFERENCES.about(self.id, direction, type, as_of)
        page = order.request(info, first, after, last, before)
        loaders = info.context.loaders
        asked = self._key(ReferenceQuestion(direction, type, moment_of(info, as_of), page))
        found = await loaders.references_by_entity.load(asked)
        return order.connection(
            found, references.Reference.of, lambda: loaders.reference_count_by_entity.load(asked)
        )

    @strawberry.field(description="The entities that references from and to it lead to, nearest first.")
    async def neighbors(
        self,
        info: Info,
        depth: Annotated[
            int | None,
            strawberry.argument(
                description="The maximum number of references between the entities, from 1 to 3."
            ),
        ] = 1,
        as_of: AsOfArgument = None,
        first: FirstArgument = 50,
    ) -> list[Neighbor]:
        """Walk the references around it."""
        moment = moment_of(info, as_of)
        question = NeighbourQuestion(1 if depth is None else depth, moment, 50 if first is None else first)
        found = await info.context.loaders.neighbours_by_entity.load(self._key(question))
        reached = await asyncio.gather(*(load_entity(info, neighbour.entity) for neighbour in found))
        return [
            Neighbor(
                entity=entity,
                distance=len(neighbour.path),
                path=[references.Reference.of(step) for step in neighbour.path],
            )
            for entity, neighbour in zip(reached, found, strict=True)
        ]

    @strawberry.field(
        description="The entities of its project that are most similar in meaning, by their newest documents."
    )
    async def similar(self, info: Info, first: FirstArgument = 10) -> list[SimilarEntity]:
        """Load similar entities."""
        question = SimilarQuestion(moment_of(info), 10 if first is None else first)
        found = await info.context.loaders.similar_by_entity.load(self._key(question))
        near = await asyncio.gather(*(load_entity(info, id) for id, _ in found))
        return [
            SimilarEntity(entity=entity, score=score) for entity, (_, score) in zip(near, found, strict=True)
        ]

    @strawberry.field(
        description="Its documents, older versions included, newest first; below a field with asOf, those"
        " that begin by then."
    )
    async def artifacts(
        self,
        info: Info,
        first: FirstArgument = 20,
        after: AfterArgument = None,
        last: LastArgument = None,
        before: BeforeArgument = None,
    ) -> Connection[ArtifactType]:
        """Load a page of its artifacts."""
        order, moment = ARTIFACTS.about(self.id), moment_of(info)
        page = order.request(info, first, after, last, before)
        loaders = info.context.loaders
        found = await loaders.artifacts_by_entity.load(self._key(HistoryQuestion(moment, page)))
        return order.connection(
            found,
            artifacts.Artifact.of,
            lambda: loaders.artifact_count_by_entity.load(self._key(moment)),
        )

    @strawberry.field(
        description="When its document was not there, the earliest first: withdrawn, or removed from its"
        " source; below a field with asOf, what begins by then."
    )
    async def absences(self, info: Info) -> list[Absence]:
        """Load its absences."""
        found, moment = await info.context.loaders.absences_by_entity_id.load(self.known.id), moment_of(info)
        away = [each for each in found if each.artifact is None and begins_by(each, moment)]
        return [Absence.of(absence) for absence in away]

    @strawberry.field(
        description="The entity that supersedes it at an instant; the latest one if there are several."
    )
    async def superseded_by(self, info: Info, as_of: AsOfArgument = None) -> EntityType | None:
        """Load what superseded it."""
        found = await info.context.loaders.superseder_id_by_entity.load(self._key(moment_of(info, as_of)))
        return None if found is None else await find_entity(info, found)

    async def _property(self, info: Info, name: str) -> str | None:
        held = await info.context.loaders.state_by_entity.load(self._key(StateQuestion(moment_of(info))))
        value = None if held is None else held.props.get(name)
        return value if isinstance(value, str) else None

    def _key(self, question: Question) -> BatchedKey[Question]:
        return BatchedKey(self.known.id, question)


@finds("Entity")
async def find_entity(info: Info, id: UUID) -> Entity | None:
    """Load the entity of an id; None if there is none."""
    found = await info.context.loaders.entity_by_id.load(id)
    return None if found is None else Entity.of(found)


async def load_entity(info: Info, id: UUID) -> Entity:
    """Load the entity that a row of the ledger references, which must exist."""
    return require_found(await find_entity(info, id))
