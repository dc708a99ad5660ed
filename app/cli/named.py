"""What a name on the command line means."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from app.cli.choices_told import choices_told
from app.cli.printing import moment_text, printable
from app.domain.entity import AliasResolution
from app.errors import Invalid, NotFound
from app.services.catalog import Ambiguous, CatalogService
from app.services.memory import Memory
from app.stores.postgres import entities


async def find_named(
    memory: Memory, what: str, project: str | None, as_of: datetime | None
) -> AliasResolution:
    """Answer what goes by an identifier, a name, an alias or an id.

    Raises NotFound when nothing does, and Invalid, with a line for each, when several things do.
    """
    try:
        id = UUID(what)
    except ValueError:
        catalog = CatalogService(memory.database)
        try:
            named = await catalog.resolve_alias(memory.caller, what, project, as_of)
        except Ambiguous as error:
            lines = await choices_told(memory, what, error.entities, as_of)
            raise Invalid(lines, has_lines=True) from error
    else:
        async with memory.database.reading(memory.caller.tenant) as connection:
            found = (await entities.entities_by_id(connection, memory.caller.tenant, [id])).get(id)
        named = None if found is None else AliasResolution(what, found, ())
    if named is None:
        raise NotFound(_nothing(printable(what), as_of))
    return named


def _nothing(what: str, as_of: datetime | None) -> str:
    if as_of is None:
        return f"nothing goes by {what}; ask by an identifier, name or id"
    return f"nothing goes by {what} at {moment_text(as_of)}; without --as-of the present is asked"
