"""Defining types and creating things, one transaction each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any
from uuid import UUID

import asyncpg

from app.domain.entity import Caller
from app.services import idempotency
from app.services.catalog.lookup import project_for, project_key
from app.services.entities.create import CreatedEntity, create
from app.services.entities.types import DefinedType, StatedEntity, StatedType, define
from app.services.parsing.text import clean_text, clean_value
from app.services.unit_of_work import require_writer, unit_of_work
from app.stores.postgres import entities, ledger_clock, projects, states, type_definitions
from app.stores.postgres.pool import Database


class CanonicalService:
    """Writes what things are; the same input under the same key gives the first answer again.

    Every verb raises Invalid, Conflict, Forbidden or Unavailable; nothing is then written.
    """

    def __init__(self, database: Database) -> None:
        self._database = database

    async def define_type(
        self,
        caller: Caller,
        stated: StatedType,
        project: str | None = None,
        idempotency_key: str | None = None,
    ) -> DefinedType:
        """Define a type in a project, or let one that it defined carry more properties."""
        require_writer(caller)
        key = project_key(project)
        stated = _cleaned_type(stated)
        keyed = idempotency.idempotent_request(
            caller, "defineType", idempotency_key, project=key, stated=stated
        )
        async with unit_of_work(self._database, caller) as write:
            if kept := await idempotency.load_response(write.connection, caller.tenant, keyed):
                return await _type_again(write.connection, caller.tenant, kept)
            found = await project_for(write, key)
            defined = await define(write, found, stated)
            defined = replace(defined, position=await ledger_clock.settle(write.connection))
            answer = {
                "project": key,
                "name": defined.definition.name,
                "changed": defined.changed,
                "position": defined.position,
            }
            await idempotency.save_response(write, keyed, answer)
            return defined

    async def create_entity(
        self,
        caller: Caller,
        stated: StatedEntity,
        project: str | None = None,
        idempotency_key: str | None = None,
    ) -> CreatedEntity:
        """Create a thing of a type that has no documents, in a project that is made when it is new."""
        require_writer(caller)
        key = project_key(project)
        stated = replace(
            stated, type_name=clean_text(stated.type_name).strip(), props=clean_value(stated.props)
        )
        keyed = idempotency.idempotent_request(
            caller, "createEntity", idempotency_key, project=key, stated=stated
        )
        async with unit_of_work(self._database, caller) as write:
            if kept := await idempotency.load_response(write.connection, caller.tenant, keyed):
                return await _entity_again(write.connection, caller.tenant, kept)
            created = await create(write, await project_for(write, key), stated)
            created = replace(created, position=await ledger_clock.settle(write.connection))
            answer = {
                "entity": str(created.entity.id),
                "state": str(created.state.id),
                "position": created.position,
            }
            await idempotency.save_response(write, keyed, answer)
            return created


def _cleaned_type(stated: StatedType) -> StatedType:
    return replace(
        stated,
        name=clean_text(stated.name),
        ptype=None if stated.ptype is None else clean_text(stated.ptype),
        immutable_props=tuple(map(clean_text, stated.immutable_props)),
        mutable_props=tuple(map(clean_text, stated.mutable_props)),
    )


async def _type_again(connection: asyncpg.Connection, tenant: int, kept: Mapping[str, Any]) -> DefinedType:
    """Return a type as it is now; it may carry more than when this was first answered."""
    project = await projects.project_by_key(connection, tenant, kept["project"])
    numbers = [] if project is None else [project.number]
    known = await type_definitions.types_in_projects(connection, tenant, numbers)
    recorded = type_definitions.type_named(known, kept["name"])
    assert recorded is not None  # a type is never taken away
    return DefinedType(recorded.definition, kept["changed"], kept["position"])


async def _entity_again(
    connection: asyncpg.Connection, tenant: int, kept: Mapping[str, Any]
) -> CreatedEntity:
    entity, state = UUID(kept["entity"]), UUID(kept["state"])
    found = await entities.entities_by_id(connection, tenant, [entity])
    first = await states.states_by_id(connection, tenant, [state])
    # As it stood when this was first answered.
    return CreatedEntity(found[entity], replace(first[state], retracted_at=None), kept["position"])
