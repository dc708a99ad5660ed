"""Whether a form may mean what somebody states, and for how long."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from app.domain.entity import Alias
from app.domain.temporal import Interval, still_missing
from app.errors import Conflict
from app.services.aliases.ends import AliasEnds, require_ends
from app.services.aliases.forms import fit_form
from app.services.aliases.meanings import aliases_from, named_from, require_name_of, require_one_meaning
from app.services.aliases.stating import StatedAlias
from app.services.write import Write


@dataclass(frozen=True, slots=True)
class FreeForm:
    """A form that may mean its target, and when it does not yet.

    `held` is the alias that says the same already, where nothing is missing.
    """

    form: str
    ends: AliasEnds
    missing: Sequence[Interval]
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
    own = (each.valid for each in lasting if each.target == stated.target)
    missing = still_missing(own, start, write.recorded_at)
    if missing:
        await _require_free(write, ends, form, lasting, missing[0].start)
    return FreeForm(form, ends, missing, None if missing else held)


async def _require_free(
    write: Write, ends: AliasEnds, form: str, lasting: Sequence[Alias], start: datetime
) -> None:
    """Raise when a form never was its source's, or means something else at a moment or later."""
    if ends.source is not None:
        await require_name_of(write, ends.source, form, start)
    named = await named_from(write, ends.target.project, form, start)
    others = [alias for alias in lasting if alias.valid.end is None or alias.valid.end > start]
    meant = {alias.target for alias in others} - {ends.target.id}
    await require_one_meaning(write, ends.target, form, meant, named - ends.ids, start)


def _same(lasting: Sequence[Alias], stated: StatedAlias, start: datetime) -> Alias | None:
    """Answer the alias that says the same; raises Conflict when it says so of another source."""
    same = next((each for each in lasting if each.target == stated.target and each.valid.covers(start)), None)
    if same is not None and stated.source not in (None, same.source):
        raise Conflict(
            f"the form means the target already, by alias {same.id} of another source; withdraw it first",
            field="source",
        )
    return same
