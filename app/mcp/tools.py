"""The eight tools of the default profile: few, so that a model reads what each is for."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal, TypeAlias
from uuid import UUID

from pydantic import Field, WithJsonSchema

from app.domain.artifact import Artifact
from app.domain.candidate import Candidate, CandidateStatus
from app.domain.entity import Entity, ReferenceType
from app.domain.page import PageRequest
from app.domain.recall import RecallRequest, StateFlag
from app.domain.temporal import Branch
from app.errors import Conflict, Invalid, NotFound
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
from app.metrics import record_legs
from app.services.aliases import AliasRequest
from app.services.catalog import describe_pending
from app.services.filing import FiledDocument, StatedDocument, read_stated
from app.services.references import StatedReference
from app.services.review import Decision
from app.services.states import DraftChange, Sealing, StateChange, StatedCause

DEFAULT_BUDGET = 2_000
MAX_HITS = 10
LISTED = 20

Name: TypeAlias = Annotated[
    str, WithJsonSchema({"type": "string", "description": "identifier, name, alias or id"})
]
PastMoment: TypeAlias = Annotated[
    Moment, WithJsonSchema({"type": "string", "description": "date or instant: answer as of then"})
]
Flags: TypeAlias = Annotated[
    list[StateFlag], WithJsonSchema({"type": "array", "items": {"enum": [*StateFlag]}})
]
LinkType: TypeAlias = Annotated[str, WithJsonSchema({"type": "string"})]
Decided: TypeAlias = Literal["promote", "reject"]


@tool(
    "Ask the team's memory before you decide or answer. Hits come best first with a flag: CURRENT is in"
    " force; HISTORICAL is not, so follow replaced_by; WIP is not agreed. answered false: nothing here"
    " answers, so do not guess.",
    reads=True,
    output={"answered": "boolean", "hits": "array", "notes": "array"},
)
async def recall(
    call: ToolCall,
    query: str,
    as_of: PastMoment | None = None,
    project: Project | None = None,
    flags: Flags | None = None,
    token_budget: TokenBudget = DEFAULT_BUDGET,
) -> ToolAnswer:
    """Return the hits of a question, each with its flag."""
    request = RecallRequest(
        query,
        as_of,
        project=project,
        flags=tuple(flags or ()),
        first=MAX_HITS,
        token_budget=token_budget,
    )
    return await answer_question(call, request, token_budget)


async def answer_question(call: ToolCall, request: RecallRequest, token_budget: int) -> ToolAnswer:
    """Return the hits that fit a budget, and count the legs that answered."""
    result = await call.memory.recall.recall(call.caller, request)
    record_legs(result.legs)
    return await answers.recall_answer(call, result, token_budget)


@tool(
    "Read a document by the id of a hit, or by identifier or name (ADR-7), in pages: go on with offset=next.",
    reads=True,
    output={"flag": "string", "text": "string"},
)
async def read(
    call: ToolCall,
    id: Name,
    offset: Annotated[int, Field(ge=0), WithJsonSchema({"type": "integer"})] = 0,
    as_of: Moment | None = None,
    project: Project | None = None,
    token_budget: TokenBudget = DEFAULT_BUDGET,
) -> ToolAnswer:
    """Return a page of a document, with its flag."""
    artifact = await find_artifact(call, id, project, as_of)
    (note,) = await call.memory.recall.annotations(call.caller, [artifact], as_of)
    names = await answers.replacements(call, [note])
    by = None if note is None or note.superseded_by == artifact.entity else note.superseded_by
    head = answers.headline(artifact, note, None if by is None else names.get(by))
    data = {
        "id": artifact.id,
        "entity": artifact.entity,
        "flag": answers.UNKNOWN if note is None or note.flag is None else note.flag,
        "summary": None if note is None else note.summary,
        "replaced_by": None if by is None else {"id": by, "name": names.get(by)},
    }
    body = artifact.body

    def page(room: int) -> ToolAnswer:
        end = answers.page_of(call, body, offset, room)
        more = {} if end >= len(body.rstrip()) else {"next": end}
        line = f"Read on with offset {end} of {len(body)}." if more else "This is the end of the document."
        text = body[offset:end]
        return said({**data, "text": text, **more, "length": len(body)}, head, text.strip(), line)

    return await answers.page_answer(call, token_budget, page)


async def find_artifact(
    call: ToolCall, name: str, project: str | None = None, as_of: datetime | None = None
) -> Artifact:
    """Return the artifact of an id, or else the version of a document that is there at a moment."""
    try:
        id = UUID(name)
    except ValueError:
        pass
    else:
        found = await call.memory.catalog.artifacts_by_id(call.caller, [id])
        if id in found:
            return found[id]
    entity = await find_entity(call, name, project, as_of)
    newest = await call.memory.recall.newest_version(call.caller, entity.id, as_of)
    if newest is None:
        raise NotFound(f"{name} has no document at that moment; use state to see what is known of it")
    return newest


@tool(
    "File a document in Markdown, after a decision or finding, so that it is recalled. kind: ADR, SPEC, Plan,"
    " TODO, Journal, Retro or another type. Header lines such as Status, Date and Supersedes count. The same"
    " identifier again is a new version.",
    output={"id": "string", "created": "boolean", "warnings": "array"},
)
async def file(
    call: ToolCall,
    text: str,
    kind: str,
    identifier: str | None = None,
    title: str | None = None,
    status: str | None = None,
    project: Project | None = None,
) -> ToolAnswer:
    """File one document."""
    stated = StatedDocument(kind, text, identifier, title, status)
    filed = await file_document(call, stated, project)
    warnings = warnings_of(filed)
    name = " ".join(part for part in (filed.artifact.identifier, filed.artifact.title) if part)
    data = {
        "id": filed.artifact.id,
        "entity": filed.entity.id,
        "created": filed.created,
        "candidates": filed.candidates,
        "warnings": warnings,
    }
    outcome = "Filed" if filed.created else "Nothing changed: the same text is filed already as"
    waits = f"{filed.candidates} candidates wait for review." if filed.candidates else ""
    return said(data, f"{outcome} {name}, id {filed.artifact.id}", waits, *warnings)


async def file_document(
    call: ToolCall, stated: StatedDocument, project: str | None, key: str | None = None
) -> FiledDocument:
    """File a stated document as the caller."""
    prefixes = await call.memory.filing.prefixes(call.caller, project)
    document = await read_stated(stated, prefixes)
    return await call.memory.filing.file(call.caller, document, project, idempotency_key=key)


def warnings_of(filed: FiledDocument) -> list[str]:
    """Return what was unusual in a document, and which of its references wait."""
    return [*filed.warnings, *describe_pending(filed.pending)]


@tool(
    "What is known of one document or thing: its properties, since when, what replaced it and its open draft."
    " history lists all its states.",
    reads=True,
    output={"entity": "object", "states": "array"},
)
async def state(
    call: ToolCall,
    name: Name,
    as_of: Moment | None = None,
    history: bool = False,
    project: Project | None = None,
) -> ToolAnswer:
    """Return the states of an entity."""
    if history and as_of is not None:
        raise Invalid("history shows all moments; leave out as_of", field="as_of")
    entity = await find_entity(call, name, project, as_of)
    states = call.memory.states
    line = await (states.history(call.caller, entity) if history else states.at(call.caller, entity, as_of))
    newest = await call.memory.recall.newest_version(call.caller, entity.id, as_of)
    versions = [] if newest is None else [newest]
    notes = await call.memory.recall.annotations(call.caller, versions, as_of)
    label = line.names.text(entity.id)
    head = answers.headline(versions[0], notes[0], None) if versions else label
    data: dict[str, Any] = {
        "entity": answers.entity_data(entity.id, line.names),
        "flag": next((None if note is None else note.flag for note in notes), None),
        "replaced_by": [
            {"id": each.by, "name": each.called, "since": each.since} for each in line.superseded
        ],
        "states": [answers.state_data(held, event) for held, event in line.states],
    }
    lines = [f"Replaced by {each.called} since {answers.day(each.since)}." for each in line.superseded]
    for held, event in line.states:
        until = "" if held.valid.end is None else f" until {answers.day(held.valid.end)}"
        because = "" if event is None else f" ({event.event_type})"
        lines.append(
            f"{held.branch} from {answers.day(held.valid.start)}{until}{because}: "
            + answers.json_text(answers.plain(held.props))
        )
    return said(data, head, *lines)


@tool(
    'Record what is true of a thing from a date on (default now): properties such as {"status": "accepted"};'
    " null removes one. Nothing is overwritten.",
    output={"state_uuid": "string", "props": "object"},
)
async def record(
    call: ToolCall,
    name: Name,
    props: Properties,
    valid_from: Moment | None = None,
    reason: str | None = None,
    project: Project | None = None,
) -> ToolAnswer:
    """Record a fact, or several together."""
    entity = await find_entity(call, name, project)
    change = StateChange(props, valid_from)
    if len(props) == 1:
        cause = StatedCause("fact", description=reason)
        written = await call.memory.states.record_fact(call.caller, entity.id, change, cause)
    else:
        cause = StatedCause("status_transition" if "status" in props else "change", description=reason)
        written = await call.memory.states.transition(call.caller, entity.id, change, cause)
    return answers.written_answer(written, name, "Recorded")


@tool(
    "Keep what is not agreed as a draft beside the state in force: save props, then seal when it is agreed,"
    " or discard. Without action it saves.",
    output={"state_uuid": "string", "props": "object"},
)
async def wip(
    call: ToolCall,
    name: Name,
    action: Literal["save", "seal", "discard"] = "save",
    props: Properties | None = None,
    reason: str | None = None,
    project: Project | None = None,
) -> ToolAnswer:
    """Save, seal or discard the draft of an entity."""
    entity = await find_entity(call, name, project)
    states = call.memory.states
    if action == "save":
        written = await states.save_wip(call.caller, entity.id, DraftChange(props or {}))
        return answers.written_answer(written, name, "Saved the draft of")
    draft = await open_draft(call, entity)
    if action == "seal":
        sealing = Sealing(props or {}, description=reason)
        return answers.written_answer(await states.seal_wip(call.caller, draft, sealing), name, "Sealed")
    return answers.written_answer(
        await states.discard_wip(call.caller, draft, reason), name, "Discarded the draft of"
    )


async def open_draft(call: ToolCall, entity: Entity) -> UUID:
    """Return the id of the draft of an entity; raise Conflict if it has none."""
    line = await call.memory.states.at(call.caller, entity)
    drafts = [held.id for held, _ in line.states if held.branch is Branch.WIP]
    if not drafts:
        raise Conflict(f"{line.names.text(entity.id)} has no draft; save one first, or look with state")
    return drafts[-1]


@tool(
    "Link two things: source SUPERSEDES, IMPLEMENTS, EXTENDS, DEPENDS_ON, SPECIFIES, FORMALIZES, RESOLVES,"
    " DOCUMENTS, RELATES_TO or REFERENCES target. With type ALIAS source is another name of target.",
    output={"type": "string"},
)
async def link(
    call: ToolCall,
    source: Name,
    type: LinkType,
    target: Name,
    project: Project | None = None,
) -> ToolAnswer:
    """Create a reference or an alias."""
    to = await find_entity(call, target, project)
    if type.upper() == "ALIAS":
        written = await call.memory.aliases.create(call.caller, AliasRequest(source, to.id, project))
        alias = None if written.alias is None else answers.alias_data(written.alias)
        return said({"type": "ALIAS", "alias": alias}, f"{source} is another name of {target} now.")
    if type.upper() not in ReferenceType.__members__:
        raise Invalid(f"type is ALIAS or one of {', '.join(ReferenceType)}", field="type")
    stated = StatedReference(
        (await find_entity(call, source, project)).id, to.id, ReferenceType[type.upper()]
    )
    made = (await call.memory.references.create(call.caller, stated)).reference
    names = await call.memory.catalog.names(call.caller, [made.source, made.target])
    reference = answers.reference_data(made, names)
    line = f"{reference['source']} {made.type} {reference['target']}"
    return said({"type": made.type, "reference": reference}, line)


@tool(
    "List what texts only suggest (other names, facts), each with its quote; people decide. With id and"
    " decision promote or reject one.",
    output={"candidates": "array"},
)
async def review(
    call: ToolCall,
    id: Annotated[UUID, WithJsonSchema({"type": "string"})] | None = None,
    decision: Decided | None = None,
    reason: str | None = None,
    project: Project | None = None,
) -> ToolAnswer:
    """List the queues, or decide about a candidate."""
    if id is None:
        return await pending(call, project)
    if decision is None:
        raise Invalid("give the decision: promote or reject", field="decision")
    return await decide(call, id, decision, reason)


async def pending(call: ToolCall, project: str | None) -> ToolAnswer:
    """Return the candidates that wait for a decision, at most 20 of each queue."""
    page, waiting = PageRequest(LISTED), CandidateStatus.PENDING
    aliases = await call.memory.review.alias_candidates(call.caller, project, waiting, page)
    facts = await call.memory.review.fact_candidates(call.caller, project, waiting, page)
    found: list[Candidate] = [*aliases.page.items, *facts.page.items]
    names = await call.memory.catalog.names(call.caller, [each.entity for each in found])
    candidates = [answers.candidate_data(each, names) for each in found]
    count = await aliases.count() + await facts.count()
    lines = [answers.json_text(answers.plain(each)) for each in candidates]
    return said({"candidates": candidates, "count": count}, f"{count} candidates wait.", *lines)


async def decide(call: ToolCall, id: UUID, decision: Decided, reason: str | None) -> ToolAnswer:
    """Promote or reject a candidate of either queue."""
    status = CandidateStatus.PROMOTED if decision == "promote" else CandidateStatus.REJECTED
    kind = await call.memory.catalog.kind_of_node(call.caller, id)
    stated = Decision(id, status, reason)
    candidate: Candidate
    if kind == "FactCandidate":
        candidate = (await call.memory.review.review_fact(call.caller, stated)).candidate
    else:  # an unknown id is refused there, with what to do
        candidate = (await call.memory.review.review_alias(call.caller, stated)).candidate
    names = await call.memory.catalog.names(call.caller, [candidate.entity])
    data = answers.candidate_data(candidate, names)
    return said({"candidates": [data]}, f"{status.lower()}: {answers.json_text(answers.plain(data))}")


DEFAULT_TOOLS: tuple[Tool, ...] = (recall, read, file, state, record, wip, link, review)
