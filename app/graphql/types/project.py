"""Projects."""

from __future__ import annotations

import strawberry

from app.domain import entity as domain
from app.graphql.context import Info


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
