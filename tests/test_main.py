from __future__ import annotations

from collections.abc import AsyncIterator

import asyncpg
import pytest
from httpx2 import AsyncClient
from starlette.testclient import TestClient

from app.errors import Conflict, Unavailable
from app.main import create_app
from app.settings import Settings
from app.stores.postgres.connection import owner_connection
from app.stores.postgres.migrate import migrate, shipped_migrations
from tests.conftest import Server
from tests.e2e.serving import client_of, served

RECALL = '{ recall(query: "queue") { hits { artifact { identifier } } legs { problem } } }'
ASK = {"query": "{ projects { key } }"}


@pytest.fixture
async def client(database_url: str) -> AsyncIterator[AsyncClient]:
    """A client of the application on a ledger of the test's own."""
    async with client_of(Settings(database_url=database_url, pool_size=4)) as client:
        yield client


async def test_it_lives_and_is_ready(client: AsyncClient) -> None:
    alive = await client.get("/healthz")
    assert (alive.status_code, alive.json()) == (200, {"status": "alive"})
    ready = await client.get("/readyz")
    assert (ready.status_code, ready.json()) == (200, {"status": "ready", "reasons": []})
    assert ready.headers["cache-control"] == "no-store"
    assert (await client.post("/graphql", json=ASK)).json()["data"] == {"projects": []}


async def test_it_is_not_ready_while_a_migration_is_missing(
    client: AsyncClient, owner: asyncpg.Connection
) -> None:
    last = shipped_migrations()[-1]
    await owner.execute("DELETE FROM schema_migration WHERE version = $1", last.version)
    answer = await client.get("/readyz")
    assert answer.status_code == 503
    assert answer.json() == {
        "status": "not ready",
        "reasons": [f"the ledger lacks {last.label}; run `trigraph migrate`"],
    }


async def test_it_is_not_ready_over_another_models_vectors(
    client: AsyncClient, owner: asyncpg.Connection
) -> None:
    await owner.execute("INSERT INTO embedding_model VALUES (true, 'another', 'abc', 3)")
    answer = await client.get("/readyz")
    assert answer.status_code == 503
    (reason,) = answer.json()["reasons"]
    assert "another (3 dimensions, abc)" in reason
    assert "trigraph reembed" in reason


