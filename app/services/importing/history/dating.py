"""Which versions of a document are to be filed, and from when each counts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

import asyncpg

from app.domain.artifact import Document
from app.services.filing.preparation import content_hash, entity_key
from app.services.importing.history.telling import History
from app.services.importing.history.versions import versions_told
from app.stores.postgres import chronicle, entities, projects
from app.stores.postgres.chronicle import Version
from app.stores.postgres.pool import Database


async def versions_to_file(
    database: Database, tenant: int, project: str, document: Document, history: History
) -> list[Document]:
    """Answer the versions of a document that are still to be filed, oldest first, its present text last.

    A document that is not there yet counts from where its history begins, a changed text of one that is
    from its history's last change. Without a history it is filed as it is.
    """
    changed = history.last(document)
    if changed is None:
        return [document]
    sequence = versions_told(document, history)
    async with database.reading(tenant) as connection:
        held = await _held(connection, tenant, project, document)
    return _remaining(sequence, held, changed)


async def _held(
    connection: asyncpg.Connection, tenant: int, project: str, document: Document
) -> list[Version]:
    found = await projects.project_by_key(connection, tenant, project)
    if found is None:
        return []
    key = entity_key(document, content_hash(document))
    entity = await entities.entity_by_key(connection, tenant, found.number, key)
    return [] if entity is None else await chronicle.versions_of(connection, tenant, entity.id)


def _remaining(sequence: list[Document], held: Sequence[Version], changed: datetime) -> list[Document]:
    if not held:
        return sequence
    hashes = {version.content_hash for version in held}
    filed = [place for place, version in enumerate(sequence) if content_hash(version) in hashes]
    if filed and sequence[filed[-1] + 1 :]:
        return sequence[filed[-1] + 1 :]
    # A text that was there before and is again, is a version of its own.
    newest = max(held, key=lambda version: version.created_at)
    present = sequence[-1]
    dated = [present, *(replace(present, created_at=at) for at in (newest.created_at, changed))]
    same = (each for each in dated if content_hash(each) == newest.content_hash)
    return [next(same, dated[-1])]
