"""Take documents away: hidden from a moment on, with what they state, and there as of before."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any
from uuid import UUID, uuid4

import asyncpg

from app.domain.entity import Absence, AbsenceSource, Caller, Entity, Project
from app.domain.identifier import bare_key, identifier_key
from app.domain.numbers import TenantNumber
from app.domain.temporal import Branch, Interval, require_in_calendar, rfc_3339, subtract_intervals
from app.errors import Conflict, Invalid
from app.services.catalog.lookup import nothing_has
from app.services.filing.batch_writer import prefetch
from app.services.idempotency import SavedAnswer, idempotent_request, write_once
from app.services.references.arrivals import Departed, leave_departed
from app.services.references.edges import Joined
from app.services.references.supersession import (
    recompute_status,
    recompute_statuses,
    recompute_superseded,
    superseded_spans,
)
from app.services.unit_of_work import UnitOfWork, fit_reason, require_writer
from app.stores.postgres import (
    absences,
    aliases,
    artifacts,
    document_names,
    entities,
    ledger_clock,
    lookups,
    references,
    states,
)
from app.stores.postgres.absences import TouchingReference
from app.stores.postgres.document_names import NameSort
from app.stores.postgres.pool import Database
from app.stores.postgres.supersessions import successions_around


@dataclass(frozen=True, slots=True)
class Leaving:
    """When a document is not there, by which source and commit, and why."""

    valid: Interval
    source: AbsenceSource
    commit: str | None = None
    reason: str | None = None

    def absence(self, write: UnitOfWork, entity: UUID, artifact: UUID | None = None) -> Absence:
        """Return this as an absence of a document, or of one version of it, to be recorded now."""
        return Absence(
            id=uuid4(),
            entity=entity,
            artifact=artifact,
            valid=self.valid,
            source=self.source,
            commit=self.commit,
            reason=self.reason,
            recorded_at=write.recorded_at,
            actor=write.actor,
        )


async def take_away(write: UnitOfWork, project: Project, entity: Entity, leaving: Leaving) -> Absence:
    """Record that a document is not there, and end what it states and what leads to it.

    Its references, and those of other documents to it, do not hold meanwhile. If it is gone for good, other
    documents that refer to it wait for its return. It changes statuses, so it must come last in a write.
    """
    was = superseded_spans(entity.id, await successions_around(await write.flush(), write.tenant, entity.id))
    absence = leaving.absence(write, entity.id)
    await absences.insert_absence(await write.flush(), write.tenant, project.number, absence)
    parted = await _end_references(write, entity.id, leaving.valid)
    joined = Joined()
    if leaving.valid.end is None:
        names = await _close_names(write, project, entity, leaving.valid.start)
        write = replace(write, lookup_cache=await prefetch(write, project, ()))
        departed = Departed(entity.id, leaving.valid.start, frozenset(parted))
        await leave_departed(write, project, names, departed, joined)
    write = await write.next_transaction_time()
    await recompute_statuses(write, joined.changes)
    await recompute_superseded(write, entity.id, was)
    await recompute_status(write, entity.id, leaving.valid.start)
    return absence


async def _end_references(write: UnitOfWork, entity: UUID, valid: Interval) -> set[UUID]:
    """Cut the references from and to a document out of an interval; return which others stated some."""
    touching = await absences.references_touching(await write.flush(), write.tenant, entity, valid)
    parted = set()
    for each in touching:
        if each.stated_by is None and each.reference.source != entity:
            continue
        await references.retract_reference(
            await write.flush(), write.tenant, each.reference.id, write.recorded_at
        )
        for rest in subtract_intervals(each.reference.valid, [valid]):
            await _insert(write, each, rest)
        if each.stated_by not in (None, entity):
            parted.add(each.stated_by)
    return {each for each in parted if each is not None}


async def _insert(write: UnitOfWork, cut: TouchingReference, valid: Interval) -> None:
    reference = replace(cut.reference, id=uuid4(), valid=valid)
    await references.insert_reference(
        await write.flush(),
        write.tenant,
        cut.recorded.project,
        reference,
        cut.recorded.occurrences,
        write.recorded_at,
        write.actor,
    )


async def _close_names(write: UnitOfWork, project: Project, entity: Entity, since: datetime) -> set[str]:
    """Close what a document refers to, and its names; return the keys of the names."""
    where = (await write.flush(), write.tenant, entity.id)
    held = await document_names.names_of(*where)
    state = (await states.current_states(*where, Branch.COMMITTED))[-1]
    title = state.props.get("title")
    keys = {key for key, _ in held} | {entity.key or ""}
    keys |= {identifier_key(title)} if isinstance(title, str) else set()
    await references.close_pending_of(*where, write.recorded_at)
    await document_names.close_claims(*where, write.recorded_at)
    closed = {name for name in held if name[1] is not NameSort.FORMER}
    if closed:
        await document_names.close_names(*where, closed, write.recorded_at)
    for alias in await aliases.stated_aliases(*where):
        await aliases.end_alias(
            await write.flush(),
            write.tenant,
            project.number,
            alias,
            since,
            write.recorded_at,
            write.actor,
            write.rows,
        )
    return set(map(bare_key, keys)) | keys


@dataclass(frozen=True, slots=True)
class WithdrawalRequest:
    """A document to withdraw, by the id of an artifact or of its entity, from a moment on, by default now."""

    artifact: UUID | None = None
    entity: UUID | None = None
    valid_from: datetime | None = None
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class WithdrawnDocument:
    """A document that was withdrawn, its absence, and the position of what was written."""

    entity: Entity
    absence: Absence
    position: int | None


class WithdrawalService:
    """Withdraws documents; filing one again brings it back."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def withdraw(
        self, caller: Caller, request: WithdrawalRequest, idempotency_key: str | None = None
    ) -> WithdrawnDocument:
        """Hide a document from a moment on; as of before it stays as it was.

        Raises NotFound for an unknown id, Invalid unless exactly one id is given, for a thing that is no
        document and for a moment before it begins, Conflict if it is withdrawn already, and Forbidden. One
        that is announced, from a future moment on, may be brought forward.
        """
        require_writer(caller)
        request = replace(request, reason=fit_reason(request.reason))
        if (request.artifact is None) == (request.entity is None):
            raise Invalid("give the id of the artifact or of the entity, one of the two", field="artifact")
        keyed = idempotent_request(caller, "withdrawArtifact", idempotency_key, request=request)

        async def carry_out(write: UnitOfWork) -> WithdrawnDocument:
            entity = await _document(write, request)
            absence = await _withdraw(write, entity, request)
            position = await ledger_clock.finish_write(await write.flush())
            return WithdrawnDocument(entity, absence, position)

        return await write_once(self._database, caller, keyed, _SAVED, carry_out)


