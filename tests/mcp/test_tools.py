"""The tools in this process: what they cost a model, what they say of stale documents, what they refuse."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import Any

import pytest
from mcp import Client

from app.domain.entity import Role
from app.errors import Invalid
from app.mcp import answers
from app.mcp.server import PROFILES, create_server
from app.mcp.tool import ToolCall
from app.mcp.tools import DEFAULT_TOOLS, read, recall
from app.services.container import Memory
from tests.documents import ProjectFixture, adr, day
from tests.mcp.agents import CALLS, NEW, OLD, OTHERS, QUESTION, VERBS, call_everything, text_of

ESTABLISHED = (
    "semantic_recall prism_list_types prism_entity prism_list_entities prism_alias prism_resolve_alias"
    " prism_reference prism_list_references prism_list_fact_candidates prism_review_fact_candidate"
    " prism_list_alias_candidates prism_review_alias_candidate prism_fact prism_transition prism_wip"
    " prism_seal prism_state_as_of prism_start prism_checkpoint prism_wrap"
)
ID = re.compile(r"[0-9a-f]{8}-[0-9a-f-]{27}")


async def no_progress(*_: object) -> None:
    """Report nothing."""


def call_of(memory: Memory, **changed: Any) -> ToolCall:
    return ToolCall(memory, replace(memory.caller, **changed), no_progress)


def client_on(memory: Memory, profile: str = "full", **changed: Any) -> Client:
    caller = replace(memory.caller, **changed)

    async def find(_: object) -> Any:
        return memory, caller

    return Client(create_server(profile, find))


@pytest.fixture
async def queue(desk: ProjectFixture) -> ProjectFixture:
    """A project with a decision and the one that replaced it."""
    async with client_on(desk.memory) as client:
        for text in (OLD, NEW):
            await client.call_tool("file", {"kind": "ADR", "text": text, "project": desk.project})
    return desk


def test_the_catalogue_is_small(shared_memory: Memory) -> None:
    """Counted with the tokenizer of the encoder, which takes more pieces than that of a large model."""
    call = call_of(shared_memory)
    parts = [
        part
        for each in DEFAULT_TOOLS
        for part in (
            each.name,
            each.description,
            json.dumps(each.input_schema()),
            json.dumps(each.output_schema()),
        )
    ]
    assert len(DEFAULT_TOOLS) <= 8
    assert [each.name for each in DEFAULT_TOOLS] == list(
        ("recall", "read", "file", "state", "record", "wip", "link", "review")
    )
    assert sum(map(call.tokens, parts)) < 2_000


def test_the_full_profile_has_the_established_names() -> None:
    names = {each.name for each in PROFILES["full"]}
    assert set(ESTABLISHED.split()) <= names
    assert names == {*CALLS, *VERBS, *OTHERS}


async def test_a_scripted_agent_works_with_every_tool(memory: Memory) -> None:
    async with client_on(memory) as client:
        tools = (await client.list_tools()).tools
        assert [each.name for each in tools] == [each.name for each in PROFILES["full"]]
        said = await call_everything(client, {**CALLS, **VERBS})
        assert said["recall"][0]["answered"] is True
        assert said["prism_resolve_alias"][0] == {"entity": None, "chain": []}
        assert said["prism_seal"][0]["props"]["name"] == "Port"
        assert said["prism_state_as_of"][0]["state"]["props"]["status"] == "Accepted"
        assert said["prism_list_entities"][0]["count"] == 3
        assert said["prism_wrap"][0]["drafts"] == []
        assert [each["outcome"] for each in said["file_many"][0]["documents"]] == ["unchanged", "refused"]
        for name, (arguments, code) in OTHERS.items():
            done = await client.call_tool(name, arguments)
            assert done.is_error, name
            assert text_of(done).startswith(code or "FORBIDDEN"), text_of(done)
        for name in ("before-deciding", "why", "as-of", "after-deciding"):
            words = dict.fromkeys(("subject", "name", "date", "decision"), "the queue")
            prompt = await client.get_prompt(name, words)
            assert "the queue" in str(prompt)
        listed = {each.name: each.uri for each in (await client.list_resources()).resources}
        assert "[HISTORICAL] ADR-1" in str(await client.read_resource(listed["ADR-1"]))
        before = str(await client.read_resource("trigraph://artifact/ADR-1?as_of=2023-06-01"))
        assert "[CURRENT] ADR-1" in before


async def test_a_stale_decision_is_never_handed_over_without_its_flag(queue: ProjectFixture) -> None:
    call = call_of(queue.memory)
    for query in (QUESTION, "ADR-1", "poll every second", "Poll the queue"):
        said = await recall.run(call, {"query": query, "project": queue.project})
        old = next(hit for hit in said.data["hits"] if hit["identifier"] == "ADR-1")
        assert (old["flag"], "ADR-2" in old["replaced_by"]["name"]) == ("HISTORICAL", True)
        (line,) = [line for line in said.text.splitlines() if "ADR-1 Poll" in line]
        assert line.startswith("[HISTORICAL] ADR-1 Poll the queue (2023-01-10)")
        assert "Replaced by: ADR-2 Listen to the queue" in line
    page = await read.run(call, {"id": "ADR-1", "project": queue.project})
    assert (page.data["flag"], page.text.startswith("[HISTORICAL] ADR-1")) == ("HISTORICAL", True)
    past = await read.run(call, {"id": "ADR-1", "project": queue.project, "as_of": "2023-12-31"})
    assert past.text.startswith("[CURRENT] ADR-1")


async def test_an_old_version_says_that_a_newer_one_exists(desk: ProjectFixture) -> None:
    first, _ = await desk.file_all(
        adr(7, "Hoist", "The hoist lifts one ton."),
        adr(7, "Hoist", "The hoist lifts two tons.", created_at=day(2021)),
    )
    page = await read.run(call_of(desk.memory), {"id": str(first.artifact.id)})
    assert page.text.startswith("[HISTORICAL] ADR-7")
    assert "newer version" in page.text


async def test_50_recalls_stay_within_their_budgets(desk: ProjectFixture) -> None:
    """MCP-02: whole passages, ids to read on, and never more than was asked for."""
    sentences = "The {} crane lifts crates of {} from ship {} at the quay of the harbor. "
    bodies = ["\n\n".join(sentences.format(n, k, n * k) * 5 for k in range(60)) for n in range(10)]
    await desk.file_all(*(adr(n, f"Crane number {n}", body) for n, body in enumerate(bodies, start=1)))
    call = call_of(desk.memory)
    for n in range(50):
        budget = 200 + 100 * n
        given = {"query": f"which crane lifts crates from ship {n}", "project": desk.project}
        said = await recall.run(call, {**given, "token_budget": budget})
        assert call.tokens(said.text) <= budget
        assert call.tokens(answers.json_text(said.data)) <= budget
        for hit in said.data["hits"]:
            number = int(hit["identifier"].removeprefix("ADR-"))
            assert hit["passage"] in bodies[number - 1]
    page, whole = {"next": 0}, ""
    while "next" in page:
        said = await read.run(
            call, {"id": "ADR-3", "project": desk.project, "offset": page["next"], "token_budget": 3_000}
        )
        assert call.tokens(said.text) <= 3_000
        page, whole = said.data, whole + said.data["text"]
    assert whole.strip() == bodies[2].strip()


async def test_it_says_when_nothing_here_answers(queue: ProjectFixture) -> None:
    given = {"query": "which wine goes with roasted lamb", "project": queue.project}
    said = await recall.run(call_of(queue.memory), given)
    assert said.data["answered"] is False
    assert said.text.startswith("Nothing here answers this question.")
    assert all("passage" not in hit for hit in said.data["hits"])


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({}, "query is missing"),
        ({"query": "x", "when": "y"}, "no argument when"),
        ({"query": "x", "as_of": "last week"}, "write a date like"),
        ({"query": "x", "as_of": "0001-01-01T00:00:00+14:00"}, "write a date like"),
        ({"query": "x", "token_budget": 1}, "token_budget"),
    ],
)
async def test_unfit_arguments_are_named(
    shared_memory: Memory, arguments: dict[str, Any], words: str
) -> None:
    with pytest.raises(Invalid, match=re.escape(words)):
        await recall.run(call_of(shared_memory), arguments)


async def test_what_went_wrong_is_the_result_of_the_tool(queue: ProjectFixture) -> None:
    async with client_on(queue.memory, role=Role.READER) as client:
        missing = await client.call_tool("read", {"id": "ADR-99", "project": queue.project})
        refused = await client.call_tool("file", {"kind": "ADR", "text": OLD, "project": queue.project})
    assert (missing.is_error, text_of(missing)[:10]) == (True, "NOT_FOUND:")
    assert "ask recall" in text_of(missing)
    assert (refused.is_error, text_of(refused)[:10]) == (True, "FORBIDDEN:")
    assert refused.meta is not None
    assert refused.meta["code"] == "FORBIDDEN"


async def test_a_fault_is_masked_with_an_id(shared_memory: Memory, caplog: pytest.LogCaptureFixture) -> None:
    async def broken(_: object) -> Any:
        raise RuntimeError("the password is xyzzy")

    async with Client(create_server("default", broken)) as client:
        done = await client.call_tool("recall", {"query": "x"})
    assert (done.is_error, "xyzzy" in text_of(done)) == (True, False)
    id = ID.search(text_of(done))
    assert id is not None
    assert f"internal error {id[0]}" in caplog.text


async def test_filing_many_reports_its_progress(desk: ProjectFixture) -> None:
    seen: list[tuple[float, float | None]] = []

    async def note(progress: float, total: float | None, message: str | None) -> None:
        assert message is not None
        seen.append((progress, total))

    documents = [{"kind": "ADR", "text": f"# ADR-{n}: Rope {n}\n\nRope {n} holds."} for n in range(1, 4)]
    async with client_on(desk.memory) as client:
        arguments = {"documents": documents, "pid": desk.project}
        done = await client.call_tool("file_many", arguments, progress_callback=note)
    assert not done.is_error
    assert seen == [(1, 3), (2, 3), (3, 3)]
