"""A digest of a tenant's ledger that does not depend on who wrote it, when, or in how many steps."""

from __future__ import annotations

import json
from typing import Any

import asyncpg

from tests.ledger import tables

# Columns that depend on when a row was written, and generated ids.
SKIPPED_COLUMNS = frozenset(
    {
        "id",
        "number",
        "tenant_id",
        "recorded_at",
        "retracted_at",
        "closed_at",
        "latest_recorded_at",
        "position",
    }
)
SKIPPED_TABLES = frozenset({"ledger_clock", "outbox", "tenant", "token", "idempotent_answer"})

# Each id or number, and a name that is the same in every ledger.
NAMES = """
SELECT id::text AS id, 'entity ' || key AS name FROM entity WHERE tenant_id = $1
UNION ALL SELECT id::text, 'artifact ' || content_hash FROM artifact WHERE tenant_id = $1
UNION ALL SELECT 'artifact_number ' || number, content_hash FROM artifact WHERE tenant_id = $1
UNION ALL SELECT 'project_id ' || project_id, key FROM project WHERE tenant_id = $1
UNION ALL SELECT 'root_id ' || root_id, 'root ' || place FROM import_root WHERE tenant_id = $1
UNION ALL SELECT 'type_id ' || type_id, name FROM type WHERE tenant_id = $1
UNION ALL SELECT 'source_type ' || type_id, name FROM type WHERE tenant_id = $1
UNION ALL SELECT 'target_type ' || type_id, name FROM type WHERE tenant_id = $1
UNION ALL SELECT state.id::text, concat_ws(' ', 'state', key, valid_from, valid_until, props)
    FROM entity_state AS state JOIN entity USING (tenant_id) WHERE tenant_id = $1 AND entity.id = entity
"""
HAS_TENANT = "SELECT FROM pg_attribute WHERE attrelid = $1::text::regclass AND attname = 'tenant_id'"
ROWS = "SELECT row_to_json(held)::text FROM {} AS held WHERE tenant_id = $1"


async def ledger_digest(url: str, tenant: str) -> dict[str, list[str]]:
    """Return the current rows of a tenant, table by table and in order, with names for ids."""
    connection = await asyncpg.connect(url)
    try:
        number = await connection.fetchval("SELECT tenant_id FROM tenant WHERE key = $1", tenant)
        names = dict(await connection.fetch(NAMES, number))
        answer = {}
        for table in await tables(connection):
            if table not in SKIPPED_TABLES and await connection.fetchrow(HAS_TENANT, table) is not None:
                rows = [json.loads(text) for (text,) in await connection.fetch(ROWS.format(table), number)]
                answer[table] = sorted(_line(row, names) for row in rows if _is_current(row))
        return answer
    finally:
        await connection.close()


def _is_current(row: dict[str, Any]) -> bool:
    return row.get("retracted_at") is None and row.get("closed_at") is None


def _line(row: dict[str, Any], names: dict[str, str]) -> str:
    kept = {
        column: _named(column, value, names) for column, value in row.items() if column not in SKIPPED_COLUMNS
    }
    return json.dumps(kept, sort_keys=True, ensure_ascii=False)


def _named(column: str, value: Any, names: dict[str, str]) -> Any:
    if isinstance(value, list):
        return sorted(map(str, value)) if column.endswith("_props") else value
    return names.get(str(value)) or names.get(f"{column} {value}") or value
