"""The queries of the API."""

from __future__ import annotations

import asyncio
from typing import Annotated

import strawberry

from app.domain.page import MAX_ITEMS
from app.domain.recall import DEFAULT_HITS, RecallRequest
from app.errors import Invalid
from app.graphql.arguments import AsOfArgument, KnownAtArgument, PreferWipArgument, ProjectArgument, uuid_of
from app.graphql.connections import FirstArgument
from app.graphql.context import Info, moment_of
from app.graphql.lists import Lists, Queues, Reminders
from app.graphql.types.alias import AliasResolution
from app.graphql.types.artifact import find_artifact
from app.graphql.types.entity import find_entity
from app.graphql.types.enums import MemoryDomain, StateFlag
from app.graphql.types.node import ArtifactType, EntityType, Node, ReferenceEdge, find_node
from app.graphql.types.project import Viewer
from app.graphql.types.recall import RecallResult
from app.graphql.types.reference import Reference
from app.graphql.types.state import EntityState
from app.loaders import BatchedKey, StateQuestion
from app.metrics import record_legs

EMPTY_MEANS_NONE = "an empty list means none. The default is all."
IdArgument = Annotated[strawberry.ID, strawberry.argument(description="The id, a UUID.")]


@strawberry.type(
    description="All queries. An object that does not exist, or that the caller may not see, is null. So is a"
    " field that failed; the errors say why, and the other fields are answered."
)
class Query(Lists, Queues, Reminders):
    """The queries of the API."""

    @strawberry.field(
        description="Answer a question with four search methods (legs). Each hit is marked as current,"
        " historical or draft."
    )
    async def recall(
        self,
        info: Info,
        query: Annotated[
            str,
            strawberry.argument(
                description="The question, in plain words, identifiers or names. There are no query"
                " operators. A blank question is rejected."
            ),
        ],
        as_of: AsOfArgument = None,
        known_at: KnownAtArgument = None,
        prefer_wip: PreferWipArgument = True,
        project: ProjectArgument = None,
        kinds: Annotated[
            list[str] | None,
            strawberry.argument(description=f"Only documents of these types; {EMPTY_MEANS_NONE}"),
        ] = None,
        domains: Annotated[
            list[MemoryDomain] | None,
            strawberry.argument(description=f"Only documents of these domains; {EMPTY_MEANS_NONE}"),
        ] = None,
        flags: Annotated[
            list[StateFlag] | None,
            strawberry.argument(description=f"Only hits with one of these flags; {EMPTY_MEANS_NONE}"),
        ] = None,
        first: FirstArgument = DEFAULT_HITS,
        token_budget: Annotated[
            int | None,
            strawberry.argument(
                description="The maximum number of tokens (word pieces of the encoder) in all passages"
                " together. With it, hits that repeat the content of a better hit are left out."
                " The default is no limit."
            ),
        ] = None,
    ) -> RecallResult | None:
        """Ask the recall service."""
        wants_none = [] in (kinds, domains, flags)
        request = RecallRequest(
            query=query,
            as_of=as_of,
            known_at=known_at,
            prefer_wip=prefer_wip is not False,
            project=project,
            kinds=tuple(kinds or ()),
            domains=tuple(domains or ()),
            flags=tuple(flags or ()),
            first=0 if wants_none else DEFAULT_HITS if first is None else first,
            token_budget=token_budget,
        )
        result = await info.context.recall.recall(info.context.caller, request)
        record_legs(result.legs)
        moment_of(info, result.as_of, result.known_at)
        return RecallResult.of(result)

    @strawberry.field(description="The entity with this id.")
    async def entity(self, info: Info, id: IdArgument) -> EntityType | None:
        """Find an entity."""
        found = uuid_of(id)
        return None if found is None else await find_entity(info, found)

    @strawberry.field(
        description="The entity that a name, alias or identifier means at an instant, in any spelling. Null"
        " if there is none. If the name is ambiguous, the error lists the entities with their"
        " ids. Other fields and inputs take the id of the entity."
    )
    async def resolve_alias(
        self,
        info: Info,
        surface_form: Annotated[str, strawberry.argument(description="The name, alias or identifier.")],
        project: ProjectArgument = None,
        as_of: AsOfArgument = None,
    ) -> AliasResolution | None:
        """Resolve a form."""
        moment = moment_of(info, as_of)
        found = await info.context.catalog.resolve_alias(info.context.caller, surface_form, project, moment)
        return None if found is None else AliasResolution.of(found)

    @strawberry.field(
        description="The state of an entity at an instant (asOf), as it was known at another instant"
        " (knownAt). An open draft takes precedence unless preferWip is false."
    )
    async def state_as_of(
        self,
        info: Info,
        entity: Annotated[strawberry.ID, strawberry.argument(description="The id of the entity.")],
        as_of: AsOfArgument = None,
        known_at: KnownAtArgument = None,
        prefer_wip: PreferWipArgument = True,
    ) -> EntityState | None:
        """Find a state."""
        id = uuid_of(entity)
        if id is None:
            return None
        question = StateQuestion(moment_of(info, as_of, known_at), prefer_wip is not False)
        found = await info.context.loaders.state_by_entity.load(BatchedKey(id, question))
        return None if found is None else EntityState.of(found)

    @strawberry.field(
        description="A shortest path of references from one entity to another, in either direction, of the"
        " references valid at an instant. If several paths are equally short, it is the newest"
        " one. Null if there is no path."
    )
    async def path(
        self,
        info: Info,
        source: Annotated[
            strawberry.ID, strawberry.argument(description="The id of the entity at the start of the path.")
        ],
        target: Annotated[
            strawberry.ID, strawberry.argument(description="The id of the entity at the end of the path.")
        ],
        max_length: Annotated[
            int | None,
            strawberry.argument(description="The maximum number of references in the path, from 1 to 6."),
        ] = 4,
        as_of: AsOfArgument = None,
    ) -> list[ReferenceEdge] | None:
        """Find a path."""
        start, end = uuid_of(source), uuid_of(target)
        if start is None or end is None:
            return None
        longest = 4 if max_length is None else max_length
        moment = moment_of(info, as_of)
        found = await info.context.paths.shortest(info.context.caller, start, end, longest, moment)
        return None if found is None else [Reference.of(step) for step in found]

    @strawberry.field(description="The caller of this request: who they are, and what they may do.")
    async def viewer(self, info: Info) -> Viewer | None:
        """Return the caller."""
        caller = info.context.caller
        tenant = await info.context.catalog.tenant_key(caller)
        project = None
        if caller.project is not None:
            (only,) = await info.context.catalog.projects(caller)
            project = only.key
        return Viewer(principal=caller.principal, role=caller.role, tenant=tenant, project=project)

    @strawberry.field(description="The artifact with this id.")
    async def artifact(self, info: Info, id: IdArgument) -> ArtifactType | None:
        """Find an artifact."""
        return await find_artifact(info, uuid_of(id))

    @strawberry.field(
        description="The object with this id: an entity, state, alias, reference, artifact or candidate."
    )
    async def node(self, info: Info, id: IdArgument) -> Node | None:
        """Find anything by its id."""
        return await find_node(info, id)

    @strawberry.field(
        description="The objects with these ids, in the same order: at most 100. A place is null if there is"
        " none, or the caller may not see it."
    )
    async def nodes(
        self,
        info: Info,
        ids: Annotated[list[strawberry.ID], strawberry.argument(description="The ids, UUIDs.")],
    ) -> list[Node | None] | None:
        """Find many things by their ids, in a few statements."""
        if len(ids) > MAX_ITEMS:
            raise Invalid(f"ids has {len(ids)} items; at most {MAX_ITEMS} are allowed", field="ids")
        return list(await asyncio.gather(*(find_node(info, id) for id in ids)))
