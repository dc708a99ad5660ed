"""The Node interface: objects found by id, and references to types defined elsewhere."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias, TypeVar
from uuid import UUID

import strawberry

from app.graphql.arguments import uuid_of
from app.graphql.context import Info

if TYPE_CHECKING:
    from app.graphql.types.alias import Alias
    from app.graphql.types.artifact import Artifact
    from app.graphql.types.candidate import AliasCandidate, FactCandidate
    from app.graphql.types.entity import Entity
    from app.graphql.types.reference import Reference
    from app.graphql.types.state import EntityState, StateEvent


Present = TypeVar("Present")
Finder = TypeVar("Finder", bound=Callable[..., Awaitable[Any]])


@strawberry.interface(description="An object with an id. The query `node` finds it by the id.")
class Node:
    """The node of the Relay specification; ids are UUIDs."""

    id: strawberry.ID = strawberry.field(description="Its id, a UUID that never changes.")


_FINDERS: dict[str, Callable[[Info, UUID], Awaitable[Node | None]]] = {}


def finds(kind: str) -> Callable[[Finder], Finder]:
    """Return a decorator: the function finds the objects of a kind by their id."""

    def register(find: Finder) -> Finder:
        _FINDERS[kind] = find
        return find

    return register


async def find_node(info: Info, id: UUID | str) -> Node | None:
    """Load the object of an id; None if there is none."""
    found = uuid_of(id) if isinstance(id, str) else id
    kind = None if found is None else await info.context.loaders.kind_by_id.load(found)
    return None if found is None or kind is None else await _FINDERS[kind](info, found)


def require_found(found: Present | None) -> Present:
    """Return an object that the ledger's foreign keys guarantee to exist."""
    if found is None:
        raise LookupError("the ledger lost a row that another one points to")
    return found


AliasType: TypeAlias = Annotated["Alias", strawberry.lazy("app.graphql.types.alias")]
AliasCandidateType: TypeAlias = Annotated["AliasCandidate", strawberry.lazy("app.graphql.types.candidate")]
ArtifactType: TypeAlias = Annotated["Artifact", strawberry.lazy("app.graphql.types.artifact")]
EntityType: TypeAlias = Annotated["Entity", strawberry.lazy("app.graphql.types.entity")]
EventType: TypeAlias = Annotated["StateEvent", strawberry.lazy("app.graphql.types.state")]
FactCandidateType: TypeAlias = Annotated["FactCandidate", strawberry.lazy("app.graphql.types.candidate")]
ReferenceEdge: TypeAlias = Annotated["Reference", strawberry.lazy("app.graphql.types.reference")]
StateType: TypeAlias = Annotated["EntityState", strawberry.lazy("app.graphql.types.state")]
