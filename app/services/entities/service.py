"""The operations that define a type and create a thing, one transaction each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, replace
from functools import partial
from typing import Any
from uuid import UUID

import asyncpg

from app.domain.entity import Caller
from app.domain.numbers import TenantNumber
from app.domain.recall import StateFlag
from app.services.catalog.lookup import project_for, project_key, project_numbers
from app.services.entities.create import CreatedEntity, create
from app.services.entities.statuses import (
    DefinedStatusWord,
    StatedStatusWord,
    StatusWord,
    define_status,
    load_status,
    load_statuses,
)
from app.services.entities.types import DefinedType, StatedEntity, StatedType, define
from app.services.idempotency import SavedAnswer, idempotent_request, write_once
from app.services.parsing.text import clean_text, clean_value
from app.services.unit_of_work import UnitOfWork, require_admin, require_writer
from app.stores.postgres import entities, ledger_clock, projects, states, type_definitions
from app.stores.postgres.pool import Database


class CanonicalService:
    """Defines types and status words, and creates things.

    The same input under the same key returns the first response.
    Each operation raises Invalid, Conflict, Forbidden or Unavailable; nothing is then written.
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
        """Define a type in a project, or add properties to one that the project defined."""
        require_writer(caller)
        require_admin(caller, "define types")
        key = project_key(project)
        stated = _clean_type(stated)
        keyed = idempotent_request(caller, "defineType", idempotency_key, project=key, stated=stated)

        async def define_in_project(write: UnitOfWork) -> DefinedType:
            defined = await define(write, await project_for(write, key), stated)
            return replace(defined, position=await ledger_clock.finish_write(await write.flush()))

        saved = SavedAnswer(partial(_type_response, key), _restore_type)
        return await write_once(self._database, caller, keyed, saved, define_in_project)

    async def create_entity(
        self,
        caller: Caller,
        stated: StatedEntity,
        project: str | None = None,
        idempotency_key: str | None = None,
    ) -> CreatedEntity:
        """Create a thing of a type without documents; a new project is created with it."""
        require_writer(caller)
        key = project_key(project)
        stated = replace(
            stated, type_name=clean_text(stated.type_name).strip(), props=clean_value(stated.props)
        )
        keyed = idempotent_request(caller, "createEntity", idempotency_key, project=key, stated=stated)

        async def create_in_project(write: UnitOfWork) -> CreatedEntity:
            created = await create(write, await project_for(write, key), stated)
            return replace(created, position=await ledger_clock.finish_write(await write.flush()))

        saved = SavedAnswer(_entity_response, _restore_entity)
        return await write_once(self._database, caller, keyed, saved, create_in_project)

    async def statuses(self, caller: Caller, project: str | None) -> list[StatusWord]:
        """Return the statuses that the entities of a project have now, or of all, with what they mean.

        Raises NotFound for an unknown project.
        """
        async with self._database.reading(caller.tenant) as connection:
            numbers = await project_numbers(connection, caller, project)
            return await load_statuses(connection, caller.tenant, numbers)

    async def define_status(
        self,
        caller: Caller,
        stated: StatedStatusWord,
        project: str | None = None,
        idempotency_key: str | None = None,
    ) -> DefinedStatusWord:
        """Define what a status word means in a project, for the documents that are there too."""
        require_writer(caller)
        key = project_key(project)
        stated = replace(stated, word=clean_text(stated.word).strip())
        keyed = idempotent_request(caller, "defineStatus", idempotency_key, project=key, stated=stated)

        async def define_in_project(write: UnitOfWork) -> DefinedStatusWord:
            found = await project_for(write, key)
            phrase, changed = await define_status(write, found, stated)
            status = await load_status(await write.flush(), write.tenant, found, phrase)
            position = await ledger_clock.finish_write(await write.flush())
            return DefinedStatusWord(status, changed, position)

        saved = SavedAnswer(_status_response, _restore_status)
        return await write_once(self._database, caller, keyed, saved, define_in_project)


def _status_response(defined: DefinedStatusWord) -> dict[str, Any]:
    return asdict(defined.status) | {"changed": defined.changed, "position": defined.position}


async def _restore_status(
    connection: asyncpg.Connection, tenant: TenantNumber, response: Mapping[str, Any]
) -> DefinedStatusWord:
    """Return a status word as it was in the first response."""
    flag = None if response["flag"] is None else StateFlag(response["flag"])
    status = StatusWord(response["project"], response["word"], flag, response["count"], response["is_own"])
    return DefinedStatusWord(status, response["changed"], response["position"])


def _clean_type(stated: StatedType) -> StatedType:
    return replace(
        stated,
        name=clean_text(stated.name),
        ptype=None if stated.ptype is None else clean_text(stated.ptype),
        immutable_props=tuple(map(clean_text, stated.immutable_props)),
        mutable_props=tuple(map(clean_text, stated.mutable_props)),
    )


def _type_response(project: str, defined: DefinedType) -> dict[str, Any]:
    return {
        "project": project,
        "name": defined.definition.name,
        "changed": defined.changed,
        "position": defined.position,
    }


async def _restore_type(
    connection: asyncpg.Connection, tenant: TenantNumber, response: Mapping[str, Any]
) -> DefinedType:
    """Return a type as it is now; it may have more properties than in the first response."""
    project = await projects.project_by_key(connection, tenant, response["project"])
    numbers = [] if project is None else [project.number]
    known = await type_definitions.types_in_projects(connection, tenant, numbers)
    recorded = type_definitions.type_named(known, response["name"])
    assert recorded is not None  # a type is never taken away
    return DefinedType(recorded.definition, response["changed"], response["position"])


def _entity_response(created: CreatedEntity) -> dict[str, Any]:
    return {
        "entity": str(created.entity.id),
        "state": str(created.state.id),
        "position": created.position,
    }


async def _restore_entity(
    connection: asyncpg.Connection, tenant: TenantNumber, response: Mapping[str, Any]
) -> CreatedEntity:
    entity, state = UUID(response["entity"]), UUID(response["state"])
    found = await entities.entities_by_id(connection, tenant, [entity])
    first = await states.states_by_id(connection, tenant, [state])
    # As it was in the first response.
    return CreatedEntity(found[entity], replace(first[state], retracted_at=None), response["position"])
