"""Relay connections over keyset pages."""

from __future__ import annotations

import base64
import binascii
import hashlib
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from enum import Enum
from typing import Annotated, Any, Generic, TypeAlias, TypeVar
from uuid import UUID

import orjson
import strawberry
from graphql import NullValueNode, VariableNode

from app.domain.artifact import Artifact
from app.domain.candidate import AliasCandidate, FactCandidate
from app.domain.entity import Entity, PendingReference, Reference
from app.domain.page import MAX_ITEMS, Page, PageRequest, Position, sort_text
from app.domain.temporal import EntityState
from app.errors import Invalid
from app.graphql.context import Info

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MICROSECOND = timedelta(microseconds=1)
MAX_CURSOR_LENGTH = 1_024


def cursor_of(order: str, position: Position, question: str = "") -> str:
    """Return the cursor of a position in a list of this order that is about a question."""
    at = position.at if isinstance(position.at, str) else (position.at - EPOCH) // MICROSECOND
    parts = [order, at, str(position.id), question]
    return base64.urlsafe_b64encode(orjson.dumps(parts)).decode()


def position_of(order: str, cursor: str, question: str = "", field: str = "after") -> Position:
    """Return the position of a cursor; raise Invalid for one that no such list of this order gave."""
    try:
        given, at, item, asked = _parts(cursor)
        position = Position(at if isinstance(at, str) else EPOCH + at * MICROSECOND, UUID(item))
    except (ValueError, TypeError, OverflowError, AttributeError, binascii.Error):
        raise Invalid(
            f"this cursor does not come from a list of this API; leave out {field} to start at the"
            f" {'first' if field == 'after' else 'last'} item",
            field=field,
        ) from None
    if given != order:
        raise Invalid(f"this cursor belongs to a list of {given}, not of {order}", field=field)
    if asked != question:
        raise Invalid(
            f"this cursor belongs to a list of {order} with other arguments; give the arguments of that list,"
            f" or leave out {field}",
            field=field,
        )
    return position


def _parts(cursor: str) -> tuple[str, int | str, str, str]:
    if len(cursor) > MAX_CURSOR_LENGTH:
        raise ValueError("longer than any cursor")
    order, at, item, question = orjson.loads(base64.b64decode(cursor, altchars=b"-_", validate=True))
    if type(at) not in (int, str) or not all(isinstance(each, str) for each in (order, item, question)):
        raise TypeError("not the parts of a cursor")
    return order, at, item, question


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
LastArgument: TypeAlias = Annotated[
    int | None,
    strawberry.argument(
        description=f"The maximum number of items from the end of the list, from 0 to {MAX_ITEMS}, in the"
        " order of the list. Give it instead of `first`."
    ),
]
BeforeArgument: TypeAlias = Annotated[
    str | None,
    strawberry.argument(
        description="The cursor of an item; the page of `last` ends before it. Without a cursor the page ends"
        " with the last item."
    ),
]


@strawberry.enum(description="The direction in which a list is sorted.")
class OrderDirection(Enum):
    """Upwards or downwards."""

    ASC = strawberry.enum_value("ASC", description="The earliest or the alphabetically first comes first.")
    DESC = strawberry.enum_value("DESC", description="The latest or the alphabetically last comes first.")


@strawberry.enum(description="What a list of entities is sorted by.")
class EntityOrderField(Enum):
    """The keys of a list of entities."""

    CREATED_AT = strawberry.enum_value("CREATED_AT", description="The instant at which an entity begins.")
    IDENTIFIER = strawberry.enum_value(
        "IDENTIFIER", description="The identifier of a document in its plain spelling; one without is empty."
    )


@strawberry.enum(description="What a list of artifacts is sorted by.")
class ArtifactOrderField(Enum):
    """The keys of a list of artifacts."""

    CREATED_AT = strawberry.enum_value(
        "CREATED_AT", description="The instant from which an artifact is valid."
    )
    IDENTIFIER = strawberry.enum_value(
        "IDENTIFIER", description="The identifier as it is written, character by character."
    )
    TITLE = strawberry.enum_value("TITLE", description="The title, character by character.")


