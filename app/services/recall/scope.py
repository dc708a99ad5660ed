"""Check a recall request, and resolve it to the scope that every leg filters by."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

import asyncpg

from app.domain.bounds import MAX_NAME, excerpts, require_length
from app.domain.entity import Caller
from app.domain.numbers import ArtifactNumber, ProjectNumber
from app.domain.recall import RecallRequest
from app.domain.temporal import AsOf, present
from app.domain.text import fold, is_blank
from app.errors import Invalid
from app.services.catalog.lookup import no_project
from app.stores.postgres import absences, ledger_clock, type_definitions
from app.stores.postgres.ledger_clock import Extent
from app.stores.postgres.scope import Scope

MAX_QUERY_LENGTH = 16_384
MAX_HITS = 100
MAX_KINDS = 256


def check_request(request: RecallRequest) -> None:
    """Raise Invalid, naming the argument, if a request cannot be answered."""
    if len(request.query) > MAX_QUERY_LENGTH:
        raise Invalid(f"a query has at most {MAX_QUERY_LENGTH} characters", field="query")
    if len(request.kinds) > MAX_KINDS:
        raise Invalid(f"kinds has {len(request.kinds)} items; at most {MAX_KINDS} are allowed", field="kinds")
    for kind in request.kinds:
        require_length("kinds", kind, MAX_NAME)
    if request.project is not None:
        require_length("project", request.project, MAX_NAME)
    if not 0 <= request.first <= MAX_HITS:
        raise Invalid(f"first must be from 0 to {MAX_HITS}", field="first")
    if request.token_budget is not None and request.token_budget < 0:
        raise Invalid("tokenBudget cannot be negative", field="tokenBudget")
    if is_blank(request.query):
        raise Invalid("the query is blank; ask a question", field="query")


async def scope_of(connection: asyncpg.Connection, caller: Caller, request: RecallRequest) -> Scope:
    """Return the scope of a request; missing times are resolved to one moment.

    Without `knownAt` the ledger's clock is used, so that a request with the returned time sees exactly
    what this request sees. So it is for one that lies after the clock, once the open writes are over that may
    still record something before it: nobody knows yet what will be known then. Raises NotFound for an unknown
    project, Invalid for an unknown kind.
    """
    extent = await ledger_clock.read_extent(connection, caller.tenant, request.project)
    moment = AsOf(request.as_of or present(extent.clock), request.known_at or extent.clock)
    if moment.known > extent.clock:
        await ledger_clock.read_settled_clock(connection, caller.tenant)
        extent = await ledger_clock.read_extent(connection, caller.tenant, request.project)
        moment = AsOf(moment.valid, min(moment.known, extent.clock))
    if request.project is not None and not extent.projects:
        raise await no_project(connection, caller.tenant, request.project)
    numbers = extent.projects
    types = await _types(connection, caller, numbers, request.kinds) if request.kinds else None
    sees_everything = extent.lies_before(moment)
    absent = await absent_then(connection, caller, extent, moment)
    former_beginnings: dict[UUID, datetime] = {}
    if extent.has_absences and request.known_at is not None:
        former_beginnings = await absences.former_beginnings(connection, caller.tenant, moment.known)
    is_named = request.as_of is not None or request.known_at is not None
    return Scope(
        caller.tenant,
        numbers,
        moment,
        types,
        request.domains or None,
        sees_everything,
        may_approximate=not is_named,
        absent=absent,
        former_beginnings=former_beginnings,
    )


async def absent_then(
    connection: asyncpg.Connection, caller: Caller, extent: Extent, moment: AsOf
) -> tuple[ArtifactNumber, ...]:
    """Return the artifacts of an extent that are not there at a moment; no absences cost no statement."""
    if not extent.has_absences:
        return ()
    return await absences.absent_artifacts(connection, caller.tenant, extent.projects, moment)


async def _types(
    connection: asyncpg.Connection, caller: Caller, numbers: Sequence[ProjectNumber], kinds: Sequence[str]
) -> tuple[int, ...]:
    known = await type_definitions.types_in_projects(connection, caller.tenant, numbers)
    wanted = {fold(kind) for kind in kinds}
    found = {fold(recorded.definition.name) for recorded in known}
    if unknown := sorted(wanted - found):
        names = sorted({recorded.definition.name for recorded in known})
        raise Invalid(
            f"there is no kind {excerpts(unknown)}; the defined ones are {', '.join(names)}",
            field="kinds",
            allowed=names,
        )
    return tuple(recorded.number for recorded in known if fold(recorded.definition.name) in wanted)
