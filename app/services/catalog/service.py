"""The catalog of a tenant: projects, types, entities, documents, references and paths between them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Generic, TypeVar
from uuid import UUID

import asyncpg

from app.domain.artifact import Artifact, MemoryDomain
from app.domain.bounds import MAX_FORM, MAX_IDENTIFIER, MAX_SOURCE, MAX_TITLE, require_length
from app.domain.entity import (
    AliasResolution,
    Caller,
    Entity,
    PendingReference,
    Project,
    Reference,
    ReferenceType,
)
from app.domain.identifier import identifier_key
from app.domain.numbers import TenantNumber
from app.domain.page import Page, PageRequest
from app.domain.recall import StateFlag
from app.domain.status_words import flag_of_status
from app.domain.temporal import EVERYTHING_KNOWN, AsOf
from app.domain.text import fold
from app.domain.types import TypeDefinition
from app.errors import Invalid
from app.services.catalog.alias_resolution import Elsewhen, find_elsewhen, resolve
from app.services.catalog.lookup import (
    EntityNames,
    instant,
    name_entities,
    project_numbers,
    project_of,
    require_type,
)
from app.services.parsing import clean_text
from app.stores.graph_reader import GraphReader
from app.stores.postgres import (
    artifacts,
    entities,
    lists,
    lookups,
    pending_references,
    projects,
    tokens,
    type_definitions,
)
from app.stores.postgres.ledger_clock import RequestedMoment
from app.stores.postgres.lists import (
    NOT_NARROWED,
    ArtifactFilter,
    EntityFilter,
    HeldStatus,
    Narrowing,
    ReferenceFilter,
)
from app.stores.postgres.pending_references import PendingFilter
from app.stores.postgres.pool import Database
from app.stores.postgres.scope import Scope

Item = TypeVar("Item")


@dataclass(frozen=True, slots=True)
class Listing(Generic[Item]):
    """A page, and `count`, which returns the length of the whole list and costs a statement if called."""

    page: Page[Item]
    count: Callable[[], Awaitable[int]]


Filter = TypeVar("Filter")


@dataclass(frozen=True, slots=True)
class Edges:
    """A filter of references by type and either end; None means any."""

    source: UUID | None = None
    target: UUID | None = None
    type: ReferenceType | None = None


@dataclass(frozen=True, slots=True)
class WantedStanding:
    """A filter of entities by what their committed states say: flags, and a status; None means any."""

    flags: tuple[StateFlag, ...] | None = None
    status: str | None = None

    def includes(self, held: HeldStatus) -> bool:
        """Return whether an entity of a status is wanted."""
        is_status = self.status is None or fold(self.status) == fold(held.status)
        if self.flags is None:
            return is_status
        return is_status and flag_of_status(held.status or None, held.team) in self.flags


ANY_STANDING = WantedStanding()


def check_narrowing(narrowed: Narrowing) -> None:
    """Raise Invalid, naming the argument, for a text that is too long."""
    require_length("text", narrowed.text or "", MAX_TITLE)
    require_length("source", narrowed.source or "", MAX_SOURCE)


class CatalogService:
    """Reads the catalog; raises NotFound for an unknown project and Invalid for an unknown type."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def projects(self, caller: Caller) -> list[Project]:
        """Return the tenant's projects by key."""
        async with self._database.reading(caller.tenant) as connection:
            return await projects.all_projects(connection, caller.tenant)

    async def tenant_key(self, caller: Caller) -> str:
        """Return the key of the caller's tenant."""
        async with self._database.reading(caller.tenant) as connection:
            return await tokens.tenant_key(connection, caller.tenant)

    async def types(self, caller: Caller, project: str | None) -> list[TypeDefinition]:
        """Return the types of a project, or of all of them, by name."""
        async with self._database.reading(caller.tenant) as connection:
            numbers = await project_numbers(connection, caller, project)
            found = await type_definitions.types_in_projects(connection, caller.tenant, numbers)
        return [recorded.definition for recorded in found]

    async def entities(
        self,
        caller: Caller,
        project: str | None,
        type_name: str | None,
        asked: RequestedMoment,
        page: PageRequest,
        standing: WantedStanding = ANY_STANDING,
        narrowed: Narrowing = NOT_NARROWED,
    ) -> Listing[Entity]:
        """Return the entities of a standing that exist at a moment, the newest first."""
        check_narrowing(narrowed)
        async with self._database.reading(caller.tenant) as connection:
            number = await project_of(connection, caller, project)
            await require_type(connection, caller, number, type_name, "type")
            moment = await asked.settle(connection, caller.tenant)
            wanted = EntityFilter(number, type_name, moment, narrowed=narrowed)
            if standing != ANY_STANDING:
                known = await lists.statuses_of_entities(connection, caller.tenant, wanted)
                included = [(each.project, each.status) for each in known if standing.includes(each)]
                wanted = replace(wanted, statuses=included)
            found = await lists.entities_page(connection, caller.tenant, wanted, page)
        return self._listing(caller, found, lists.count_entities, wanted)

    async def artifacts(
        self,
        caller: Caller,
        project: str | None,
        kind: str | None,
        identifier: str | None,
        domain: MemoryDomain | None,
        asked: RequestedMoment,
        page: PageRequest,
        narrowed: Narrowing = NOT_NARROWED,
    ) -> Listing[Artifact]:
        """Return the artifacts of a kind, domain and identifier in any spelling, the newest first.

        Versions that begin after the moment are included; documents that are absent at it are not.
        """
        require_length("identifier", identifier or "", MAX_IDENTIFIER)
        check_narrowing(narrowed)
        async with self._database.reading(caller.tenant) as connection:
            number = await project_of(connection, caller, project)
            await require_type(connection, caller, number, kind, "kind")
            key = None if identifier is None else identifier_key(clean_text(identifier))
            moment = await asked.settle(connection, caller.tenant)
            wanted = ArtifactFilter(number, kind, key, domain, moment, narrowed)
            found = await lists.artifacts_page(connection, caller.tenant, wanted, page)
        return self._listing(caller, found, lists.count_artifacts, wanted)

    async def references(
        self, caller: Caller, project: str | None, edges: Edges, asked: RequestedMoment, page: PageRequest
    ) -> Listing[Reference]:
        """Return the references that hold at a moment, the newest first."""
        async with self._database.reading(caller.tenant) as connection:
            number = await project_of(connection, caller, project)
            moment = await asked.settle(connection, caller.tenant)
            wanted = ReferenceFilter(number, edges.source, edges.target, edges.type, moment)
            found = await lists.references_page(connection, caller.tenant, wanted, page)
        return self._listing(caller, found, lists.count_references, wanted)

    async def pending_references(
        self, caller: Caller, project: str | None, asked: RequestedMoment, page: PageRequest
    ) -> Listing[PendingReference]:
        """Return the references that are pending by what is known at a moment, the oldest first."""
        async with self._database.reading(caller.tenant) as connection:
            number = await project_of(connection, caller, project)
            wanted = PendingFilter(number, (await asked.settle(connection, caller.tenant)).known)
            found = await pending_references.pending_page(connection, caller.tenant, wanted, page)
        return self._listing(caller, found, pending_references.count_pending, wanted)

    async def pending_of(self, caller: Caller, source: UUID, known: datetime) -> list[PendingReference]:
        """Return the references of an entity that were pending at a transaction time, typed ones first."""
        async with self._database.reading(caller.tenant) as connection:
            return await pending_references.pending_of(connection, caller.tenant, source, known)

    async def resolve_alias(
        self, caller: Caller, form: str, project: str | None, asked: RequestedMoment
    ) -> AliasResolution | None:
        """Return the entity that a form means at a moment, None if nothing has that name.

        Raises Ambiguous, naming the entities, if it could mean several.
        """
        require_length("surfaceForm", form, MAX_FORM)
        async with self._database.reading(caller.tenant) as connection:
            numbers = await project_numbers(connection, caller, project)
            moment = await asked.settle(connection, caller.tenant)
            return await resolve(connection, Scope(caller.tenant, numbers, moment), clean_text(form))

    async def elsewhen(
        self, caller: Caller, form: str, project: str | None, as_of: datetime | None
    ) -> list[Elsewhen]:
        """Return the entities that a form means at other moments, but that are not there at an instant."""
        async with self._database.reading(caller.tenant) as connection:
            numbers = await project_numbers(connection, caller, project)
            moment = AsOf(await instant(connection, caller, as_of), EVERYTHING_KNOWN)
            return await find_elsewhen(connection, Scope(caller.tenant, numbers, moment), clean_text(form))

    async def entity(self, caller: Caller, id: UUID) -> Entity | None:
        """Return the entity with an id, None if there is none."""
        async with self._database.reading(caller.tenant) as connection:
            return (await entities.entities_by_id(connection, caller.tenant, [id])).get(id)

    async def names(self, caller: Caller, ids: Collection[UUID], moment: AsOf | None = None) -> EntityNames:
        """Return entities with the names they have at a moment, or now by all that is known."""
        async with self._database.reading(caller.tenant) as connection:
            found = await entities.entities_by_id(connection, caller.tenant, list(set(ids)))
            moment = moment or await RequestedMoment().settle(connection, caller.tenant)
            return await name_entities(connection, caller.tenant, found, moment)

    async def artifacts_by_id(self, caller: Caller, ids: Collection[UUID]) -> Mapping[UUID, Artifact]:
        """Return the artifacts with these ids."""
        async with self._database.reading(caller.tenant) as connection:
            return await artifacts.artifacts_by_id(connection, caller.tenant, list(set(ids)))

    async def read_present(self, caller: Caller) -> datetime:
        """Return the present: the later of now and the ledger's clock."""
        async with self._database.reading(caller.tenant) as connection:
            return await instant(connection, caller, None)

    async def kind_of_node(self, caller: Caller, node: UUID) -> str | None:
        """Return the name of the node type that an id belongs to; None for an unknown id.

        The types are Entity, EntityState, Alias, Reference, Artifact, AliasCandidate and FactCandidate.
        """
        async with self._database.reading(caller.tenant) as connection:
            return (await lookups.kinds_of_nodes(connection, caller.tenant, [node])).get(node)

    def _listing(
        self,
        caller: Caller,
        page: Page[Item],
        count: Callable[[asyncpg.Connection, TenantNumber, Filter], Awaitable[int]],
        wanted: Filter,
    ) -> Listing[Item]:
        async def count_all() -> int:
            async with self._database.reading(caller.tenant) as connection:
                return await count(connection, caller.tenant, wanted)

        return Listing(page, count_all)


MAX_PATH_LENGTH = 6


class PathService:
    """Finds paths along references."""

    def __init__(self, database: Database, graph: GraphReader) -> None:
        self._database = database
        self._graph = graph

    async def shortest(
        self, caller: Caller, source: UUID, target: UUID, longest: int, asked: RequestedMoment
    ) -> tuple[Reference, ...] | None:
        """Return the shortest path of references from one entity to another at a moment.

        Return None if there is no path of at most `longest` references, or an entity is unknown. Raises
        Invalid for a length out of bounds.
        """
        if not 1 <= longest <= MAX_PATH_LENGTH:
            raise Invalid(f"maxLength must be from 1 to {MAX_PATH_LENGTH}, not {longest}", field="maxLength")
        async with self._database.reading(caller.tenant) as connection:
            moment = await asked.settle(connection, caller.tenant)
            found = await entities.entities_by_id(connection, caller.tenant, [source, target])
        if not {source, target} <= found.keys():
            return None
        return await self._graph.path(caller.tenant, source, target, longest, moment)
