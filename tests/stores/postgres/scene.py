"""A small ledger written in plain SQL, for breaking its rules."""

from __future__ import annotations

from typing import Any

import asyncpg

from app.domain.numbers import TenantNumber

TENANT = TenantNumber(1)
OLD, NEW, LONE = (f"00000000-0000-0000-0000-00000000000{n}" for n in (1, 2, 3))
FIRST, SECOND, DRAFT, GIVEN_UP = (f"00000000-0000-0000-0000-00000000001{n}" for n in range(4))
NEW_STATE, LONE_STATE = (f"00000000-0000-0000-0000-00000000002{n}" for n in range(2))
PAPER, EVENT, ALIAS, EDGE, LOOSE = (f"00000000-0000-0000-0000-00000000003{n}" for n in range(5))
ALIAS_WAITING, ALIAS_JUDGED, FACT_WAITING, FACT_JUDGED = (
    f"00000000-0000-0000-0000-00000000004{n}" for n in range(4)
)
OTHER = "00000000-0000-0000-0000-0000000000ff"
CLOCK = f"=(SELECT recorded_at FROM ledger_clock WHERE tenant_id = {TENANT})"
ADR = f"=(SELECT type_id FROM type WHERE tenant_id = {TENANT} AND folded_name = 'adr')"
PROJECT = f"=(SELECT project_id FROM project WHERE tenant_id = {TENANT} AND folded_key = 'scene')"
ELSEWHERE = f"=(SELECT project_id FROM project WHERE tenant_id = {TENANT} AND folded_key = 'other')"
ADVANCE = f"UPDATE ledger_clock SET recorded_at = clock_timestamp() WHERE tenant_id = {TENANT}"

_DEFAULTS: dict[str, dict[str, Any]] = {
    "project": {"key": "other", "folded_key": "other", "name": "Other", "recorded_at": CLOCK},
    "status_word": {
        "project_id": PROJECT,
        "phrase": "blessed",
        "flag": "CURRENT",
        "recorded_at": CLOCK,
        "actor": "ada",
    },
    "type": {
        "name": "Song",
        "folded_name": "song",
        "zone": "PROJECT",
        "is_document": True,
        "immutable_props": "{identifier}",
        "mutable_props": "{title}",
        "recorded_at": CLOCK,
    },
    "entity": {
        "id": OTHER,
        "project_id": PROJECT,
        "type_id": ADR,
        "key": "adr-9",
        "created_at": "2020-01-01Z",
        "recorded_at": CLOCK,
        "actor": "ada",
    },
    "artifact": {
        "id": OTHER,
        "project_id": PROJECT,
        "entity": OLD,
        "type_id": ADR,
        "title": "Queue",
        "body": "",
        "created_at": "2022-01-01Z",
        "recorded_at": CLOCK,
        "content_hash": "hash",
        "term_count": 1,
        "actor": "ada",
    },
    "entity_state": {
        "id": OTHER,
        "entity": OLD,
        "branch": "COMMITTED",
        "valid_from": "2022-01-01Z",
        "recorded_at": CLOCK,
        "props": '{"identifier": "ADR-1"}',
        "actor": "ada",
    },
    "state_event": {
        "id": OTHER,
        "entity": OLD,
        "to_state": SECOND,
        "event_type": "revision",
        "at": "2021-01-01Z",
        "recorded_at": CLOCK,
        "actor": "ada",
    },
    "alias": {
        "id": OTHER,
        "project_id": PROJECT,
        "surface_form": "Prism",
        "folded_form": "prism",
        "target": LONE,
        "authority_tier": 1,
        "valid_from": "2020-01-01Z",
        "recorded_at": CLOCK,
        "actor": "ada",
    },
    "reference": {
        "id": OTHER,
        "project_id": PROJECT,
        "source": LONE,
        "target": OLD,
        "type": "RELATES_TO",
        "occurrences": 1,
        "valid_from": "2020-01-01Z",
        "recorded_at": CLOCK,
        "actor": "ada",
    },
    "absence": {
        "id": OTHER,
        "project_id": PROJECT,
        "entity": OLD,
        "valid_from": "2022-01-01Z",
        "source": "CALLER",
        "recorded_at": CLOCK,
        "actor": "ada",
    },
    "import_root": {"project_id": PROJECT, "place": "/docs", "recorded_at": CLOCK},
    "mention": {
        "artifact": PAPER,
        "entity": LONE,
        "folded_form": "lone",
        "surface_form": "Lone",
        "occurrences": 1,
        "recorded_at": CLOCK,
    },
    "pending_reference": {
        "id": OTHER,
        "project_id": PROJECT,
        "source": OLD,
        "target_key": "adr-8",
        "target_text": "ADR-8",
        "type": "RELATES_TO",
        "inverted": False,
        "occurrences": 1,
        "is_ambiguous": False,
        "source_artifact": PAPER,
        "valid_from": "2020-01-01Z",
        "recorded_at": CLOCK,
        "actor": "ada",
    },
    "alias_candidate": {
        "id": OTHER,
        "project_id": PROJECT,
        "surface_form": "Queue",
        "folded_form": "queue",
        "entity": OLD,
        "quote": "now Queue",
        "quote_start": 0,
        "artifact": PAPER,
        "recorded_at": CLOCK,
    },
    "fact_candidate": {
        "id": OTHER,
        "project_id": PROJECT,
        "entity": OLD,
        "property": "status",
        "value": '"Done"',
        "quote": "is Done",
        "quote_start": 0,
        "artifact": PAPER,
        "recorded_at": CLOCK,
    },
    "withdrawal": {"withdrawn": ALIAS, "recorded_at": CLOCK, "actor": "ada"},
    "token": {"id": OTHER, "hash": "other", "role": "agent", "principal": "bot"},
    "outbox": {"kind": "entity", "row_id": OTHER},
}


