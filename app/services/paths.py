"""How one thing is connected with another."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from app.domain.entity import Caller, Reference
from app.errors import Invalid
from app.services.catalog.scoping import instant
from app.stores.graph_reader import GraphReader
from app.stores.postgres import entities
from app.stores.postgres.pool import Database

LONGEST_PATH = 6


class PathService:
    """Finds ways along references."""

    def __init__(self, database: Database, graph: GraphReader) -> None:
        self._database = database
        self._graph = graph

    async def shortest(
        self, caller: Caller, source: UUID, target: UUID, longest: int, as_of: datetime | None
    ) -> tuple[Reference, ...] | None:
        """Answer the fewest references that lead from one entity to another at an instant, now by default.

        None when none do within `longest`, or one of the two is not there. Raises Invalid for a length out
        of bounds.
        """
        if not 1 <= longest <= LONGEST_PATH:
            raise Invalid(f"maxLength is from 1 to {LONGEST_PATH}, not {longest}", field="maxLength")
        async with self._database.reading(caller.tenant) as connection:
            at = await instant(connection, caller, as_of)
            found = await entities.entities_by_id(connection, caller.tenant, [source, target])
        if not {source, target} <= found.keys():
            return None
        return await self._graph.path(caller.tenant, source, target, longest, at)
