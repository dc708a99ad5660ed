"""Write the state that a filed document gives its entity, and since when it is there if it has no date."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any, TypeAlias
from uuid import UUID, uuid4

from app.domain.artifact import Artifact, Document
from app.domain.entity import Absence, AbsenceSource, Reference, ReferenceType
from app.domain.numbers import ArtifactNumber
from app.domain.properties_change import Amendment, AssertedNames, amend_from
from app.domain.status_resolution import is_over, without_supersession
from app.domain.status_words import was_in_force
from app.domain.temporal import UNKNOWN_BEGINNING, Branch, EntityState, Interval, is_unknown
from app.domain.timeline import Assertion, PropertyChange, assert_from, differ, state_at
from app.domain.types import TypeDefinition
from app.services.document_reader import document_reader
from app.services.filing.document_types import DOCUMENT_HEADERS
from app.services.parsing.cut_document import searched_terms
from app.services.references.edges import Filed
from app.services.references.status_sources import is_by_caller, is_derived, load_status_history
from app.services.references.supersession import recompute_status, recompute_superseded, superseded_spans
from app.services.states.change import Cause, carry_out
from app.services.unit_of_work import UnitOfWork
from app.stores.postgres import absences, artifacts, entities, references, state_history, states
from app.stores.postgres.lexical import postings
from app.stores.postgres.references import BoundReference
from app.stores.postgres.state_history import AssertedProperties
from app.stores.postgres.status_words import words_of_entity
from app.stores.postgres.supersessions import successions_around
from app.stores.postgres.type_definitions import RecordedType


async def write_state(
    write: UnitOfWork, filed: Filed, document: Document, recorded_type: RecordedType, *, is_new: bool
) -> tuple[list[EntityState], EntityState]:
    """Set the entity's properties to the document's, from the document's date on; a new one has no state yet.

    A later version removes properties that earlier versions had and it does not; a property that callers set
    stays, unless the version changes it. Return the states believed before, and the state that the document
    gave.
    """
    held = [] if is_new else await _held(write, filed.entity.id)
    covering = state_at(held, filed.artifact.created_at) or (held[0] if held else None)
    props = _props(document, recorded_type, covering)
    if held:
        change = await _change_by_version(write, filed, props, recorded_type.definition, held)
    else:
        assertion = Assertion(filed.entity.id, props, filed.artifact.id, write.actor)
        change = assert_from([], assertion, filed.artifact.created_at, write.recorded_at)
    event = "created" if change.previous is None else _event_type(change.previous.props, change.new.props)
    cause = Cause(event, artifact=filed.artifact.id, commit=document.source_commit)
    await carry_out(write, change, cause)
    return held, change.new


async def _held(write: UnitOfWork, entity: UUID) -> list[EntityState]:
    return await states.current_states(await write.flush(), write.tenant, entity, Branch.COMMITTED)


async def _change_by_version(
    write: UnitOfWork,
    filed: Filed,
    props: dict[str, Any],
    definition: TypeDefinition,
    held: list[EntityState],
) -> PropertyChange:
    where = (await write.flush(), write.tenant, filed.entity.id)
    asserted = await states.asserted_properties(*where, Branch.COMMITTED)
    documents = await states.asserted_by_documents(*where)
    start = filed.artifact.created_at
    covering = state_at(held, start)
    before = {} if covering is None else covering.props
    gone = [name for name in before if name not in props and _is_said_by(documents, asserted, name, start)]
    assertions = await state_history.statements_about(*where)
    props = {name: value for name, value in props.items() if not _is_callers(assertions, name, value, start)}
    constant = {name: value for name, value in props.items() if name in definition.immutable_props}
    said = {name: value for name, value in props.items() if name not in constant} | dict.fromkeys(gone)
    amendment = Amendment(filed.entity.id, said, constant, write.actor, filed.artifact.id)
    # A version states all of a document's properties, so that none reaches into a later version.
    stops = {**asserted, **dict.fromkeys(documents, frozenset(said))}
    return amend_from(held, stops, amendment, start, write.recorded_at)


def _is_said_by(documents: AssertedNames, asserted: AssertedNames, name: str, moment: datetime) -> bool:
    """Return whether a document set a property last; a property without an event is a document's."""
    last = max(
        (start for start, names in asserted.items() if name in names and start <= moment), default=None
    )
    return last is None or name in documents.get(last, ())


def _is_callers(assertions: Sequence[AssertedProperties], name: str, value: Any, moment: datetime) -> bool:
    """Return whether a caller set a property last and the document's value for it has not changed since."""
    said = [
        each for each in assertions if name in each.properties and each.at <= moment and not is_derived(each)
    ]
    said.sort(key=lambda each: each.at)
    texts = [each.props.get(name) for each in said if not is_by_caller(each)]
    return bool(texts) and is_by_caller(said[-1]) and not differ(texts[-1], value)


def _props(document: Document, recorded_type: RecordedType, covering: EntityState | None) -> dict[str, Any]:
    """Return the properties in a document's header, immutable ones as in the state there was then."""
    definition = recorded_type.definition
    unknown = {*definition.unknown_props(document.props), *DOCUMENT_HEADERS}
    props = {name: value for name, value in document.props.items() if name not in unknown}
    props["title"] = document.title
    if document.status:
        props["status"] = document.status
    if document.author:
        props["author"] = document.author
    if document.identifier:
        props["identifier"] = document.identifier
    for name in definition.immutable_props:
        if covering is not None:
            props.pop(name, None)
            props.update({name: covering.props[name]} if name in covering.props else {})
    return props


