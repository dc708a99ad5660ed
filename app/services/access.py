"""Who is asking: make, list and revoke tokens, and turn the token of a request into its caller."""

from __future__ import annotations

import asyncio
import hashlib
import re
import secrets
from collections import OrderedDict
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from time import monotonic
from uuid import UUID, uuid4

import asyncpg

from app.domain.bounds import excerpt
from app.domain.entity import Caller, Role, TenantCounts, Token
from app.domain.numbers import ProjectNumber, TenantNumber
from app.domain.text import UNKEEPABLE
from app.errors import Conflict, Invalid, NotFound, Unauthenticated
from app.settings import Settings
from app.stores.postgres import tokens
from app.stores.postgres.connection import owner_connection
from app.stores.postgres.location import locate_ledger
from app.stores.postgres.migrate import check, migrate
from app.stores.postgres.pool import Database
from app.stores.postgres.projects import ensure_tenant, find_tenant, project_by_key
from app.stores.postgres.tokens import Grant

LOCAL_PRINCIPAL = "local"
MAX_KEY = 128  # characters of a tenant's key and of a principal
MAX_LIFETIME = timedelta(days=3650)

SECONDS_BELIEVED = 4.0
"""How long a token that was found is believed without a look at the ledger."""

_MAX_BELIEVED = 4096
MAX_LOOKUPS = 2
"""Lookups at once: a flood of bad tokens must leave the other connections to those who read."""

_SECRET_BYTES = 32
_TOKEN = re.compile(r"trigraph_(?P<tenant>[1-9]\d{0,8})_[A-Za-z0-9_-]{43}", re.ASCII)
_NOT_GOOD = "the token is unknown, expired or revoked; ask your operator for another"


@dataclass(frozen=True, slots=True)
class TokenRequest:
    """A token to make: the name is recorded with every write.

    With a project, no other one is there for its bearer. Without a lifetime it does not expire.
    """

    role: Role
    tenant: str | None = None
    project: str | None = None
    principal: str | None = None
    lifetime: timedelta | None = None


@dataclass(frozen=True, slots=True)
class IssuedToken:
    """A new token and its secret text, which nobody can read again."""

    token: Token
    secret: str

    def __repr__(self) -> str:
        """Return a text without the secret."""
        return f"IssuedToken({self.token!r})"


class AccessService:
    """Makes, lists and revokes tokens, and creates and lists tenants, for the owner of the ledger.

    Each operation raises Invalid, NotFound, Conflict or Unavailable.
    """

    def __init__(self, owner: asyncpg.Connection, default_tenant: str) -> None:
        self._owner = owner
        self._default_tenant = default_tenant

    async def create_token(self, request: TokenRequest) -> IssuedToken:
        """Make a token; the caller has to show its secret, since only a hash is stored."""
        id = uuid4()
        principal = _principal(request, id)
        if request.lifetime is not None and not timedelta() < request.lifetime <= MAX_LIFETIME:
            raise Invalid(f"a token lives for at most {MAX_LIFETIME.days} days", field="expires")
        tenant = await self._tenant(request.tenant)
        project = None if request.project is None else await self._project(tenant, request.project)
        secret = f"trigraph_{tenant}_{secrets.token_urlsafe(_SECRET_BYTES)}"
        await tokens.insert_token(
            self._owner, tenant, id, hash_of(secret), request.role, principal, project, request.lifetime
        )
        (token,) = await tokens.all_tokens(self._owner, id)
        return IssuedToken(token, secret)

    async def tokens(self) -> Sequence[Token]:
        """Return the tokens of every tenant in the order of their making."""
        return await tokens.all_tokens(self._owner)

    async def revoke_token(self, id: UUID) -> Token:
        """Revoke a token and return it; one that is revoked already keeps its moment."""
        await tokens.revoke_token(self._owner, id)
        found = await tokens.all_tokens(self._owner, id)
        if not found:
            raise NotFound(f"there is no token {id}; see `trigraph token list`")
        return found[0]

    async def create_tenant(self, key: str) -> str:
        """Create a tenant with the shipped types and return its key."""
        key = _fit_key("a tenant key", key)
        if await find_tenant(self._owner, key) is not None:
            raise Conflict(f"the tenant {excerpt(key)} exists already")
        await ensure_tenant(self._owner, key)
        return key

    async def tenants(self) -> Sequence[TenantCounts]:
        """Return the tenants by key."""
        return await tokens.all_tenants(self._owner)

    async def _tenant(self, key: str | None) -> TenantNumber:
        if key is None:
            return await ensure_tenant(self._owner, self._default_tenant)
        key = _fit_key("a tenant key", key)
        found = await find_tenant(self._owner, key)
        if found is None:
            raise NotFound(f"there is no tenant {excerpt(key)}; create it with `trigraph tenant create`")
        return found

    async def _project(self, tenant: TenantNumber, key: str) -> ProjectNumber:
        found = await project_by_key(self._owner, tenant, key)
        if found is None:
            raise NotFound(f"the tenant has no project {excerpt(key)}; file a document in it first")
        return found.number