@strawberry.input(description="How to sort a list of entities.")
class EntityOrder:
    """A key and a direction."""

    field: EntityOrderField = strawberry.field(description="What to sort by.")
    direction: OrderDirection = strawberry.field(
        default=OrderDirection.ASC, description="The direction in which to sort."
    )


@strawberry.input(description="How to sort a list of artifacts.")
class ArtifactOrder:
    """A key and a direction."""

    field: ArtifactOrderField = strawberry.field(description="What to sort by.")
    direction: OrderDirection = strawberry.field(
        default=OrderDirection.ASC, description="The direction in which to sort."
    )


@strawberry.type(description="The position of a page in its list.")
class PageInfo:
    """The page information of the Relay specification."""

    has_next_page: bool = strawberry.field(description="Whether there are items after this page.")
    has_previous_page: bool = strawberry.field(description="Whether there are items before this page.")
    start_cursor: str | None = strawberry.field(
        description="The cursor of the first item; null if the page is empty. Pass it as `before` to get the"
        " previous page."
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
        description="The cursor of this item. Pass it as `after` to get the items that follow, and as"
        " `before` to get the items that precede it."
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
    sort: str = ""
    is_reversed: bool = False

    def about(self, *arguments: object) -> Order[Item]:
        """Return the order for a list of these arguments."""
        digest = hashlib.blake2b(repr(arguments).encode(errors="surrogatepass"), digest_size=8)
        return replace(self, question=digest.hexdigest())

    def by(
        self, given: EntityOrder | ArtifactOrder | None, texts: Mapping[Enum, Callable[[Item], str | None]]
    ) -> Order[Item]:
        """Return the order that a client asks for, by one of these texts if not by the moment."""
        if given is None:
            return self
        ordered = replace(self, is_reversed=given.direction is OrderDirection.ASC)
        text = texts.get(given.field)
        if text is None:
            return ordered

        def position(item: Item) -> Position:
            return Position(sort_text(text(item) or ""), self.position(item).id)

        return replace(ordered, sort=given.field.name, position=position)

    def request(
        self, info: Info, first: int | None, after: str | None, last: int | None, before: str | None
    ) -> PageRequest:
        """Return the page that the arguments request; raise Invalid for invalid arguments."""
        if last is None:
            if before is not None:
                raise Invalid("before belongs to last: give last, or after instead of before", field="before")
            size = DEFAULT_SIZE if first is None else first
            return PageRequest(size, self._start(after, "after"), False, self.sort, self.is_reversed)
        if after is not None or _is_given(info, "first"):
            raise Invalid("give either first and after, or last and before", field="last")
        return PageRequest(last, self._start(before, "before"), True, self.sort, self.is_reversed)

    def _start(self, cursor: str | None, field: str) -> Position | None:
        if cursor is None:
            return None
        position = position_of(self.name, cursor, self.question, field)
        if isinstance(position.at, str) != bool(self.sort):
            raise Invalid("this cursor belongs to a list that is sorted by something else", field=field)
        return position

    def connection(
        self,
        page: Page[Item],
        wrap: Callable[[Item], Wrapped],
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
                has_previous_page=page.has_previous,
                start_cursor=edges[0].cursor if edges else None,
                end_cursor=edges[-1].cursor if edges else None,
            ),
            count=count,
        )


def _is_given(info: Info, name: str) -> bool:
    """Return whether the client itself gave an argument, so that it is not the default."""
    for argument in info._raw_info.field_nodes[0].arguments or ():
        if argument.name.value == name:
            value = argument.value
            if isinstance(value, VariableNode):
                return info.variable_values.get(value.name.value) is not None
            return not isinstance(value, NullValueNode)
    return False


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

ENTITY_TEXTS: Mapping[Enum, Callable[[Entity], str | None]] = {
    EntityOrderField.IDENTIFIER: lambda entity: entity.key
}
ARTIFACT_TEXTS: Mapping[Enum, Callable[[Artifact], str | None]] = {
    ArtifactOrderField.IDENTIFIER: lambda artifact: artifact.identifier,
    ArtifactOrderField.TITLE: lambda artifact: artifact.title,
}