def _event_type(before: dict[str, Any], after: dict[str, Any]) -> str:
    if before.get("status") != after.get("status"):
        return "status_transition"
    return "rename" if before.get("title") != after.get("title") else "revision"


def state_from_artifact(held: list[EntityState], artifact: UUID) -> EntityState:
    """Return the last state that an artifact gave its entity, else the entity's last state."""
    return next((state for state in reversed(held) if state.source_artifact == artifact), held[-1])


async def next_number(write: UnitOfWork) -> ArtifactNumber:
    """Return the number of the next artifact of a write; they rise in the order in which it writes them."""
    if not write.cached.numbers:
        write.cached.numbers += await artifacts.take_numbers(await write.flush(), 1)
    return write.cached.numbers.pop()


BEGINS_EARLIER = "the document was there before: something superseded it"


@dataclass(frozen=True, slots=True)
class _Beginning:
    """Since when a document without a date is there that something superseded before it was filed.

    Its first text, which was `filed`, takes effect when it `begins`, and it was there before it was
    `superseded`. `line` are its states, and `bound` the references that began with it.
    """

    filed: Artifact
    begins: datetime
    superseded: datetime
    line: Sequence[EntityState]
    bound: Sequence[BoundReference]


MovedReferences: TypeAlias = dict[UUID, Reference]
"""What references became that hold since another moment now, by their former ids."""


async def begin_before_successors(write: UnitOfWork, entities: Iterable[UUID]) -> MovedReferences:
    """Let documents without a date that are superseded from their first moment on begin before that.

    What a document supersedes follows from it. Return the references that moved. Must come last in a write.
    """
    waiting, moved = sorted(entities), MovedReferences()
    while waiting:
        entity = waiting.pop()
        beginning = await _earlier_beginning(write, entity)
        if beginning is None:
            moved |= await _take_over_when_known(write, entity)
            continue
        write = await write.next_transaction_time()
        was = superseded_spans(entity, await successions_around(await write.flush(), write.tenant, entity))
        moved |= await _begin_earlier(write, beginning)
        await recompute_status(write, entity, beginning.begins)
        await recompute_superseded(write, entity, was)
        waiting += sorted(
            bound.reference.target
            for bound in beginning.bound
            if bound.reference.type is ReferenceType.SUPERSEDES and bound.reference.source == entity
        )
    return moved


async def _earlier_beginning(write: UnitOfWork, entity: UUID) -> _Beginning | None:
    """Return how a document without a date begins earlier; None if it needs not, or is no such document."""
    where = (await write.flush(), write.tenant)
    filed = await artifacts.undated_beginning(*where, entity)
    line = [] if filed is None else await states.current_states(*where, entity, Branch.COMMITTED)
    if filed is None or line[0].valid.start != filed.created_at:
        return None
    status = line[0].props.get("status")
    team = await words_of_entity(*where, entity)
    if not isinstance(status, str) or not is_over(line[0], team) or not was_in_force(status, team):
        return None
    bound = await references.references_since(*where, entity, filed.created_at)
    moments = await _superseded_from(write, entity, bound)
    superseded, successor = min(moments, default=(filed.created_at, entity))
    if superseded >= filed.created_at or await _closes_circle(write, bound):
        return None
    begins = UNKNOWN_BEGINNING
    if is_unknown(superseded) or await artifacts.is_undated_at(*where, successor, superseded):
        begins = superseded - timedelta(microseconds=1)
    return _Beginning(filed, begins, superseded, line, bound)


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


async def _closes_circle(write: UnitOfWork, bound: Sequence[BoundReference]) -> bool:
    """Return whether supersessions that begin earlier would form a circle."""
    for each in bound:
        ends = (each.reference.target, each.reference.source)
        if each.reference.type is ReferenceType.SUPERSEDES and await references.supersession_leads(
            await write.flush(), write.tenant, *ends, each.since
        ):
            return True
    return False


async def _begin_earlier(write: UnitOfWork, beginning: _Beginning) -> MovedReferences:
    filed = beginning.filed
    copy = replace(
        filed,
        id=uuid4(),
        number=await next_number(write),
        created_at=beginning.begins,
        recorded_at=write.recorded_at,
    )
    await _copy_artifact(write, filed, copy)
    await entities.begin_earlier(await write.flush(), write.tenant, filed.entity, copy.created_at)
    first = beginning.line[0]
    history = await load_status_history(write, filed.entity, beginning.line)
    (state,) = without_supersession([first], history.assertions)
    state = replace(
        state,
        id=uuid4(),
        valid=Interval(copy.created_at, first.valid.end),
        recorded_at=write.recorded_at,
        source_artifact=copy.id,
        actor=write.actor,
    )
    change = PropertyChange((first.id,), (state,), None, state, tuple(sorted(state.props)))
    await carry_out(write, change, Cause("created", artifact=copy.id, commit=copy.source_commit))
    moved = MovedReferences()
    for each in beginning.bound:
        start = max(each.since, copy.created_at)
        if each.reference.type is ReferenceType.SUPERSEDES and each.reference.source == filed.entity:
            start = max(start, beginning.superseded)
        teller = copy.id if each.reference.source_artifact == filed.id else each.reference.source_artifact
        moved |= await _move_reference(write, each, start, teller)
    write.cached.note_beginning()
    return moved


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
        reason=BEGINS_EARLIER,
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
        moments = [each for each in known if each is not None and not is_unknown(each)]
        if is_unknown(successor.created_at) and moments:
            write = await write.next_transaction_time()
            start = max(min(moments), found.created_at)
            moved |= await _move_reference(write, bound, start, held.source_artifact)
            await recompute_status(write, entity, found.created_at)
    return moved
