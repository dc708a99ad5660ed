"""What a reference joins, and whether it may."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from app.domain.entity import Entity, ReferenceType
from app.domain.moment import rfc_3339
from app.errors import Invalid
from app.services.absent import require_artifact, require_entities
from app.services.write import Write
from app.stores.postgres import references


async def require_ends(
    write: Write, source: UUID, target: UUID, source_artifact: UUID | None
) -> tuple[Entity, Entity]:
    """Answer the ends of a reference; raises NotFound or Invalid, naming the field, for unfit ones."""
    found = await require_entities(write, {"source": source, "target": target})
    if source == target:
        raise Invalid("an entity cannot reference itself; name another target", field="target")
    if source_artifact is not None:
        await require_artifact(write, source_artifact, "sourceArtifact")
    return found[source], found[target]


async def require_rule(write: Write, source: Entity, target: Entity, type: ReferenceType) -> None:
    """Raise Invalid, listing the types of reference that may join the two, when no rule allows this one."""
    allowed = await references.types_that_may_join(write.connection, write.tenant, source.id, target.id)
    if type not in allowed:
        raise Invalid(
            f"no rule lets {source.type_name} be joined to {target.type_name} by {type};"
            f" {', '.join(allowed) or 'nothing'} may join them",
            field="type",
            rule="references_follow_their_rules",
        )


def require_existing(source: Entity, target: Entity, start: datetime) -> None:
    """Raise Invalid when one of the two begins only after a reference that joins them."""
    for name, end in (("source", source), ("target", target)):
        if start < end.created_at:
            raise Invalid(
                f"the {name} begins on {rfc_3339(end.created_at)}; give no earlier validFrom",
                field="validFrom",
            )
