"""Half a character poisons no tenant: what is written with one is repaired, what is asked is answered."""

from __future__ import annotations

from typing import Any

import pytest

from app.graphql.errors import client_error
from tests.graphql.api import FILE, Api

HALF = "\ud83d"
ROCKET = "A rocket \U0001f680".encode("utf-16-le")[:-2].decode("utf-16-le", "surrogatepass")

READ = """
{
  artifacts { nodes { id title body author sourceUri sourceCommit passages { heading text } } }
  entities { nodes { id label state { props } } }
  references { nodes { id } }
  recall(query: "rocket") { hits { artifact { title } passage { text } } advisories }
}
"""


async def test_a_text_cut_in_the_middle_of_a_character_is_repaired_and_read(api: Api) -> None:
    """BYT-03."""
    assert ROCKET.endswith(HALF)
    payload = await api.file(ROCKET)
    assert payload["problems"] == []
    data = await api.ask(READ)
    assert [node["body"] for node in data["artifacts"]["nodes"]] == ["A rocket \ufffd"]
    assert [hit["passage"]["text"] for hit in data["recall"]["hits"]] == ["A rocket \ufffd"]


@pytest.mark.parametrize(
    "said",
    [
        pytest.param({"identifier": f"ADR-1{HALF}"}, id="BYT-03 identifier"),
        pytest.param({"title": HALF}, id="BYT-03 title"),
        pytest.param({"status": HALF * 2}, id="BYT-03 status"),
        pytest.param({"sourceUri": f"{HALF}.md", "sourceCommit": "\udc00"}, id="BYT-03 source"),
        pytest.param({"kind": f"ADR{HALF}"}, id="BYT-03 kind"),
        pytest.param({"project": HALF}, id="BYT-03 project"),
        pytest.param({"idempotencyKey": HALF}, id="BYT-03 key"),
        pytest.param(
            {
                "body": f"---\naliases: [{HALF}x]\ntags: ['{HALF}', \"\\uD83D\"]\n{HALF}: {HALF}\n---\n"
                f"# Rocket {HALF}\n## Supersedes\n[[{HALF}]] [a](%ED%A0%BD.md) `{HALF}`\n\nX (now {HALF}).\n"
            },
            id="BYT-03 everywhere in the text",
        ),
    ],
)
async def test_wherever_half_a_character_is_written_everything_is_read_afterwards(
    api: Api, said: dict[str, Any]
) -> None:
    await api.file("A rocket.", identifier="ADR-9")
    answered = await api.ask(FILE, input={"kind": "ADR", "body": f"A rocket{HALF}", **said})
    problems = answered["fileArtifact"]["problems"]
    assert [problem["code"] for problem in problems] in ([], ["INVALID"])
    data = await api.ask(READ)
    assert len(data["recall"]["hits"]) == len(data["artifacts"]["nodes"]) == (1 if problems else 2)
    assert data["recall"]["advisories"] == []
    repr(data).encode()


@pytest.mark.parametrize(
    "question",
    [
        pytest.param("query ($half: String!) { recall(query: $half) { hits { rank } } }", id="BYT-03 recall"),
        pytest.param(
            "query ($half: String!) { resolveAlias(surfaceForm: $half) { surfaceForm } }", id="BYT-03 alias"
        ),
        pytest.param(
            "query ($half: String!) { artifacts(identifier: $half) { nodes { id } } }", id="BYT-03 identifier"
        ),
        pytest.param(
            "query ($half: String!) { artifacts(project: $half) { nodes { id } } }", id="BYT-03 project"
        ),
        pytest.param("query ($half: String!) { entities(type: $half) { nodes { id } } }", id="BYT-03 type"),
        pytest.param(
            "query ($half: String!) { entities(after: $half) { nodes { id } } }", id="BYT-03 cursor"
        ),
        pytest.param("query ($half: ID!) { node(id: $half) { id } }", id="BYT-03 node"),
    ],
)
@pytest.mark.parametrize("half", [HALF, f"rocket {HALF}", "rocket \x00"])
async def test_whoever_asks_with_half_a_character_is_answered(api: Api, question: str, half: str) -> None:
    await api.file("A rocket.")
    result = await api.run(question, half=half)
    codes = {client_error(error)["extensions"]["code"] for error in result.errors or ()}
    assert codes <= {"BAD_USER_INPUT", "NOT_FOUND"}


async def test_what_is_asked_is_repaired_as_what_is_written(api: Api) -> None:
    """BYT-03."""
    await api.file("A rocket.", identifier=f"Rocket {HALF}")
    data = await api.ask(
        "query ($half: String!) { artifacts(identifier: $half) { nodes { identifier } }"
        " resolveAlias(surfaceForm: $half) { surfaceForm } }",
        half=f"rocket {HALF}",
    )
    assert [node["identifier"] for node in data["artifacts"]["nodes"]] == ["Rocket \ufffd"]
    assert data["resolveAlias"] == {"surfaceForm": "rocket \ufffd"}
