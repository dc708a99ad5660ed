"""The tools of the full profile: one for each verb, under the names and parameters that agents know."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any, Literal
from uuid import UUID

from app.domain.artifact import MemoryDomain
from app.domain.candidate import AliasCandidate, CandidateStatus, FactCandidate
from app.domain.entity import Entity, ReferenceType
from app.domain.page import PageRequest
from app.domain.recall import RecallRequest, StateFlag
from app.domain.temporal import Branch, WipSource
from app.errors import Forbidden, Invalid, TrigraphError
from app.mcp import answers
from app.mcp.answers import said
from app.mcp.tool import (
    Moment,
    Project,
    Properties,
    TokenBudget,
    Tool,
    ToolAnswer,
    ToolCall,
    find_entity,
    tool,
)
from app.mcp.tools import (
    DEFAULT_BUDGET,
    LISTED,
    MAX_HITS,
    Decided,
    answer_question,
    decide,
    file_document,
    open_draft,
    warnings_of,
)
from app.services.aliases import AliasRequest
from app.services.catalog import Edges, Listing, RequestedMoment, WantedStanding
from app.services.entities import StatedEntity
from app.services.filing import StatedDocument
from app.services.references import StatedReference
from app.services.states import DraftChange, Sealing, StateChange, StatedCause

MAX_FILED = 100
SECONDS_BETWEEN_REPORTS = 0.5


@tool("Ask a question, with every filter of recall.", reads=True)
async def semantic_recall(
    call: ToolCall,
    query: str,
    pid: Project | None = None,
    as_of: Moment | None = None,
    known_at: Moment | None = None,
    prefer_wip: bool = True,
    kinds: list[str] | None = None,
    domains: list[MemoryDomain] | None = None,
    flags: list[StateFlag] | None = None,
    limit: int = MAX_HITS,
    token_budget: TokenBudget = DEFAULT_BUDGET,
) -> ToolAnswer:
    """Return the hits of a question, each with its flag."""
    request = RecallRequest(
        query=query,
        as_of=as_of,
        known_at=known_at,
        prefer_wip=prefer_wip,
        project=pid,
        kinds=tuple(kinds or ()),
        domains=tuple(domains or ()),
        flags=tuple(flags or ()),
        first=limit,
        token_budget=token_budget,
    )
    return await answer_question(call, request, token_budget)


@tool("List the types of a project, with their properties.", reads=True)
async def prism_list_types(call: ToolCall, pid: Project | None = None) -> ToolAnswer:
    """List the types."""
    found = await call.memory.catalog.types(call.caller, pid)
    types = [
        {"name": each.name, "immutable": each.immutable_props, "mutable": each.mutable_props}
        for each in found
    ]
    return said({"types": types})


@tool("Return an entity by entity_uuid, or create one that has no document: its entity_type and props.")
async def prism_entity(
    call: ToolCall,
    entity_uuid: str | None = None,
    entity_type: str | None = None,
    props: Properties | None = None,
    pid: Project | None = None,
    valid_from: Moment | None = None,
) -> ToolAnswer:
    """Read or create an entity."""
    if entity_uuid is not None:
        return await _entity(call, await find_entity(call, entity_uuid, pid))
    if entity_type is None:
        raise Invalid("give entity_uuid to read, or entity_type and props to create", field="entity_type")
    stated = StatedEntity(entity_type, props or {}, valid_from)
    created = await call.memory.canonical.create_entity(call.caller, stated, pid)
    return await _entity(call, created.entity)


async def _entity(call: ToolCall, entity: Entity) -> ToolAnswer:
    line = await call.memory.states.at(call.caller, entity)
    states = [answers.state_data(held, event) for held, event in line.states]
    return said({**answers.entity_data(entity.id, line.names), "states": states})


@tool("List entities, the newest first; by type, flag, status and date.", reads=True)
async def prism_list_entities(
    call: ToolCall,
    pid: Project | None = None,
    entity_type: str | None = None,
    as_of: Moment | None = None,
    flags: list[StateFlag] | None = None,
    status: str | None = None,
    limit: int = LISTED,
) -> ToolAnswer:
    """List entities."""
    standing = WantedStanding(None if flags is None else tuple(flags), status)
    found = await call.memory.catalog.entities(
        call.caller, pid, entity_type, RequestedMoment(as_of), PageRequest(limit), standing
    )
    ids = [each.id for each in found.page.items]
    names = await call.memory.catalog.names(call.caller, ids)
    entities = [answers.entity_data(id, names) for id in ids]
    return said({"entities": entities, "count": await found.count()})


@tool("Let a name mean an entity from now on. source_uuid: an entity that the target replaces.")
async def prism_alias(
    call: ToolCall,
    surface_form: str,
    target_uuid: str,
    source_uuid: str | None = None,
    pid: Project | None = None,
    authority_tier: int | None = None,
    source_artifact_uuid: UUID | None = None,
) -> ToolAnswer:
    """Create an alias."""
    target = (await find_entity(call, target_uuid, pid)).id
    source = None if source_uuid is None else (await find_entity(call, source_uuid, pid)).id
    request = AliasRequest(surface_form, target, pid, source, authority_tier, source_artifact_uuid)
    written = await call.memory.aliases.create(call.caller, request)
    waits = None if written.candidate is None else written.candidate.id
    alias = None if written.alias is None else answers.alias_data(written.alias)
    return said({"alias": alias, "candidate_uuid": waits})


@tool("Return the entity that a name means on a date, and the aliases that lead to it.", reads=True)
async def prism_resolve_alias(
    call: ToolCall, surface_form: str, pid: Project | None = None, as_of: Moment | None = None
) -> ToolAnswer:
    """Resolve a name."""
    moment = RequestedMoment(as_of)
    found = await call.memory.catalog.resolve_alias(call.caller, surface_form, pid, moment)
    if found is None:
        return said({"entity": None, "chain": []})
    names = await call.memory.catalog.names(call.caller, [found.entity.id])
    chain = [answers.alias_data(each) for each in found.chain]
    return said({"entity": answers.entity_data(found.entity.id, names), "chain": chain})


@tool("Create a typed reference from one entity to another. SUPERSEDES also changes the target's state.")
async def prism_reference(
    call: ToolCall,
    source_uuid: str,
    target_uuid: str,
    ref_type: ReferenceType,
    pid: Project | None = None,
    valid_from: Moment | None = None,
    source_artifact_uuid: UUID | None = None,
) -> ToolAnswer:
    """Create a reference."""
    source, target = await find_entity(call, source_uuid, pid), await find_entity(call, target_uuid, pid)
    stated = StatedReference(source.id, target.id, ref_type, source_artifact_uuid, valid_from)
    made = (await call.memory.references.create(call.caller, stated)).reference
    names = await call.memory.catalog.names(call.caller, [made.source, made.target])
    return said(answers.reference_data(made, names))


@tool("List references, the newest first: all, or those from and to an entity.", reads=True)
async def prism_list_references(
    call: ToolCall,
    entity_uuid: str | None = None,
    direction: Literal["OUT", "IN"] = "OUT",
    ref_type: ReferenceType | None = None,
    pid: Project | None = None,
    as_of: Moment | None = None,
    limit: int = LISTED,
) -> ToolAnswer:
    """List references."""
    end = None if entity_uuid is None else (await find_entity(call, entity_uuid, pid, as_of)).id
    edges = Edges(end, None, ref_type) if direction == "OUT" else Edges(None, end, ref_type)
    moment = RequestedMoment(as_of)
    found = await call.memory.catalog.references(call.caller, pid, edges, moment, PageRequest(limit))
    items = found.page.items
    names = await call.memory.catalog.names(
        call.caller, {id for each in items for id in (each.source, each.target)}
    )
    references = [answers.reference_data(each, names) for each in items]
    return said({"references": references, "count": await found.count()})


@tool("List likely facts that texts suggest, the oldest first.", reads=True)
async def prism_list_fact_candidates(
    call: ToolCall,
    pid: Project | None = None,
    status: CandidateStatus | None = CandidateStatus.PENDING,
    limit: int = LISTED,
) -> ToolAnswer:
    """List the queue of facts."""
    return await _queue(
        call, await call.memory.review.fact_candidates(call.caller, pid, status, PageRequest(limit))
    )


@tool("List likely aliases that texts suggest, the oldest first.", reads=True)
async def prism_list_alias_candidates(
    call: ToolCall,
    pid: Project | None = None,
    status: CandidateStatus | None = CandidateStatus.PENDING,
    limit: int = LISTED,
) -> ToolAnswer:
    """List the queue of aliases."""
    return await _queue(
        call, await call.memory.review.alias_candidates(call.caller, pid, status, PageRequest(limit))
    )


async def _queue(call: ToolCall, found: Listing[AliasCandidate] | Listing[FactCandidate]) -> ToolAnswer:
    items = found.page.items
    names = await call.memory.catalog.names(call.caller, [each.entity for each in items])
    candidates = [answers.candidate_data(each, names) for each in items]
    return said({"candidates": candidates, "count": await found.count()})


@tool("Promote or reject a likely fact; a person decides, once.")
async def prism_review_fact_candidate(
    call: ToolCall, candidate_uuid: UUID, decision: Decided, reason: str | None = None
) -> ToolAnswer:
    """Decide about a likely fact."""
    return await decide(call, candidate_uuid, decision, reason)


@tool("Promote or reject a likely alias; a person decides, once.")
async def prism_review_alias_candidate(
    call: ToolCall, candidate_uuid: UUID, decision: Decided, reason: str | None = None
) -> ToolAnswer:
    """Decide about a likely alias."""
    return await decide(call, candidate_uuid, decision, reason)


@tool("Record the value of one property from an instant on; null removes it.")
async def prism_fact(
    call: ToolCall,
    entity_uuid: str,
    property: str,
    value: Any,
    pid: Project | None = None,
    valid_from: Moment | None = None,
    cause_artifact_uuid: UUID | None = None,
    cause_commit: str | None = None,
    description: str | None = None,
    expected_state_uuid: UUID | None = None,
) -> ToolAnswer:
    """Record a fact."""
    entity = await find_entity(call, entity_uuid, pid)
    change = StateChange({property: value}, valid_from, expected_state_uuid)
    cause = StatedCause("fact", cause_artifact_uuid, cause_commit, description)
    written = await call.memory.states.record_fact(call.caller, entity.id, change, cause)
    return answers.written_answer(written, entity_uuid, "Recorded")


@tool("Change several properties at once, and name the event: one word, such as status_transition.")
async def prism_transition(
    call: ToolCall,
    entity_uuid: str,
    props: Properties,
    event_type: str,
    pid: Project | None = None,
    valid_from: Moment | None = None,
    cause_artifact_uuid: UUID | None = None,
    cause_commit: str | None = None,
    description: str | None = None,
    expected_state_uuid: UUID | None = None,
) -> ToolAnswer:
    """Carry out a transition."""
    entity = await find_entity(call, entity_uuid, pid)
    change = StateChange(props, valid_from, expected_state_uuid)
    cause = StatedCause(event_type, cause_artifact_uuid, cause_commit, description)
    written = await call.memory.states.transition(call.caller, entity.id, change, cause)
    return answers.written_answer(written, entity_uuid, "Changed")


@tool("Save properties in the draft of an entity. expected_state_uuid: the draft that you read.")
async def prism_wip(
    call: ToolCall,
    entity_uuid: str,
    props: Properties,
    pid: Project | None = None,
    source: WipSource = WipSource.EXPLICIT,
    expected_state_uuid: UUID | None = None,
) -> ToolAnswer:
    """Save a draft."""
    entity = await find_entity(call, entity_uuid, pid)
    draft = DraftChange(props, source, expected_state_uuid)
    written = await call.memory.states.save_wip(call.caller, entity.id, draft)
    return answers.written_answer(written, entity_uuid, "Saved the draft of")


@tool("Put a draft in force. state_uuid: the draft after its last save; without it, the one that is open.")
async def prism_seal(
    call: ToolCall,
    entity_uuid: str,
    pid: Project | None = None,
    state_uuid: UUID | None = None,
    props: Properties | None = None,
    description: str | None = None,
    expected_state_uuid: UUID | None = None,
) -> ToolAnswer:
    """Seal a draft."""
    entity = await find_entity(call, entity_uuid, pid)
    draft = state_uuid or await open_draft(call, entity)
    sealing = Sealing(props or {}, "", description, expected_state_uuid)
    written = await call.memory.states.seal_wip(call.caller, draft, sealing)
    return answers.written_answer(written, entity_uuid, "Sealed")


@tool("Return the state of an entity at an instant; with prefer_wip its open draft.", reads=True)
async def prism_state_as_of(
    call: ToolCall,
    entity_uuid: str,
    as_of: Moment | None = None,
    known_at: Moment | None = None,
    prefer_wip: bool = True,
    pid: Project | None = None,
) -> ToolAnswer:
    """Return one state."""
    entity = await find_entity(call, entity_uuid, pid, as_of)
    line = await call.memory.states.at(call.caller, entity, as_of, known_at)
    held = {each.branch: answers.state_data(each, event) for each, event in line.states}
    state = held.get(Branch.COMMITTED)
    if prefer_wip:
        state = held.get(Branch.WIP, state)
    return said({**answers.entity_data(entity.id, line.names), "state": state})


@tool("Begin a session: who you are, and what is open: drafts, stale ones, candidates.", reads=True)
async def prism_start(call: ToolCall, pid: Project | None = None) -> ToolAnswer:
    """Return what is open."""
    caller = {"principal": call.caller.principal, "role": call.caller.role}
    return said({**caller, **await _open_work(call, pid)})


async def _open_work(call: ToolCall, pid: str | None) -> dict[str, Any]:
    drafts = await call.memory.states.drafts(call.caller, pid, PageRequest(LISTED))
    review, waiting = call.memory.review, CandidateStatus.PENDING
    aliases = await review.alias_candidates(call.caller, pid, waiting, PageRequest(0))
    facts = await review.fact_candidates(call.caller, pid, waiting, PageRequest(0))
    reminders = await call.memory.states.reminders(call.caller, pid)
    items = drafts.page.items
    names = await call.memory.catalog.names(call.caller, {each.entity for each in items})
    return {
        "drafts": [{"entity": names.text(each.entity), **answers.state_data(each)} for each in items],
        "draft_count": await drafts.count(),
        "reminders": [{"message": each.message, "entity_uuid": each.entity} for each in reminders],
        "candidates": await aliases.count() + await facts.count(),
    }


@tool("Keep where you are: file a summary as a journal entry. The same title again is its next version.")
async def prism_checkpoint(
    call: ToolCall, title: str, summary: str, pid: Project | None = None
) -> ToolAnswer:
    """File a summary."""
    return said(await _note(call, title, summary, pid))


@tool("End a session: file its summary as a journal entry, and list what is still open.")
async def prism_wrap(call: ToolCall, title: str, summary: str, pid: Project | None = None) -> ToolAnswer:
    """File a summary and return what is open."""
    return said({**await _note(call, title, summary, pid), **await _open_work(call, pid)})


async def _note(call: ToolCall, title: str, summary: str, pid: str | None) -> dict[str, Any]:
    stated = StatedDocument("Journal", summary, title=title, domain=MemoryDomain.TASK_STATE)
    filed = await file_document(call, stated, pid)
    return {"artifact_uuid": filed.artifact.id, "created": filed.created, "warnings": warnings_of(filed)}


@tool("File many documents, each as file does; says what became of each, and reports progress.")
async def file_many(
    call: ToolCall, documents: list[dict[str, str]], pid: Project | None = None
) -> ToolAnswer:
    """File documents one after the other; one that is refused stops none."""
    if len(documents) > MAX_FILED:
        raise Invalid(f"documents has {len(documents)} items; at most {MAX_FILED} at once", field="documents")
    results = []
    for place, given in enumerate(documents, start=1):
        results.append(await _file_one(call, given, pid))
        await call.progress(place, len(documents), str(results[-1].get("title") or results[-1]["outcome"]))
    return said({"documents": results})


async def _file_one(call: ToolCall, given: dict[str, str], pid: str | None) -> dict[str, Any]:
    try:
        stated = StatedDocument(
            given.get("kind", ""), given.get("text", ""), given.get("identifier"), given.get("title")
        )
        filed = await file_document(call, stated, pid)
    except TrigraphError as error:
        return {"outcome": "refused", "reason": f"{error.code}: {error.message}"}
    outcome = "filed" if filed.created else "unchanged"
    return {
        "outcome": outcome,
        "title": filed.artifact.title,
        "artifact_uuid": filed.artifact.id,
        "warnings": warnings_of(filed),
    }


@tool("Import a folder or a file of this machine, as `trigraph ingest` does; reports progress.")
async def import_folder(
    call: ToolCall, path: str, pid: Project | None = None, kind: str | None = None
) -> ToolAnswer:
    """Import a folder; only who sits at this machine may name its files."""
    from app.services.importing import ImportRequest, ImportSummary

    if not call.is_here:
        raise Forbidden("only `trigraph mcp` on the machine itself reads its files; use file_many instead")
    so_far = [ImportSummary()]
    request = ImportRequest((Path(path),), pid, kind)

    def note(summary: ImportSummary) -> None:
        so_far[:] = [summary]

    work = asyncio.create_task(call.memory.imports.run(call.caller, request, watch=note))
    try:
        while not work.done():
            await asyncio.wait([work], timeout=SECONDS_BETWEEN_REPORTS)
            await call.progress(so_far[0].seen, so_far[0].total, f"{so_far[0].filed} filed")
    finally:
        work.cancel()  # what is being written is kept whole or not at all
    summary = work.result()
    return said({"filed": summary.filed, "unchanged": summary.unchanged, "refused": summary.refused_count})


VERBS: tuple[Tool, ...] = tuple(each for each in list(globals().values()) if isinstance(each, Tool))