async def _document(write: UnitOfWork, request: WithdrawalRequest) -> Entity:
    where = (await write.flush(), write.tenant)
    id = request.entity
    if request.artifact is not None:
        held = (await artifacts.artifacts_by_id(*where, [request.artifact])).get(request.artifact)
        if held is None:
            raise nothing_has("artifact", request.artifact, "artifact")
        id = held.entity
    assert id is not None
    found = (await entities.entities_by_id(*where, [id])).get(id)
    if found is None:
        raise nothing_has("entity", id, "entity")
    if await artifacts.latest_version(*where, id) is None:
        raise Invalid(
            f"{found.type_name} {id} is no document; end what is true of it with recordTransition",
            field="entity",
        )
    return found


async def _withdraw(write: UnitOfWork, entity: Entity, request: WithdrawalRequest) -> Absence:
    start = write.recorded_at
    if request.valid_from is not None:
        start = require_in_calendar(request.valid_from, "validFrom")
    if start < entity.created_at:
        raise Invalid(
            f"the document begins on {rfc_3339(entity.created_at)}; give no earlier instant",
            field="validFrom",
        )
    where = (await write.flush(), write.tenant)
    held = [
        each
        for each in (await absences.absences_of(*where, [entity.id])).get(entity.id, ())
        if not each.artifact
    ]
    field = "entity" if request.entity else "artifact"
    for each in held:
        if each.valid.end is None and not start < each.valid.start > write.recorded_at:
            raise Conflict(_conflict(each, write.recorded_at), field=field, current=entity.id)
    announced = [each for each in held if each.valid.end is None]
    for each in announced:
        await absences.retract_absence(await write.flush(), write.tenant, each.id, write.recorded_at)
    held = [each for each in held if each not in announced]
    project = (await lookups.projects_by_number(*where, [entity.project]))[entity.project]
    parts = subtract_intervals(Interval(start), [each.valid for each in held])
    *closed, last = [Leaving(part, AbsenceSource.CALLER, reason=request.reason) for part in parts]
    for leaving in closed:
        await take_away(write, project, entity, leaving)
        write = await write.next_transaction_time()
    return await take_away(write, project, entity, last)


def _conflict(held: Absence, now: datetime) -> str:
    since = f"the document is withdrawn from {rfc_3339(held.valid.start)} on"
    if held.valid.start <= now:
        return f"{since}; file it again first"
    return f"{since}; give an earlier instant, or undo it: withdraw it from now on, and file it again"


def _to_response(answer: WithdrawnDocument) -> dict[str, Any]:
    return {
        "entity": str(answer.entity.id),
        "absence": str(answer.absence.id),
        "position": answer.position,
    }


async def _restore(
    connection: asyncpg.Connection, tenant: TenantNumber, response: Mapping[str, Any]
) -> WithdrawnDocument:
    entity, absence = UUID(response["entity"]), UUID(response["absence"])
    found = await entities.entities_by_id(connection, tenant, [entity])
    held = await absences.absence_by_id(connection, tenant, absence)
    return WithdrawnDocument(found[entity], held, response["position"])


_SAVED = SavedAnswer(_to_response, _restore)
