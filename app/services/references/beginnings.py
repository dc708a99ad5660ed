"""Move the beginning of a document: before what superseded it, or to the date that a later version states."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import TypeAlias
from uuid import UUID, uuid4

from app.domain.artifact import Artifact, Document
from app.domain.entity import Absence, AbsenceSource, Alias, Reference, ReferenceType
from app.domain.status_resolution import is_over, without_supersession
from app.domain.status_words import was_in_force
from app.domain.temporal import UNKNOWN_BEGINNING, Branch, EntityState, Interval, StateEvent, is_unknown
from app.domain.timeline import state_at
from app.services.cached_lookups import next_number
from app.services.document_reader import document_reader
from app.services.parsing.cut_document import searched_terms
from app.services.references.status_sources import load_status_history
from app.services.references.supersession import recompute_status, recompute_superseded, superseded_spans
from app.services.unit_of_work import UnitOfWork
from app.stores.postgres import absences, aliases, artifacts, entities, references, states
from app.stores.postgres.lexical import postings
from app.stores.postgres.references import BoundReference
from app.stores.postgres.status_words import words_of_entity
from app.stores.postgres.supersessions import successions_around

BEGINS_OTHERWISE = "the document begins at another moment: something superseded it, or a later text dates it"


@dataclass(frozen=True, slots=True)
class _Beginning:
    """The first text of a document as it takes effect from now on, and as it was `filed` before.

    It supersedes others when it `takes_over`, at the earliest. `line` are its states, and `stated` the
    references that documents state from and to it.
    """

    filed: Artifact
    first: Artifact
    takes_over: datetime
    line: Sequence[EntityState]
    stated: Sequence[BoundReference]

    def start_of(self, bound: BoundReference) -> datetime | None:
        """Return since when a reference holds now; None if it does not depend on the beginning."""
        held, was = bound.reference, self.filed.created_at
        supersedes = held.type is ReferenceType.SUPERSEDES and held.source == self.filed.entity
        if not (supersedes and is_unknown(was)) and held.valid.start != max(bound.since, was):
            return None
        return max(bound.since, self.takes_over if supersedes else self.first.created_at)


MovedReferences: TypeAlias = dict[UUID, Reference]
"""What references became that hold since another moment now, by their former ids."""


def as_moved(reference: Reference, moved: MovedReferences) -> Reference:
    """Return what a reference became, if it moved."""
    while reference.id in moved:
        reference = moved[reference.id]
    return reference


async def move_beginnings(write: UnitOfWork, entities: Iterable[UUID]) -> MovedReferences:
    """Let documents begin when they were there, as is known by now.

    One of which a later version states an earlier date begins then. One without a date that is superseded
    from its first moment on begins before that, and so does one that supersedes another from a written date
    on. What it supersedes follows from it. Return the references that moved. Must come last in a write.
    """
    waiting, moved = sorted(entities), MovedReferences()
    if waiting:
        waiting += await references.late_successors(await write.flush(), write.tenant, waiting)
    while waiting:
        entity = waiting.pop()
        beginning = await _other_beginning(write, entity)
        if beginning is None:
            moved |= await _take_over_when_known(write, entity)
            continue
        write = await write.next_transaction_time()
        was = superseded_spans(entity, await successions_around(await write.flush(), write.tenant, entity))
        moved |= await _begin_otherwise(write, beginning)
        await recompute_status(write, entity, beginning.first.created_at)
        await recompute_superseded(write, entity, was)
        waiting += sorted(
            bound.reference.target
            for bound in beginning.stated
            if bound.reference.type is ReferenceType.SUPERSEDES and bound.reference.source == entity
        )
    return moved


async def move_beginnings_around(write: UnitOfWork, entity: UUID) -> MovedReferences:
    """Let a document and those that it supersedes begin when they were there. Must come last in a write."""
    around = await successions_around(await write.flush(), write.tenant, entity)
    return await move_beginnings(write, {entity} | {each.predecessor for each in around})


async def _other_beginning(write: UnitOfWork, entity: UUID) -> _Beginning | None:
    """Return how a document begins otherwise; None if it need not, or is no document."""
    where = (await write.flush(), write.tenant)
    held = await artifacts.first_version(*where, entity)
    if held is None or (held.begins is None and not held.artifact.is_undated):
        return None
    filed = held.artifact
    line = await states.current_states(*where, entity, Branch.COMMITTED)
    if line[0].valid.start != filed.created_at:
        return None
    if held.begins is None:
        found = await _before_successors(write, filed, line)
    else:
        date_source = held.date_source or filed.date_source
        first = replace(
            filed, created_at=held.begins, date_source=date_source, date_precision=held.date_precision
        )
        stated = await references.references_since(*where, entity)
        found = _Beginning(filed, first, held.begins, line, stated)
    return None if found is None or await _closes_circle(write, found) else found


async def _before_successors(
    write: UnitOfWork, filed: Artifact, line: Sequence[EntityState]
) -> _Beginning | None:
    """Return how a document without a date begins before what superseded it; None if nothing did."""
    where, entity = (await write.flush(), write.tenant), filed.entity
    status = line[0].props.get("status")
    team = await words_of_entity(*where, entity)
    stated = await references.references_since(*where, entity)
    if not isinstance(status, str) or not is_over(line[0], team) or not was_in_force(status, team):
        return _before_written_date(filed, line, stated)
    bound = [each for each in stated if each.reference.valid.start == filed.created_at]
    moments = await _superseded_from(write, entity, bound)
    superseded, successor = min(moments, default=(filed.created_at, entity))
    if superseded >= filed.created_at:
        return _before_written_date(filed, line, stated)
    begins = UNKNOWN_BEGINNING
    if is_unknown(superseded) or await artifacts.is_undated_at(*where, successor, superseded):
        begins = superseded - timedelta(microseconds=1)
    takes_over = min([superseded, *_written_dates(entity, stated)])
    return _Beginning(filed, replace(filed, created_at=begins), takes_over, line, stated)


def _before_written_date(
    filed: Artifact, line: Sequence[EntityState], stated: Sequence[BoundReference]
) -> _Beginning | None:
    """Return how a document without a date begins before it superseded others, as a document dates that."""
    dates = _written_dates(filed.entity, stated)
    if not dates or min(dates) >= filed.created_at or is_unknown(filed.created_at):
        return None
    return _Beginning(filed, replace(filed, created_at=UNKNOWN_BEGINNING), min(dates), line, stated)


def _written_dates(entity: UUID, stated: Iterable[BoundReference]) -> list[datetime]:
    """Return the dates from which a document supersedes others, where a document gives them."""
    return [
        each.written
        for each in stated
        if each.written is not None
        and each.reference.type is ReferenceType.SUPERSEDES
        and each.reference.source == entity
    ]


async def _superseded_from(
    write: UnitOfWork, entity: UUID, bound: Sequence[BoundReference]
) -> list[tuple[datetime, UUID]]:
    """Return when which documents would supersede one, if it had been there always."""
    found = []
    for each in await successions_around(await write.flush(), write.tenant, entity):
        if each.predecessor != entity:
            continue
        since = next(
            (
                held.since
                for held in bound
                if held.reference.valid == each.valid
                and held.reference.type is ReferenceType.SUPERSEDES
                and held.reference.source == each.successor
            ),
            each.valid.start,
        )
        earlier = replace(
            each, valid=Interval(since, each.valid.end), stated_from=min(since, each.stated_from)
        )
        if earlier.effective_from is not None:
            found.append((earlier.effective_from, each.successor))
    return found


async def _closes_circle(write: UnitOfWork, beginning: _Beginning) -> bool:
    """Return whether supersessions that begin earlier would form a circle."""
    for each in beginning.stated:
        start = beginning.start_of(each)
        if each.reference.type is not ReferenceType.SUPERSEDES or start is None:
            continue
        ends = (each.reference.target, each.reference.source)
        if await references.supersession_leads(await write.flush(), write.tenant, *ends, start):
            return True
    return False


async def _begin_otherwise(write: UnitOfWork, beginning: _Beginning) -> MovedReferences:
    filed = beginning.filed
    first = replace(
        beginning.first, id=uuid4(), number=await next_number(write), recorded_at=write.recorded_at
    )
    await _copy_artifact(write, filed, first)
    await entities.begin_at(await write.flush(), write.tenant, filed.entity, first.created_at)
    await _move_first_state(write, beginning, first)
    moved = MovedReferences()
    for each in beginning.stated:
        start = beginning.start_of(each)
        teller = first.id if each.reference.source_artifact == filed.id else each.reference.source_artifact
        moved |= {} if start is None else await _move_reference(write, each, start, teller)
    await _move_aliases(write, filed, first)
    if write.lookup_cache is not None:
        write.lookup_cache.note_beginning()
    return moved


async def _move_first_state(write: UnitOfWork, beginning: _Beginning, first: Artifact) -> None:
    """Let the state that a document begins with begin when its first text does now."""
    line = beginning.line
    held = state_at(line, first.created_at) or line[0]
    history = await load_status_history(write, first.entity, line)
    (state,) = without_supersession([held], history.assertions)
    state = replace(
        state,
        id=uuid4(),
        valid=Interval(first.created_at, held.valid.end),
        recorded_at=write.recorded_at,
        source_artifact=first.id,
        actor=write.actor,
    )
    for each in line:
        if each is held or each.valid.start < held.valid.start:
            await states.retract_state(await write.flush(), write.tenant, each.id, write.recorded_at)
    await states.insert_state(write.rows, write.tenant, state)
    event = StateEvent(
        id=uuid4(),
        from_state=None,
        to_state=state.id,
        event_type="created",
        at=first.created_at,
        recorded_at=write.recorded_at,
        cause_artifact=first.id,
        cause_commit=first.source_commit,
        description=None,
        props_drift=None,
        actor=write.actor,
        properties=tuple(sorted(state.props)),
    )
    await states.insert_event(write.rows, write.tenant, first.entity, event)


async def _move_aliases(write: UnitOfWork, filed: Artifact, first: Artifact) -> None:
    """Let the aliases that a document has since it began hold since it begins now."""
    where = (await write.flush(), write.tenant)
    held = await aliases.aliases_since(*where, filed.entity, filed.created_at, first.created_at)
    for alias in held:
        start = await _start_of_alias(write, alias, first)
        await aliases.retract_alias(*where, alias.id, write.recorded_at)
        if alias.valid.end is None or start < alias.valid.end:
            stated_by = first.id if alias.source_artifact == filed.id else alias.source_artifact
            moved = replace(
                alias, id=uuid4(), source_artifact=stated_by, valid=Interval(start, alias.valid.end)
            )
            await aliases.insert_alias(
                where[0], write.tenant, filed.project, moved, write.recorded_at, write.actor
            )
    if held and write.lookup_cache is not None:
        write.lookup_cache.note_alias()


async def _start_of_alias(write: UnitOfWork, alias: Alias, first: Artifact) -> datetime:
    """Return since when an alias holds: not before its source, nor while its form meant another thing."""
    where = (await write.flush(), write.tenant)
    bounds = [first.created_at]
    if alias.source is not None:
        bounds.append((await entities.entities_by_id(*where, [alias.source]))[alias.source].created_at)
    same = await aliases.current_aliases(*where, first.project, [alias.surface_form])
    ends = [each.valid.end for each in same if each.id != alias.id and each.valid.end is not None]
    return max([*bounds, *(end for end in ends if end <= alias.valid.start)])


async def _copy_artifact(write: UnitOfWork, filed: Artifact, copy: Artifact) -> None:
    """File the text of an artifact as of another moment instead; nothing is embedded for that."""
    connection = await write.flush(searched=True)
    hidden = Absence(
        id=uuid4(),
        entity=filed.entity,
        artifact=filed.id,
        valid=Interval(filed.created_at),
        source=AbsenceSource.CALLER,
        commit=None,
        reason=BEGINS_OTHERWISE,
        recorded_at=write.recorded_at,
        actor=write.actor,
    )
    await absences.insert_absence(connection, write.tenant, filed.project, hidden)
    length = await artifacts.copy_artifact(connection, write.tenant, filed, copy, write.actor)
    document = Document(
        kind=filed.kind,
        identifier=filed.identifier,
        title=filed.title,
        body=filed.body,
        author=filed.author,
        meta=dict(filed.meta),
    )
    terms, _ = await document_reader().run(len(filed.body), searched_terms, document)
    where = (connection, write.tenant, filed.project)
    await postings.insert_postings(*where, copy.number, terms, length)
    await postings.count_document(*where, length, copy.created_at, copy.recorded_at)


async def _move_reference(
    write: UnitOfWork, bound: BoundReference, start: datetime, stated_by: UUID | None
) -> MovedReferences:
    """Let a reference hold from another moment on, as an artifact states it; nothing if it does already."""
    held = bound.reference
    if start == held.valid.start or (held.valid.end is not None and start >= held.valid.end):
        return {}
    await references.retract_reference(await write.flush(), write.tenant, held.id, write.recorded_at)
    moved = replace(held, id=uuid4(), source_artifact=stated_by, valid=Interval(start, held.valid.end))
    await references.insert_reference(
        await write.flush(),
        write.tenant,
        bound.recorded.project,
        moved,
        bound.recorded.occurrences,
        write.recorded_at,
        write.actor,
    )
    return {held.id: moved}


async def _take_over_when_known(write: UnitOfWork, entity: UUID) -> MovedReferences:
    """Let a successor that begins at an unknown moment supersede a dated document when it is certainly there.

    That is when something supersedes the successor itself.
    """
    where = (await write.flush(), write.tenant)
    found = (await entities.entities_by_id(*where, [entity]))[entity]
    moved = MovedReferences()
    if is_unknown(found.created_at) or await artifacts.is_undated_at(*where, entity, found.created_at):
        return moved
    for bound in await references.references_since(*where, entity, found.created_at):
        held = bound.reference
        if held.type is not ReferenceType.SUPERSEDES or held.target != entity:
            continue
        successor = (await entities.entities_by_id(*where, [held.source]))[held.source]
        around = await successions_around(*where, held.source)
        known = [each.effective_from for each in around if each.predecessor == held.source]
        if is_unknown(successor.created_at):
            stated = await references.references_since(*where, held.source)
            known += _written_dates(held.source, stated)
        moments = [each for each in known if each is not None and not is_unknown(each)]
        if is_unknown(successor.created_at) and moments:
            write = await write.next_transaction_time()
            start = max(min(moments), found.created_at)
            moved |= await _move_reference(write, bound, start, held.source_artifact)
            await recompute_status(write, entity, found.created_at)
    return moved
