"""Projects."""

from __future__ import annotations

import strawberry

from app.domain import entity as domain
from app.domain import types
from app.graphql.context import Info
from app.graphql.types.enums import ReferenceType, Zone


@strawberry.type(description="A named scope that holds entities and their documents.")
class Project:
    """A project of the tenant."""

    number: strawberry.Private[int]
    key: str = strawberry.field(description="What it is addressed by.")
    name: str = strawberry.field(description="What people call it.")

    @classmethod
    def of(cls, project: domain.Project) -> Project:
        """Wrap a project."""
        return cls(number=project.number, key=project.key, name=project.name)

    @strawberry.field(description="How many entities it holds, those that begin in the future too.")
    async def entity_count(self, info: Info) -> int:
        """Load its size."""
        size = await info.context.loaders.size_by_project_number.load(self.number)
        return 0 if size is None else size.entities

    @strawberry.field(description="How many artifacts it holds, older versions too.")
    async def artifact_count(self, info: Info) -> int:
        """Load its size."""
        size = await info.context.loaders.size_by_project_number.load(self.number)
        return 0 if size is None else size.artifacts


@strawberry.type(description="A reference that things of one type may make to things of another.")
class ReferenceRule:
    """One CAN_REFERENCE rule, seen from its source type."""

    type: ReferenceType = strawberry.field(description="The reference that may be made.")
    target: str = strawberry.field(description="The name of the type it may be made to.")


@strawberry.type(description="A kind of thing, and the properties that things of it may carry.")
class Type:
    """A type definition."""

    name: str = strawberry.field(description="Its name, compared without regard to case.")
    zone: Zone = strawberry.field(description="Where it belongs.")
    ptype: str | None = strawberry.field(
        description="What part of a project it describes, such as application."
    )
    is_document: bool = strawberry.field(
        description="Whether its things are filed as documents of this kind, rather than created."
    )
    immutable_props: list[str] = strawberry.field(description="Properties that are set once.")
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

    @strawberry.field(description="The references that things of this type may make.")
    async def can_reference(self, info: Info) -> list[ReferenceRule]:
        """Load the rules of this type."""
        rules = await info.context.loaders.rules_by_type_name.load(self.name)
        return [ReferenceRule(type=rule.type, target=rule.target) for rule in rules]