async def test_it_lives_on_without_its_database(
    client: AsyncClient, server: Server, database_url: str
) -> None:
    name = database_url.rpartition("/")[2].partition("?")[0]
    await server.run(f"ALTER DATABASE {name} WITH ALLOW_CONNECTIONS false")
    await server.run(f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{name}'")
    answer = await client.get("/readyz")
    assert answer.status_code == 503
    assert answer.json()["reasons"]
    failed = (await client.post("/graphql", json=ASK)).json()
    assert [error["extensions"]["code"] for error in failed["errors"]] == ["UNAVAILABLE"]
    assert (await client.get("/healthz")).status_code == 200
    await server.run(f"ALTER DATABASE {name} WITH ALLOW_CONNECTIONS true")
    assert (await client.get("/readyz")).status_code == 200


async def test_it_does_not_start_over_a_ledger_that_is_not_migrated(empty_database_url: str) -> None:
    app = create_app(Settings(database_url=empty_database_url))
    with pytest.raises(Conflict, match="run `trigraph migrate`"):
        async with app.router.lifespan_context(app):
            raise AssertionError("it started")


EXTENSIONS = "SELECT count(*) FROM pg_extension WHERE extname = 'vector'"
FILE = """
mutation {
  fileArtifact(input: {kind: "ADR", body: "# ADR-1: Queue\\n\\nWorkers poll the queue."}) {
    created problems { message }
  }
}
"""


async def test_vec_09_a_new_database_gets_its_extension_before_anything_is_asked(
    empty_database_url: str,
) -> None:
    """VEC-09: `trigraph migrate` makes it, and the first recall works."""
    async with owner_connection(empty_database_url) as owner:
        assert await owner.fetchval(EXTENSIONS) == 0
        await migrate(empty_database_url)
        assert await owner.fetchval(EXTENSIONS) == 1
    app = create_app(Settings(database_url=empty_database_url, pool_size=4))
    with served(app, starts=True) as address:
        async with AsyncClient(base_url=address, timeout=30) as client:
            first = await client.post("/graphql", json={"query": RECALL})
            assert first.json()["data"] == {"recall": {"hits": [], "legs": [{"problem": None}] * 4}}
            filed = await client.post("/graphql", json={"query": FILE})
            assert filed.json()["data"] == {"fileArtifact": {"created": True, "problems": []}}
            hits = (await client.post("/graphql", json={"query": RECALL})).json()["data"]["recall"]["hits"]
            assert hits == [{"artifact": {"identifier": "ADR-1"}}]


async def test_vec_09_a_role_that_may_not_make_the_extension_gets_instructions(
    server: Server, empty_database_url: str
) -> None:
    """VEC-09: by name, with what an administrator has to run, and the ledger is left as it was."""
    name = empty_database_url.rpartition("/")[2].partition("?")[0]
    await server.run("CREATE ROLE owner_of_one LOGIN CREATEROLE")
    await server.run(f"ALTER DATABASE {name} OWNER TO owner_of_one")
    url = empty_database_url.replace("postgres@", "owner_of_one@")
    with pytest.raises(Unavailable, match=r'(?s)"vector".*administrator run CREATE EXTENSION vector first'):
        await migrate(url)
    app = create_app(Settings(database_url=url))
    with pytest.raises(Conflict, match=r"the ledger lacks 0001_ledger.*run `trigraph migrate`"):
        async with app.router.lifespan_context(app):
            raise AssertionError("it started")
    await server.run(f"ALTER DATABASE {name} OWNER TO postgres")
    await server.run("DROP ROLE owner_of_one")


@pytest.mark.parametrize("host", ["localhost", "localhost:8000", "127.0.0.1:1", "[::1]:8000", "LOCALHOST"])
@pytest.mark.parametrize("address", ["/healthz", "/graphiql/boot.js"])
def test_it_answers_to_the_names_of_this_machine(host: str, address: str) -> None:
    client = TestClient(create_app(Settings()))  # not entered: nothing here needs the ledger
    assert client.get(address, headers={"host": host}).status_code == 200


@pytest.mark.parametrize(
    "host", ["attacker.example", "attacker.example:8000", "127.0.0.1.attacker.example", ""]
)
@pytest.mark.parametrize("address", ["/healthz", "/readyz", "/metrics", "/graphql", "/graphiql/boot.js"])
def test_it_refuses_a_name_that_a_foreign_page_pointed_here(host: str, address: str) -> None:
    client = TestClient(create_app(Settings()))
    assert client.get(address, headers={"host": host}).status_code == 400


def test_it_answers_to_the_names_it_is_given() -> None:
    client = TestClient(create_app(Settings(), hosts=["memory.example"]))
    assert client.get("/healthz", headers={"host": "memory.example"}).status_code == 200
    assert client.get("/healthz", headers={"host": "localhost"}).status_code == 400


@pytest.mark.parametrize(
    ("host", "status"),
    [("trigraph.example.com", 200), ("a.internal:8000", 200), ("localhost", 200), ("internal", 400)],
)
def test_it_answers_to_the_names_of_the_settings_beside_those_of_this_machine(host: str, status: int) -> None:
    client = TestClient(create_app(Settings(allowed_hosts=("trigraph.example.com", "*.internal"))))
    assert client.get("/healthz", headers={"host": host}).status_code == status


ORIGIN = "https://app.example.com"
PREFLIGHT = {
    "access-control-request-method": "POST",
    "access-control-request-headers": "authorization,content-type,graphql-require-preflight",
}


def test_an_allowed_page_may_send_a_token_and_read_the_answer() -> None:
    client = TestClient(create_app(Settings(cors_origins=(ORIGIN,))), base_url="http://localhost")
    answer = client.options("/graphql", headers={"origin": ORIGIN, **PREFLIGHT})
    assert (answer.status_code, answer.headers["access-control-allow-origin"]) == (200, ORIGIN)
    allowed = answer.headers["access-control-allow-headers"].lower()
    assert all(name in allowed for name in ("authorization", "content-type", "graphql-require-preflight"))
    read = client.get("/healthz", headers={"origin": ORIGIN})
    assert read.headers["access-control-allow-origin"] == ORIGIN
    assert "access-control-allow-credentials" not in read.headers


@pytest.mark.parametrize("origin", ["https://attacker.example", "null", f"{ORIGIN}.attacker.example"])
def test_another_page_may_not(origin: str) -> None:
    client = TestClient(create_app(Settings(cors_origins=(ORIGIN,))), base_url="http://localhost")
    preflight = client.options("/graphql", headers={"origin": origin, **PREFLIGHT})
    assert preflight.status_code == 400
    for answer in (preflight, client.get("/healthz", headers={"origin": origin})):
        assert "access-control-allow-origin" not in answer.headers


def test_no_foreign_page_may_read_an_answer() -> None:
    client = TestClient(create_app(Settings()), base_url="http://localhost")
    origin = {"origin": "https://attacker.example", "access-control-request-method": "POST"}
    for answer in (client.options("/graphql", headers=origin), client.get("/healthz", headers=origin)):
        assert not [name for name in answer.headers if name.startswith("access-control-")]
