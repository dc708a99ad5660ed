"""Whether a form may mean what somebody states, and for how long."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from app.domain.entity import Alias
from app.domain.temporal import Interval
from app.errors import Conflict
from app.services.aliases.ends import AliasEnds, require_ends
from app.services.aliases.forms import fit_form
from app.services.aliases.meanings import aliases_from, named_from, require_name_of, require_one_meaning
from app.services.aliases.stating import StatedAlias
from app.services.write import Write


@dataclass(frozen=True, slots=True)
class FreeForm:
    """A form that means nothing else from a moment on; `held` is the alias that says the same already."""

    form: str
    ends: AliasEnds
    valid: Interval
    held: Alias | None


async def examine(write: Write, stated: StatedAlias) -> FreeForm:
    """Answer a stated form when it may mean its target.

    Raises Invalid for an unfit form or one that never was its source's, NotFound for an end that is not
    there, Conflict, naming the entities, when the form means something else.
    """
    form = fit_form(stated.surface_form)
    ends = await require_ends(write, stated.target, stated.source, stated.source_artifact)
    start = max([stated.valid_from or write.recorded_at, *ends.beginnings])
    lasting = await aliases_from(write, ends.target.project, form, start)
    held = _same(lasting, stated, start)
    if held is None:
        if ends.source is not None:
            await require_name_of(write, ends.source, form, start)
        named = await named_from(write, ends.target.project, form, start)
        meant = {alias.target for alias in lasting} - {ends.target.id}
        await require_one_meaning(write, ends.target, form, meant | named - ends.ids, start)
    return FreeForm(form, ends, _free(lasting, held, start), held)


def _same(lasting: Sequence[Alias], stated: StatedAlias, start: datetime) -> Alias | None:
    """Answer the alias that says the same; raises Conflict when it says so of another source."""
    same = next((each for each in lasting if each.target == stated.target and each.valid.covers(start)), None)
    if same is not None and stated.source not in (None, same.source):
        raise Conflict(
            f"the form means the target already, by alias {same.id} of another source; withdraw it first",
            field="source",
        )
    return same


def _free(lasting: Sequence[Alias], held: Alias | None, start: datetime) -> Interval:
    """Answer from when to when a form may be given its meaning: up to where it has the same one again."""
    if held is not None:
        return held.valid
    return Interval(start, lasting[0].valid.start if lasting else None)
