"""The checks of `trigraph doctor`, one for each part that Trigraph needs."""

from __future__ import annotations

import os
import platform
import tempfile
from collections.abc import AsyncIterator
from dataclasses import dataclass

import asyncpg

from app.domain.numbers import TenantNumber
from app.domain.text import pluralize
from app.embedding import Embedder, open_embedder
from app.errors import TrigraphError
from app.projector.loop import Stores, read_standing
from app.services.maintenance.periodic import LARGE
from app.services.maintenance.reembed import check_model
from app.settings import Settings, unknown_variables
from app.stores.postgres import database_rights, passage_vectors, vector_indexes
from app.stores.postgres.connection import owner_connection, without_password
from app.stores.postgres.database_rights import (
    is_superuser,
    let_service_sign_in,
    open_rights,
    stored_settings,
)
from app.stores.postgres.ledger_clock import Clocks, read_clocks
from app.stores.postgres.location import LedgerLocation, locate_ledger
from app.stores.postgres.migrate import pending_migrations
from app.stores.postgres.pool import Database
from app.stores.postgres.projects import find_tenant
from app.stores.postgres.vector_indexes import LargeProject
from app.stores.postgres.write_probe import lack_of_room


@dataclass(frozen=True, slots=True)
class Finding:
    """The result of one check; when something is wrong, `message` says what to do.

    A doubtful finding fails nothing, but is probably a mistake.
    """

    part: str
    is_well: bool
    message: str
    is_doubtful: bool = False


async def check_service(
    owner: asyncpg.Connection, location: LedgerLocation, key: str
) -> AsyncIterator[Finding]:
    """Yield a finding for the service's role, its writes and its clock."""
    try:
        if location.embedded is not None:
            await let_service_sign_in(owner)
        database = await Database.open(location.service_url, size=1)
    except TrigraphError as error:
        yield Finding("role", False, error.message + await _stored_settings(owner))
        return
    try:
        yield await _check_role(owner, is_embedded=location.embedded is not None)
        tenant = await find_tenant(owner, key)
        if tenant is not None:
            yield await _check_writes(database, tenant, location)
            yield _clock(await read_clocks(owner, tenant))
    finally:
        await database.close()


async def _stored_settings(owner: asyncpg.Connection) -> str:
    """Return what to do about the settings that the service's role brings to its sessions; empty if none."""
    names = ", ".join(await stored_settings(owner))
    return names and (
        f"; but its sessions have settings that Trigraph does not expect ({names}); run `trigraph migrate`"
    )


async def _check_role(owner: asyncpg.Connection, *, is_embedded: bool) -> Finding:
    bound = "ordinary, and subject to row level security"
    if stored := await _stored_settings(owner):
        return Finding("role", True, bound + stored, is_doubtful=True)
    if rights := await open_rights(owner):
        may = ", ".join(sorted(set(rights)))
        message = f"{bound}, but it may create {may}; run `trigraph migrate` as the owner of the database"
        return Finding("role", True, message, is_doubtful=True)
    if not is_embedded and await is_superuser(owner):
        message = f"{bound}, but TRIGRAPH_DATABASE_URL uses a superuser; use an ordinary owner instead"
        return Finding("role", True, message, is_doubtful=True)
    return Finding("role", True, bound)


async def _check_writes(database: Database, tenant: TenantNumber, location: LedgerLocation) -> Finding:
    no_room = None if location.embedded is None else lack_of_room(location.embedded.data)
    refusal = no_room or await database.write_probe.refusal(tenant)
    if refusal is not None:
        return Finding("writes", False, f"writes fail: {refusal}")
    return Finding("writes", True, "a test write succeeded and was rolled back")


def _clock(clocks: Clocks) -> Finding:
    oddity = clocks.lead or clocks.difference
    return Finding(
        "clock", oddity is None, oddity or "the clocks of the database, this process and the ledger agree"
    )


async def examine(settings: Settings) -> AsyncIterator[Finding]:
    """Yield a finding for each part, each after the parts that it needs."""
    yield Finding("python", True, platform.python_version())
    for unknown in unknown_variables(os.environ):
        yield Finding("settings", True, unknown, is_doubtful=True)
    if settings.database_url is None:
        yield _check_home(settings)
    embedder: Embedder | None = None
    try:
        embedder = open_embedder(settings)
        yield Finding("encoder", True, f"{embedder.name}, {embedder.dimensions} dimensions, weights verified")
    except TrigraphError as error:
        yield Finding("encoder", False, error.message)
    try:
        location = await locate_ledger(settings)
    except TrigraphError as error:
        yield Finding("postgresql", False, error.message)
        return
    try:
        async for finding in _ledger(settings, location, embedder):
            yield finding
    except asyncpg.PostgresError as error:
        message = f"PostgreSQL reports an error: {error}; the ledger is not as its migrations made it"
        yield Finding("ledger", False, message)
    finally:
        await location.close()
        if embedder is not None:
            await embedder.close()


