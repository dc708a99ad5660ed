"""Resolve a surface form: an identifier first, then an alias or a present name, then a former name.

An alias that several documents list is none, and means each of them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from uuid import UUID

import asyncpg

from app.domain.bounds import excerpt
from app.domain.entity import Absence, Alias, AliasResolution, Entity
from app.domain.identifier import bare_key, identifier_key
from app.domain.numbers import TenantNumber
from app.domain.temporal import AsOf
from app.domain.text import fold, name_key
from app.errors import Invalid
from app.services.parsing.identifiers import keys_of_number
from app.stores.postgres import absences, anchors, entities, lookups, type_definitions
from app.stores.postgres.anchors import NamedEntity, NameOrigin
from app.stores.postgres.lookups import labels_as_of
from app.stores.postgres.scope import Scope


async def describe_entities(
    connection: asyncpg.Connection, tenant: TenantNumber, entities: Iterable[Entity], moment: AsOf
) -> list[str]:
    """Return each entity as `Component Harbor (id)`, under its name at a moment, sorted.

    If they are of several projects, each names its own: `Component Harbor (id) of the project platform`.
    """
    meant = list(entities)
    labels = await labels_as_of(connection, tenant, [entity.id for entity in meant], moment)
    numbers = list({entity.project for entity in meant})
    found = {} if len(numbers) < 2 else await lookups.projects_by_number(connection, tenant, numbers)
    of = {number: f" of the project {project.key}" for number, project in found.items()}
    return sorted(
        f"{entity.type_name} {labels[entity.id]} ({entity.id}){of.get(entity.project, '')}"
        for entity in meant
    )


class Ambiguous(Invalid):
    """A form could mean several entities; `entities` lists them."""

    def __init__(self, message: str, entities: tuple[Entity, ...]) -> None:
        super().__init__(message, field="surfaceForm", candidates=(entity.id for entity in entities))
        self.entities = entities


@dataclass(frozen=True, slots=True)
class Elsewhen:
    """An entity that is not there at a moment: by an absence, or else because it begins later."""

    entity: Entity
    absence: Absence | None


async def resolve(connection: asyncpg.Connection, scope: Scope, form: str) -> AliasResolution | None:
    """Return the entity a form means in a scope, with the aliases that led to it.

    Raises Ambiguous, naming the entities, when it could mean several.
    """
    if not fold(form):
        return None
    meanings = await _meanings(connection, scope, form)
    ends = {start: await _follow(connection, scope, start, aliases) for start, aliases in meanings.items()}
    found = await entities.entities_by_id(connection, scope.tenant, list({end for end, _ in ends.values()}))
    if len(found) > 1:
        raise await _ambiguous(connection, scope, form, found.values())
    return next(
        (AliasResolution(form, found[end], chain) for end, chain in ends.values() if end in found), None
    )


async def find_elsewhen(connection: asyncpg.Connection, scope: Scope, form: str) -> list[Elsewhen]:
    """Return the entities that a form means at other moments, and why each is not there at the scope's."""
    names, keys = ([name_key(form)], [identifier_key(form)]) if fold(form) else ([], [])
    ids = await anchors.entities_ever_named(connection, scope, names, keys)
    if not ids:
        ids = await anchors.entities_ever_named(
            connection, scope, [], await _number_keys(connection, scope, form)
        )
    found = await entities.entities_by_id(connection, scope.tenant, ids)
    held = await absences.absences_of(connection, scope.tenant, ids)
    now = scope.moment.valid
    return [
        Elsewhen(entity, next((each for each in held.get(id, ()) if each.hides_document(now)), None))
        for id, entity in found.items()
        if now < entity.created_at or any(each.hides_document(now) for each in held.get(id, ()))
    ]


async def _number_keys(connection: asyncpg.Connection, scope: Scope, form: str) -> list[str]:
    """Return the keys that a bare number can have in a scope, none for another form."""
    if not form.strip().isdigit():
        return []
    known = await type_definitions.types_in_projects(connection, scope.tenant, scope.projects)
    return keys_of_number(form, (each.definition.name for each in known))


async def _meanings(connection: asyncpg.Connection, scope: Scope, form: str) -> dict[UUID, tuple[Alias, ...]]:
    """Return the entities that have a form as the surest kind of name found, with the alias if it is one.

    A bare number that names nothing by itself is one of every series.
    """
    named = await anchors.named_entities(connection, scope, [name_key(form)], [identifier_key(form)])
    if not named and form.strip().isdigit():
        named = await anchors.named_entities(
            connection, scope, [], await _number_keys(connection, scope, form)
        )
    by_doubt: dict[int, dict[UUID, tuple[Alias, ...]]] = {0: {}, 1: {}, 2: {}}
    for name in named:
        by_doubt[_doubt(name)][name.entity] = ()
    given = await lookups.aliases_of_form(connection, scope.tenant, scope.projects, form, scope.moment.valid)
    by_doubt[1] |= {alias.target: (alias,) for alias in given}
    return next(filter(None, by_doubt.values()), None) or await _claimed(connection, scope, form)


async def _claimed(connection: asyncpg.Connection, scope: Scope, form: str) -> dict[UUID, tuple[Alias, ...]]:
    """Return the documents that list an alias which none of them has, because several list it."""
    key = bare_key(identifier_key(form))
    listing = await anchors.documents_listing(connection, scope, key, name_key(form))
    return {entity: () for entity, is_there in listing.items() if is_there} if len(listing) > 1 else {}


def _doubt(name: NamedEntity) -> int:
    """Return the rank of a name: 0 for an identifier, 1 for an alias or present name, 2 for a former one."""
    if name.origin is NameOrigin.IDENTIFIER:
        return 0
    return 2 if name.origin is NameOrigin.NAME and name.is_former else 1


async def _follow(
    connection: asyncpg.Connection, scope: Scope, start: UUID, aliases: tuple[Alias, ...]
) -> tuple[UUID, tuple[Alias, ...]]:
    path = await lookups.alias_chain(connection, scope.tenant, start, scope.moment.valid)
    if not path:
        return start, aliases
    further = await lookups.aliases_by_id(connection, scope.tenant, path)
    chain = (*aliases, *(further[step] for step in path))
    return chain[-1].target, chain


async def _ambiguous(
    connection: asyncpg.Connection, scope: Scope, form: str, found: Collection[Entity]
) -> Ambiguous:
    by_project = "give the project, or " if len({entity.project for entity in found}) > 1 else ""
    named = await describe_entities(connection, scope.tenant, found, scope.moment)
    return Ambiguous(
        f"{excerpt(form)} could mean {' or '.join(named)}; {by_project}use one of these ids"
        " instead of the name",
        tuple(found),
    )
