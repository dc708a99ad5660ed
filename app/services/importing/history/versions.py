"""The texts a document had, as its history and its present text tell them. Pure."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from app.domain.artifact import Document
from app.services.importing.history.telling import History, Revision
from app.services.parsing.dates import read_date


def versions_told(document: Document, history: History) -> list[Document]:
    """Answer the versions of a document, oldest first, each with the moment it counts from.

    The first counts from where the history begins. The present text counts from when the document was
    last updated; it takes the place of a revision that is no older.
    """
    earlier = [_version(document, revision) for revision in history.earlier(document)]
    updated = _updated(document, history.last(document))
    present = document
    if earlier and (last := earlier[-1].created_at) is not None:
        if updated is not None and updated > last:
            present = replace(document, created_at=updated)
        else:
            present = replace(document, created_at=last)
            earlier.pop()
    versions = [*earlier, present]
    versions[0] = replace(versions[0], created_at=history.start(document))
    return versions


def _updated(document: Document, changed: datetime | None) -> datetime | None:
    """Answer when a document was last updated: by its own word, or else by its history."""
    stated = document.props.get("updated_at")
    return (read_date(stated) if isinstance(stated, str) else None) or changed


def _version(document: Document, revision: Revision) -> Document:
    return replace(
        document,
        body=revision.body,
        title=revision.title or document.title,
        status=revision.status or document.status,
        created_at=revision.at,
        source_commit=revision.commit,
        alias_claims=(),
        fact_claims=(),
    )
