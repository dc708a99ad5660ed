"""Write one alias inside an open unit of work."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID, uuid4

from app.domain.entity import Alias, AuthorityTier, Entity
from app.domain.temporal import Interval, still_missing
from app.domain.text import fold
from app.errors import Conflict
from app.services.aliases.mentions import note_earlier_mentions
from app.services.aliases.rules import (
    AliasEnds,
    aliases_from,
    fit_form,
    named_from,
    require_ends,
    require_name_of,
    require_one_meaning,
)
from app.services.references.edges import Joined
from app.services.references.pending import join_pending_by_name
from app.services.references.supersession import recompute_statuses
from app.services.unit_of_work import UnitOfWork
from app.stores.postgres import aliases, lookups
from app.stores.postgres.mentions import NamedForm


@dataclass(frozen=True, slots=True)
class StatedAlias:
    """A form, the entity it means, and the entity that was replaced, if the form was its name.

    Without `valid_from` it means the target from now on; without `tier` it has the caller's authority, and
    never a higher one.
    """

    surface_form: str
    target: UUID
    source: UUID | None = None
    source_artifact: UUID | None = None
    valid_from: datetime | None = None
    tier: AuthorityTier | None = None


@dataclass(frozen=True, slots=True)
class FreeForm:
    """A form that may mean its target, and the intervals in which it does not yet.

    `held` is the existing alias that says the same, if no interval is missing.
    """

    form: str
    ends: AliasEnds
    missing: Sequence[Interval]
    held: Alias | None


async def examine(write: UnitOfWork, stated: StatedAlias) -> FreeForm:
    """Check that a stated form may mean its target, and return it.

    Raises Invalid for an unfit form or one that never was its source's, NotFound for an end that is not
    there, Conflict, naming the entities, when the form means something else.
    """
    form = fit_form(stated.surface_form)
    ends = await require_ends(write, stated.target, stated.source, stated.source_artifact)
    start = max([stated.valid_from or write.recorded_at, *ends.beginnings])
    lasting = await aliases_from(write, ends.target.project, form, start)
    held = _same(lasting, stated, start)
    own = (each.valid for each in lasting if each.target == stated.target)
    missing = still_missing(own, start, write.recorded_at)
    if missing:
        await _require_free(write, ends, form, lasting, missing[0].start)
    return FreeForm(form, ends, missing, None if missing else held)


async def _require_free(
    write: UnitOfWork, ends: AliasEnds, form: str, lasting: Sequence[Alias], start: datetime
) -> None:
    """Raise if a form was never a name of its source, or means something else at a moment or later."""
    if ends.source is not None:
        await require_name_of(write, ends.source, form, start)
    named = await named_from(write, ends.target.project, form, start)
    others = [alias for alias in lasting if alias.valid.end is None or alias.valid.end > start]
    meant = {alias.target for alias in others} - {ends.target.id}
    await require_one_meaning(write, ends.target, form, meant, named - ends.ids, start)


def _same(lasting: Sequence[Alias], stated: StatedAlias, start: datetime) -> Alias | None:
    """Return the alias that says the same; raise Conflict if it has another source."""
    same = next((each for each in lasting if each.target == stated.target and each.valid.covers(start)), None)
    if same is not None and stated.source not in (None, same.source):
        raise Conflict(
            f"the name means the target already, through alias {same.id} from another"
            " source; withdraw that alias first",
            field="source",
            current=same.id,
        )
    return same


@dataclass(frozen=True, slots=True)
class AddedAlias:
    """An alias that is there now; `is_new` is false when it was there before."""

    alias: Alias
    is_new: bool


async def add_alias(write: UnitOfWork, stated: StatedAlias) -> AddedAlias:
    """Add an alias of an entity in the entity's project; the same alias again changes nothing.

    The missing times are written: the time before an existing alias, and the time since it was withdrawn,
    whose alias is then returned. Texts filed earlier that use the form are recorded as mentions, and pending
    references to it are resolved: since these may supersede, this must come last in a write. Raises
    Invalid for an unfit form or a circle, NotFound for an end that is not there, Conflict, naming the
    entities, if the form means something else.
    """
    free = await examine(write, stated)
    if free.held is not None:
        return AddedAlias(free.held, is_new=False)
    written = [await _insert(write, stated, free, valid) for valid in free.missing]
    target = free.ends.target
    form = NamedForm(target.id, free.form, fold(free.form))
    await note_earlier_mentions(write, target.project, form)
    await _resolve_pending(write, target, free.form)
    return AddedAlias(written[-1], is_new=True)


async def _insert(write: UnitOfWork, stated: StatedAlias, free: FreeForm, valid: Interval) -> Alias:
    alias = Alias(
        id=uuid4(),
        surface_form=free.form,
        target=stated.target,
        source=stated.source,
        tier=max(write.caller.tier, stated.tier or write.caller.tier),
        source_artifact=stated.source_artifact,
        valid=valid,
    )
    where = (write.rows, write.tenant, free.ends.target.project)
    await aliases.insert_alias(*where, alias, write.recorded_at, write.actor)
    return alias


async def _resolve_pending(write: UnitOfWork, target: Entity, form: str) -> None:
    found = await lookups.projects_by_number(await write.flush(), write.tenant, [target.project])
    joined = Joined()
    await join_pending_by_name(write, found[target.project], target, [form], joined)
    await recompute_statuses(write, joined.changes)
