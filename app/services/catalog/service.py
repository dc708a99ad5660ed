"""The catalog: what a tenant's projects hold, read by whoever may see them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime
from typing import TypeVar
from uuid import UUID

import asyncpg

from app.domain.artifact import Artifact, MemoryDomain
from app.domain.bounds import MAX_FORM, require_length
from app.domain.entity import AliasResolution, Caller, Entity, Project, Reference, ReferenceType
from app.domain.identifier import LONGEST_IDENTIFIER, identifier_key
from app.domain.moment import EVERYTHING_KNOWN
from app.domain.ontology import TypeDefinition
from app.domain.page import Page, PageRequest
from app.domain.temporal import AsOf
from app.domain.waiting import WaitingReference
from app.services.catalog.listing import Listing
from app.services.catalog.resolution import resolve
from app.services.catalog.scoping import instant, project_numbers, project_of, require_type
from app.services.parsing import clean_text
from app.stores.postgres import listings, lookups, ontology, projects, waiting
from app.stores.postgres.listings import ArtifactFilter, EntityFilter, ReferenceFilter
from app.stores.postgres.pool import Database
from app.stores.postgres.scope import Scope

Item = TypeVar("Item")
Filter = TypeVar("Filter")


@dataclass(frozen=True, slots=True)
class Edges:
    """Which references to list: of a type and either end; None means any."""

    source: UUID | None = None
    target: UUID | None = None
    type: ReferenceType | None = None


class CatalogService:
    """Answers what is there; raises NotFound for an unknown project and Invalid for an unknown type."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def projects(self, caller: Caller) -> list[Project]:
        """Answer the tenant's projects by key."""
        async with self._database.reading(caller.tenant) as connection:
            return await projects.all_projects(connection, caller.tenant)

    async def types(self, caller: Caller, project: str | None) -> list[TypeDefinition]:
        """Answer the types of a project, or of all of them, by name."""
        async with self._database.reading(caller.tenant) as connection:
            numbers = await project_numbers(connection, caller, project)
            found = await ontology.types_in_projects(connection, caller.tenant, numbers)
        return [recorded.definition for recorded in found]

    async def entities(
        self,
        caller: Caller,
        project: str | None,
        type_name: str | None,
        as_of: datetime | None,
        page: PageRequest,
    ) -> Listing[Entity]:
        """Answer the entities that exist at an instant, the newest first."""
        async with self._database.reading(caller.tenant) as connection:
            number = await project_of(connection, caller, project)
            await require_type(connection, caller, number, type_name, "type")
            wanted = EntityFilter(number, type_name, await instant(connection, caller, as_of))
            found = await listings.entities_page(connection, caller.tenant, wanted, page)
        return self._listing(caller, found, listings.count_entities, wanted)

    async def artifacts(
        self,
        caller: Caller,
        project: str | None,
        kind: str | None,
        identifier: str | None,
        domain: MemoryDomain | None,
        page: PageRequest,
    ) -> Listing[Artifact]:
        """Answer the artifacts of a kind, domain and identifier in any spelling, the newest first."""
        require_length("identifier", identifier or "", LONGEST_IDENTIFIER)
        async with self._database.reading(caller.tenant) as connection:
            number = await project_of(connection, caller, project)
            await require_type(connection, caller, number, kind, "kind")
            key = None if identifier is None else identifier_key(clean_text(identifier))
            wanted = ArtifactFilter(number, kind, key, domain)
            found = await listings.artifacts_page(connection, caller.tenant, wanted, page)
        return self._listing(caller, found, listings.count_artifacts, wanted)

    async def references(
        self, caller: Caller, project: str | None, edges: Edges, as_of: datetime | None, page: PageRequest
    ) -> Listing[Reference]:
        """Answer the references that hold at an instant, the newest first."""
        async with self._database.reading(caller.tenant) as connection:
            number = await project_of(connection, caller, project)
            at = await instant(connection, caller, as_of)
            wanted = ReferenceFilter(number, edges.source, edges.target, edges.type, at)
            found = await listings.references_page(connection, caller.tenant, wanted, page)
        return self._listing(caller, found, listings.count_references, wanted)

    async def pending_references(
        self, caller: Caller, project: str | None, page: PageRequest
    ) -> Listing[WaitingReference]:
        """Answer the references that wait for their other end, the longest first."""
        async with self._database.reading(caller.tenant) as connection:
            number = await project_of(connection, caller, project)
            found = await waiting.waiting_page(connection, caller.tenant, number, page)
        return self._listing(caller, found, waiting.count_waiting, number)

    async def pending_of(self, caller: Caller, source: UUID, known: datetime) -> list[WaitingReference]:
        """Answer the references of an entity that waited at a transaction time, typed ones first."""
        async with self._database.reading(caller.tenant) as connection:
            return await waiting.waiting_of(connection, caller.tenant, source, known)

    async def resolve_alias(
        self, caller: Caller, form: str, project: str | None, as_of: datetime | None
    ) -> AliasResolution | None:
        """Answer what a form means at an instant, None when nothing goes by it.

        Raises Ambiguous, naming the entities, when it could mean several.
        """
        require_length("surfaceForm", form, MAX_FORM)
        async with self._database.reading(caller.tenant) as connection:
            numbers = await project_numbers(connection, caller, project)
            moment = AsOf(await instant(connection, caller, as_of), EVERYTHING_KNOWN)
            return await resolve(connection, Scope(caller.tenant, numbers, moment), clean_text(form))

    async def kind_of_node(self, caller: Caller, node: UUID) -> str | None:
        """Answer what an id stands for, as the name of its type; None for nothing.

        The types are Entity, EntityState, Alias, Reference, Artifact, AliasCandidate and FactCandidate.
        """
        async with self._database.reading(caller.tenant) as connection:
            return await lookups.kind_of_node(connection, caller.tenant, node)

    def _listing(
        self,
        caller: Caller,
        page: Page[Item],
        count: Callable[[asyncpg.Connection, int, Filter], Awaitable[int]],
        wanted: Filter,
    ) -> Listing[Item]:
        async def counted() -> int:
            async with self._database.reading(caller.tenant) as connection:
                return await count(connection, caller.tenant, wanted)

        return Listing(page, counted)
