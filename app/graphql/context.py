"""The context of resolvers: the caller, the services, the request's loaders, and the moment of each field."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import cached_property, partial
from typing import TypeAlias
from uuid import UUID

import strawberry
from graphql.pyutils import Path
from starlette.requests import HTTPConnection
from strawberry.dataloader import DataLoader

from app.domain.entity import Caller
from app.domain.numbers import ArtifactNumber
from app.domain.recall import StateFlag
from app.loaders import IndependentLoader, Loaders
from app.services.catalog import RequestedMoment
from app.services.changes import Identify
from app.services.container import Memory

FlagKey: TypeAlias = tuple[ArtifactNumber | UUID, RequestedMoment]


class Context:
    """The context of one request, by the memory's own caller if no other is named.

    `identify` tells whether the caller is still who they were, for what lasts. A client that follows changes
    again says in `last_event` which it saw last, and `position` is that of the change that it gets now.
    `passage_starts` keeps where the passages of an artifact start, which never changes.
    """

    def __init__(
        self,
        memory: Memory,
        caller: Caller | None = None,
        identify: Identify | None = None,
        last_event: str | None = None,
    ) -> None:
        self.caller = caller or memory.caller
        self.identify = identify or self._stay
        self.last_event = last_event
        self.position: int | None = None
        self.changes = memory.changes
        self.filing = memory.filing
        self.withdrawals = memory.withdrawals
        self.recall = memory.recall
        self.canonical = memory.canonical
        self.catalog = memory.catalog
        self.review = memory.review
        self.aliases = memory.aliases
        self.renames = memory.renames
        self.references = memory.references
        self.states = memory.states
        self.paths = memory.paths
        self._database = memory.database
        self._graph = memory.graph
        self.passage_starts: dict[ArtifactNumber, Mapping[int, int]] = {}
        self._moments: dict[Path, RequestedMoment] = {}

    async def _stay(self) -> Caller:
        return self.caller

    @cached_property
    def loaders(self) -> Loaders:
        """Return the loaders of this request, created on first use: many requests need none."""
        return Loaders(self._database, self._graph, self.caller.tenant)

    @cached_property
    def now(self) -> RequestedMoment:
        """Return the moment of fields that name none: one present for the whole request."""
        return RequestedMoment()

    @cached_property
    def flags(self) -> DataLoader[FlagKey, StateFlag | None]:
        """Return the loader of the flags of artifacts and entities at a moment."""
        return IndependentLoader(load_fn=self._load_flags)

    async def _load_flags(self, keys: list[FlagKey]) -> list[StateFlag | BaseException | None]:
        found = {
            asked: await self.recall.own_flags(self.caller, [key for key, at in keys if at == asked], asked)
            for asked in dict.fromkeys(at for _, at in keys)
        }
        return [found[asked].get(key) for key, asked in keys]

    def renew(self) -> None:
        """Discard the loaded objects and the present, since a mutation of this request changes them."""
        self.__dict__.pop("loaders", None)
        self.__dict__.pop("now", None)
        self.__dict__.pop("flags", None)

    def moment_at(self, path: Path | None) -> RequestedMoment:
        """Return the moment of the nearest field, from a path upwards, that names one."""
        if self._moments:
            while path is not None:
                if path in self._moments:
                    return self._moments[path]
                path = path.prev
        return self.now

    def note_moment(self, path: Path, moment: RequestedMoment) -> None:
        """Let the fields below a path inherit a moment."""
        self._moments[path] = moment


Info: TypeAlias = strawberry.Info[Context, None]


def moment_of(info: Info, as_of: datetime | None = None, known_at: datetime | None = None) -> RequestedMoment:
    """Return the moment that a field reads at: its arguments, or else those of the nearest field above."""
    context = info.context
    above = context.moment_at(info.path.prev)
    if as_of is None and known_at is None:
        return above
    moment = RequestedMoment(as_of or above.as_of, known_at or above.known_at, context.now.present)
    context.note_moment(info.path, moment)
    return moment


async def context_of(request: HTTPConnection) -> Context:
    """Return the context of a request, from the memory that the application's lifespan opened.

    Raises Unauthenticated when the request has no good token although it needs one.
    """
    return await context_for(request, request.headers.getlist("authorization"))


async def context_for(request: HTTPConnection, authorization: Sequence[str]) -> Context:
    """Return the context of a request whose caller these Authorization headers name."""
    identify = partial(request.state.authenticator.identify, authorization)
    caller = await identify()
    memory = request.state.memory.of_caller(caller)
    return Context(memory, caller, identify, request.headers.get("last-event-id"))
