"""Writing one alias inside an open write."""

from __future__ import annotations

from dataclasses import dataclass
from uuid import uuid4

from app.domain.entity import Alias, Entity
from app.domain.surface_form import fold
from app.domain.temporal import Interval
from app.services.aliases.examining import FreeForm, examine
from app.services.aliases.stating import StatedAlias
from app.services.aliases.usage import note_earlier_mentions
from app.services.filing.edges import Joined
from app.services.filing.supersession import settle_all
from app.services.filing.waiting import join_pending_by_name
from app.services.write import Write
from app.stores.postgres import aliases, lookups
from app.stores.postgres.mentions import NamedForm


@dataclass(frozen=True, slots=True)
class AddedAlias:
    """An alias that is there now; `is_new` is false when it was there before."""

    alias: Alias
    is_new: bool


async def add_alias(write: Write, stated: StatedAlias) -> AddedAlias:
    """Let a form mean an entity in the entity's project; the same alias again changes nothing.

    What is missing of it is written: the time before it is held, and the time since it was withdrawn, which
    is then the one that is answered.
    Texts filed earlier that use the form are noted as mentions, and references that waited for it are
    joined: since these may supersede, this comes last in a write. Raises Invalid for an unfit form or a
    circle, NotFound for an end that is not there, Conflict, naming the entities, when the form means
    something else.
    """
    free = await examine(write, stated)
    if free.held is not None:
        return AddedAlias(free.held, is_new=False)
    written = [await _insert(write, stated, free, valid) for valid in free.missing]
    target = free.ends.target
    form = NamedForm(target.id, free.form, fold(free.form))
    await note_earlier_mentions(write, target.project, form)
    await _join_waiting(write, target, free.form)
    return AddedAlias(written[-1], is_new=True)


async def _insert(write: Write, stated: StatedAlias, free: FreeForm, valid: Interval) -> Alias:
    alias = Alias(
        id=uuid4(),
        surface_form=free.form,
        target=stated.target,
        source=stated.source,
        tier=max(write.caller.tier, stated.tier or write.caller.tier),
        source_artifact=stated.source_artifact,
        valid=valid,
    )
    where = (write.connection, write.tenant, free.ends.target.project)
    await aliases.insert_alias(*where, alias, write.recorded_at, write.actor)
    return alias


async def _join_waiting(write: Write, target: Entity, form: str) -> None:
    found = await lookups.projects_by_number(write.connection, write.tenant, [target.project])
    joined = Joined()
    await join_pending_by_name(write, found[target.project], target, [form], joined)
    await settle_all(write, joined.turns)
