"""One look at each part that Trigraph stands on."""

from __future__ import annotations

import os
import platform
import tempfile
from collections.abc import AsyncIterator

import asyncpg

from app.cli.finding import Finding
from app.cli.printing import counted
from app.cli.service_examination import examine_service
from app.cli.settings_told import unknown_variables
from app.embedding import Embedder, open_embedder
from app.errors import TrigraphError
from app.projector.standing import read_standing
from app.projector.stores import Stores
from app.services.indexing import LARGE
from app.services.models import check_model
from app.settings import Settings
from app.stores.postgres import embeddings, inspection, vector_indexes
from app.stores.postgres.location import LedgerLocation, locate_ledger
from app.stores.postgres.migrate import pending
from app.stores.postgres.owner_connection import owner_connection, without_password
from app.stores.postgres.vector_indexes import LargeProject


async def examine(settings: Settings) -> AsyncIterator[Finding]:
    """Answer what each part is like, in the order in which one needs the other."""
    yield Finding("python", True, platform.python_version())
    for unknown in unknown_variables(os.environ):
        yield Finding("settings", True, unknown, is_doubtful=True)
    if settings.database_url is None:
        yield _home(settings)
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
    finally:
        await location.close()
        if embedder is not None:
            await embedder.close()


def _home(settings: Settings) -> Finding:
    home = settings.home.expanduser().absolute()
    nearest = next(folder for folder in (home, *home.parents) if folder.exists())
    try:
        # Only writing tells: a superuser may write anywhere, but not into every file system.
        with tempfile.TemporaryFile(dir=nearest):
            return Finding("home", True, str(home))
    except OSError as error:
        told = f"{home} cannot be written: {error.strerror}; set TRIGRAPH_HOME to a folder you may write"
        return Finding("home", False, told)


async def _ledger(
    settings: Settings, location: LedgerLocation, embedder: Embedder | None
) -> AsyncIterator[Finding]:
    async with owner_connection(location.url) as owner:
        server = await inspection.inspect_server(owner)
        place = "embedded" if location.embedded is not None else without_password(location.url)
        vector = f"pgvector {server.vector_version}" if server.vector_version else "pgvector not set up yet"
        yield Finding("postgresql", True, f"{server.version}, {vector}, {place}")
        migrations, is_ready = await _migrations(owner, is_embedded=location.embedded is not None)
        yield migrations
        if not is_ready:
            return
        async for finding in examine_service(owner, location, settings.tenant):
            yield finding
        if embedder is not None:
            yield await _model(owner, embedder)
        for counts in await inspection.count_by_project(owner, settings.tenant):
            yield Finding(f"project {counts.key}", True, _counted(counts))
        async for finding in _indexes(owner, settings.tenant):
            yield finding
        yield Finding("size", True, f"{server.bytes / 1e6:.1f} MB")
        if settings.neo4j_uri is not None:
            yield await _graph(settings, owner)


async def _migrations(owner: asyncpg.Connection, *, is_embedded: bool) -> tuple[Finding, bool]:
    """Answer the state of the schema, and whether there is one to look further into."""
    try:
        todo = await pending(owner)
    except TrigraphError as error:
        return Finding("migrations", False, error.message), False
    if not todo:
        return Finding("migrations", True, "every one is applied"), True
    names = ", ".join(migration.label for migration in todo)
    if is_embedded:
        return Finding("migrations", True, f"{names} will be applied by the next command"), False
    return Finding("migrations", False, f"the ledger lacks {names}; run `trigraph migrate`"), False


async def _model(owner: asyncpg.Connection, embedder: Embedder) -> Finding:
    try:
        await check_model(owner, embedder)
    except TrigraphError as error:
        return Finding("model", False, error.message)
    noted = await embeddings.embedding_model(owner)
    return Finding("model", True, "none noted yet" if noted is None else f"{noted.name}, as the encoder's")


async def _indexes(owner: asyncpg.Connection, tenant: str) -> AsyncIterator[Finding]:
    """Answer how the vectors of each large project are searched."""
    makes_them = await vector_indexes.may_index(owner)
    for large in await vector_indexes.large_projects(owner, LARGE, tenant):
        told = f"{large.vectors:,} vectors, {how_searched(large, makes_them=makes_them)}"
        yield Finding(f"index of {large.key}", True, told, is_doubtful=not (large.has_index or makes_them))


def how_searched(large: LargeProject, *, makes_them: bool) -> str:
    """Answer how the vectors of a project are searched, and what has to be done that they are sooner."""
    if large.has_index:
        return "searched through an index; a question with asOf or knownAt looks at all of them"
    if large.is_building:
        return "and an index is being made: until it is done every question looks at all of them"
    if makes_them:
        return "without an index yet: `trigraph serve`, or the next `trigraph ingest`, makes it"
    return (
        "every question looks at all of them, for this database role may not make an index: let"
        " TRIGRAPH_DATABASE_URL name the owner of the tables"
    )


async def _graph(settings: Settings, owner: asyncpg.Connection) -> Finding:
    """Answer how far the graph has come; one that is away or behind costs no answer, and is only doubtful."""
    try:
        async with Stores(settings) as stores:
            graph = await stores.graph()
            standing = await read_standing(owner, graph)
    except TrigraphError as error:
        return Finding("graph", True, error.message, is_doubtful=True)
    changes = counted(standing.behind, "change is", "changes are")
    behind = f"{changes} not projected yet" if standing.behind else "nothing is left"
    told = f"{graph.uri}, position {standing.position or 0} of {standing.ledger_position}, {behind}"
    if standing.failure is None:
        return Finding("graph", True, told, is_doubtful=standing.behind > 0)
    return Finding("graph", False, f"{told}; it stopped: {standing.failure}")


def _counted(counts: inspection.ProjectCounts) -> str:
    return (
        f"{counted(counts.documents, 'document')}, {counted(counts.entities, 'entity', 'entities')},"
        f" {counted(counts.pending_references, 'reference')} to what is not filed yet,"
        f" {counted(counts.alias_candidates, 'likely alias', 'likely aliases')} and"
        f" {counted(counts.fact_candidates, 'likely fact')} noticed in texts"
    )
