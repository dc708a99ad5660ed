"""Tokens: how they are made, kept and revoked, and which caller a request's token stands for."""

from __future__ import annotations

import asyncio
import re
from datetime import UTC, datetime, timedelta
from uuid import UUID, uuid4

import asyncpg
import pytest

from app.domain.entity import Caller, Role
from app.domain.numbers import TenantNumber
from app.errors import Conflict, Invalid, NotFound, Unauthenticated, Unavailable
from app.services.access import (
    MAX_LOOKUPS,
    SECONDS_BELIEVED,
    AccessService,
    Authenticator,
    TokenRequest,
    hash_of,
)
from app.services.container import Memory
from app.stores.postgres.pool import Database
from tests.conftest import Server
from tests.documents import adr
from tests.statements import counted


@pytest.fixture
def access(owner: asyncpg.Connection) -> AccessService:
    return AccessService(owner, "local")


@pytest.fixture
def authenticator(database: Database) -> Authenticator:
    return Authenticator(database, None)


@pytest.fixture
async def secret(access: AccessService) -> str:
    return (await access.create_token(TokenRequest(Role.AGENT, principal="crawler"))).secret


async def identify(authenticator: Authenticator, secret: str) -> Caller:
    return await authenticator.identify([f"Bearer {secret}"])


async def test_a_token_is_random_shown_once_and_stored_as_a_hash(
    access: AccessService, owner: asyncpg.Connection, tenant: TenantNumber
) -> None:
    made = [await access.create_token(TokenRequest(Role.READER)) for _ in range(2)]
    for issued in made:
        assert re.fullmatch(rf"trigraph_{tenant}_[\w-]{{43}}", issued.secret, re.ASCII)
        assert issued.secret not in repr(issued)
        row = await owner.fetchrow("SELECT * FROM token WHERE id = $1", issued.token.id)
        assert row["hash"] == hash_of(issued.secret)
        assert issued.secret not in str(row)
        assert issued.token.principal == f"reader-{issued.token.id.hex[:8]}"
    assert made[0].secret != made[1].secret
    assert list(await access.tokens()) == [issued.token for issued in made]


async def test_a_token_stands_for_its_caller(
    authenticator: Authenticator, secret: str, tenant: TenantNumber
) -> None:
    assert await identify(authenticator, secret) == Caller(tenant, Role.AGENT, "crawler")
    assert await authenticator.identify([f"bearer  {secret} "]) == Caller(tenant, Role.AGENT, "crawler")


async def test_a_token_is_of_its_tenant(access: AccessService, authenticator: Authenticator) -> None:
    await access.create_tenant("other")
    here = await access.create_token(TokenRequest(Role.HUMAN))
    there = await access.create_token(TokenRequest(Role.HUMAN, tenant="other"))
    assert (here.token.tenant, there.token.tenant) == ("local", "other")
    callers = [await identify(authenticator, each.secret) for each in (here, there)]
    assert callers[0].tenant != callers[1].tenant
    # The number in a token chooses where to look, and nothing else.
    moved = re.sub(r"_\d+_", f"_{callers[0].tenant}_", there.secret)
    with pytest.raises(Unauthenticated):
        await identify(authenticator, moved)


@pytest.mark.parametrize(
    "authorization",
    [
        [],
        [""],
        ["Bearer"],
        ["Bearer "],
        ["Bearer x"],
        ["Basic dXNlcjpwYXNz"],
        ["Bearer trigraph_1_" + "a" * 43],
        ["Bearer trigraph_1_" + "a" * 42],
        ["Bearer trigraph_999999999_" + "a" * 43],
        ["Bearer trigraph_99999999999999_" + "a" * 43],
        ["Bearer trigraph_1_" + "ä" * 43],
        ["Bearer trigraph_१_" + "a" * 43],
        ["Bearer trigraph_1_" + "a" * 100_000],
        ["Bearer trigraph_1_" + "a" * 42 + "\x00"],
    ],
)
async def test_what_is_no_good_token_is_refused(
    authenticator: Authenticator, authorization: list[str]
) -> None:
    with pytest.raises(Unauthenticated) as refused:
        await authenticator.identify(authorization)
    assert "aaa" not in refused.value.message