def _principal(request: TokenRequest, id: UUID) -> str:
    if request.principal is None:
        return f"{request.role}-{id.hex[:8]}"
    name = _fit_key("a name", request.principal)
    if name == LOCAL_PRINCIPAL:
        raise Invalid(f"the name {LOCAL_PRINCIPAL} is that of the person at this machine; choose another")
    return name


def _fit_key(what: str, text: str) -> str:
    key = text.strip()
    if not key or len(key) > MAX_KEY or UNKEEPABLE.search(key) or not key.isprintable():
        raise Invalid(f"{what} has 1 to {MAX_KEY} printable characters")
    return key


@asynccontextmanager
async def open_access(settings: Settings) -> AsyncIterator[AccessService]:
    """Open the ledger as its owner, to make and revoke tokens; an embedded one is migrated first."""
    location = await locate_ledger(settings)
    try:
        if location.embedded is not None:
            await migrate(location.url)
        await check(location.url)
        async with owner_connection(location.url) as owner:
            yield AccessService(owner, settings.tenant)
    finally:
        await location.close()


def hash_of(secret: str) -> str:
    """Return what is stored of a token. A secret of 256 random bits needs no slow hash."""
    return hashlib.sha256(secret.encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class _Believed:
    """A grant, and the reading of the monotonic clock up to which it is believed."""

    grant: Grant
    until: float

    def is_good(self) -> bool:
        ends = self.grant.expires_at
        return monotonic() < self.until and (ends is None or datetime.now(UTC) < ends)


class Authenticator:
    """Turns the Authorization header of a request into its caller.

    With a `local` caller, everybody is that one. Otherwise a token that was found good is believed for some
    seconds, so that requests in a row cost one statement, and a revoked token soon stops working.
    """

    def __init__(self, database: Database, local: Caller | None) -> None:
        self._database = database
        self._local = local
        self._believed: OrderedDict[str, _Believed] = OrderedDict()
        self._lookups = asyncio.Semaphore(MAX_LOOKUPS)

    async def identify(self, authorization: Sequence[str]) -> Caller:
        """Return the caller of a request with these Authorization headers.

        Raises Unauthenticated when there is no token or it is not good, and Unavailable when nobody can tell.
        """
        if self._local is not None:
            return self._local
        secret, tenant = _read_token(authorization)
        hash = hash_of(secret)
        held = self._believed.get(hash)
        if held is None or not held.is_good():
            held = await self._look_up(tenant, hash)
        return held.grant.caller

    async def _look_up(self, tenant: TenantNumber, hash: str) -> _Believed:
        async with self._lookups:
            held = self._believed.get(hash)  # another request may have found it meanwhile
            if held is not None and held.is_good():
                return held
            self._believed.pop(hash, None)
            until = monotonic() + SECONDS_BELIEVED
            async with self._database.reading(tenant) as connection:
                grant = await tokens.find_grant(connection, tenant, hash)
            if grant is None:
                raise Unauthenticated(_NOT_GOOD)
            self._believed[hash] = found = _Believed(grant, until)
            while len(self._believed) > _MAX_BELIEVED:
                self._believed.popitem(last=False)
            return found


def _read_token(authorization: Sequence[str]) -> tuple[str, TenantNumber]:
    """Return the token of a request and the tenant that it names; raise Unauthenticated without one."""
    if not authorization:
        raise Unauthenticated("this service needs a token; send the header Authorization: Bearer TOKEN")
    scheme, _, secret = authorization[0].strip().partition(" ")
    match = _TOKEN.fullmatch(secret.strip())
    if len(authorization) > 1 or scheme.lower() != "bearer" or match is None:
        raise Unauthenticated(_NOT_GOOD)
    return match[0], TenantNumber(int(match["tenant"]))
