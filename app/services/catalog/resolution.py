"""What a surface form means: an alias first, then an identifier, a present name, a former name."""

from __future__ import annotations

from collections.abc import Iterable
from uuid import UUID

import asyncpg

from app.domain.entity import Alias, AliasResolution, Entity
from app.domain.identifier import identifier_key
from app.domain.surface_form import fold, name_key
from app.errors import Invalid
from app.services.labels import told_apart
from app.stores.postgres import anchors, entities, lookups
from app.stores.postgres.anchors import NamedEntity, NameOrigin
from app.stores.postgres.scope import Scope


async def resolve(connection: asyncpg.Connection, scope: Scope, form: str) -> AliasResolution | None:
    """Answer the entity a form means in a scope, with the aliases that led to it.

    Raises Invalid, naming the entities, when it could mean several.
    """
    if not fold(form):
        return None
    given = await lookups.aliases_of_form(connection, scope.tenant, scope.projects, form, scope.moment.valid)
    meanings = {alias.target: (alias,) for alias in given} or await _named(connection, scope, form)
    ends = {start: await _followed(connection, scope, start, aliases) for start, aliases in meanings.items()}
    found = await entities.entities_by_id(connection, scope.tenant, list({end for end, _ in ends.values()}))
    if len(found) > 1:
        raise await _ambiguous(connection, scope, form, found.values())
    return next(
        (AliasResolution(form, found[end], chain) for end, chain in ends.values() if end in found), None
    )


async def _named(connection: asyncpg.Connection, scope: Scope, form: str) -> dict[UUID, tuple[Alias, ...]]:
    """Answer what goes by a form without an alias, from the surest kind of name that any entity has."""
    named = await anchors.named_entities(connection, scope, [name_key(form)], [identifier_key(form)])
    surest = min((_doubt(name) for name in named), default=0)
    return {name.entity: () for name in named if _doubt(name) == surest}


def _doubt(name: NamedEntity) -> int:
    if name.origin is NameOrigin.IDENTIFIER:
        return 0
    return 2 if name.is_former else 1


async def _followed(
    connection: asyncpg.Connection, scope: Scope, start: UUID, aliases: tuple[Alias, ...]
) -> tuple[UUID, tuple[Alias, ...]]:
    path = await lookups.alias_chain(connection, scope.tenant, start, scope.moment.valid)
    if not path:
        return start, aliases
    further = await lookups.aliases_by_id(connection, scope.tenant, path)
    chain = (*aliases, *(further[step] for step in path))
    return chain[-1].target, chain


async def _ambiguous(
    connection: asyncpg.Connection, scope: Scope, form: str, found: Iterable[Entity]
) -> Invalid:
    named = await told_apart(connection, scope.tenant, found, scope.moment)
    return Invalid(
        f"{form} could mean {' or '.join(named)}; name its project or use one of these ids",
        field="surfaceForm",
    )
