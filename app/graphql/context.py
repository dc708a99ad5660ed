"""The context of resolvers: the caller, the services and the request's loaders."""

from __future__ import annotations

from functools import cached_property
from typing import TypeAlias

import strawberry
from starlette.requests import Request

from app.loaders import Loaders
from app.services.container import Memory


class Context:
    """The context of one request."""

    def __init__(self, memory: Memory) -> None:
        self.caller = memory.caller
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

    @cached_property
    def loaders(self) -> Loaders:
        """Return the loaders of this request, created on first use: many requests need none."""
        return Loaders(self._database, self._graph, self.caller.tenant)

    def renew(self) -> None:
        """Discard the loaded objects, since a mutation of this request changes them."""
        self.__dict__.pop("loaders", None)


Info: TypeAlias = strawberry.Info[Context, None]


async def context_of(request: Request) -> Context:
    """Return the context of a request, from the memory that the application's lifespan opened."""
    return Context(request.state.memory)
