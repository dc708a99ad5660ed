"""What an alias joins: the entity it means, and the one that gave way to it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from app.domain.entity import Entity
from app.domain.moment import EVERYTHING_KNOWN
from app.domain.temporal import AsOf
from app.errors import Conflict, Invalid, NotFound
from app.services.labels import told_apart
from app.services.write import Write
from app.stores.postgres import aliases, artifacts, entities


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
    ids = [target] if source is None else [target, source]
    found = await entities.entities_by_id(write.connection, write.tenant, ids)
    for field, id in (("target", target), ("source", source)):
        if id is not None and id not in found:
            raise NotFound(f"there is no entity {id}", field=field)
    if source_artifact is not None:
        await _require_artifact(write, source_artifact)
    ends = AliasEnds(found[target], None if source is None else found[source])
    if ends.source is not None:
        await _require_fit_source(write, ends.target, ends.source)
    return ends


async def _require_artifact(write: Write, artifact: UUID) -> None:
    if not await artifacts.artifacts_by_id(write.connection, write.tenant, [artifact]):
        raise NotFound(f"there is no artifact {artifact}", field="sourceArtifact")


async def _require_fit_source(write: Write, target: Entity, source: Entity) -> None:
    if source.id == target.id:
        raise Invalid("an entity does not give way to itself; name another source, or none", field="source")
    if source.project != target.project:
        raise Invalid(
            "source and target belong to different projects; aliases stay inside one", field="source"
        )
    others = await aliases.given_way_to(write.connection, write.tenant, source.id, write.recorded_at)
    if others - {target.id}:
        found = await entities.entities_by_id(write.connection, write.tenant, [*(others - {target.id})])
        moment = AsOf(write.recorded_at, EVERYTHING_KNOWN)
        told = await told_apart(write.connection, write.tenant, found.values(), moment)
        raise Conflict(
            f"the source gave way to {' and '.join(told)} already; withdraw that alias first", field="source"
        )
