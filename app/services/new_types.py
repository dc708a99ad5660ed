"""Recording a type that a project defines, with what it may reference."""

from __future__ import annotations

from collections.abc import Sequence

from app.domain.entity import Project
from app.domain.ontology import TypeDefinition, rules_among
from app.services.write import Write
from app.stores.postgres import ontology
from app.stores.postgres.ontology import RecordedType


async def record_type(
    write: Write, project: Project, definition: TypeDefinition, known: Sequence[RecordedType]
) -> RecordedType:
    """Record a type of a project beside the known ones; the shipped rules join it to all of them."""
    where = (write.connection, write.tenant)
    await ontology.insert_type(*where, project.number, definition, write.recorded_at)
    rules = rules_among((*(recorded.definition for recorded in known), definition))
    own = [rule for rule in rules if definition.name in (rule.source, rule.target)]
    await ontology.insert_rules(*where, project.number, own)
    recorded = await ontology.types_in_projects(*where, [project.number])
    return next(found for found in recorded if found.is_own and found.definition.name == definition.name)