def _check_home(settings: Settings) -> Finding:
    home = settings.home.expanduser().absolute()
    nearest = next(folder for folder in (home, *home.parents) if folder.exists())
    try:
        # Only a write shows it: a superuser may write anywhere, but not into every file system.
        with tempfile.TemporaryFile(dir=nearest):
            return Finding("home", True, str(home))
    except OSError as error:
        message = (
            f"cannot write to {home}: {error.strerror}; set TRIGRAPH_HOME to a folder that you may write to"
        )
        return Finding("home", False, message)


async def _ledger(
    settings: Settings, location: LedgerLocation, embedder: Embedder | None
) -> AsyncIterator[Finding]:
    async with owner_connection(location.url) as owner:
        server = await database_rights.inspect_server(owner)
        place = "embedded" if location.embedded is not None else without_password(location.url)
        vector = (
            f"pgvector {server.vector_version}" if server.vector_version else "pgvector not installed yet"
        )
        yield Finding("postgresql", True, f"{server.version}, {vector}, {place}")
        migrations, is_ready = await _migrations(owner, is_embedded=location.embedded is not None)
        yield migrations
        if not is_ready:
            return
        async for finding in check_service(owner, location, settings.tenant):
            yield finding
        if embedder is not None:
            yield await _check_model(owner, embedder)
        for counts in await database_rights.count_by_project(owner, settings.tenant):
            yield Finding(f"project {counts.key}", True, _counts_text(counts))
        async for finding in _indexes(owner, settings.tenant):
            yield finding
        yield Finding("size", True, f"{server.bytes / 1e6:.1f} MB")
        if settings.neo4j_uri is not None:
            yield await _graph(settings, owner)


async def _migrations(owner: asyncpg.Connection, *, is_embedded: bool) -> tuple[Finding, bool]:
    """Return the finding for the schema, and whether the ledger can be checked further."""
    try:
        missing = await pending_migrations(owner)
    except TrigraphError as error:
        return Finding("migrations", False, error.message), False
    if not missing:
        return Finding("migrations", True, "all migrations are applied"), True
    names = ", ".join(migration.label for migration in missing)
    if is_embedded:
        return Finding("migrations", True, f"the next command applies {names}"), False
    return Finding("migrations", False, f"the ledger lacks {names}; run `trigraph migrate`"), False


async def _check_model(owner: asyncpg.Connection, embedder: Embedder) -> Finding:
    try:
        await check_model(owner, embedder)
    except TrigraphError as error:
        return Finding("model", False, error.message)
    noted = await passage_vectors.embedding_model(owner)
    return Finding(
        "model",
        True,
        "no model recorded yet" if noted is None else f"{noted.name}, the same as the encoder's",
    )


async def _indexes(owner: asyncpg.Connection, tenant: str) -> AsyncIterator[Finding]:
    """Yield a finding for each large project: how its vectors are searched."""
    makes_them = await vector_indexes.may_index(owner)
    for large in await vector_indexes.large_projects(owner, LARGE, tenant):
        message = f"{large.vectors:,} vectors, {search_method(large, makes_them=makes_them)}"
        yield Finding(f"index of {large.key}", True, message, is_doubtful=not (large.has_index or makes_them))


def search_method(large: LargeProject, *, makes_them: bool) -> str:
    """Return how the vectors of a project are searched, and what would make the search faster."""
    if large.has_index:
        return "searched with an index; queries with asOf or knownAt compare all of them"
    if large.is_building:
        return "an index is being built; until it is ready, every query compares all of them"
    if makes_them:
        return "no index yet; `trigraph serve` or the next `trigraph ingest` builds it"
    return (
        "every query compares all of them, because this database role may not create an"
        " index; set TRIGRAPH_DATABASE_URL to the owner of the tables"
    )


async def _graph(settings: Settings, owner: asyncpg.Connection) -> Finding:
    """Return the position of the graph; a graph that is away or behind is only doubtful."""
    try:
        async with Stores(settings) as stores:
            graph = await stores.graph()
            projection = await read_standing(owner, graph)
    except TrigraphError as error:
        return Finding("graph", True, error.message, is_doubtful=True)
    changes = pluralize(projection.behind, "change is", "changes are")
    behind = f"{changes} not projected yet" if projection.behind else "up to date"
    message = f"{graph.uri}, position {projection.position or 0} of {projection.ledger_position}, {behind}"
    if projection.failure is None:
        return Finding("graph", True, message, is_doubtful=projection.behind > 0)
    return Finding("graph", False, f"{message}; the projection stopped: {projection.failure}")


def _counts_text(counts: database_rights.ProjectCounts) -> str:
    return (
        f"{pluralize(counts.documents, 'document')},"
        f" {pluralize(counts.entities, 'entity', 'entities')},"
        f" {pluralize(counts.pending_references, 'unresolved reference')},"
        f" {pluralize(counts.alias_candidates, 'alias candidate')},"
        f" {pluralize(counts.fact_candidates, 'fact candidate')}"
    )
