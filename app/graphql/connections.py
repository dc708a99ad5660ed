"""Relay connections over keyset pages."""

from __future__ import annotations

import base64
import binascii
import hashlib
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Annotated, Any, Generic, TypeAlias, TypeVar
from uuid import UUID

import orjson
import strawberry

from app.domain.artifact import Artifact
from app.domain.candidate import AliasCandidate, FactCandidate
from app.domain.entity import Entity, PendingReference, Reference
from app.domain.page import MAX_ITEMS, Page, PageRequest, Position
from app.domain.temporal import EntityState
from app.errors import Invalid

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MICROSECOND = timedelta(microseconds=1)
MAX_CURSOR_LENGTH = 256


def cursor_of(order: str, position: Position, question: str = "") -> str:
    """Return the cursor of a position in a list of this order that is about a question."""
    parts = [order, (position.at - EPOCH) // MICROSECOND, str(position.id), question]
    return base64.urlsafe_b64encode(orjson.dumps(parts)).decode()


def position_of(order: str, cursor: str, question: str = "") -> Position:
    """Return the position of a cursor; raise Invalid for one that no such list of this order gave."""
    try:
        given, microseconds, item, asked = _parts(cursor)
        position = Position(EPOCH + microseconds * MICROSECOND, UUID(item))
    except (ValueError, TypeError, OverflowError, AttributeError, binascii.Error):
        raise Invalid(
            "this cursor does not come from a list of this API; leave out after to start at the first item",
            field="after",
        ) from None
    if given != order:
        raise Invalid(f"this cursor belongs to a list of {given}, not of {order}", field="after")
    if asked != question:
        raise Invalid(
            f"this cursor belongs to a list of {order} with other arguments; give the arguments of that list,"
            " or leave out after to start at the first item",
            field="after",
        )
    return position


def _parts(cursor: str) -> tuple[str, int, str, str]:
    if len(cursor) > MAX_CURSOR_LENGTH:
        raise ValueError("longer than any cursor")
    order, microseconds, item, question = orjson.loads(
        base64.b64decode(cursor, altchars=b"-_", validate=True)
    )
    if type(microseconds) is not int or not all(isinstance(each, str) for each in (order, item, question)):
        raise TypeError("not the parts of a cursor")
    return order, microseconds, item, question


Item = TypeVar("Item")
Wrapped = TypeVar("Wrapped")

DEFAULT_SIZE = 20

FirstArgument: TypeAlias = Annotated[
    int | None, strawberry.argument(description=f"The maximum number of items, from 0 to {MAX_ITEMS}.")
]
AfterArgument: TypeAlias = Annotated[
    str | None,
    strawberry.argument(
        description="The cursor of an item; the page starts after it. Without a cursor the page starts at the"
        " first item."
    ),
]


@strawberry.type(description="The position of a page in its list.")
class PageInfo:
    """The page information of the Relay specification."""

    has_next_page: bool = strawberry.field(description="Whether there are items after this page.")
    has_previous_page: bool = strawberry.field(description="Whether there are items before this page.")
    start_cursor: str | None = strawberry.field(
        description="The cursor of the first item; null if the page is empty."
    )
    end_cursor: str | None = strawberry.field(
        description="The cursor of the last item; null if the page is empty. Pass it as `after` to get the"
        " next page."
    )


@strawberry.type(description="An item of a list and its cursor.")
class Edge(Generic[Wrapped]):
    """An edge of the Relay specification."""

    node: Wrapped = strawberry.field(description="The item.")
    cursor: str = strawberry.field(
        description="The cursor of this item. Pass it as `after` to get the items that follow."
    )


@strawberry.type(description="A page of a list. The order of the list is fixed.")
class Connection(Generic[Wrapped]):
    """A connection of the Relay specification."""

    nodes: list[Wrapped] = strawberry.field(description="The items of this page.")
    edges: list[Edge[Wrapped]] = strawberry.field(description="The items of this page with their cursors.")
    page_info: PageInfo = strawberry.field(description="The position of this page in the list.")
    count: strawberry.Private[Callable[[], Awaitable[int]]]

    @strawberry.field(description="The number of items in the whole list.")
    async def total_count(self) -> int:
        """Count the list; the statement runs only if the field is selected."""
        return await self.count()


@dataclass(frozen=True, slots=True)
class Order(Generic[Item]):
    """The sort order of a list; its name, and the question that the list is about, bind cursors to it."""

    name: str
    position: Callable[[Item], Position]
    question: str = ""

    def about(self, *arguments: object) -> Order[Item]:
        """Return the order for a list of these arguments."""
        digest = hashlib.blake2b(repr(arguments).encode(errors="surrogatepass"), digest_size=8)
        return replace(self, question=digest.hexdigest())

    def request(self, first: int | None, after: str | None) -> PageRequest:
        """Return the page that the arguments request; raise Invalid for invalid arguments."""
        size = DEFAULT_SIZE if first is None else first
        return PageRequest(size, None if after is None else position_of(self.name, after, self.question))

    def connection(
        self,
        page: Page[Item],
        wrap: Callable[[Item], Wrapped],
        asked: PageRequest,
        count: Callable[[], Awaitable[int]],
    ) -> Connection[Any]:
        """Return the connection of a page."""
        edges = [
            Edge(node=wrap(item), cursor=cursor_of(self.name, self.position(item), self.question))
            for item in page.items
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
PENDING_REFERENCES: Order[PendingReference] = Order(
    "pendingReferences", lambda waiting: Position(waiting.recorded_at, waiting.id)
)
ALIAS_CANDIDATES: Order[AliasCandidate] = Order(
    "aliasCandidates", lambda candidate: Position(candidate.recorded_at, candidate.id)
)
FACT_CANDIDATES: Order[FactCandidate] = Order(
    "factCandidates", lambda candidate: Position(candidate.recorded_at, candidate.id)
)
