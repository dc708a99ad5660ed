"""Give a document another identifier: the entity, its history and what refers to it stay."""

from __future__ import annotations

from dataclasses import dataclass, replace
from uuid import UUID

from app.domain.bounds import MAX_IDENTIFIER, excerpt, require_length
from app.domain.entity import Caller, Entity, Project
from app.domain.identifier import bare_key, identifier_key
from app.domain.properties_change import Amendment, amend_from
from app.domain.temporal import Branch, EntityState
from app.domain.text import is_blank
from app.domain.types import TypeDefinition
from app.errors import Conflict, Invalid
from app.services.aliases.rules import is_of_fit_length
from app.services.catalog.lookup import nothing_has, require_entities
from app.services.filing.batch_writer import prefetch
from app.services.filing.references import confirm_supersession
from app.services.idempotency import idempotent_request, write_once
from app.services.parsing.text import clean_text
from app.services.references.arrivals import join_arrived
from app.services.references.edges import Filed, Joined
from app.services.references.pending import resolve_pending
from app.services.references.supersession import recompute_statuses
from app.services.states import Cause, StateAnswer, Written
from app.services.states.change import at_later_time, carry_out
from app.services.states.properties import constants_of, type_of_entity
from app.services.states.service import SAVED_STATE
from app.services.unit_of_work import UnitOfWork, require_writer
from app.stores.postgres import aliases, artifacts, document_names, entities, ledger_clock, lookups, states
from app.stores.postgres.document_names import NameSort
from app.stores.postgres.pool import Database

IDENTIFIER_FIELD = "identifier"


@dataclass(frozen=True, slots=True)
class RenameRequest:
    """The document to rename, by its entity or by one of its artifacts, and its new identifier."""

    identifier: str
    entity: UUID | None = None
    artifact: UUID | None = None


