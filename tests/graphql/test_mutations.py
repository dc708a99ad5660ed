from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import asyncpg
import pytest

from app.domain.artifact import Passage
from app.domain.entity import Role
from app.graphql.errors import client_error
from app.graphql.types import artifact
from tests.documents import adr
from tests.graphql.api import FILE, Api

RECORD = """---
status: Proposed
date: 2024-02-01
author: Ada
---
# ADR-7: Keep a ledger

Status is told above. We relate to ADR-1.
"""


async def test_a_document_is_read_from_its_markdown(api: Api) -> None:
    payload = await api.file(RECORD)
    assert payload["problems"] == []
    assert payload["created"] is True
    assert int(payload["position"]) > 0
    artifact = payload["artifact"]
    assert artifact["identifier"] == "ADR-7"
    assert artifact["title"] == "Keep a ledger"
    assert artifact["author"] == "Ada"
    assert artifact["createdAt"] == "2024-02-01T00:00:00Z"
    assert "status: Proposed" not in artifact["body"]
    assert payload["state"]["props"]["status"] == "Proposed"


async def test_what_the_input_says_wins_over_the_text(api: Api) -> None:
    said = {
        "identifier": "ADR-8",
        "title": "Keep two ledgers",
        "status": "Accepted",
        "domain": "DECISION",
        "createdAt": "2025-03-01T12:00:00+02:00",
        "sourceUri": "adr/8.md",
        "sourceCommit": "abc123",
    }
    payload = await api.file(RECORD, **said)
    expected = {**said, "createdAt": "2025-03-01T10:00:00Z"}
    status = expected.pop("status")
    assert {name: payload["artifact"][name] for name in expected} == expected
    assert payload["state"]["props"]["status"] == status
    assert payload["entity"]["label"] == "Keep two ledgers"


async def test_a_blank_field_says_nothing(api: Api) -> None:
    payload = await api.file(RECORD, identifier="  ", title="", status=None)
    assert payload["artifact"]["identifier"] == "ADR-7"
    assert payload["artifact"]["title"] == "Keep a ledger"
    assert payload["state"]["props"]["status"] == "Proposed"


async def test_the_same_document_again_changes_nothing(api: Api) -> None:
    first = await api.file(RECORD)
    again = await api.file(RECORD)
    assert again["created"] is False
    assert again["position"] is None
    assert again["artifact"] == first["artifact"]


async def test_the_entity_of_a_payload_is_read_after_the_write(api: Api) -> None:
    both = await api.ask(
        """
        mutation ($one: FileArtifactInput!, $two: FileArtifactInput!) {
          one: fileArtifact(input: $one) { entity { label } }
          two: fileArtifact(input: $two) { entity { label } }
        }
        """,
        one={"kind": "ADR", "identifier": "ADR-1", "body": "# Prism\n\nFirst."},
        two={"kind": "ADR", "identifier": "ADR-1", "body": "# Prism renamed\n\nSecond."},
    )
    assert both["one"]["entity"]["label"] == "Prism"
    assert both["two"]["entity"]["label"] == "Prism renamed"


async def test_a_reference_names_its_target(api: Api) -> None:
    await api.file("# ADR-1: The clock\n\nOne.")
    payload = await api.file("# ADR-2: The queue\n\n## Supersedes\n\n- ADR-1\n")
    (reference,) = payload["references"]
    assert reference["type"] == "SUPERSEDES"
    assert reference["target"]["label"] == "The clock"


@pytest.mark.parametrize(
    ("said", "field", "words"),
    [
        ({"kind": "Nonsense"}, "kind", "the kinds are ADR, Delta, Journal, Plan, Retro, SPEC, TODO"),
        ({"kind": " "}, "kind", "a document needs a kind"),
        ({"kind": "Component"}, "kind", "is not a document type"),
        ({"body": " \n"}, "body", "needs a title or a body"),
        ({"project": " "}, "project", "a project key has"),
        ({"identifier": "A" * 300}, "identifier", "at most 256"),
        ({"idempotencyKey": " "}, "idempotencyKey", "1 to 255 printable characters"),
        ({"idempotencyKey": "k" * 256}, "idempotencyKey", "1 to 255 printable characters"),
    ],
)
async def test_a_mistake_is_a_problem_and_nothing_is_written(
    api: Api, owner: asyncpg.Connection, said: dict[str, Any], field: str, words: str
) -> None:
    data = await api.ask(FILE, input={"kind": "ADR", "body": "Some text.", **said})
    payload = data["fileArtifact"]
    (problem,) = payload.pop("problems")
    assert (problem["__typename"], problem["code"], problem["field"]) == ("InvalidProblem", "INVALID", field)
    assert words in problem["message"]
    assert payload["artifact"] is None
    assert await owner.fetchval("SELECT count(*) FROM artifact") == 0
    assert await owner.fetchval("SELECT count(*) FROM outbox WHERE kind <> 'type'") == 0


