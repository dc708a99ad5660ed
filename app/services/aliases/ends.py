"""What an alias joins: the entity it means, and the one that gave way to it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from app.domain.entity import Entity
from app.domain.moment import EVERYTHING_KNOWN
from app.domain.temporal import AsOf
from app.errors import Conflict, Invalid
from app.services.absent import require_artifact, require_entities
from app.services.labels import told_apart
from app.services.write import Write
from app.stores.postgres import aliases, entities


@dataclass(frozen=True, slots=True)
class AliasEnds:
    """The entity that a form means and, when the form was the name of another, that one."""

    target: Entity
    source: Entity | None

    @property
    def ids(self) -> set[UUID]:
        """Answer the ids of both."""
        return {self.target.id} if self.source is None else {self.target.id, self.source.id}

    @property
    def beginnings(self) -> list[datetime]:
        """Answer when each begins."""
        return (
            [self.target.created_at]
            if self.source is None
            else [self.target.created_at, self.source.created_at]
        )


async def require_ends(
    write: Write, target: UUID, source: UUID | None, source_artifact: UUID | None
) -> AliasEnds:
    """Answer the ends of an alias; raises NotFound or Invalid, naming the field, when they are not fit."""
    found = await require_entities(write, {"target": target, "source": source})
    if source_artifact is not None:
        await require_artifact(write, source_artifact, "sourceArtifact")
    ends = AliasEnds(found[target], None if source is None else found[source])
    if ends.source is not None:
        await _require_fit_source(write, ends.target, ends.source)
    return ends


async def _require_fit_source(write: Write, target: Entity, source: Entity) -> None:
    if source.id == target.id:
        raise Invalid("an entity does not give way to itself; name another source, or none", field="source")
    if source.project != target.project:
        raise Invalid(
            "source and target belong to different projects; aliases stay inside one", field="source"
        )
    others = await _given_way_to(write, source.id) - {target.id}
    if others:
        raise Conflict(
            f"the source gave way to {await _told(write, others)} already; withdraw that alias first",
            field="source",
        )
    ways = await _ways_from(write, target.id)
    if source.id in ways:
        raise Invalid(
            f"the target gives way to the source already, through {await _told(write, ways - {source.id})};"
            " withdraw an alias on that way, or name another source",
            field="source",
            rule="alias_chains_are_acyclic",
        )


async def _given_way_to(write: Write, entity: UUID) -> set[UUID]:
    return await aliases.given_way_to(write.connection, write.tenant, entity, write.recorded_at)


async def _ways_from(write: Write, entity: UUID) -> set[UUID]:
    """Answer an entity and all that it gives way to, step by step."""
    ways, next_steps = {entity}, {entity}
    while next_steps:
        next_steps = {each for step in next_steps for each in await _given_way_to(write, step)} - ways
        ways |= next_steps
    return ways


async def _told(write: Write, ids: set[UUID]) -> str:
    found = await entities.entities_by_id(write.connection, write.tenant, list(ids))
    moment = AsOf(write.recorded_at, EVERYTHING_KNOWN)
    return " and ".join(await told_apart(write.connection, write.tenant, found.values(), moment))
