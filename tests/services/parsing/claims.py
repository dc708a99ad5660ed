from __future__ import annotations

from app.domain.artifact import Document


def edges(document: Document) -> list[tuple[str, str]]:
    """Return each claim as its type, with < when it is read backwards, and its target."""
    return [(claim.type + ("<" if claim.inverted else ""), claim.target) for claim in document.references]
