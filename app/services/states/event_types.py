"""Check the cause of a state change as a caller states it: event type, document, commit, description."""

from __future__ import annotations

import re
from dataclasses import dataclass
from uuid import UUID

from app.domain.bounds import MAX_COMMIT, MAX_DESCRIPTION
from app.errors import Invalid
from app.services.catalog.lookup import require_artifact
from app.services.parsing import clean_text
from app.services.states.change import Cause
from app.services.states.drafts import DISCARDED, SAVED, SEALED
from app.services.unit_of_work import UnitOfWork

MAX_EVENT_TYPE_LENGTH = 64
OWN_EVENT_TYPES = frozenset({"created", SAVED, SEALED, DISCARDED})
"""Event types that operations of their own write: an entity or a draft begins or ends."""

_WORD = re.compile(r"\w[\w.-]*")


@dataclass(frozen=True, slots=True)
class StatedCause:
    """A cause as stated, not checked yet."""

    event_type: str
    artifact: UUID | None = None
    commit: str | None = None
    description: str | None = None


async def check_cause(write: UnitOfWork, stated: StatedCause) -> Cause:
    """Check a stated cause and return it cleaned.

    Raises Invalid, naming the field, for a text that is too long or an unfit event type, and NotFound for an
    unknown artifact.
    """
    event_type = fit_event_type(stated.event_type, OWN_EVENT_TYPES)
    if stated.artifact is not None:
        await require_artifact(write, stated.artifact, "causeArtifact")
    return Cause(
        event_type=event_type,
        artifact=stated.artifact,
        commit=fit_text(stated.commit, "causeCommit", MAX_COMMIT),
        description=fit_text(stated.description, "description", MAX_DESCRIPTION),
    )


def fit_event_type(given: str, taken: frozenset[str]) -> str:
    """Return a cleaned event type; raise Invalid for one that is not one word, or is taken."""
    event_type = fit_text(given, "eventType", MAX_EVENT_TYPE_LENGTH)
    if event_type is None or not _WORD.fullmatch(event_type):
        raise Invalid("eventType is missing; give one word, such as status_transition", field="eventType")
    if event_type in taken:
        raise Invalid(f"{event_type} is the event of another mutation; use another word", field="eventType")
    return event_type


def fit_text(text: str | None, field: str, longest: int) -> str | None:
    """Return a cleaned text, None for a blank one; raise Invalid if it is too long."""
    kept = None if text is None else clean_text(text).strip() or None
    if kept is not None and len(kept) > longest:
        raise Invalid(f"{field} has {len(kept)} characters; at most {longest} are allowed", field=field)
    return kept
