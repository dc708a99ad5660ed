"""What promoting a candidate writes: with the reviewer's authority, and its document as the cause."""

from __future__ import annotations

from datetime import datetime

from app.domain.candidate import AliasCandidate, Candidate, FactCandidate
from app.domain.entity import Alias
from app.domain.temporal import Branch, EntityState
from app.services.aliases import StatedAlias, add_alias
from app.services.states import Cause, StateChange, change_state
from app.services.write import Write
from app.stores.postgres import artifacts, states

FACT = "fact"


async def promote_alias(write: Write, candidate: AliasCandidate) -> Alias:
    """Let the form mean the entity from the document's date on; answers the alias, or the same one there."""
    stated = StatedAlias(
        candidate.surface_form,
        candidate.entity,
        source_artifact=candidate.artifact,
        valid_from=await _date(write, candidate),
    )
    return (await add_alias(write, stated)).alias


async def promote_fact(write: Write, candidate: FactCandidate) -> EntityState:
    """Let the property have the value from the document's date on, once the entity is there.

    Answers the state that this opened.
    """
    where = (write.connection, write.tenant, candidate.entity)
    begins = (await states.believed_states(*where, Branch.COMMITTED))[0].valid.start
    since = max(begins, await _date(write, candidate))
    change = StateChange({candidate.property: candidate.value}, since)
    cause = Cause(FACT, artifact=candidate.artifact, description=candidate.quote.text)
    return (await change_state(write, candidate.entity, change, cause)).state


async def _date(write: Write, candidate: Candidate) -> datetime:
    found = await artifacts.artifacts_by_id(write.connection, write.tenant, [candidate.artifact])
    return found[candidate.artifact].created_at