def insert(table: str, **values: Any) -> str:
    """Return an INSERT of a row that breaks no rule but for what is given; `=` begins an expression."""
    row = {"tenant_id": TENANT} | _DEFAULTS[table] | values
    written = ", ".join(_literal(value) for value in row.values())
    return f"INSERT INTO {table} ({', '.join(row)}) OVERRIDING SYSTEM VALUE VALUES ({written})"


def _literal(value: Any) -> str:
    if isinstance(value, str) and value.startswith("="):
        return value[1:]
    if value is None or isinstance(value, bool | int):
        return "NULL" if value is None else str(value)
    return f"'{value}'"


SCENE = [
    [insert("project", key="scene", folded_key="scene")],
    [
        *(insert("entity", id=one, key=f"adr-{n}") for n, one in enumerate((OLD, NEW, LONE), start=1)),
        insert("artifact", id=PAPER, created_at="2020-01-01Z", number=77),
        insert("entity_state", id=FIRST, valid_from="2020-01-01Z", valid_until="2021-01-01Z"),
        insert("entity_state", id=GIVEN_UP, valid_from="2021-01-01Z"),
        insert("entity_state", id=DRAFT, branch="WIP", wip_source="EXPLICIT"),
        *(
            insert("entity_state", id=state, entity=one, valid_from="2020-01-01Z", props="{}")
            for one, state in ((NEW, NEW_STATE), (LONE, LONE_STATE))
        ),
        insert("alias", id=ALIAS, source=OLD, target=NEW),
        insert("reference", id=EDGE, source=NEW, target=OLD, type="SUPERSEDES"),
        insert("reference", id=LOOSE, source=LONE, target=NEW, type="SUPERSEDES"),
        insert("pending_reference", id=LOOSE),
        insert("alias_candidate", id=ALIAS_WAITING),
        insert("alias_candidate", id=ALIAS_JUDGED, folded_form="judged"),
        insert("fact_candidate", id=FACT_WAITING),
        insert("fact_candidate", id=FACT_JUDGED, property="phase"),
        insert("token", id=LOOSE, hash="taken"),
    ],
    [
        f"UPDATE entity_state SET retracted_at = {CLOCK[1:]} WHERE id = '{GIVEN_UP}'",
        insert("entity_state", id=SECOND, valid_from="2021-01-01Z"),
        insert("state_event", id=EVENT, from_state=FIRST),
        f"UPDATE alias_candidate SET status = 'REJECTED', reviewed_by = 'ada', reviewed_at = now()"
        f" WHERE id = '{ALIAS_JUDGED}'",
        f"UPDATE fact_candidate SET status = 'PROMOTED', reviewed_by = 'ada', reviewed_at = now()"
        f" WHERE id = '{FACT_JUDGED}'",
    ],
]


async def write(connection: asyncpg.Connection, *statements: str) -> None:
    """Run statements in one transaction at a transaction time of its own."""
    async with connection.transaction():
        await connection.execute(ADVANCE)
        for statement in statements:
            await connection.execute(statement)


async def write_late(connection: asyncpg.Connection, *statements: str) -> None:
    """Run statements in one transaction at the transaction time of the write before it."""
    async with connection.transaction():
        for statement in statements:
            await connection.execute(statement)


async def set_scene(connection: asyncpg.Connection) -> None:
    """Write the scene."""
    for statements in SCENE:
        await write(connection, *statements)
