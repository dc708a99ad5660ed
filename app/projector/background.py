"""The projection beside other work of a process."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from app.projector.projector import Projector
from app.settings import Settings
from app.stores.background import beside
from app.stores.neo4j.link import GraphLink


@asynccontextmanager
async def projecting(settings: Settings, link: GraphLink) -> AsyncIterator[Projector | None]:
    """Project while the block lasts, where the settings name a graph; the block waits for nothing."""
    if settings.neo4j_uri is None:
        yield None
        return
    projector = Projector(settings, link)
    async with beside(projector.run()):
        yield projector
