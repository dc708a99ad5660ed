"""The lists of the API."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, TypeAlias
from uuid import UUID

import strawberry

from app.graphql.arguments import AsOfArgument, ProjectArgument, uuid_of
from app.graphql.connections import (
    ALIAS_CANDIDATES,
    ARTIFACT_TEXTS,
    ARTIFACTS,
    DRAFTS,
    ENTITIES,
    ENTITY_TEXTS,
    FACT_CANDIDATES,
    PENDING_REFERENCES,
    REFERENCES,
    AfterArgument,
    ArtifactOrder,
    BeforeArgument,
    Connection,
    EntityOrder,
    FirstArgument,
    LastArgument,
)
from app.graphql.context import Info, moment_of
from app.graphql.types.artifact import Artifact
from app.graphql.types.candidate import AliasCandidate, FactCandidate
from app.graphql.types.entity import Entity
from app.graphql.types.enums import CandidateStatus, MemoryDomain, ReferenceType, StateFlag
from app.graphql.types.node import (
    AliasCandidateType,
    ArtifactType,
    EntityType,
    FactCandidateType,
    ReferenceEdge,
    StateType,
)
from app.graphql.types.project import Project, StatusWord, Type
from app.graphql.types.reference import PendingReference, Reference
from app.graphql.types.state import EntityState, Reminder
from app.services.catalog import Edges, Narrowing, WantedStanding

TextArgument: TypeAlias = Annotated[
    str | None,
    strawberry.argument(description="Only those with this text in their name or title. Case is ignored."),
]
CreatedFromArgument: TypeAlias = Annotated[
    datetime | None, strawberry.argument(description="Only those that begin at this instant or later.")
]
CreatedUntilArgument: TypeAlias = Annotated[
    datetime | None, strawberry.argument(description="Only those that begin before this instant.")
]
NOBODY = UUID(int=0)  # no entity has this id, so nothing refers to it


@strawberry.type(description="Lists of projects, types, entities, references and artifacts.")
class Lists:
    """The lists of the API."""

    @strawberry.field(description="All projects, ordered by key.")
    async def projects(self, info: Info) -> list[Project] | None:
        """List the projects."""
        return [Project.of(each) for each in await info.context.catalog.projects(info.context.caller)]

    @strawberry.field(
        description="All types, ordered by name: the types of a project, and those that every project has."
    )
    async def types(self, info: Info, project: ProjectArgument = None) -> list[Type] | None:
        """List the types."""
        found = await info.context.catalog.types(info.context.caller, project)
        return [Type.of(definition) for definition in found]

    @strawberry.field(
        description="The statuses that the entities of a project have now, or of all projects, with what they"
        " mean: the commonest 1,000, and all that defineStatus defined. Ordered by project and count."
    )
    async def statuses(self, info: Info, project: ProjectArgument = None) -> list[StatusWord] | None:
        """List the statuses."""
        found = await info.context.canonical.statuses(info.context.caller, project)
        return [StatusWord.of(each) for each in found]

    @strawberry.field(description="The entities that exist at an instant, newest first.")
    async def entities(
        self,
        info: Info,
        project: ProjectArgument = None,
        type: Annotated[str | None, strawberry.argument(description="Only entities of this type.")] = None,
        flags: Annotated[
            list[StateFlag] | None,
            strawberry.argument(
                description="Only entities whose status gives one of these flags; an empty list means none."
                " The default is all."
            ),
        ] = None,
        status: Annotated[
            str | None,
            strawberry.argument(
                description="Only entities with this status, such as accepted. Case is ignored."
            ),
        ] = None,
        as_of: AsOfArgument = None,
        first: FirstArgument = 20,
        after: AfterArgument = None,
        last: LastArgument = None,
        before: BeforeArgument = None,
        text: TextArgument = None,
        created_from: CreatedFromArgument = None,
        created_until: CreatedUntilArgument = None,
        order_by: Annotated[
            EntityOrder | None,
            strawberry.argument(description="How to sort. The default is by createdAt, the newest first."),
        ] = None,
    ) -> Connection[EntityType] | None:
        """List entities."""
        narrowed = Narrowing(text, created_from, created_until)
        order = ENTITIES.about(project, type, flags, status, as_of, narrowed, order_by)
        order = order.by(order_by, ENTITY_TEXTS)
        page = order.request(info, first, after, last, before)
        standing = WantedStanding(None if flags is None else tuple(flags), status)
        listing = await info.context.catalog.entities(
            info.context.caller, project, type, moment_of(info, as_of), page, standing, narrowed
        )
        return order.connection(listing.page, Entity.of, listing.count)

    @strawberry.field(description="The references that are valid at an instant, newest first.")
    async def references(
        self,
        info: Info,
        project: ProjectArgument = None,
        source: Annotated[
            strawberry.ID | None, strawberry.argument(description="Only references from this entity.")
        ] = None,
        target: Annotated[
            strawberry.ID | None, strawberry.argument(description="Only references to this entity.")
        ] = None,
        type: Annotated[
            ReferenceType | None, strawberry.argument(description="Only references of this type.")
        ] = None,
        as_of: AsOfArgument = None,
        first: FirstArgument = 20,
        after: AfterArgument = None,
        last: LastArgument = None,
        before: BeforeArgument = None,
    ) -> Connection[ReferenceEdge] | None:
        """List references."""
        order = REFERENCES.about(project, source, target, type, as_of)
        page = order.request(info, first, after, last, before)
        edges = Edges(_end(source), _end(target), type)
        moment = moment_of(info, as_of)
        listing = await info.context.catalog.references(info.context.caller, project, edges, moment, page)
        return order.connection(listing.page, Reference.of, listing.count)

    @strawberry.field(
        description="The unresolved references, oldest first: a document makes them to a target that does not"
        " exist yet or that is ambiguous."
    )
    async def pending_references(
        self,
        info: Info,
        project: ProjectArgument = None,
        first: FirstArgument = 20,
        after: AfterArgument = None,
        last: LastArgument = None,
        before: BeforeArgument = None,
    ) -> Connection[PendingReference] | None:
        """List pending references."""
        order = PENDING_REFERENCES.about(project)
        page = order.request(info, first, after, last, before)
        listing = await info.context.catalog.pending_references(
            info.context.caller, project, moment_of(info), page
        )
        return order.connection(listing.page, PendingReference.of, listing.count)

    @strawberry.field(description="All artifacts, older versions included, newest first.")
    async def artifacts(
        self,
        info: Info,
        project: ProjectArgument = None,
        kind: Annotated[str | None, strawberry.argument(description="Only artifacts of this type.")] = None,
        identifier: Annotated[
            str | None,
            strawberry.argument(
                description="Only artifacts with this identifier, in any spelling: ADR-7, adr 0007."
            ),
        ] = None,
        domain: Annotated[
            MemoryDomain | None, strawberry.argument(description="Only artifacts of this domain.")
        ] = None,
        first: FirstArgument = 20,
        after: AfterArgument = None,
        last: LastArgument = None,
        before: BeforeArgument = None,
        text: TextArgument = None,
        source: Annotated[
            str | None,
            strawberry.argument(
                description="Only artifacts whose sourceUri begins with this, such as a folder."
            ),
        ] = None,
        created_from: CreatedFromArgument = None,
        created_until: CreatedUntilArgument = None,
        order_by: Annotated[
            ArtifactOrder | None,
            strawberry.argument(description="How to sort. The default is by createdAt, the newest first."),
        ] = None,
    ) -> Connection[ArtifactType] | None:
        """List artifacts."""
        narrowed = Narrowing(text, created_from, created_until, source)
        order = ARTIFACTS.about(project, kind, identifier, domain, narrowed, order_by)
        order = order.by(order_by, ARTIFACT_TEXTS)
        page = order.request(info, first, after, last, before)
        listing = await info.context.catalog.artifacts(
            info.context.caller, project, kind, identifier, domain, moment_of(info), page, narrowed
        )
        return order.connection(listing.page, Artifact.of, listing.count)


def _end(given: strawberry.ID | None) -> UUID | None:
    return None if given is None else uuid_of(given) or NOBODY


StatusArgument: TypeAlias = Annotated[
    CandidateStatus | None,
    strawberry.argument(description="Only candidates with this status. The default is all candidates."),
]


@strawberry.type(description="Lists of alias candidates and fact candidates, pending and decided.")
class Queues:
    """The review queues of the API."""

    @strawberry.field(
        description="The alias candidates: names that documents seem to give to entities. Oldest first."
    )
    async def alias_candidates(
        self,
        info: Info,
        project: ProjectArgument = None,
        status: StatusArgument = None,
        first: FirstArgument = 20,
        after: AfterArgument = None,
        last: LastArgument = None,
        before: BeforeArgument = None,
    ) -> Connection[AliasCandidateType] | None:
        """List likely aliases."""
        order = ALIAS_CANDIDATES.about(project, status)
        page = order.request(info, first, after, last, before)
        listing = await info.context.review.alias_candidates(info.context.caller, project, status, page)
        return order.connection(listing.page, AliasCandidate.of, listing.count)

    @strawberry.field(
        description="The fact candidates: property values that documents seem to state. Oldest first."
    )
    async def fact_candidates(
        self,
        info: Info,
        project: ProjectArgument = None,
        status: StatusArgument = None,
        first: FirstArgument = 20,
        after: AfterArgument = None,
        last: LastArgument = None,
        before: BeforeArgument = None,
    ) -> Connection[FactCandidateType] | None:
        """List likely facts."""
        order = FACT_CANDIDATES.about(project, status)
        page = order.request(info, first, after, last, before)
        listing = await info.context.review.fact_candidates(info.context.caller, project, status, page)
        return order.connection(listing.page, FactCandidate.of, listing.count)


@strawberry.type(description="Lists of drafts and reminders.")
class Reminders:
    """The reminders of the API."""

    @strawberry.field(
        description="Reminders of stale drafts, which nobody has saved for 30 days. Oldest first, at most"
        " 100; `drafts` lists every draft."
    )
    async def reminders(self, info: Info, project: ProjectArgument = None) -> list[Reminder] | None:
        """List reminders."""
        found = await info.context.states.reminders(info.context.caller, project)
        return [Reminder.of(each) for each in found]

    @strawberry.field(
        description="The open drafts, which are neither sealed nor discarded. The one saved longest ago comes"
        " first. Each is a state; sealWip and discardWip take its id."
    )
    async def drafts(
        self,
        info: Info,
        project: ProjectArgument = None,
        first: FirstArgument = 20,
        after: AfterArgument = None,
        last: LastArgument = None,
        before: BeforeArgument = None,
    ) -> Connection[StateType] | None:
        """List the drafts."""
        order = DRAFTS.about(project)
        page = order.request(info, first, after, last, before)
        listing = await info.context.states.drafts(info.context.caller, project, page)
        return order.connection(listing.page, EntityState.of, listing.count)
