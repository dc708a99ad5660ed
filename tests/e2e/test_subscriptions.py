"""Changes are followed over WebSocket and as server-sent events, by real clients, and nothing of it leaks."""

from __future__ import annotations

import asyncio
import gc
import json
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from itertools import count
from typing import Any

import asyncpg
import pytest
from httpx2 import AsyncClient
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.typing import Origin, Subprotocol

from app.domain.entity import Role
from app.domain.numbers import TenantNumber
from app.services.access import AccessService, TokenRequest
from app.services.changes import ChangeFeed
from app.settings import Settings
from tests.conftest import TEMPLATE, Server
from tests.e2e.node import run_node
from tests.e2e.serving import client_of

CREATE = """
mutation ($input: CreateEntityInput!) {
  createEntity(input: $input) { position entity { id } problems { message } }
}
"""
FOLLOW = """
subscription ($project: String, $entity: ID, $after: String) {
  stateChanges(project: $project, entity: $entity, after: $after) {
    position entity { id label } event { eventType actor }
  }
}
"""
LEDGER = """
subscription ($project: String, $after: String) {
  ledgerEvents(project: $project, after: $after) { position kind node { __typename id } }
}
"""
PRUNE = """
BEGIN;
SET LOCAL session_replication_role = replica;
DELETE FROM outbox WHERE tenant_id = 1
    AND position < (SELECT max(position) FROM outbox WHERE tenant_id = 1);
UPDATE outbox_horizon SET position = (SELECT max(position) - 1 FROM outbox WHERE tenant_id = 1);
COMMIT
"""
_NUMBERS = count(1)


@dataclass(frozen=True)
class Live:
    """A service that needs tokens, with a token for two tenants, and for one project of the first."""

    client: AsyncClient
    owner: asyncpg.Connection
    access: AccessService
    secret: str
    other: str
    of_project: str

    @property
    def address(self) -> str:
        return str(self.client.base_url).rstrip("/")

    async def create(self, project: str, secret: str | None = None) -> dict[str, Any]:
        """Return the payload of a new entity."""
        variables = {
            "input": {"project": project, "type": "Component", "props": {"name": f"T{next(_NUMBERS)}"}}
        }
        headers = {"authorization": f"Bearer {secret or self.secret}"}
        response = await self.client.post(
            "/graphql", json={"query": CREATE, "variables": variables}, headers=headers
        )
        payload: dict[str, Any] = response.json()["data"]["createEntity"]
        assert payload["problems"] == []
        return payload

    @asynccontextmanager
    async def socket(self, secret: str | None = None, **given: Any) -> AsyncIterator[ClientConnection]:
        """Open a connection and initialise it with a token."""
        async with connect(
            self.address.replace("http", "ws") + "/graphql",
            subprotocols=[Subprotocol("graphql-transport-ws")],
            **given,
        ) as socket:
            await say(
                socket, type="connection_init", payload={"authorization": f"Bearer {secret or self.secret}"}
            )
            yield socket

    @asynccontextmanager
    async def events(
        self, query: str, variables: dict[str, Any], secret: str | None = None, **headers: str
    ) -> AsyncIterator[AsyncIterator[dict[str, str]]]:
        """Open a stream of events."""
        sent = {"accept": "text/event-stream", "authorization": f"Bearer {secret or self.secret}", **headers}
        body = {"query": query, "variables": variables}
        async with self.client.stream("POST", "/graphql", json=body, headers=sent) as response:
            assert response.headers["content-type"].startswith("text/event-stream"), await response.aread()
            yield _events(response.aiter_lines())


async def _events(lines: AsyncIterator[str]) -> AsyncIterator[dict[str, str]]:
    event: dict[str, str] = {}
    async for line in lines:
        if line.startswith(":"):
            continue
        if not line:
            if event:
                yield event
            event = {}
            continue
        name, _, value = line.partition(": ")
        event[name] = value


async def say(socket: ClientConnection, **message: Any) -> None:
    await socket.send(json.dumps(message))


async def hear(socket: ClientConnection) -> dict[str, Any]:
    text = await socket.recv()
    assert isinstance(text, str)
    message: dict[str, Any] = json.loads(text)
    return message


async def subscribe(socket: ClientConnection, query: str, id: str = "1", **variables: Any) -> None:
    await say(socket, type="subscribe", id=id, payload={"query": query, "variables": variables})


