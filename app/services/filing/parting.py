"""References that were joined by a name which turns out never to have been one."""

from __future__ import annotations

from collections.abc import Sequence

from app.domain.entity import Entity
from app.services.write import Write
from app.stores.postgres import references
from app.stores.postgres.resting import references_resting_on


async def part_by_name(write: Write, entity: Entity, forms: Sequence[str]) -> None:
    """Let what documents called so, and is not, wait for whatever is: the entity never went by these forms.

    A reference of which nothing is believed any more is as if it had never been, save under a `knownAt`
    before.
    """
    resting = await references_resting_on(write.connection, write.tenant, entity.id, forms)
    for reference, waiting in resting.items():
        await references.retract_reference(write.connection, write.tenant, reference, write.recorded_at)
        await references.insert_pending(
            write.connection, write.tenant, entity.project, waiting, write.recorded_at, write.actor
        )
