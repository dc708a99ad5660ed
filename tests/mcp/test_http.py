"""The tools over HTTP: who may call them, from which page, and that every tool works there."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any

import asyncpg
import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from app.domain.entity import Role
from app.domain.numbers import TenantNumber
from app.main import create_app
from app.services.access import AccessService, TokenRequest
from app.settings import Settings
from tests.conftest import TEMPLATE, Server
from tests.e2e.node import run_node
from tests.e2e.serving import served
from tests.mcp.agents import (
    CALLS,
    NEW,
    OLD,
    OTHERS,
    VERBS,
    call_everything,
    call_everything_in_typescript,
    text_of,
)

LIST = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
HEADERS = {"accept": "application/json, text/event-stream", "content-type": "application/json"}


@dataclass(frozen=True)
class Service:
    """A service that needs tokens: its address, its database, and tokens by name."""

    address: str
    url: str
    secrets: dict[str, str]

    async def post(self, path: str = "/mcp", who: str | None = None, **headers: str) -> httpx2.Response:
        given = {} if who is None else {"authorization": f"Bearer {self.secrets[who]}"}
        async with httpx2.AsyncClient(base_url=self.address, timeout=60) as client:
            return await client.post(path, json=LIST, headers={**HEADERS, **given, **headers})

    async def call(self, who: str, name: str, arguments: dict[str, Any], path: str = "/mcp") -> Any:
        headers = {"authorization": f"Bearer {self.secrets[who]}"}
        async with (
            httpx2.AsyncClient(headers=headers, timeout=60) as http,
            Client(streamable_http_client(f"{self.address}{path}", http_client=http)) as client,
        ):
            return await client.call_tool(name, arguments)


@pytest.fixture(scope="module")
async def service(server: Server, tenant: TenantNumber) -> AsyncIterator[Service]:
    assert tenant == 1
    name = await server.create(TEMPLATE)
    url = server.url_of(name)
    owner = await asyncpg.connect(url)
    access = AccessService(owner, "local")
    secrets = {
        role.value: (await access.create_token(TokenRequest(role, principal=role))).secret for role in Role
    }
    await access.create_tenant("other")
    stranger = TokenRequest(Role.ADMIN, tenant="other", principal="stranger")
    secrets["stranger"] = (await access.create_token(stranger)).secret
    settings = Settings(
        database_url=url, pool_size=6, auth="tokens", cors_origins=("https://app.example.com",)
    )
    with served(create_app(settings), starts=True) as address:
        service = Service(address, url, secrets)
        for text in (OLD, NEW):
            done = await service.call("admin", "file", {"kind": "ADR", "text": text})
            assert not done.is_error, text_of(done)
        bound = TokenRequest(Role.AGENT, project="default", principal="bot")
        secrets["bot"] = (await access.create_token(bound)).secret
        yield service
    await owner.close()
    await server.drop(name)


async def test_who_may_ask_and_from_where(service: Service) -> None:
    stranger = await service.post()
    assert (stranger.status_code, stranger.headers["www-authenticate"]) == (401, 'Bearer realm="trigraph"')
    assert stranger.json()["error"]["data"] == {"code": "UNAUTHENTICATED"}
    assert (await service.post(authorization="Bearer nonsense")).status_code == 401
    assert (await service.post("/mcp/full")).status_code == 401
    assert (await service.post(who="reader")).status_code == 200
    assert (await service.post(who="reader", origin="https://evil.example")).status_code == 403
    assert (await service.post(who="reader", origin=service.address)).status_code == 200
    assert (await service.post(who="reader", origin="https://app.example.com")).status_code == 200
    assert (await service.post(who="reader", host="evil.example")).status_code == 400
    assert (await service.post(who="reader", **{"content-type": "text/plain"})).status_code in (400, 415)
    async with httpx2.AsyncClient(base_url=service.address) as client:
        bearer = {"authorization": f"Bearer {service.secrets['reader']}"}
        assert (await client.get("/mcp", headers={**HEADERS, **bearer})).status_code == 405
        large = json.dumps({**LIST, "params": {"x": "y" * 2**21}})
        assert (await client.post("/mcp", content=large, headers={**HEADERS, **bearer})).status_code == 413


async def test_roles_tenants_and_projects_are_those_of_the_token(service: Service) -> None:
    filing = {"kind": "ADR", "text": "# ADR-3: Rope\n\nThe rope holds."}
    refused = await service.call("reader", "file", filing)
    assert (refused.is_error, text_of(refused)[:9]) == (True, "FORBIDDEN")
    decided = {"id": "8" * 32, "decision": "reject"}
    assert text_of(await service.call("agent", "review", decided)).startswith("FORBIDDEN")
    assert text_of(await service.call("stranger", "read", {"id": "ADR-1"})).startswith("NOT_FOUND")
    assert text_of(await service.call("reader", "read", {"id": "ADR-1"})).startswith("[HISTORICAL]")
    elsewhere = await service.call("admin", "file", {**filing, "project": "secret"})
    assert not elsewhere.is_error
    asked = {"query": "what does the rope hold"}
    assert "Rope" in text_of(await service.call("admin", "recall", asked))
    assert "Rope" not in text_of(await service.call("bot", "recall", asked))
    there = await service.call("bot", "recall", {**asked, "project": "secret"})
    assert text_of(there).startswith("NOT_FOUND")
    started = await service.call("bot", "prism_start", {}, "/mcp/full")
    assert started.structured_content["principal"] == "bot"
    folder = await service.call("admin", "import_folder", {"path": "/etc"}, "/mcp/full")
    assert text_of(folder).startswith("FORBIDDEN")


async def test_a_client_calls_every_tool(service: Service) -> None:
    headers = {"authorization": f"Bearer {service.secrets['admin']}"}
    async with (
        httpx2.AsyncClient(headers=headers, timeout=60) as http,
        Client(streamable_http_client(f"{service.address}/mcp/full", http_client=http)) as client,
    ):
        said = await call_everything(client, {**CALLS, **VERBS})
        assert len((await client.list_tools()).tools) == len(CALLS) + len(VERBS) + len(OTHERS)
    assert said["prism_wrap"][0]["drafts"] == []


def test_the_typescript_client_calls_every_tool(service: Service) -> None:
    headers = {"Authorization": f"Bearer {service.secrets['admin']}"}
    call_everything_in_typescript(url=f"{service.address}/mcp/full", headers=headers)


def test_the_official_scenarios_that_apply_pass(service: Service) -> None:
    """The other scenarios call tools of fixed names: they test the library and not this server."""
    settings = Settings(database_url=service.url, pool_size=4)
    scenarios = ("server-initialize", "ping", "tools-list", "resources-list", "prompts-list")
    with served(create_app(settings), starts=True) as address:
        done = run_node("mcp_conformance.cjs", f"{address}/mcp", *scenarios, "dns-rebinding-protection")
    assert done["failed"] == []
