"""Why a state changes, as a caller says it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from uuid import UUID

from app.errors import Invalid
from app.services.catalog.lookup import require_artifact
from app.services.parsing import clean_text
from app.services.states.drafts import DISCARDED, SAVED, SEALED
from app.services.states.write_state import Cause
from app.services.unit_of_work import UnitOfWork

MAX_EVENT_TYPE_LENGTH = 64
MAX_COMMIT_LENGTH = 256
MAX_DESCRIPTION_LENGTH = 4096
OWN_EVENT_TYPES = frozenset({"created", SAVED, SEALED, DISCARDED})
"""What happened when an entity or a draft was begun or ended, which a verb of its own tells."""

_WORD = re.compile(r"\w[\w.-]*")


@dataclass(frozen=True, slots=True)
class StatedCause:
    """A cause that nobody has checked yet."""

    event_type: str
    artifact: UUID | None = None
    commit: str | None = None
    description: str | None = None


async def checked_cause(write: UnitOfWork, stated: StatedCause) -> Cause:
    """Return a cause as it can be kept.

    Raises Invalid, naming the field, for a text that is too long or an event without a word for it, and
    NotFound for an artifact that is not there.
    """
    event_type = fit_event_type(stated.event_type, OWN_EVENT_TYPES)
    if stated.artifact is not None:
        await require_artifact(write, stated.artifact, "causeArtifact")
    return Cause(
        event_type=event_type,
        artifact=stated.artifact,
        commit=kept_text(stated.commit, "causeCommit", MAX_COMMIT_LENGTH),
        description=kept_text(stated.description, "description", MAX_DESCRIPTION_LENGTH),
    )


def fit_event_type(given: str, taken: frozenset[str]) -> str:
    """Return what happened, as it can be kept; raises Invalid for what is no word, or is taken."""
    event_type = kept_text(given, "eventType", MAX_EVENT_TYPE_LENGTH)
    if event_type is None or not _WORD.fullmatch(event_type):
        raise Invalid("say what happened, in one word such as status_transition", field="eventType")
    if event_type in taken:
        raise Invalid(f"{event_type} is what another verb writes; take another word", field="eventType")
    return event_type


def kept_text(text: str | None, field: str, longest: int) -> str | None:
    """Return a text as it can be kept, None for a blank one; raises Invalid for one that is too long."""
    kept = None if text is None else clean_text(text).strip() or None
    if kept is not None and len(kept) > longest:
        raise Invalid(f"{field} has {len(kept)} characters; at most {longest} are kept", field=field)
    return kept
