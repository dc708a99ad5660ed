"""The operations that the page of verbs shows are carried out as it says."""

from __future__ import annotations

import re
from pathlib import Path

from app.services.container import Memory
from tests.graphql.api import Api

PAGE = (Path(__file__).parents[2] / "docs/verbs.md").read_text(encoding="utf-8")
TOLD = "# ADR-7: Beacon\n\nBeacon was formerly known as Lighthouse. The status is now Accepted.\n"


def _operations(section: str) -> list[str]:
    """Return the operations of a section, in order."""
    _, _, text = PAGE.partition(f"\n## {section}\n")
    return re.findall(r"```graphql\n(.+?)```", text.partition("\n## ")[0], re.DOTALL)


async def test_a_type_is_defined_and_a_thing_created(memory: Memory) -> None:
    api = Api(memory)
    define, create = _operations("Types and things")
    defined = (await api.ask(define))["defineType"]
    assert (defined["problems"], defined["changed"]) == ([], True)
    assert (await api.ask(define))["defineType"]["changed"] is False
    created = (await api.ask(create))["createEntity"]
    assert (created["problems"], created["entity"]["label"]) == ([], "Harbor")


async def test_a_status_word_is_defined_and_listed(memory: Memory) -> None:
    api = Api(memory)
    define, listed = _operations("Status words")
    await api.file("# ADR-1: Queue\n\nStatus: Blessed by the board\n", project="team")
    assert [each["flag"] for each in (await api.ask(listed))["statuses"]] == [None]
    assert (await api.ask(define))["defineStatus"]["changed"] is True
    found = {each["word"]: each["flag"] for each in (await api.ask(listed))["statuses"]}
    assert set(found.values()) == {"CURRENT"}
    assert (await api.ask(define))["defineStatus"]["changed"] is False


async def _created(api: Api) -> str:
    create = _operations("Types and things")[1]
    return str((await api.ask(create))["createEntity"]["entity"]["id"])


async def test_an_id_is_found_by_name(memory: Memory) -> None:
    api = Api(memory)
    (find,) = _operations("Before the first")
    assert (await api.ask(find, name="Harbor"))["resolveAlias"] is None
    entity = await _created(api)
    found = (await api.ask(find, name="harbor"))["resolveAlias"]
    assert (found["entity"]["id"], found["entity"]["label"], found["chain"]) == (entity, "Harbor", [])
    assert found["entity"]["state"]["props"] == {"name": "Harbor", "status": "running"}


async def test_facts_and_transitions_are_recorded(memory: Memory) -> None:
    api = Api(memory)
    fact, transition = _operations("Facts and transitions")
    entity = await _created(api)
    recorded = (await api.ask(fact, entity=entity))["recordFact"]
    assert (recorded["problems"], recorded["event"]["eventType"]) == ([], "fact")
    assert recorded["event"]["from"]["props"]["status"] == "running"
    stale, holding = "00000000-0000-0000-0000-000000000009", recorded["state"]["id"]
    refused = (await api.ask(transition, entity=entity, state=stale))["transition"]
    assert [problem["code"] for problem in refused["problems"]] == ["CONFLICT"]
    moved = (await api.ask(transition, entity=entity, state=holding))["transition"]
    assert (moved["problems"], moved["event"]["eventType"]) == ([], "status_transition")
    assert moved["state"]["props"] == {"name": "Harbor", "status": "running", "owner": "ada"}


async def test_a_draft_is_saved_and_sealed(memory: Memory) -> None:
    api = Api(memory)
    save, seal = _operations("Drafts")
    saved = (await api.ask(save, entity=await _created(api)))["saveWip"]
    assert (saved["problems"], saved["state"]["branch"]) == ([], "WIP")
    sealed = (await api.ask(seal, draft=saved["state"]["id"]))["sealWip"]
    assert (sealed["problems"], sealed["event"]["propsDrift"]) == ([], False)
    assert sealed["state"]["props"] == sealed["event"]["draft"]["props"]


async def test_what_waits_is_listed_and_decided_about(memory: Memory) -> None:
    api = Api(memory)
    queues, review = _operations("Reviews")
    await api.file(TOLD)
    waiting = await api.ask(queues)
    (candidate,) = waiting["aliasCandidates"]["nodes"]
    assert waiting["factCandidates"]["totalCount"] == 1
    reviewed = (await api.ask(review, candidate=candidate["id"]))["reviewAliasCandidate"]
    assert (reviewed["problems"], reviewed["candidate"]["status"]) == ([], "PROMOTED")


async def test_a_document_is_renamed(memory: Memory) -> None:
    api = Api(memory)
    (rename,) = _operations("Renaming a document")
    filed = await api.file("# ADR-7: Queue\n\nThe queue.\n", project="harbor")
    entity = filed["entity"]["id"]
    renamed = (await api.ask(rename, entity=entity))["moveArtifact"]
    assert (renamed["problems"], renamed["entity"]["label"]) == ([], "Queue")
    assert (renamed["event"]["eventType"], renamed["state"]["props"]["identifier"]) == ("rename", "ADR-70")
    (problem,) = (await api.ask(rename, entity=entity))["moveArtifact"]["problems"]
    assert "already" in problem["message"]
