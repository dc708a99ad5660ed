"""Tokens and the tenants they belong to: who may use the service, as what, and until when.

A token is stored as a hash alone. Its owner's connection makes, lists and revokes tokens of every tenant; a
connection of the service finds one token of the tenant that it is bound to.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

import asyncpg

from app.domain.entity import Caller, Role, TenantCounts, Token
from app.domain.numbers import ProjectNumber, TenantNumber
from app.stores.named_blocks import Statement, sql_blocks

SQL = sql_blocks(__file__)
_INSERT_TOKEN = Statement.read(SQL["insert_token"])


@dataclass(frozen=True, slots=True)
class Grant:
    """What the bearer of a token may do, and until when; None means that it does not end by itself."""

    caller: Caller
    expires_at: datetime | None


async def insert_token(
    owner: asyncpg.Connection,
    tenant: TenantNumber,
    id: UUID,
    hash: str,
    role: Role,
    principal: str,
    project: ProjectNumber | None,
    lifetime: timedelta | None,
) -> None:
    """Record a token by its hash; without a lifetime it does not end by itself."""
    values = _INSERT_TOKEN.arguments(
        tenant=tenant,
        id=id,
        hash=hash,
        role=role.value,
        principal=principal,
        project=project,
        lifetime=lifetime,
    )
    await owner.execute(_INSERT_TOKEN.text, *values)


async def all_tokens(owner: asyncpg.Connection, id: UUID | None = None) -> list[Token]:
    """Return the tokens of every tenant in the order of their making, or the one with an id."""
    rows = await owner.fetch(SQL["all_tokens"], id)
    return [
        Token(
            id=row["id"],
            tenant=row["tenant"],
            project=row["project"],
            role=Role(row["role"]),
            principal=row["principal"],
            created_at=row["created_at"],
            expires_at=row["expires_at"],
            revoked_at=row["revoked_at"],
        )
        for row in rows
    ]


async def revoke_token(owner: asyncpg.Connection, id: UUID) -> None:
    """End a token now; one that is revoked already keeps its moment."""
    await owner.execute(SQL["revoke_token"], id)


async def find_grant(connection: asyncpg.Connection, tenant: TenantNumber, hash: str) -> Grant | None:
    """Return what the bearer of a token may do; None if it is unknown, expired or revoked."""
    row = await connection.fetchrow(SQL["grant_of_hash"], tenant, hash)
    if row is None:
        return None
    caller = Caller(tenant, Role(row["role"]), row["principal"], row["project_id"])
    return Grant(caller, row["expires_at"])


async def all_tenants(owner: asyncpg.Connection) -> list[TenantCounts]:
    """Return the tenants by key."""
    return [TenantCounts(*row.values()) for row in await owner.fetch(SQL["all_tenants"])]


async def tenant_key(connection: asyncpg.Connection, tenant: TenantNumber) -> str:
    """Return the key of the tenant that a connection is bound to."""
    key: str = await connection.fetchval(SQL["key_of_tenant"], tenant)
    return key
