"""Projects, and the caller who sees them."""

from __future__ import annotations

import strawberry

from app.domain import entity as domain
from app.domain import types
from app.domain.numbers import ProjectNumber
from app.graphql.context import Info
from app.graphql.types.enums import ReferenceType, Role, StateFlag, Zone
from app.services import entities


@strawberry.type(description="The caller of this request, as the service knows them.")
class Viewer:
    """The caller, by their token or as the person at this machine."""

    principal: str = strawberry.field(description="The name that is recorded with every write of theirs.")
    role: Role = strawberry.field(description="What they may do.")
    tenant: str = strawberry.field(description="The key of the tenant whose memory they use.")
    project: str | None = strawberry.field(
        description="The key of the only project that is there for them; null if all of the tenant are."
    )


@strawberry.type(description="A named scope for entities and their documents.")
class Project:
    """A project of the tenant."""

    number: strawberry.Private[ProjectNumber]
    key: str = strawberry.field(description="The key that identifies the project.")
    name: str = strawberry.field(description="The name of the project for people.")

    @classmethod
    def of(cls, project: domain.Project) -> Project:
        """Wrap a project."""
        return cls(number=project.number, key=project.key, name=project.name)

    @strawberry.field(description="The number of its entities, those that begin in the future included.")
    async def entity_count(self, info: Info) -> int:
        """Load its size."""
        size = await info.context.loaders.size_by_project_number.load(self.number)
        return 0 if size is None else size.entities

    @strawberry.field(description="The number of its artifacts, older versions included.")
    async def artifact_count(self, info: Info) -> int:
        """Load its size."""
        size = await info.context.loaders.size_by_project_number.load(self.number)
        return 0 if size is None else size.artifacts


@strawberry.type(
    description="A status word of a project: what it means, and how many entities have that status now."
)
class StatusWord:
    """A status word of a project."""

    word: str = strawberry.field(
        description="The word or the words, as most entities spell them; folded if none has them."
    )
    flag: StateFlag | None = strawberry.field(
        description="The flag that it gives; null if nothing says what it means."
    )
    count: int = strawberry.field(description="The number of entities whose committed state has it now.")
    is_own: bool = strawberry.field(
        description="Whether defineStatus said what it means, or a word that it begins with."
    )
    project: str = strawberry.field(description="The key of the project.")

    @classmethod
    def of(cls, status: entities.StatusWord) -> StatusWord:
        """Wrap a status word."""
        return cls(
            word=status.word,
            flag=status.flag,
            count=status.count,
            is_own=status.is_own,
            project=status.project,
        )


@strawberry.type(
    description="A rule: entities of this type may make references of one type to entities of another."
)
class ReferenceRule:
    """One CAN_REFERENCE rule, seen from its source type."""

    type: ReferenceType = strawberry.field(description="The type of the reference.")
    target: str = strawberry.field(description="The name of the type of the target.")


@strawberry.type(description="A type of entities, with the properties that they may have.")
class Type:
    """A type definition."""

    name: str = strawberry.field(description="Its name. Case does not matter.")
    zone: Zone = strawberry.field(description="The zone the type is defined in.")
    ptype: str | None = strawberry.field(
        description="The part of a project that it describes, such as application."
    )
    is_document: bool = strawberry.field(
        description="Whether its entities are filed as documents with fileArtifact, instead of created with"
        " createEntity."
    )
    immutable_props: list[str] = strawberry.field(description="Immutable properties, which are set once.")
    mutable_props: list[str] = strawberry.field(description="Properties that may change over time.")

    @classmethod
    def of(cls, definition: types.TypeDefinition) -> Type:
        """Wrap a type definition."""
        return cls(
            name=definition.name,
            zone=definition.zone,
            ptype=definition.ptype,
            is_document=definition.is_document,
            immutable_props=list(definition.immutable_props),
            mutable_props=list(definition.mutable_props),
        )

    @strawberry.field(description="The references that entities of this type may make.")
    async def can_reference(self, info: Info) -> list[ReferenceRule]:
        """Load the rules of this type."""
        rules = await info.context.loaders.rules_by_type_name.load(self.name)
        return [ReferenceRule(type=rule.type, target=rule.target) for rule in rules]
