"""Saying that nothing has an id, and where the ids of such things are told."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from uuid import UUID

from app.errors import NotFound

TOLD_BY: Mapping[str, str] = MappingProxyType(
    {
        "alias": "the field aliases of an entity tells them",
        "artifact": "artifacts tells them, by identifier too",
        "candidate": "aliasCandidates and factCandidates tell them",
        "entity": "resolveAlias tells that of a name or identifier",
        "reference": "references tells them",
        "state": "stateAsOf, drafts and the field states of an entity tell them",
    }
)
"""Where the API tells the ids of each kind of thing."""


def nothing_has(kind: str, given: str | UUID, field: str) -> NotFound:
    """Answer the error for an id that nothing of a kind has, or for a text that is no id."""
    hint = TOLD_BY[kind] if isinstance(given, UUID) else f"ids are UUIDs; {TOLD_BY[kind]}"
    return NotFound(f"there is no {kind} {given}; {hint}", field=field)
