"""The content of a ledger, without the ids, numbers and times that differ from one run to the next."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime
from typing import Any
from uuid import UUID

import asyncpg

from tests.ledger import tables

IGNORED_TABLES = frozenset({"tenant", "ledger_clock", "schema_migration", "type", "reference_rule"})
NUMBERS = frozenset({"number", "artifact_number", "last_number"})
NAMES = """
SELECT id, 'entity ' || key AS name FROM entity
UNION ALL SELECT id, 'artifact ' || dense_rank() OVER (ORDER BY number) FROM artifact
UNION ALL SELECT state.id, concat_ws(' ', 'state', key, branch, dense_rank() OVER (
    PARTITION BY entity, branch ORDER BY valid_from, state.recorded_at, valid_until
)) FROM entity_state AS state JOIN entity ON entity.id = state.entity
UNION ALL SELECT id, 'type ' || folded_name FROM (
    SELECT lpad(to_hex(type_id), 32, '0')::uuid AS id, folded_name FROM type
) AS numbered
"""
OWN_IDS = (
    "absence",
    "alias",
    "reference",
    "pending_reference",
    "state_event",
    "alias_candidate",
    "fact_candidate",
)


async def books(connection: asyncpg.Connection, since: datetime) -> dict[str, list[str]]:
    """Return every row of every table, sorted; numbers, and times from `since` on, stand as their order."""
    names = {row["id"]: row["name"] for row in await connection.fetch(NAMES)}
    held = {
        table: [dict(row) for row in await connection.fetch(f"SELECT * FROM {table}")]
        for table in await tables(connection)
        if table not in IGNORED_TABLES
    }
    names |= {row["id"]: f"its {table}" for table in OWN_IDS for row in held.get(table, [])}
    every = [row for table, rows in held.items() if table != "outbox" for row in rows]
    times = {time for row in every for time in row.values() if isinstance(time, datetime) and time >= since}
    order = {time: f"time {place}" for place, time in enumerate(sorted(times))}
    numbers = sorted(row["number"] for row in held["artifact"])
    for row in every:
        row.update({name: numbers.index(row[name]) for name in NUMBERS & row.keys()})
    return {table: _render(table, rows, names, order) for table, rows in held.items()}


def _render(
    table: str, rows: list[dict[str, Any]], names: Mapping[UUID, str], order: Mapping[datetime, str]
) -> list[str]:
    if table == "outbox":  # one by one, a row that changes twice appears in two transactions
        return sorted({f"{row['kind']} {names[row['row_id']]}" for row in rows})
    rendered = ({name: _value(each, names, order) for name, each in row.items()} for row in rows)
    return sorted(json.dumps(row) for row in rendered)


def _value(value: Any, names: Mapping[UUID, str], order: Mapping[datetime, str]) -> Any:
    if isinstance(value, UUID):
        return names[value]
    if isinstance(value, datetime):
        return order.get(value, value.isoformat())
    return value if isinstance(value, int | str | None | list | dict) else str(value)
