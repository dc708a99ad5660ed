"""A client that files many documents in one request over HTTP, and looks for them again."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import cache
from typing import Any

from httpx2 import ASGITransport, AsyncClient
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.routing import Route

from app.graphql.context import Context
from app.graphql.http import GraphQLView
from app.graphql.schema import SCHEMA
from app.services.container import Memory
from app.web import graphiql_page

Payload = dict[str, Any]

_PAYLOAD = """
fragment Payload on FileArtifactPayload {
  created candidates warnings
  artifact {
    id kind identifier title body domain createdAt recordedAt sourceUri sourceCommit author contentHash
    passages { ordinal heading text }
  }
  entity { id }
  state { id branch validFrom validUntil props }
  references { id type validFrom validUntil source { id } target { id } }
  problems { __typename code message field }
}
"""
_FOUND = """
fragment Found on RecallResult {
  anchors { surfaceForm }
  legs { problem }
  hits { rank stateFlag artifact { contentHash } explanation { leg } }
}
"""
_CONTENTS = """
query ($project: String!, $end: DateTime = "9999-12-31T00:00:00Z") {
  references(project: $project, first: 100, asOf: $end) {
    nodes { type source { label } target { label } }
  }
  entities(project: $project, first: 100, asOf: $end) {
    nodes { label aliases(asOf: $end) { surfaceForm } state(asOf: $end) { props } }
  }
}
"""


@dataclass(frozen=True, slots=True)
class Question:
    """A query, and the instant to look at when it is not now."""

    query: str
    as_of: str | None


class ApiClient:
    """Speaks to the API of a memory over HTTP, without a network between."""

    def __init__(self, client: AsyncClient) -> None:
        self._client = client

    async def post(self, operation: str, **variables: Any) -> dict[str, Any]:
        """Return the body of a response, which is always a good one."""
        response = await self._client.post("/graphql", json={"query": operation, "variables": variables})
        assert response.status_code == 200, response.text
        answer: dict[str, Any] = response.json()
        return answer

    async def file(self, *inputs: Payload) -> list[Payload]:
        """File documents one after the other and answer the payloads."""
        answer = await self.post(_filing(len(inputs)), **{f"i{at}": given for at, given in enumerate(inputs)})
        assert "errors" not in answer, answer["errors"]
        return list(answer["data"].values())

    async def file_or_refuse(self, given: Payload) -> dict[str, Any]:
        """File one document and answer all that is said about it, errors too."""
        return await self.post(_filing(1), i0=given)

    async def recall(self, project: str, *questions: Question) -> list[Payload]:
        """Ask questions of a project and answer the results."""
        if not questions:
            return []
        asked = {f"q{at}": question.query for at, question in enumerate(questions)}
        asked_at = {f"t{at}": question.as_of for at, question in enumerate(questions)}
        answer = await self.post(_recalling(len(questions)), project=project, **asked, **asked_at)
        assert "errors" not in answer, answer["errors"]
        return list(answer["data"].values())

    async def contents(self, project: str) -> list[str]:
        """Return the references of a project and the last state of its entities, in an order of their own."""
        answer = await self.post(_CONTENTS, project=project)
        assert "errors" not in answer, answer["errors"]
        nodes = [node for listed in answer["data"].values() for node in listed["nodes"]]
        return sorted(json.dumps(node, sort_keys=True) for node in nodes)


@asynccontextmanager
async def clerk_of(memory: Memory) -> AsyncIterator[ApiClient]:
    """Open a client of the API as it is served over this memory."""

    async def context(_request: Request) -> Context:
        return Context(memory)

    app = Starlette(routes=[Route("/graphql", GraphQLView(SCHEMA, context, graphiql_page))])
    async with AsyncClient(transport=ASGITransport(app), base_url="http://localhost") as client:
        yield ApiClient(client)


@cache
def _filing(inputs: int) -> str:
    declared = ", ".join(f"$i{at}: FileArtifactInput!" for at in range(inputs))
    fields = "\n".join(f"a{at}: fileArtifact(input: $i{at}) {{ ...Payload }}" for at in range(inputs))
    return f"mutation ({declared}) {{ {fields} }} {_PAYLOAD}"


@cache
def _recalling(questions: int) -> str:
    declared = ", ".join(f"$q{at}: String!, $t{at}: DateTime" for at in range(questions))
    fields = "\n".join(
        f"a{at}: recall(query: $q{at}, asOf: $t{at}, project: $project, first: 10) {{ ...Found }}"
        for at in range(questions)
    )
    return f"query ($project: String!, {declared}) {{ {fields} }} {_FOUND}"