@pytest.fixture(scope="module")
async def live(server: Server, tenant: TenantNumber) -> AsyncIterator[Live]:
    name = await server.create(TEMPLATE)
    url = server.url_of(name)
    owner = await asyncpg.connect(url)
    access = AccessService(owner, "local")
    await access.create_tenant("other")
    secret = (await access.create_token(TokenRequest(Role.ADMIN))).secret
    other = (await access.create_token(TokenRequest(Role.ADMIN, tenant="other"))).secret
    settings = Settings(database_url=url, pool_size=6, auth="tokens", cors_origins="https://app.example.com")
    async with client_of(settings) as client:
        first = Live(client, owner, access, secret, other, "")
        await first.create("one")
        of_project = (await access.create_token(TokenRequest(Role.READER, project="one"))).secret
        yield Live(client, owner, access, secret, other, of_project)
    await owner.close()
    await server.drop(name)


async def test_changes_come_over_both_ways_each_once_and_in_order(live: Live) -> None:
    before = await live.create("both")
    after = before["position"]
    async with live.socket() as socket, live.events(LEDGER, {"project": "both", "after": after}) as events:
        assert await hear(socket) == {"type": "connection_ack"}
        await subscribe(socket, FOLLOW, project="both", after=after)
        created = [(await live.create("both"))["entity"]["id"] for _ in range(5)]
        await live.create("elsewhere")
        created.append((await live.create("both"))["entity"]["id"])
        heard = [(await hear(socket))["payload"]["data"]["stateChanges"] for _ in created]
        assert [each["entity"]["id"] for each in heard] == created
        assert {each["event"]["eventType"] for each in heard} == {"created"}
        positions = [int(each["position"]) for each in heard]
        assert positions == sorted(set(positions))
        seen: list[dict[str, Any]] = []
        while len([each for each in seen if each["kind"] == "ENTITY"]) < len(created):
            event = await anext(events)
            seen.append(json.loads(event["data"])["data"]["ledgerEvents"])
            assert event["id"] == seen[-1]["position"]
        assert [each["node"]["id"] for each in seen if each["kind"] == "ENTITY"] == created
        assert {each["kind"] for each in seen} == {"ENTITY", "STATE", "STATE_EVENT"}


async def test_a_stream_goes_on_after_the_last_event_that_was_seen(live: Live) -> None:
    position = (await live.create("again"))["position"]
    created = [(await live.create("again"))["entity"]["id"] for _ in range(3)]
    last, seen = position, []
    for _ in created:
        async with live.events(
            FOLLOW, {"project": "again", "after": position}, **{"last-event-id": last}
        ) as events:
            event = await anext(events)
            last = event["id"]
            seen.append(json.loads(event["data"])["data"]["stateChanges"]["entity"]["id"])
    assert seen == created


async def test_nobody_follows_what_is_not_theirs(live: Live) -> None:
    mine = await live.create("one")
    async with live.socket(live.other) as other, live.socket(live.of_project) as reader:
        for socket in (other, reader):
            await hear(socket)
            await subscribe(socket, LEDGER, id="all", after="0")
        await subscribe(other, FOLLOW, id="one", entity=mine["entity"]["id"])
        hidden = await live.create("two")
        theirs = await live.create("theirs", live.other)
        shown = await live.create("one")
        seen: list[dict[str, Any]] = []
        while not seen or int(seen[-1]["position"]) < int(shown["position"]):
            seen.append((await hear(reader))["payload"]["data"]["ledgerEvents"])
        ids = {each["node"]["id"] for each in seen if each["kind"] == "ENTITY"}
        assert {mine["entity"]["id"], shown["entity"]["id"]} <= ids
        assert not ids & {hidden["entity"]["id"], theirs["entity"]["id"]}
        refused: dict[str, Any] | None = None
        of_other: list[dict[str, Any]] = []
        while not of_other or int(of_other[-1]["position"]) < int(theirs["position"]):
            message = await hear(other)
            if message["id"] == "one":
                refused = message if refused is None else refused
            else:
                of_other.append(message["payload"]["data"]["ledgerEvents"])
        assert [each["node"]["id"] for each in of_other if each["kind"] == "ENTITY"] == [
            theirs["entity"]["id"]
        ]
        assert refused is not None
        assert refused["payload"]["errors"][0]["extensions"]["code"] == "NOT_FOUND"


@pytest.mark.parametrize(
    ("query", "variables", "code"),
    [
        (FOLLOW, {"after": "soon"}, "BAD_USER_INPUT"),
        (FOLLOW, {"after": "999999999999"}, "BAD_USER_INPUT"),
        (FOLLOW, {"project": "nowhere"}, "NOT_FOUND"),
        (FOLLOW, {"entity": "x"}, "NOT_FOUND"),
        (FOLLOW, {"after": "1" * 20_000}, "BAD_USER_INPUT"),
        ("subscription { nothing }", {}, "GRAPHQL_VALIDATION_FAILED"),
        ("subscription {", {}, "GRAPHQL_PARSE_FAILED"),
        ("{ viewer { role } }", {}, "BAD_USER_INPUT"),
        (
            'mutation { createEntity(input: {type: "Component", props: {}}) { position } }',
            {},
            "BAD_USER_INPUT",
        ),
    ],
)
async def test_an_operation_that_cannot_be_followed_is_refused_alike(
    live: Live, query: str, variables: dict[str, Any], code: str
) -> None:
    async with live.events(query, variables) as events:
        (error,) = json.loads((await anext(events))["data"])["errors"]
        assert error["extensions"]["code"] == code
        assert (await anext(events))["event"] == "complete"
    async with live.socket() as socket:
        await hear(socket)
        await subscribe(socket, query, **variables)
        message = await hear(socket)
        errors = message["payload"] if message["type"] == "error" else message["payload"]["errors"]
        assert [each["extensions"]["code"] for each in errors] == [code]


