"""How many references of a project wait for what is not there yet."""

from __future__ import annotations

from app.domain.page import PageRequest
from app.errors import NotFound
from app.services.catalog import CatalogService
from app.services.memory import Memory
from app.services.projects import DEFAULT_PROJECT


async def count_waiting(memory: Memory, project: str | None) -> int:
    """Answer how many wait in the project that was filed into; 0 when nothing was."""
    catalog = CatalogService(memory.database)
    try:
        listing = await catalog.pending_references(memory.caller, project or DEFAULT_PROJECT, PageRequest(0))
    except NotFound:
        return 0
    return await listing.count()
