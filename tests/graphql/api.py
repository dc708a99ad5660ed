"""Asking the real schema of a memory, without HTTP between."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from typing import Any, cast

from strawberry.types import ExecutionResult

from app.domain.artifact import Document
from app.graphql.context import Context
from app.graphql.errors import client_error
from app.graphql.schema import SCHEMA
from app.services.container import Memory
from tests.documents import file


class Api:
    """The API as the memory's caller meets it."""

    def __init__(self, memory: Memory) -> None:
        self.memory = memory

    async def run(self, operation: str, /, **variables: Any) -> ExecutionResult:
        """Return what an operation gives, errors and all."""
        result = await SCHEMA.execute(
            operation, variable_values=variables, context_value=Context(self.memory)
        )
        assert isinstance(result, ExecutionResult)
        return result

    async def first(self, operation: str, /, **variables: Any) -> ExecutionResult:
        """Return the first result of a subscription."""
        results = await SCHEMA.stream(
            operation, variable_values=variables, context_value=Context(self.memory)
        )
        async with aclosing(cast(AsyncGenerator[ExecutionResult, None], results)) as each:
            return await anext(each)

    async def ask(self, operation: str, /, **variables: Any) -> dict[str, Any]:
        """Return the data of an operation that succeeds."""
        result = await self.run(operation, **variables)
        assert not result.errors, result.errors
        assert result.data is not None
        return dict(result.data)

    async def refused(self, operation: str, /, **variables: Any) -> dict[str, Any]:
        """Return the one error of an operation that fails, as a client sees it."""
        result = await self.run(operation, **variables)
        assert result.errors
        (error,) = result.errors
        return client_error(error)

    async def file_all(self, documents: Sequence[Document]) -> None:
        """File documents in order, as they are."""
        for document in documents:
            await file(self.memory, document)

    async def file(self, body: str, **said: Any) -> dict[str, Any]:
        """File a decision record and answer the payload."""
        data = await self.ask(FILE, input={"kind": "ADR", "body": body, **said})
        payload: dict[str, Any] = data["fileArtifact"]
        return payload


FILE = """
mutation ($input: FileArtifactInput!) {
  fileArtifact(input: $input) {
    created candidates position warnings
    artifact { id kind identifier title body domain createdAt recordedAt sourceUri sourceCommit author }
    entity { id label state { props } }
    state { id branch validFrom props }
    references { id type target { label } }
    problems { __typename code message field }
  }
}
"""


async def ids_by_label(api: Api) -> dict[str, str]:
    """Return the ids of the entities by what they are called now."""
    nodes = (await api.ask("{ entities { nodes { id label } } }"))["entities"]["nodes"]
    return {node["label"]: node["id"] for node in nodes}