async def test_a_reader_may_not_file(api: Api) -> None:
    reader = Api(replace(api.memory, caller=replace(api.memory.caller, role=Role.READER)))
    payload = await reader.file(RECORD)
    assert [problem["code"] for problem in payload["problems"]] == ["FORBIDDEN"]


async def test_characters_that_no_store_keeps_are_replaced(api: Api) -> None:
    payload = await api.file("# Nul\x00\n\nA\x00b \ud800 c.", sourceUri="a\x00b")
    assert payload["problems"] == []
    assert payload["artifact"]["title"] == "Nul\ufffd"
    assert payload["artifact"]["body"].endswith("A\ufffdb \ufffd c.")
    assert payload["artifact"]["sourceUri"] == "a\ufffdb"


async def test_a_project_key_that_no_store_keeps_is_a_problem(api: Api) -> None:
    payload = await api.file(RECORD, project="a\x00b")
    assert [problem["code"] for problem in payload["problems"]] == ["INVALID"]


async def test_the_same_key_and_input_give_the_first_answer_again(
    api: Api, owner: asyncpg.Connection
) -> None:
    first = await api.file(RECORD, idempotencyKey="one")
    await api.file(RECORD.replace("ledger", "register"))
    again = await api.file(RECORD, idempotencyKey="one")
    assert again["created"] is True
    for kept in ("artifact", "state", "position", "references", "warnings", "candidates"):
        assert again[kept] == first[kept]
    assert await owner.fetchval("SELECT count(*) FROM artifact") == 2


async def test_the_same_key_with_other_input_is_a_conflict(api: Api, owner: asyncpg.Connection) -> None:
    await api.file(RECORD, idempotencyKey="one")
    for other in ({"title": "Another"}, {"project": "elsewhere"}, {"sourceUri": "x.md"}):
        payload = await api.file(RECORD, idempotencyKey="one", **other)
        (problem,) = payload["problems"]
        assert (problem["code"], problem["field"]) == ("CONFLICT", "idempotencyKey")
    assert await owner.fetchval("SELECT count(*) FROM artifact") == 1


async def test_a_key_binds_what_wrote_nothing_too(api: Api) -> None:
    await api.file(RECORD)
    unchanged = await api.file(RECORD, idempotencyKey="one")
    assert unchanged["created"] is False
    payload = await api.file(RECORD, idempotencyKey="one", title="Another")
    assert [problem["code"] for problem in payload["problems"]] == ["CONFLICT"]


async def test_a_refused_request_does_not_spend_its_key(api: Api) -> None:
    refused = await api.ask(FILE, input={"kind": "Nonsense", "body": RECORD, "idempotencyKey": "one"})
    assert refused["fileArtifact"]["problems"]
    assert (await api.file(RECORD, idempotencyKey="one"))["created"] is True


async def test_one_key_sent_many_times_at_once_writes_once(api: Api, owner: asyncpg.Connection) -> None:
    answers = await asyncio.gather(*(api.file(RECORD, idempotencyKey="one") for _ in range(6)))
    assert {answer["artifact"]["id"] for answer in answers} == {answers[0]["artifact"]["id"]}
    assert all(answer["created"] for answer in answers)
    assert await owner.fetchval("SELECT count(*) FROM artifact") == 1


async def test_a_key_is_its_callers_own(api: Api) -> None:
    await api.file(RECORD, idempotencyKey="one")
    another = Api(replace(api.memory, caller=replace(api.memory.caller, principal="grace")))
    payload = await another.file(RECORD, idempotencyKey="one", title="Another")
    assert payload["problems"] == []


async def test_a_time_without_an_offset_is_refused(api: Api) -> None:
    error = await api.refused(FILE, input={"kind": "ADR", "body": "x", "createdAt": "2025-01-01T00:00:00"})
    assert error["extensions"]["code"] == "BAD_USER_INPUT"
    assert "has no offset" in error["message"]


