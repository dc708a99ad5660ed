"""From the names of a project and a type to what a list may hold."""

from __future__ import annotations

from datetime import datetime

import asyncpg

from app.domain.bounds import MAX_NAME, excerpt, require_length
from app.domain.entity import Caller
from app.domain.moment import present
from app.domain.surface_form import fold
from app.errors import Invalid
from app.services.absent import no_project
from app.stores.postgres import ledger, ontology, projects


async def instant(connection: asyncpg.Connection, caller: Caller, as_of: datetime | None) -> datetime:
    """Answer the asked instant, or now."""
    return as_of or present(await ledger.read_clock(connection, caller.tenant))


async def project_of(connection: asyncpg.Connection, caller: Caller, key: str | None) -> int | None:
    """Answer the number of the project of this key, None for no key; raises NotFound for an unknown one."""
    if key is None:
        return None
    require_length("project", key, MAX_NAME)
    project = await projects.project_by_key(connection, caller.tenant, key)
    if project is None:
        raise await no_project(connection, caller.tenant, key)
    return project.number


async def project_numbers(connection: asyncpg.Connection, caller: Caller, key: str | None) -> tuple[int, ...]:
    """Answer the number of the project of this key, or those of all projects without one."""
    number = await project_of(connection, caller, key)
    if number is not None:
        return (number,)
    return tuple(found.number for found in await projects.all_projects(connection, caller.tenant))


async def require_type(
    connection: asyncpg.Connection, caller: Caller, project: int | None, name: str | None, field: str
) -> None:
    """Raise Invalid, listing the types there are, when nobody defined the named one."""
    if name is None:
        return
    require_length(field, name, MAX_NAME)
    numbers = [project] if project is not None else await project_numbers(connection, caller, None)
    known = [
        found.definition.name
        for found in await ontology.types_in_projects(connection, caller.tenant, numbers)
    ]
    wanted = fold(name)
    if not any(fold(each) == wanted for each in known):
        raise Invalid(
            f"nobody defined the {field} {excerpt(name)}; there are {', '.join(sorted(set(known)))}",
            field=field,
        )
