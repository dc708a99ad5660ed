"""The JSON of the commands: one shape for each kind of object, with the names of the API."""

from __future__ import annotations

from typing import Any

from graphql import GraphQLObjectType, build_schema

from app.cli.api_json import result_json
from app.cli.recall import load_names
from app.cli.references import load_pending, load_references, pending_json, references_json
from app.cli.review import candidates_json, load_candidates
from app.cli.state import drafts_json, load_drafts, load_history, states_json
from app.domain.page import PageRequest
from app.domain.recall import RecallRequest
from app.graphql.schema import printed_schema
from app.services.container import Memory
from app.services.filing import StatedDocument, read_stated
from app.services.states import DraftChange
from tests.documents import adr, day, file

BEACON = """# Beacon

Beacon was formerly known as Lighthouse. The status is now Accepted.

## Depends on

- ADR-1
- SPEC-9
"""

BESIDE_THE_API = {
    "Entity": {"identifier"},
    "EntityState": {"actor", "isStale"},
    "StateEvent": set(),
    "Artifact": set(),
    "Reference": set(),
    "PendingReference": set(),
    "AliasCandidate": set(),
    "FactCandidate": set(),
}
"""What the command line has of an object beside the fields of the API."""


async def _printed(memory: Memory) -> dict[str, list[dict[str, Any]]]:
    """Return, by the names of their types, the objects that the commands print about one document."""
    stated = StatedDocument(kind="ADR", identifier="ADR-2", body=BEACON, created_at=day(2021))
    document = await read_stated(stated, frozenset({"SPEC"}))
    await file(memory, adr(1, "Queue"), "harbor")
    entity = (await file(memory, document, "harbor")).entity.id
    await memory.states.save_wip(memory.caller, entity, DraftChange({"status": "Rejected"}))
    page = PageRequest(5)
    asked = RecallRequest("ADR-2", project="harbor", prefer_wip=False)
    result = await memory.recall.recall(memory.caller, asked)
    (hit,) = [hit for hit in result.hits if hit.artifact.entity == entity]
    recalled = result_json(result, await load_names(memory, result))["hits"][hit.rank - 1]
    reference, *_ = references_json(await load_references(memory, "ADR-2", "harbor", None, page))[
        "references"
    ]
    pending, *_ = pending_json(await load_pending(memory, "ADR-2", "harbor", page))["pendingReferences"]
    candidates = candidates_json(await load_candidates(memory, "harbor", page))
    (alias,), (fact,) = candidates["aliasCandidates"], candidates["factCandidates"]
    history = states_json(await load_history(memory, "ADR-2", "harbor", None))
    (draft,) = drafts_json(await load_drafts(memory, "harbor"))["drafts"]
    held = next(each for each in history["states"] if each["branch"] == "COMMITTED")
    owners = (recalled, alias, fact, draft, history)
    return {
        "Entity": [*(each["entity"] for each in owners), reference["source"], pending["source"]],
        "EntityState": [recalled["state"], held, draft],
        "StateEvent": [held["previous"]],
        "Artifact": [recalled["artifact"], alias["artifact"], held["previous"]["causeArtifact"]],
        "Reference": [reference],
        "PendingReference": [pending],
        "AliasCandidate": [alias],
        "FactCandidate": [fact],
    }


async def test_an_object_is_printed_alike_by_every_command(memory: Memory) -> None:
    printed = await _printed(memory)
    for kind in ("Entity", "Artifact"):
        first, *others = printed[kind]
        assert others == [first] * len(others), kind
    recalled, held, draft = printed["EntityState"]
    assert {name: held[name] for name in recalled} == recalled
    assert recalled.keys() <= draft.keys()


async def test_an_object_has_the_names_of_the_api(memory: Memory) -> None:
    types = build_schema(printed_schema()).type_map
    for kind, objects in (await _printed(memory)).items():
        described = types[kind]
        assert isinstance(described, GraphQLObjectType)
        for each in objects:
            assert each.keys() <= described.fields.keys() | BESIDE_THE_API[kind], kind
