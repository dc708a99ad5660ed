"""What a form means already, so that it never means two things at once."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime
from uuid import UUID

from app.domain.entity import Alias, Entity
from app.domain.identifier import identifier_key
from app.domain.moment import EVERYTHING_KNOWN
from app.domain.surface_form import fold
from app.domain.temporal import AsOf, Interval
from app.errors import Conflict, Invalid
from app.services.aliases.forms import FIELD
from app.services.labels import told_apart
from app.services.write import Write
from app.stores.postgres import aliases, entities


async def aliases_from(write: Write, project: int, form: str, start: datetime) -> list[Alias]:
    """Answer the aliases of a form that hold at a moment or later, the earliest first."""
    held = await aliases.believed_aliases(write.connection, write.tenant, project, [form])
    lasting = [alias for alias in held if alias.valid.end is None or alias.valid.end > start]
    return sorted(lasting, key=lambda alias: alias.valid.start)


async def named_from(write: Write, project: int, form: str, start: datetime) -> set[UUID]:
    """Answer the entities whose identifier a form is, or whose name it is at a moment or later."""
    where = (write.connection, write.tenant, project)
    return await aliases.called_from(*where, fold(form), identifier_key(form), Interval(start))


async def require_name_of(write: Write, entity: Entity, form: str, start: datetime) -> None:
    """Raise Invalid when an entity never went by a form, since it gives way by a name of its own."""
    where = (write.connection, write.tenant)
    if await aliases.goes_by(*where, entity.id, fold(form), identifier_key(form)):
        return
    moment = AsOf(max(start, write.recorded_at), EVERYTHING_KNOWN)
    (told,) = await told_apart(*where, [entity], moment)
    raise Invalid(
        f"{told} never went by {form}; give the form by which it gave way, or leave source out",
        field="source",
    )


async def require_one_meaning(
    write: Write,
    target: Entity,
    form: str,
    meant: Collection[UUID],
    named: Collection[UUID],
    start: datetime,
) -> None:
    """Raise Conflict, naming the entities, when a form means something else than the target.

    `meant` are the entities of which it is an alias, `named` those of which it is the identifier or a name.
    """
    if not meant and not named:
        return
    found = await entities.entities_by_id(write.connection, write.tenant, [*meant, *named, target.id])
    moment = AsOf(max(start, write.recorded_at), EVERYTHING_KNOWN)
    told = await told_apart(write.connection, write.tenant, found.values(), moment)
    remedy = (
        "it is the identifier or a name of the other, so take another form"
        if named
        else "take another form, or withdraw the alias that has this one"
    )
    raise Conflict(f"{form} could then mean {' or '.join(told)}; {remedy}", field=FIELD)