async def test_a_token_beside_another_is_refused(authenticator: Authenticator, secret: str) -> None:
    with pytest.raises(Unauthenticated):
        await authenticator.identify([f"Bearer {secret}", f"Bearer {secret}"])


@pytest.mark.parametrize(
    "change",
    [
        "revoked_at = now()",
        "created_at = now() - interval '2 days', expires_at = now() - interval '1 microsecond'",
    ],
)
async def test_a_token_that_ended_is_refused_as_an_unknown_one(
    authenticator: Authenticator, secret: str, owner: asyncpg.Connection, change: str
) -> None:
    await owner.execute(f"UPDATE token SET {change}")
    with pytest.raises(Unauthenticated) as ended:
        await identify(authenticator, secret)
    with pytest.raises(Unauthenticated) as unknown:
        await identify(authenticator, secret[:-1] + ("a" if secret[-1] != "a" else "b"))
    assert ended.value.message == unknown.value.message
    assert secret not in ended.value.message


async def test_requests_in_a_row_cost_one_statement(
    authenticator: Authenticator, database: Database, secret: str
) -> None:
    async with counted(database) as statements:
        await identify(authenticator, secret)
    assert len(statements) == 1
    async with counted(database) as statements:
        await asyncio.gather(*(identify(authenticator, secret) for _ in range(20)))
    assert statements == []


async def test_requests_at_once_do_not_each_look(
    authenticator: Authenticator, database: Database, secret: str
) -> None:
    async with counted(database) as statements:
        await asyncio.gather(*(identify(authenticator, secret) for _ in range(20)))
    assert len(statements) <= MAX_LOOKUPS


async def test_a_malformed_token_costs_no_statement(authenticator: Authenticator, database: Database) -> None:
    async with counted(database) as statements:
        for given in ("x", "trigraph_1_x", "trigraph_0_" + "a" * 43):
            with pytest.raises(Unauthenticated):
                await identify(authenticator, given)
    assert statements == []


async def test_a_revoked_token_stops_working_in_five_seconds(
    access: AccessService, authenticator: Authenticator, secret: str
) -> None:
    assert SECONDS_BELIEVED < 5
    await identify(authenticator, secret)
    (token,) = await access.tokens()
    await access.revoke_token(token.id)
    await asyncio.sleep(SECONDS_BELIEVED)
    with pytest.raises(Unauthenticated):
        await identify(authenticator, secret)


async def test_a_token_that_is_believed_still_expires_in_time(
    access: AccessService, authenticator: Authenticator, owner: asyncpg.Connection
) -> None:
    secret = (await access.create_token(TokenRequest(Role.READER, lifetime=timedelta(hours=1)))).secret
    await owner.execute("UPDATE token SET expires_at = clock_timestamp() + interval '0.5 seconds'")
    await identify(authenticator, secret)
    await asyncio.sleep(0.6)
    with pytest.raises(Unauthenticated):
        await identify(authenticator, secret)


