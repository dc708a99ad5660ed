"""How many references of a project wait for what is not there yet."""

from __future__ import annotations

from app.domain.page import PageRequest
from app.errors import NotFound, Unavailable
from app.services.catalog import CatalogService
from app.services.memory import Memory
from app.services.projects import DEFAULT_PROJECT


async def count_waiting(memory: Memory, project: str | None) -> int | None:
    """Return how many wait in the project that was filed into: 0 when nothing was, None when nobody can tell.

    What was filed before is told all the same.
    """
    catalog = CatalogService(memory.database)
    try:
        listing = await catalog.pending_references(memory.caller, project or DEFAULT_PROJECT, PageRequest(0))
        return await listing.count()
    except NotFound:
        return 0
    except Unavailable:
        return None