async def test_a_revoked_token_ends_what_it_follows(live: Live) -> None:
    issued = await live.access.create_token(TokenRequest(Role.READER))
    async with live.socket(issued.secret) as socket, live.events(FOLLOW, {}, issued.secret) as events:
        await hear(socket)
        await subscribe(socket, FOLLOW)
        await live.access.revoke_token(issued.token.id)
        async with asyncio.timeout(30):
            (error,) = json.loads((await anext(events))["data"])["errors"]
            assert error["extensions"]["code"] == "UNAUTHENTICATED"
            message = await hear(socket)
            assert message["payload"]["errors"][0]["extensions"]["code"] == "UNAUTHENTICATED"
            assert (await hear(socket))["type"] == "complete"


async def closed(socket: ClientConnection) -> int | None:
    with pytest.raises(ConnectionClosed) as ended:
        await hear(socket)
    return None if ended.value.rcvd is None else ended.value.rcvd.code


async def test_a_connection_without_a_good_token_is_refused(live: Live) -> None:
    async with live.socket("x") as socket:
        assert await closed(socket) == 4403
    response = await live.client.post(
        "/graphql", json={"query": FOLLOW}, headers={"accept": "text/event-stream"}
    )
    assert (response.status_code, response.headers["content-type"]) == (
        401,
        "application/json; charset=utf-8",
    )


@pytest.mark.parametrize(
    ("message", "code"),
    [
        ('{"type":"subscribe","id":"1","payload":{"query":"subscription{ledgerEvents{position}}"}}', 4401),
        ("{", 4400),
        ("5", 4400),
        ("[]", 4400),
        ('{"type":"subscribe","id":[],"payload":{"query":"x"}}', 4400),
        ('{"type":"subscribe","id":"1","payload":7}', 4400),
        ('{"type":"connection_init","payload":7}', 4400),
        ('{"type":"start","id":"1","payload":{"query":"subscription{ledgerEvents{position}}"}}', 4400),
        (b"{}", 4400),
        ('{"type":"ping","payload":"' + "x" * 1_200_000 + '"}', 4400),
    ],
)
async def test_sub_04_what_is_not_the_protocol_ends_the_connection(
    live: Live, message: str | bytes, code: int
) -> None:
    """SUB-04: nothing is answered before the handshake, in this protocol or in an older one."""
    url = live.address.replace("http", "ws") + "/graphql"
    async with connect(url, subprotocols=[Subprotocol("graphql-transport-ws")]) as socket:
        await socket.send(message)
        assert await closed(socket) == code


async def test_only_this_protocol_and_known_origins_are_served(live: Live) -> None:
    url = live.address.replace("http", "ws") + "/graphql"
    async with connect(url, subprotocols=[Subprotocol("graphql-ws")]) as socket:
        assert await closed(socket) == 4406
    with pytest.raises(InvalidStatus) as refused:
        async with connect(url, origin=Origin("https://evil.example")):
            pass
    assert refused.value.response.status_code == 403
    for origin in map(Origin, ("https://app.example.com", live.address)):
        async with live.socket(origin=origin) as socket:
            assert (await hear(socket))["type"] == "connection_ack"


async def test_a_connection_has_a_bounded_number_of_subscriptions(live: Live) -> None:
    async with live.socket() as socket:
        await hear(socket)
        for number in range(51):
            await subscribe(socket, FOLLOW, id=str(number))
        message = await hear(socket)
        assert (message["type"], message["id"]) == ("error", "50")


MANY = 1_000
AT_ONCE = 20


async def create_many(live: Live, count: int) -> list[str]:
    """Return the ids of new entities in the order of their making, many to a request."""
    fields = "\n".join(f"a{at}: createEntity(input: $i{at}) {{ entity {{ id }} }}" for at in range(AT_ONCE))
    declared = ", ".join(f"$i{at}: CreateEntityInput!" for at in range(AT_ONCE))
    headers = {"authorization": f"Bearer {live.secret}"}
    ids: list[str] = []
    while len(ids) < count:
        inputs = {
            f"i{at}": {"project": "many", "type": "Component", "props": {"name": f"M{next(_NUMBERS)}"}}
            for at in range(AT_ONCE)
        }
        asked = {"query": f"mutation ({declared}) {{ {fields} }}", "variables": inputs}
        response = await live.client.post("/graphql", json=asked, headers=headers)
        ids += [each["entity"]["id"] for each in response.json()["data"].values()]
    return ids[:count]


