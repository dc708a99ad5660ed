"""A service with tokens lets nobody in without one, over HTTP and at once, whatever is asked."""

from __future__ import annotations

import json
import logging
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any

import asyncpg
import pytest
from httpx2 import AsyncClient, Response

from app.domain.entity import Role
from app.domain.numbers import TenantNumber
from app.graphql.schema import SCHEMA
from app.services.access import AccessService, TokenRequest
from app.settings import Settings
from tests.conftest import TEMPLATE, Server
from tests.e2e.serving import client_of

VIEWER = "{ viewer { principal role tenant project } }"
ACCEPTS = ("application/json", "application/graphql-response+json")


@dataclass(frozen=True)
class Service:
    """A service that needs tokens, and one token for each role."""

    client: AsyncClient
    owner: asyncpg.Connection
    access: AccessService
    secrets: dict[Role, str]

    async def ask(self, query: str, role: Role | None = None, **variables: Any) -> Response:
        headers = {} if role is None else {"authorization": f"Bearer {self.secrets[role]}"}
        asked = {"query": query, "variables": variables}
        return await self.client.post("/graphql", json=asked, headers=headers)

    async def data(self, query: str, role: Role, **variables: Any) -> dict[str, Any]:
        body = (await self.ask(query, role, **variables)).json()
        assert "errors" not in body, body
        data: dict[str, Any] = body["data"]
        return data


@pytest.fixture(scope="module")
async def service(server: Server, tenant: TenantNumber) -> AsyncIterator[Service]:
    assert tenant == 1
    name = await server.create(TEMPLATE)
    url = server.url_of(name)
    owner = await asyncpg.connect(url)
    access = AccessService(owner, "local")
    secrets = {role: (await access.create_token(TokenRequest(role, principal=role))).secret for role in Role}
    async with client_of(Settings(database_url=url, pool_size=6, auth="tokens")) as client:
        yield Service(client, owner, access, secrets)
    await owner.close()
    await server.drop(name)


def code(response: Response) -> str:
    (error,) = response.json()["errors"]
    return str(error["extensions"]["code"])


@pytest.mark.parametrize("accept", ACCEPTS)
@pytest.mark.parametrize("authorization", [None, "Bearer x", "Basic eDp5", f"Bearer trigraph_1_{'a' * 43}"])
async def test_without_a_good_token_nothing_is_answered(
    service: Service, accept: str, authorization: str | None
) -> None:
    headers = {"accept": accept} | ({} if authorization is None else {"authorization": authorization})
    response = await service.client.post("/graphql", json={"query": VIEWER}, headers=headers)
    assert response.status_code == 401
    assert response.headers["www-authenticate"] == 'Bearer realm="trigraph"'
    assert response.headers["content-type"].startswith(accept)
    assert code(response) == "UNAUTHENTICATED"
    assert set(response.json()) == {"errors"}


@pytest.mark.parametrize("body", [b"", b"{", b"[" * 1000, json.dumps({"query": "{ nothing }"}).encode()])
async def test_nothing_that_a_stranger_sends_is_read(service: Service, body: bytes) -> None:
    for headers in ({"content-type": "application/json"}, {"content-type": "text/plain"}):
        response = await service.client.post("/graphql", content=body, headers=headers)
        assert (response.status_code, code(response)) == (401, "UNAUTHENTICATED")
    asked = await service.client.get("/graphql", params={"query": body.decode()})
    assert (asked.status_code, code(asked)) == (401, "UNAUTHENTICATED")


async def test_a_stranger_learns_nothing_of_the_schema(service: Service) -> None:
    response = await service.ask("{ __schema { types { name } } }")
    assert (response.status_code, code(response)) == (401, "UNAUTHENTICATED")


async def test_what_operators_probe_stays_open_and_the_rest_does_not(service: Service) -> None:
    assert (await service.client.get("/healthz")).status_code == 200
    assert (await service.client.get("/readyz")).status_code == 200
    page = await service.client.get("/graphql", headers={"accept": "text/html"})
    assert (page.status_code, "GraphiQL" in page.text) == (200, True)
    measured = await service.client.get("/metrics")
    assert (measured.status_code, measured.headers["www-authenticate"]) == (401, 'Bearer realm="trigraph"')


@pytest.mark.parametrize("role", list(Role))
async def test_only_an_admin_reads_the_metrics(service: Service, role: Role) -> None:
    headers = {"authorization": f"Bearer {service.secrets[role]}"}
    measured = await service.client.get("/metrics", headers=headers)
    assert measured.status_code == (200 if role is Role.ADMIN else 403)


@pytest.mark.parametrize("role", list(Role))
async def test_a_token_says_who_is_asking(service: Service, role: Role) -> None:
    viewer = (await service.data(VIEWER, role))["viewer"]
    assert viewer == {"principal": role.value, "role": role.name, "tenant": "local", "project": None}


