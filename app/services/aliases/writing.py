"""Writing one alias inside an open write."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID, uuid4

from app.domain.entity import Alias, AuthorityTier, Entity
from app.domain.surface_form import fold
from app.domain.temporal import Interval
from app.errors import Conflict
from app.services.aliases.ends import AliasEnds, require_ends
from app.services.aliases.forms import fit_form
from app.services.aliases.meanings import aliases_from, named_from, require_one_meaning
from app.services.aliases.usage import note_earlier_mentions
from app.services.write import Write
from app.stores.postgres import aliases
from app.stores.postgres.mentions import NamedForm


@dataclass(frozen=True, slots=True)
class StatedAlias:
    """A form as somebody states it: what it means, and which entity gave way when the form was its name.

    Without `valid_from` it means the target from now on; without `tier` on the caller's authority, and
    never on a higher one.
    """

    surface_form: str
    target: UUID
    source: UUID | None = None
    source_artifact: UUID | None = None
    valid_from: datetime | None = None
    tier: AuthorityTier | None = None


@dataclass(frozen=True, slots=True)
class AddedAlias:
    """An alias that is there now; `is_new` is false when it was there before."""

    alias: Alias
    is_new: bool


async def add_alias(write: Write, stated: StatedAlias) -> AddedAlias:
    """Let a form mean an entity in the entity's project; the same alias again changes nothing.

    Texts filed earlier that use the form are noted as mentions. Raises Invalid for an unfit form, NotFound
    for an end that is not there, Conflict, naming the entities, when the form means something else.
    """
    form = fit_form(stated.surface_form)
    ends = await require_ends(write, stated.target, stated.source, stated.source_artifact)
    start = max([stated.valid_from or write.recorded_at, *ends.beginnings])
    held = await aliases_from(write, ends.target.project, form, start)
    if kept := _held_already(held, stated, start):
        return AddedAlias(kept, is_new=False)
    await _require_no_other_meaning(write, ends, form, held, start)
    alias = Alias(
        id=uuid4(),
        surface_form=form,
        target=stated.target,
        source=stated.source,
        tier=max(write.caller.tier, stated.tier or write.caller.tier),
        source_artifact=stated.source_artifact,
        valid=Interval(start, held[0].valid.start if held else None),
    )
    await _insert(write, ends.target, alias)
    return AddedAlias(alias, is_new=True)


def _held_already(held: Sequence[Alias], stated: StatedAlias, start: datetime) -> Alias | None:
    """Answer the alias that says the same; raises Conflict when it says so of another source."""
    same = [alias for alias in held if alias.target == stated.target and alias.valid.covers(start)]
    if same and stated.source not in (None, same[0].source):
        raise Conflict(
            f"the form means the target already, by alias {same[0].id} of another source; withdraw it first",
            field="source",
        )
    return same[0] if same else None


async def _require_no_other_meaning(
    write: Write, ends: AliasEnds, form: str, held: Sequence[Alias], start: datetime
) -> None:
    named = await named_from(write, ends.target.project, form, start)
    meant = {alias.target for alias in held} - {ends.target.id}
    await require_one_meaning(write, ends.target, form, meant | named - ends.ids, start)


async def _insert(write: Write, target: Entity, alias: Alias) -> None:
    where = (write.connection, write.tenant, target.project)
    await aliases.insert_alias(*where, alias, write.recorded_at, write.actor)
    form = NamedForm(target.id, alias.surface_form, fold(alias.surface_form))
    await note_earlier_mentions(write, target.project, form)