async def test_the_kinds_of_a_project_say_which_identifiers_its_texts_hold(api: Api) -> None:
    """REF-01: GEP-2119 is a word like any other until a project has a kind GEP."""
    memory = api.memory
    await memory.filing.file(
        memory.caller, adr(2, "Rules", kind="GEP", identifier="GEP-2119"), "rfcs", defines_kinds=True
    )
    text = "# GEP 7: Words\n\n## Related\nGEP-2119, UTF-8 and ADR-1.\n"
    filed = await api.file(text, kind="GEP", project="rfcs")
    assert filed["artifact"]["identifier"] == "GEP-7"
    assert [(each["type"], each["target"]["label"]) for each in filed["references"]] == [
        ("RELATES_TO", "Rules")
    ]
    elsewhere = await api.file(text, project="others")
    assert (elsewhere["artifact"]["identifier"], elsewhere["references"]) == (None, [])


@pytest.mark.parametrize(
    ("first", "again"),
    [
        ({"body": "Text."}, {"body": "Text.\n"}),
        ({"body": "Text.\r\nMore."}, {"body": "Text.\nMore.\n"}),
        ({"body": "Text.", "title": "Plan\n- part two"}, {"body": "Text.", "title": " Plan - part two"}),
    ],
)
async def test_what_differs_only_in_line_ends_is_the_same(
    api: Api, first: dict[str, str], again: dict[str, str]
) -> None:
    filed = await api.file(identifier="ADR-1", **first)
    assert "\n" not in filed["artifact"]["title"]
    for said in (again, first):
        same = await api.file(identifier="ADR-1", **said)
        assert (same["created"], same["artifact"]["id"]) == (False, filed["artifact"]["id"])


async def test_passages_say_where_they_are(api: Api) -> None:
    """Offsets count code points: an emoji is one, though JavaScript counts two."""
    paragraphs = "\n\n".join(f"## Part {number} 🚢\n\n{'Ein Häfen 🚢 word. ' * 60}" for number in range(4))
    filed = await api.file(paragraphs, identifier="ADR-1")
    query = """
    query ($id: ID!) {
      artifact(id: $id) { body passages { text start end } }
      recall(query: "Part 2 Häfen") { hits { passage { text start end } } }
    }
    """
    found = await api.ask(query, id=filed["artifact"]["id"])
    body = found["artifact"]["body"]
    passages = [*found["artifact"]["passages"], *(hit["passage"] for hit in found["recall"]["hits"])]
    assert len(passages) > 4
    assert all(body[each["start"] : each["end"]] == each["text"] for each in passages)
    empty = await api.file("", title="Only a title", identifier="ADR-2")
    found = await api.ask(query, id=empty["artifact"]["id"])
    assert found["artifact"]["passages"] == [{"text": "Only a title", "start": None, "end": None}]


async def test_the_passages_of_a_document_are_sought_once(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    sought: list[int] = []
    starts = artifact._starts

    def counted(body: str, passages: Sequence[Passage]) -> Iterator[tuple[int, int]]:
        sought.append(len(passages))
        return starts(body, passages)

    monkeypatch.setattr(artifact, "_starts", counted)
    filed = await api.file("\n\n".join(f"## Part {number}\n\n{'word ' * 200}" for number in range(9)))
    query = "query ($id: ID!) { artifact(id: $id) { passages { start end } } }"
    passages = (await api.ask(query, id=filed["artifact"]["id"]))["artifact"]["passages"]
    assert sought == [len(passages)]
    assert all(each["start"] < each["end"] for each in passages)


async def test_the_least_integer_of_64_bits_is_kept(api: Api) -> None:
    operation = "mutation ($input: CreateEntityInput!) { createEntity(input: $input) { state { props } } }"
    said = {"type": "Component", "props": {"name": "Least", "version": -(2**63)}}
    assert (await api.ask(operation, input=said))["createEntity"]["state"]["props"]["version"] == -(2**63)
    refused = {"type": "Component", "props": {"name": "Less", "version": -(2**63) - 1}}
    assert "64 bits" in (await api.refused(operation, input=refused))["message"]


async def test_a_column_that_changes_its_type_meanwhile_asks_for_a_retry(
    api: Api, owner: asyncpg.Connection
) -> None:
    query = "{ artifacts { nodes { passages { heading } } } }"
    await api.file("Text.", identifier="ADR-1")
    await api.ask(query)
    await owner.execute("ALTER TABLE passage ALTER COLUMN heading TYPE varchar(500)")
    outcomes = [(await api.run(query)).errors for _ in range(20)]
    codes = {client_error(errors[0])["extensions"]["code"] for errors in outcomes if errors}
    assert codes <= {"UNAVAILABLE"}
    assert outcomes[-1] is None
