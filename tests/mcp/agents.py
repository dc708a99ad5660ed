"""What an agent does with every tool, over any transport."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from mcp import Client

from tests.e2e.node import run_node

OLD = """---
status: Accepted
date: 2023-01-10
---
# ADR-1: Poll the queue

Workers poll the queue every second and take what is due.
"""
NEW = """---
status: Accepted
date: 2024-06-01
---
# ADR-2: Listen to the queue

Workers are woken by the queue as soon as something is due.

## Supersedes

- ADR-1
"""
QUESTION = "how do workers learn of work in the queue"

CALLS: Mapping[str, tuple[dict[str, Any], ...]] = {
    "file": (
        {"kind": "ADR", "text": OLD},
        {"kind": "ADR", "text": NEW},
    ),
    "recall": ({"query": QUESTION},),
    "read": ({"id": "ADR-1"},),
    "state": ({"name": "ADR-1", "history": True},),
    "record": (
        {"name": "ADR-2", "props": {"author": "ada"}},
        {"name": "ADR-2", "props": {"tags": "a", "author": "b"}},
    ),
    "wip": (
        {"name": "ADR-2", "props": {"status": "Retired"}},
        {"name": "ADR-2", "action": "discard"},
    ),
    "link": (
        {"source": "ADR-2", "type": "RELATES_TO", "target": "ADR-1"},
        {"source": "Night Bell", "type": "ALIAS", "target": "ADR-2"},
    ),
    "review": ({},),
}
"""Each tool of the default profile with arguments that succeed, in an order in which they do."""

VERBS: Mapping[str, tuple[dict[str, Any], ...]] = {
    "prism_start": ({},),
    "semantic_recall": ({"query": QUESTION, "limit": 3, "prefer_wip": False},),
    "prism_list_types": ({},),
    "prism_entity": (
        {"entity_type": "Component", "props": {"name": "Harbor"}},
        {"entity_uuid": "Harbor"},
    ),
    "prism_list_entities": ({"flags": ["HISTORICAL"]}, {}),
    "prism_alias": ({"surface_form": "the Mole", "target_uuid": "Harbor"},),
    "prism_resolve_alias": ({"surface_form": "the Mole"}, {"surface_form": "nothing of this name"}),
    "prism_reference": ({"source_uuid": "ADR-2", "target_uuid": "ADR-1", "ref_type": "REFERENCES"},),
    "prism_list_references": ({"entity_uuid": "ADR-1", "direction": "IN"}, {}),
    "prism_list_fact_candidates": ({},),
    "prism_list_alias_candidates": ({},),
    "prism_fact": ({"entity_uuid": "ADR-2", "property": "author", "value": "grace"},),
    "prism_transition": (
        {"entity_uuid": "ADR-2", "props": {"status": "Accepted"}, "event_type": "status_transition"},
    ),
    "prism_wip": ({"entity_uuid": "Harbor", "props": {"name": "Port"}},),
    "prism_seal": ({"entity_uuid": "Harbor", "description": "Agreed."},),
    "prism_state_as_of": ({"entity_uuid": "ADR-1", "as_of": "2023-06-01"},),
    "prism_checkpoint": ({"title": "Queue work", "summary": "The bell is next."},),
    "prism_wrap": ({"title": "Queue work", "summary": "The bell rings."},),
    "file_many": ({"documents": [{"kind": "ADR", "text": NEW}, {"kind": "ADR", "text": ""}]},),
}
"""The verbs of the full profile that succeed without a review queue and without a folder, in order."""

RENAMED = {"Harbor": "Pier", "Port": "Dock", "the Mole": "the Pole"}
"""Other names for what a second client creates in the same memory."""

OTHERS: Mapping[str, tuple[dict[str, Any], str]] = {
    "prism_review_fact_candidate": ({"candidate_uuid": "8" * 32, "decision": "reject"}, "NOT_FOUND"),
    "prism_review_alias_candidate": ({"candidate_uuid": "8" * 32, "decision": "reject"}, "NOT_FOUND"),
    "import_folder": ({"path": "/nowhere at all"}, ""),
}
"""The verbs that are refused here, and the code of the refusal: of a folder it depends on the place."""


async def call_everything(client: Client, calls: Mapping[str, tuple[dict[str, Any], ...]]) -> dict[str, Any]:
    """Call tools in order; return the data and the text of the last call of each."""
    last = {}
    for name, each in calls.items():
        for arguments in each:
            done = await client.call_tool(name, arguments)
            assert not done.is_error, (name, text_of(done))
            assert done.structured_content is not None
        last[name] = (done.structured_content, text_of(done))
    return last


def text_of(done: Any) -> str:
    """Return the text of a result."""
    (content,) = done.content
    return str(content.text)


def call_everything_in_typescript(**where: Any) -> None:
    """List and call every tool with the TypeScript client, which checks the answers against their schemas."""
    calls = [(name, given) for name, each in {**CALLS, **VERBS}.items() for given in each]
    wanted = json.dumps({**where, "calls": calls})
    for name, other in RENAMED.items():
        wanted = wanted.replace(f'"{name}"', f'"{other}"')
    done = run_node("mcp.cjs", wanted)
    assert done["failed"] == []
    assert set(done["tools"]) == {*CALLS, *VERBS, *OTHERS}