async def test_clients_follow_a_thousand_changes_over_two_reconnects(live: Live) -> None:
    after = (await live.create("many"))["position"]
    url = f"{live.address}/graphql"
    ways = [
        asyncio.to_thread(run_node, "follow.cjs", way, url, live.secret, after, str(MANY), seconds=900)
        for way in ("ws", "sse")
    ]
    ids, *followed = await asyncio.gather(create_many(live, MANY), *ways)
    for seen in followed:
        assert [id for _, id in seen] == ids
        positions = [position for position, _ in seen]
        assert positions == sorted(set(positions))


@pytest.mark.parametrize("method", ["GET", "POST"])
async def test_apollo_sends_a_document_once_and_its_hash_from_then_on(live: Live, method: str) -> None:
    seen = await asyncio.to_thread(run_node, "persisted.cjs", f"{live.address}/graphql", live.secret, method)
    assert seen["answers"] == ["ADMIN", "ADMIN"]
    assert [(how, has_text) for how, has_text, _ in seen["wire"]] == [
        (method, False),
        ("POST", True),
        (method, False),
    ]


async def backends(live: Live) -> int:
    """Return how many connections the service has to the database of these tests."""
    count: int = await live.owner.fetchval(
        "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
    )
    return count


def held() -> tuple[int, int]:
    """Return how many followers and how many unfinished tasks there are in this process."""
    found = gc.get_objects()
    feeds = [each for each in found if type(each) is ChangeFeed]
    tasks = [each for each in found if issubclass(type(each), asyncio.Task) and not each.done()]
    return sum(len(feed.followers) + len(feed.tails) for feed in feeds), len(tasks)


async def until(happened: Callable[[], bool]) -> None:
    async with asyncio.timeout(60):
        while not happened():  # noqa: ASYNC110
            await asyncio.sleep(0.05)


# The library drops the fields that it has not begun when an operation is cancelled.
@pytest.mark.filterwarnings("ignore:coroutine 'GraphQLCoreConverter:RuntimeWarning")
async def test_sub_02_sub_03_however_a_client_goes_nothing_is_left(live: Live) -> None:
    """SUB-02, SUB-03: also while its subscription begins, or while a change is on the way to it."""
    await until(lambda: held()[0] == 0)
    before, connections = held(), await backends(live)
    async with AsyncExitStack() as stack:
        for _ in range(10):
            socket = await stack.enter_async_context(live.socket())
            await subscribe(socket, FOLLOW)
            await stack.enter_async_context(live.events(LEDGER, {}))
        await until(lambda: held()[0] == 20 + 1)
        assert await backends(live) <= max(connections, 7)
        await live.create("leaving")
    for _ in range(50):
        async with live.socket() as socket:
            await subscribe(socket, FOLLOW, after="0")
        async with live.socket() as socket:
            await subscribe(socket, FOLLOW)
            await say(socket, type="complete", id="1")
            socket.transport.abort()
    await until(lambda: held() == before)


BREAK = """
SELECT pg_terminate_backend(pid) FROM pg_stat_activity
WHERE query LIKE 'LISTEN%' AND datname = current_database()
"""


async def test_changes_come_although_the_listening_connection_breaks(live: Live) -> None:
    position = (await live.create("broken"))["position"]
    async with live.events(FOLLOW, {"after": position}) as events:
        for _ in range(3):
            listening = "query LIKE 'LISTEN%' AND datname = current_database()"
            await live.owner.execute(
                f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE {listening}"
            )
            created = await live.create("broken")
            found = json.loads((await anext(events))["data"])["data"]["stateChanges"]
            assert found["entity"]["id"] == created["entity"]["id"]


async def test_what_is_no_longer_kept_is_said_with_where_to_go_on(live: Live) -> None:
    await live.owner.execute(PRUNE)
    async with live.events(FOLLOW, {"after": "1"}) as events:
        (error,) = json.loads((await anext(events))["data"])["errors"]
    assert error["extensions"]["code"] == "RESUME"
    resume = error["extensions"]["resumeAfter"]
    created = await live.create("kept")
    async with live.events(FOLLOW, {"after": resume}) as events:
        event = json.loads((await anext(events))["data"])["data"]["stateChanges"]
        while event["entity"]["id"] != created["entity"]["id"]:
            event = json.loads((await anext(events))["data"])["data"]["stateChanges"]
