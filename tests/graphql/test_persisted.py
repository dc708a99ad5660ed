"""Documents that a request names by a hash, and a service that answers trusted documents alone."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from httpx2 import ASGITransport, AsyncClient
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.routing import Route

from app.domain.numbers import TenantNumber
from app.errors import Invalid
from app.graphql import persisted
from app.graphql.context import Context
from app.graphql.http import GraphQLView
from app.graphql.persisted import Documents, PersistedDocuments, read_trusted_documents
from app.graphql.schema import SCHEMA
from app.services.container import Memory
from app.web import graphiql_page

QUERY = "{ __typename }"
NAMED = "query Kind { __typename }"
NOT_FOUND = "PERSISTED_QUERY_NOT_FOUND"


def hashed(text: str) -> str:
    return sha256(text.encode()).hexdigest()


def apq(text: str, **given: Any) -> dict[str, Any]:
    return {"extensions": {"persistedQuery": {"version": 1, "sha256Hash": hashed(text), **given}}}


@asynccontextmanager
async def client_with(memory: Memory, documents: Documents) -> AsyncIterator[AsyncClient]:
    """A client of a service; the header x-tenant says whose it is."""

    async def context(request: Request) -> Context:
        tenant = TenantNumber(int(request.headers.get("x-tenant", memory.caller.tenant)))
        return Context(memory, replace(memory.caller, tenant=tenant))

    app = Starlette(routes=[Route("/graphql", GraphQLView(SCHEMA, context, graphiql_page, documents))])
    async with AsyncClient(transport=ASGITransport(app), base_url="http://localhost") as client:
        yield client


async def ask(client: AsyncClient, method: str, tenant: int = 1, **given: Any) -> str:
    """Return the type of the root, or the code of the one error."""
    headers = {"x-tenant": str(tenant), "accept": "application/graphql-response+json"}
    if method == "GET":
        sent = {name: value if isinstance(value, str) else json.dumps(value) for name, value in given.items()}
        response = await client.get("/graphql", params=sent, headers=headers)
    else:
        response = await client.post("/graphql", json=given, headers=headers)
    body = response.json()
    if "errors" not in body:
        return str(body["data"]["__typename"])
    (error,) = body["errors"]
    assert response.status_code == (403 if error["extensions"]["code"] == "FORBIDDEN" else 400)
    return str(error["extensions"]["code"])


@pytest.mark.parametrize("method", ["GET", "POST"])
async def test_a_document_is_answered_by_its_hash_once_it_was_sent_with_it(
    memory: Memory, method: str
) -> None:
    async with client_with(memory, PersistedDocuments()) as client:
        assert await ask(client, method, **apq(QUERY)) == NOT_FOUND
        assert await ask(client, method, query=NAMED, **apq(QUERY)) == "BAD_REQUEST"
        assert await ask(client, method, **apq(QUERY)) == NOT_FOUND
        assert await ask(client, method, query=QUERY, **apq(QUERY)) == "Query"
        assert await ask(client, method, **apq(QUERY)) == "Query"
        assert await ask(client, method, tenant=2, **apq(QUERY)) == NOT_FOUND
        assert await ask(client, method, **apq(QUERY, version=2)) == "BAD_REQUEST"
        assert await ask(client, method, **apq(QUERY, sha256Hash=7)) == "BAD_REQUEST"
        assert await ask(client, method, documentId=hashed(QUERY)) == "BAD_REQUEST"
        assert await ask(client, method, extensions={"persistedQuery": 7}) == "BAD_REQUEST"


async def test_only_the_latest_documents_are_kept(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    texts = [f"query Q{number} {{ __typename }}" for number in range(4)]
    for bound, most in (("MAX_KEPT", 2), ("MAX_KEPT_CHARACTERS", 2 * len(texts[0]))):
        with monkeypatch.context() as patch:
            patch.setattr(persisted, bound, most)
            async with client_with(memory, PersistedDocuments()) as client:
                for text in texts[:2]:
                    await ask(client, "POST", query=text, **apq(text))
                await ask(client, "POST", **apq(texts[0]))
                await ask(client, "POST", query=texts[2], **apq(texts[2]))
                found = [await ask(client, "POST", **apq(text)) for text in texts]
                assert found == ["Query", NOT_FOUND, "Query", NOT_FOUND]


FILES = {
    "codegen": {f"sha256:{hashed(QUERY)}": QUERY},
    "codegen without the algorithm": {hashed(QUERY): QUERY},
    "apollo": {
        "format": "apollo-persisted-query-manifest",
        "version": 1,
        "operations": [{"id": hashed(QUERY), "name": "Kind", "type": "query", "body": QUERY}],
    },
}


@pytest.mark.parametrize("content", FILES.values(), ids=FILES)
async def test_trusted_documents_are_answered_and_nothing_else(
    memory: Memory, tmp_path: Path, content: dict[str, Any]
) -> None:
    file = tmp_path / "documents.json"
    file.write_text(json.dumps(content))
    async with client_with(memory, read_trusted_documents(file, SCHEMA._schema)) as client:
        for method in ("GET", "POST"):
            assert await ask(client, method, documentId=f"sha256:{hashed(QUERY)}") == "Query"
            assert await ask(client, method, documentId=hashed(QUERY)) == "Query"
            assert await ask(client, method, **apq(QUERY)) == "Query"
            assert await ask(client, method, documentId=hashed(NAMED)) == NOT_FOUND
            assert await ask(client, method, query=NAMED, **apq(NAMED)) == NOT_FOUND
            assert await ask(client, method, query=QUERY) == "FORBIDDEN"
            assert await ask(client, method, query="{ __schema { types { name } } }") == "FORBIDDEN"


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (None, "No such file"),
        (b"{", "not JSON"),
        (b"\xff", "not JSON"),
        (b"[" * 100_000, "not JSON"),
        (b"[]", "not a JSON object"),
        (b"{}", "it has 0 documents"),
        (b'{"a": 7}', "not the id of a text"),
        (b'{"operations": 7}', "objects with id and body"),
        (b'{"operations": [{"id": "a"}]}', "not the id of a text"),
        (b'{"a": "{"}', "does not fit the schema"),
        (b'{"a": "{ nothing }"}', "Cannot query field 'nothing'"),
        (b" " * (16 * 1024 * 1024 + 1), "more than"),
    ],
)
def test_a_file_that_cannot_be_trusted_is_refused_with_what_to_do(
    tmp_path: Path, content: bytes | None, reason: str
) -> None:
    file = tmp_path / "documents.json"
    if content is not None:
        file.write_bytes(content)
    with pytest.raises(Invalid, match="Make the file again") as refused:
        read_trusted_documents(file, SCHEMA._schema)
    assert reason in refused.value.message