class DocumentRenameService:
    """Gives documents other identifiers."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def rename(
        self, caller: Caller, request: RenameRequest, idempotency_key: str | None = None
    ) -> StateAnswer:
        """Give a document another identifier from now on; return the state that has it.

        The former identifier leads to it until another document takes it, and is its name as of before.
        Pending references to the new one are resolved. Raises NotFound, Forbidden, Invalid for an unfit
        identifier or an entity without documents, and Conflict if the identifier is its own or in use.
        """
        require_writer(caller)
        identifier = _fit_identifier(request.identifier)
        keyed = idempotent_request(caller, "moveArtifact", idempotency_key, request=request)

        async def carry_out_rename(write: UnitOfWork) -> StateAnswer:
            entity, definition = await _document(write, request)
            written = await _rename(write, entity, definition, identifier)
            found = await entities.entities_by_id(await write.flush(), write.tenant, [entity.id])
            position = await ledger_clock.finish_write(await write.flush())
            return StateAnswer(found[entity.id], written.state, written.event, position)

        return await write_once(self._database, caller, keyed, SAVED_STATE, carry_out_rename)


def _fit_identifier(given: str) -> str:
    require_length(IDENTIFIER_FIELD, given, MAX_IDENTIFIER)
    identifier = " ".join(clean_text(given).split())
    if is_blank(identifier) or not is_of_fit_length(identifier) or "\ufffd" in identifier:
        raise Invalid(
            f"an identifier has 2 to {MAX_IDENTIFIER} characters that can be shown, such as ADR-7",
            field=IDENTIFIER_FIELD,
        )
    return identifier


async def _document(write: UnitOfWork, request: RenameRequest) -> tuple[Entity, TypeDefinition]:
    """Return the entity to rename, with its type; raise NotFound, or Invalid if it has no documents."""
    if (request.entity is None) == (request.artifact is None):
        raise Invalid("give either an entity or an artifact", field="entity")
    entity = request.entity
    if request.artifact is not None:
        found = await artifacts.artifacts_by_id(await write.flush(), write.tenant, [request.artifact])
        if request.artifact not in found:
            raise nothing_has("artifact", request.artifact, "artifact")
        entity = found[request.artifact].entity
    assert entity is not None
    held = (await require_entities(write, {"entity": entity}))[entity]
    definition = await type_of_entity(await write.flush(), write.tenant, entity)
    if not definition.is_document or held.key is None:
        raise Invalid(
            f"a {definition.name} has no identifier; set its name with transition instead", field="entity"
        )
    return held, definition


async def _rename(write: UnitOfWork, entity: Entity, definition: TypeDefinition, identifier: str) -> Written:
    key = identifier_key(identifier)
    await _require_free(write, entity, key, identifier)
    held = await states.current_states(await write.flush(), write.tenant, entity.id, Branch.COMMITTED)
    write = await at_later_time(write, held)
    await _move_key(write, entity, key)
    written = await _write_state(write, entity, definition, held, identifier)
    await _end_own_alias(write, entity, identifier)
    await _join(write, replace(entity, key=key))
    return written


async def _require_free(write: UnitOfWork, entity: Entity, key: str, identifier: str) -> None:
    """Raise Conflict if a document has an identifier, states it as its own, or has it as an alias."""
    where = (await write.flush(), write.tenant, entity.project)
    if key == entity.key:
        raise Conflict(
            f"the document is {excerpt(identifier)} already", field=IDENTIFIER_FIELD, current=entity.id
        )
    named = (await document_names.documents_by_names(*where, [key])).get(key, [])
    claiming = {each.entity.id for each in named if each.sort is NameSort.IDENTIFIER}
    held = await entities.entity_by_key(*where, key)
    claiming |= {held.id} if held is not None else set()
    if others := sorted(claiming - {entity.id}):
        raise Conflict(
            f"another document has the identifier {excerpt(identifier)}; give one that is free",
            field=IDENTIFIER_FIELD,
            current=others[0],
        )
    for alias in await aliases.current_aliases(*where, [identifier]):
        if alias.target != entity.id and alias.valid.end is None:
            raise Conflict(
                f"{excerpt(identifier)} is an alias of another entity; withdraw that alias first, or give"
                " another identifier",
                field=IDENTIFIER_FIELD,
                current=alias.id,
            )


async def _move_key(write: UnitOfWork, entity: Entity, key: str) -> None:
    assert entity.key is not None
    former = {(key, NameSort.FORMER)}
    await document_names.close_names(await write.flush(), write.tenant, entity.id, former, write.recorded_at)
    await document_names.insert_names(
        await write.flush(),
        write.tenant,
        entity.project,
        entity.id,
        {(entity.key, NameSort.FORMER)},
        write.recorded_at,
    )
    await entities.rename_entity(await write.flush(), write.tenant, entity.id, key)


async def _write_state(
    write: UnitOfWork,
    entity: Entity,
    definition: TypeDefinition,
    held: list[EntityState],
    identifier: str,
) -> Written:
    asserted = await states.asserted_properties(
        await write.flush(), write.tenant, entity.id, Branch.COMMITTED
    )
    amendment = Amendment(entity.id, {"identifier": identifier}, constants_of(definition, held), write.actor)
    start = max(write.recorded_at, held[0].valid.start)
    change = amend_from(held, asserted, amendment, start, write.recorded_at)
    return Written(change.new, await carry_out(write, change, Cause("rename")))


async def _end_own_alias(write: UnitOfWork, entity: Entity, identifier: str) -> None:
    """End the alias of a document that is its identifier from now on."""
    where = (write.tenant, entity.project)
    for alias in await aliases.current_aliases(await write.flush(), *where, [identifier]):
        if alias.valid.end is None:
            await aliases.end_alias(
                await write.flush(), *where, alias, write.recorded_at, write.recorded_at, write.actor
            )


async def _join(write: UnitOfWork, entity: Entity) -> None:
    """Resolve the pending references to the new identifier; what this supersedes changes at a later time."""
    assert entity.key is not None
    project = await _project(write, entity)
    write = replace(write, lookup_cache=await prefetch(write, project, ()))
    latest = await artifacts.latest_version(await write.flush(), write.tenant, entity.id)
    assert latest is not None
    filed, joined = Filed(project, entity, latest, entity.key), Joined()
    compared = await join_arrived(write, filed, {bare_key(entity.key)}, joined)
    await resolve_pending(write, filed, compared, joined)
    restated = [await confirm_supersession(write, each) for each in joined.restated]
    await recompute_statuses(write, [*joined.changes, *(each for each in restated if each is not None)])


async def _project(write: UnitOfWork, entity: Entity) -> Project:
    found = await lookups.projects_by_number(await write.flush(), write.tenant, [entity.project])
    return found[entity.project]