async def test_a_token_works_with_get(service: Service) -> None:
    headers = {"authorization": f"Bearer {service.secrets[Role.READER]}"}
    asked = await service.client.get("/graphql", params={"query": VIEWER}, headers=headers)
    assert asked.json()["data"]["viewer"]["role"] == "READER"


async def test_a_token_in_the_url_is_no_token(service: Service) -> None:
    secret = service.secrets[Role.ADMIN]
    for name in ("access_token", "token", "authorization"):
        asked = await service.client.get("/graphql", params={"query": VIEWER, name: secret})
        assert asked.status_code == 401


FILE = "mutation ($input: FileArtifactInput!) { fileArtifact(input: $input) { created problems { code } } }"
DEFINE = "mutation ($input: DefineTypeInput!) { defineType(input: $input) { changed problems { code } } }"


def document(number: int, project: str) -> dict[str, Any]:
    return {"kind": "ADR", "identifier": f"ADR-{number}", "body": "# Queue", "project": project}


@pytest.mark.parametrize("role", [Role.READER, Role.AGENT, Role.HUMAN])
async def test_only_an_admin_makes_projects_and_types(service: Service, role: Role) -> None:
    new = document(1, f"of {role}")
    answer = (await service.data(FILE, role, input=new))["fileArtifact"]
    assert answer == {"created": False, "problems": [{"code": "FORBIDDEN"}]}
    given = {"name": f"Gadget{role}", "immutableProps": ["name"], "project": new["project"]}
    answer = (await service.data(DEFINE, role, input=given))["defineType"]
    assert answer == {"changed": False, "problems": [{"code": "FORBIDDEN"}]}
    keys = [each["key"] for each in (await service.data("{ projects { key } }", role))["projects"]]
    assert new["project"] not in keys


async def test_an_agent_files_where_an_admin_made_a_project(service: Service) -> None:
    await service.data(FILE, Role.ADMIN, input=document(1, "made"))
    answer = (await service.data(FILE, Role.AGENT, input=document(2, "made")))["fileArtifact"]
    assert answer == {"created": True, "problems": []}
    refused = (await service.data(FILE, Role.READER, input=document(3, "made")))["fileArtifact"]
    assert refused == {"created": False, "problems": [{"code": "FORBIDDEN"}]}
    actors = await service.owner.fetch("SELECT identifier, actor FROM artifact ORDER BY identifier")
    assert [tuple(row) for row in actors] == [("ADR-1", "admin"), ("ADR-2", "agent")]


async def test_to_a_token_of_a_project_no_other_is_there(service: Service) -> None:
    for number, project in ((1, "harbour"), (2, "secret")):
        await service.data(FILE, Role.ADMIN, input=document(number, project))
    issued = await service.access.create_token(TokenRequest(Role.ADMIN, project="harbour"))
    headers = {"authorization": f"Bearer {issued.secret}"}

    async def ask(query: str, **variables: Any) -> Any:
        asked = {"query": query, "variables": variables}
        return (await service.client.post("/graphql", json=asked, headers=headers)).json()

    assert (await ask(VIEWER))["data"]["viewer"]["project"] == "harbour"
    assert (await ask("{ projects { key } }"))["data"]["projects"] == [{"key": "harbour"}]
    found = await ask('{ recall(query: "queue") { hits { artifact { identifier } } legs { problem } } }')
    assert found["data"]["recall"] == {
        "hits": [{"artifact": {"identifier": "ADR-1"}}],
        "legs": [{"problem": None}] * 4,
    }
    for project in ("secret", "nowhere"):
        answer = await ask(FILE, input=document(3, project))
        assert answer["data"]["fileArtifact"] == {"created": False, "problems": [{"code": "NOT_FOUND"}]}
    answer = await ask(FILE, input=document(3, "harbour"))
    assert answer["data"]["fileArtifact"] == {"created": True, "problems": []}
    assert (await service.client.get("/metrics", headers=headers)).status_code == 403


async def test_no_token_reaches_a_log(service: Service, caplog: pytest.LogCaptureFixture) -> None:
    secret = service.secrets[Role.READER]
    unknown = secret[:-4] + "aaaa"
    with caplog.at_level(logging.DEBUG):
        await service.ask(VIEWER, Role.READER)
        response = await service.client.post(
            "/graphql", json={"query": VIEWER}, headers={"authorization": f"Bearer {unknown}"}
        )
    assert response.status_code == 401
    for text in (secret, unknown):
        assert text[-20:] not in caplog.text
        assert text[-20:] not in response.text


def test_no_field_makes_or_shows_a_token() -> None:
    """The operator alone handles tokens, by `trigraph token`."""
    words = [name for name in SCHEMA._schema.type_map if "token" in name.lower()]
    assert words == []
