"""Types and CAN_REFERENCE rules in the ledger."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

import asyncpg

from app.domain.entity import ReferenceType
from app.domain.numbers import ProjectNumber, TenantNumber
from app.domain.text import fold
from app.domain.types import ReferenceRule, TypeDefinition, Zone
from app.stores.named_blocks import Statement, sql_blocks

SQL = sql_blocks(__file__)

_INSERT_TYPE = Statement.read(SQL["insert_type"])
_INSERT_RULES = Statement.read(SQL["insert_rules"])


@dataclass(frozen=True, slots=True)
class RecordedType:
    """A type definition and its number in the ledger; `is_own` marks a project's own type."""

    number: int
    definition: TypeDefinition
    is_own: bool


def type_named(known: Iterable[RecordedType], name: str) -> RecordedType | None:
    """Return the type with this name among these, compared after folding; None if there is none."""
    folded = fold(name)
    return next((each for each in known if fold(each.definition.name) == folded), None)


async def types_in_projects(
    connection: asyncpg.Connection, tenant: TenantNumber, projects: Sequence[ProjectNumber]
) -> list[RecordedType]:
    """Return the types of these projects and the types of every project, by name."""
    rows = await connection.fetch(SQL["types_in_project"], tenant, list(projects))
    return [RecordedType(row["type_id"], _definition(row), row["project_id"] is not None) for row in rows]


def _definition(row: asyncpg.Record) -> TypeDefinition:
    return TypeDefinition(
        name=row["name"],
        zone=Zone(row["zone"]),
        ptype=row["ptype"],
        is_document=row["is_document"],
        immutable_props=tuple(row["immutable_props"]),
        mutable_props=tuple(row["mutable_props"]),
    )


async def insert_type(
    connection: asyncpg.Connection,
    tenant: TenantNumber,
    project: ProjectNumber | None,
    definition: TypeDefinition,
    recorded_at: datetime,
) -> None:
    """Record a type, in one project or, without one, in all."""
    row = _INSERT_TYPE.arguments(
        tenant=tenant,
        project=project,
        name=definition.name,
        folded_name=fold(definition.name),
        zone=definition.zone,
        ptype=definition.ptype,
        is_document=definition.is_document,
        immutable_props=list(definition.immutable_props),
        mutable_props=list(definition.mutable_props),
        recorded_at=recorded_at,
    )
    await connection.execute(_INSERT_TYPE.text, *row)


async def widen_type(
    connection: asyncpg.Connection, tenant: TenantNumber, number: int, mutable_props: Sequence[str]
) -> None:
    """Add mutable properties to a type."""
    await connection.execute(SQL["widen_type"], tenant, number, list(mutable_props))


async def insert_rules(
    connection: asyncpg.Connection,
    tenant: TenantNumber,
    project: ProjectNumber | None,
    rules: Iterable[ReferenceRule],
) -> None:
    """Record CAN_REFERENCE rules among the types of a project, or of all projects; existing rules stay.

    Another project may have a different type of the same name.
    """
    rules = list(rules)
    values = _INSERT_RULES.arguments(
        tenant=tenant,
        project=project,
        sources=[fold(rule.source) for rule in rules],
        reference_types=[rule.type for rule in rules],
        targets=[fold(rule.target) for rule in rules],
    )
    await connection.execute(_INSERT_RULES.text, *values)


async def rules_by_source(
    connection: asyncpg.Connection, tenant: TenantNumber, sources: Sequence[str]
) -> list[ReferenceRule]:
    """Return what the types of these names may reference."""
    rows = await connection.fetch(SQL["rules_by_source"], tenant, [fold(name) for name in sources])
    return [ReferenceRule(row["source"], ReferenceType(row["reference_type"]), row["target"]) for row in rows]