async def test_nobody_is_let_in_while_the_ledger_is_away(
    authenticator: Authenticator, secret: str, server: Server, database_url: str
) -> None:
    name = database_url.rpartition("/")[2].partition("?")[0]
    await server.run(f"ALTER DATABASE {name} WITH ALLOW_CONNECTIONS false")
    await server.run(f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{name}'")
    with pytest.raises(Unavailable):
        await identify(authenticator, secret)
    await server.run(f"ALTER DATABASE {name} WITH ALLOW_CONNECTIONS true")
    assert (await identify(authenticator, secret)).principal == "crawler"


async def test_a_local_service_asks_for_no_token(database: Database, tenant: TenantNumber) -> None:
    local = Caller(tenant, Role.HUMAN, "local", is_local=True)
    for given in ([], ["Bearer nothing"], ["x", "y"]):
        assert await Authenticator(database, local).identify(given) == local


async def test_a_revoked_token_keeps_its_moment(access: AccessService, secret: str) -> None:
    (token,) = await access.tokens()
    revoked = await access.revoke_token(token.id)
    assert revoked.revoked_at is not None
    assert await access.revoke_token(token.id) == revoked
    with pytest.raises(NotFound, match="trigraph token list"):
        await access.revoke_token(uuid4())
    assert isinstance(revoked.id, UUID)


async def test_a_token_expires_after_its_lifetime(access: AccessService) -> None:
    issued = await access.create_token(TokenRequest(Role.ADMIN, lifetime=timedelta(days=30)))
    assert issued.token.expires_at is not None
    lifetime = issued.token.expires_at - issued.token.created_at
    assert timedelta(days=30) - timedelta(minutes=1) < lifetime < timedelta(days=30) + timedelta(minutes=1)
    assert issued.token.expires_at > datetime.now(UTC)


async def test_a_token_may_be_for_one_project(
    access: AccessService, authenticator: Authenticator, memory: Memory
) -> None:
    await memory.filing.file(memory.caller, adr(1, "Queue"), "harbour")
    (project,) = await memory.catalog.projects(memory.caller)
    issued = await access.create_token(TokenRequest(Role.AGENT, project="Harbour"))
    assert issued.token.project == "harbour"
    caller = await identify(authenticator, issued.secret)
    assert caller == Caller(memory.caller.tenant, Role.AGENT, issued.token.principal, project.number)
    with pytest.raises(NotFound, match="file a document in it first"):
        await access.create_token(TokenRequest(Role.AGENT, project="nowhere"))
    await access.create_tenant("other")
    with pytest.raises(NotFound):
        await access.create_token(TokenRequest(Role.AGENT, tenant="other", project="harbour"))


@pytest.mark.parametrize(
    ("request_", "family"),
    [
        (TokenRequest(Role.READER, tenant="nobody"), NotFound),
        (TokenRequest(Role.READER, tenant=" "), Invalid),
        (TokenRequest(Role.READER, tenant="x\x00"), Invalid),
        (TokenRequest(Role.READER, principal=""), Invalid),
        (TokenRequest(Role.READER, principal="x" * 129), Invalid),
        (TokenRequest(Role.READER, principal="two\nlines"), Invalid),
        (TokenRequest(Role.READER, principal=" local "), Invalid),
        (TokenRequest(Role.READER, lifetime=timedelta()), Invalid),
        (TokenRequest(Role.READER, lifetime=timedelta(days=3651)), Invalid),
    ],
)
async def test_what_cannot_be_a_token_is_refused(
    access: AccessService, request_: TokenRequest, family: type[Exception]
) -> None:
    with pytest.raises(family):
        await access.create_token(request_)
    assert await access.tokens() == []


async def test_a_tenant_is_created_once(access: AccessService) -> None:
    assert await access.create_tenant(" harbour ") == "harbour"
    with pytest.raises(Conflict, match="exists already"):
        await access.create_tenant("harbour")
    with pytest.raises(Invalid):
        await access.create_tenant("")
    await access.create_token(TokenRequest(Role.READER, tenant="harbour"))
    counts = [(each.key, each.projects, each.tokens) for each in await access.tenants()]
    assert counts == [("harbour", 0, 1), ("local", 0, 0)]


async def test_the_service_itself_makes_and_revokes_no_token(
    database: Database, tenant: TenantNumber
) -> None:
    """What an attacker in the service's connection would do first."""
    for statement in (
        "INSERT INTO token (tenant_id, id, hash, role, principal)"
        f" VALUES ({tenant}, gen_random_uuid(), 'x', 'admin', 'mallory')",
        "UPDATE token SET revoked_at = NULL",
        "DELETE FROM token",
    ):
        with pytest.raises(asyncpg.InsufficientPrivilegeError):
            async with database.writing(tenant) as connection:
                await connection.execute(statement)
