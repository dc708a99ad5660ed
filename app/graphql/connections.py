"""Relay connections over keyset pages."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Annotated, Any, Generic, TypeAlias, TypeVar

import strawberry

from app.domain.artifact import Artifact
from app.domain.candidate import AliasCandidate, FactCandidate
from app.domain.entity import Entity, Reference
from app.domain.page import MOST_ITEMS, Page, PageRequest, Position
from app.domain.temporal import EntityState
from app.domain.waiting import WaitingReference
from app.graphql.cursors import cursor_of, position_of

Item = TypeVar("Item")
Wrapped = TypeVar("Wrapped")

DEFAULT_SIZE = 20

FirstArgument: TypeAlias = Annotated[
    int | None, strawberry.argument(description=f"How many items at most, from 0 to {MOST_ITEMS}.")
]
AfterArgument: TypeAlias = Annotated[
    str | None,
    strawberry.argument(description="The cursor of the item to go on after; from the start without one."),
]


@strawberry.type(description="Where a page lies in its list.")
class PageInfo:
    """The page information of the Relay specification."""

    has_next_page: bool = strawberry.field(description="Whether items follow this page.")
    has_previous_page: bool = strawberry.field(description="Whether items come before this page.")
    start_cursor: str | None = strawberry.field(
        description="The cursor of the first item; null on an empty page."
    )
    end_cursor: str | None = strawberry.field(
        description="The cursor of the last item, to go on after; null on an empty page."
    )


@strawberry.type(description="An item of a list, with its place in it.")
class Edge(Generic[Wrapped]):
    """An edge of the Relay specification."""

    node: Wrapped = strawberry.field(description="The item.")
    cursor: str = strawberry.field(description="The item's place, to go on after.")


@strawberry.type(description="A page of a list, in a fixed order.")
class Connection(Generic[Wrapped]):
    """A connection of the Relay specification."""

    nodes: list[Wrapped] = strawberry.field(description="The items of this page.")
    edges: list[Edge[Wrapped]] = strawberry.field(description="The items of this page with their cursors.")
    page_info: PageInfo = strawberry.field(description="Where this page lies in the list.")
    count: strawberry.Private[Callable[[], Awaitable[int]]]

    @strawberry.field(description="How many items the whole list has.")
    async def total_count(self) -> int:
        """Count the list; only asking for it costs a statement."""
        return await self.count()


@dataclass(frozen=True, slots=True)
class Order(Generic[Item]):
    """How a list is sorted; its name binds cursors to it."""

    name: str
    position: Callable[[Item], Position]

    def request(self, first: int | None, after: str | None) -> PageRequest:
        """Answer the page that the arguments ask for; raises Invalid where they cannot be met."""
        size = DEFAULT_SIZE if first is None else first
        return PageRequest(size, None if after is None else position_of(self.name, after))

    def connection(
        self,
        page: Page[Item],
        wrap: Callable[[Item], Wrapped],
        asked: PageRequest,
        count: Callable[[], Awaitable[int]],
    ) -> Connection[Any]:
        """Answer the connection of a page."""
        edges = [
            Edge(node=wrap(item), cursor=cursor_of(self.name, self.position(item))) for item in page.items
        ]
        return Connection(
            nodes=[edge.node for edge in edges],
            edges=edges,
            page_info=PageInfo(
                has_next_page=page.has_next,
                has_previous_page=asked.after is not None,
                start_cursor=edges[0].cursor if edges else None,
                end_cursor=edges[-1].cursor if edges else None,
            ),
            count=count,
        )


ENTITIES: Order[Entity] = Order("entities", lambda entity: Position(entity.created_at, entity.id))
ARTIFACTS: Order[Artifact] = Order("artifacts", lambda artifact: Position(artifact.created_at, artifact.id))
REFERENCES: Order[Reference] = Order(
    "references", lambda reference: Position(reference.valid.start, reference.id)
)
STATES: Order[EntityState] = Order("states", lambda state: Position(state.valid.start, state.id))
DRAFTS: Order[EntityState] = Order("drafts", lambda draft: Position(draft.recorded_at, draft.id))
PENDING_REFERENCES: Order[WaitingReference] = Order(
    "pendingReferences", lambda waiting: Position(waiting.recorded_at, waiting.id)
)
ALIAS_CANDIDATES: Order[AliasCandidate] = Order(
    "aliasCandidates", lambda candidate: Position(candidate.recorded_at, candidate.id)
)
FACT_CANDIDATES: Order[FactCandidate] = Order(
    "factCandidates", lambda candidate: Position(candidate.recorded_at, candidate.id)
)
