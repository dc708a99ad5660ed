"""Say what was found: data with ids, and short texts that fit a budget of tokens."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

import orjson

from app.domain.artifact import Artifact
from app.domain.bounds import excerpt
from app.domain.candidate import AliasCandidate, Candidate, status_of
from app.domain.entity import Alias, Reference
from app.domain.recall import Annotation, Hit, RecallResult
from app.domain.temporal import EntityState, StateEvent, is_unknown, known_moment, rfc_3339
from app.mcp.tool import ToolAnswer, ToolCall
from app.services.catalog import EntityNames
from app.services.recall.confidence import LOW_CONFIDENCE
from app.services.states import StateAnswer

UNKNOWN = "UNKNOWN STATUS"
NEAREST = 3
SLACK = 0.95
MAX_PIECE = 16
"""Characters of a long word piece: so much of a text is looked at for each token of a budget."""


def json_text(data: object) -> str:
    """Return data as compact JSON."""
    return orjson.dumps(data, option=orjson.OPT_PASSTHROUGH_DATETIME, default=_plain).decode()


def _plain(value: object) -> str:
    return rfc_3339(value) if isinstance(value, datetime) else str(value)


def plain(data: Any) -> Any:
    """Return data with nothing in it but what JSON has."""
    return orjson.loads(json_text(data))


def said(data: Mapping[str, Any], *lines: str) -> ToolAnswer:
    """Return an answer of these lines; without any, the text is the data as JSON."""
    values: dict[str, Any] = plain(data)
    return ToolAnswer(values, "\n".join(line for line in lines if line) or json_text(values))


def day(moment: datetime | None) -> str:
    """Return the day of an instant, or `unknown`."""
    return "unknown" if moment is None or is_unknown(moment) else moment.date().isoformat()


def headline(artifact: Artifact, note: Annotation | None, replaced_by: str | None) -> str:
    """Return the flag of a document first, then what it is, and what replaced it."""
    flag = UNKNOWN if note is None or note.flag is None else note.flag.value
    named = " ".join(part for part in (artifact.identifier, excerpt(artifact.title)) if part)
    dated = "" if artifact.date is None else f" ({day(artifact.date)})"
    summary = "" if note is None or note.summary is None else f" {note.summary}"
    instead = "" if replaced_by is None else f" Replaced by: {excerpt(replaced_by)}."
    return f"[{flag}] {named}{dated}{summary}{instead}"


async def replacements(call: ToolCall, notes: Sequence[Annotation | None]) -> dict[UUID, str]:
    """Return what those are called that replaced something."""
    ids = {note.superseded_by for note in notes if note is not None and note.superseded_by is not None}
    if not ids:
        return {}
    names = await call.memory.catalog.names(call.caller, ids)
    return {id: names.text(id) for id in ids if id in names.entities}


async def recall_answer(call: ToolCall, result: RecallResult, budget: int) -> ToolAnswer:
    """Return the hits that fit a budget; if none answers the question, only what is nearest, without text."""
    names = await replacements(call, [hit.annotation for hit in result.hits])
    answers = bool(result.hits) and (result.confidence is None or result.confidence >= LOW_CONFIDENCE)
    hits = result.hits if answers else result.hits[:NEAREST]
    return await asyncio.to_thread(
        _largest_fitting,
        call,
        budget,
        len(hits),
        lambda count: _recall_answer(result, hits[:count], names, answers=answers),
    )


def _largest_fitting(call: ToolCall, budget: int, most: int, make: Callable[[int], ToolAnswer]) -> ToolAnswer:
    """Return the answer of the most items that fits a budget."""
    for count in range(most, 0, -1):
        if _cost(call, answer := make(count)) <= budget:
            return answer
    return make(0)


def _cost(call: ToolCall, answer: ToolAnswer) -> int:
    """Return the tokens of an answer in the larger of its two forms."""
    return max(call.tokens(answer.text), call.tokens(json_text(answer.data)))


async def page_answer(call: ToolCall, budget: int, make: Callable[[int], ToolAnswer]) -> ToolAnswer:
    """Return the answer with a page of so many tokens that all of it fits a budget."""

    def fit() -> ToolAnswer:
        room = budget
        while (cost := _cost(call, answer := make(room))) > budget and room > 1:
            room = max(1, int(room * budget / cost * SLACK))
        return answer

    return await asyncio.to_thread(fit)


def _recall_answer(
    result: RecallResult, hits: Sequence[Hit], names: Mapping[UUID, str], *, answers: bool
) -> ToolAnswer:
    notes = _notes(result, len(hits), answers=answers)
    data = {
        "answered": answers,
        "hits": [_hit(hit, names, with_passage=answers) for hit in hits],
        "as_of": result.as_of,
        "known_at": result.known_at,
        "notes": notes,
    }
    lines = [] if answers else ["Nothing here answers this question."]
    if hits and not answers:
        lines.append("The nearest documents, which are probably about something else:")
    for hit in hits:
        lines.append(headline(hit.artifact, hit.annotation, _replaced(hit, names)))
        lines.append(f"id {hit.artifact.id}{_read_on(hit)}")
        lines += [hit.passage.text.strip(), ""] if answers else []
    return said(data, *lines, *notes)


def _replaced(hit: Hit, names: Mapping[UUID, str]) -> str | None:
    by = hit.annotation.superseded_by
    return None if by is None or by == hit.artifact.entity else names.get(by)


def _end(hit: Hit) -> int | None:
    """Return the offset behind the passage in the text of its document; None at the end of that."""
    start = hit.artifact.body.find(hit.passage.text)
    end = max(start, 0) + (len(hit.passage.text) if start >= 0 else 0)
    return end if end < len(hit.artifact.body.rstrip()) else None


def _read_on(hit: Hit) -> str:
    end = _end(hit)
    return "" if end is None else f", more with read at offset {end}"


def _hit(hit: Hit, names: Mapping[UUID, str], *, with_passage: bool) -> dict[str, Any]:
    note, artifact = hit.annotation, hit.artifact
    found: dict[str, Any] = {
        "id": artifact.id,
        "entity": artifact.entity,
        "identifier": artifact.identifier,
        "title": artifact.title,
        "date": None if artifact.date is None else day(artifact.date),
        "flag": note.flag,
        "summary": note.summary,
        "replaced_by": _named(note.superseded_by, names),
    }
    if with_passage:
        found |= {"heading": hit.passage.heading, "passage": hit.passage.text, "next": _end(hit)}
    return {name: value for name, value in found.items() if value is not None or name == "flag"}


def _named(id: UUID | None, names: Mapping[UUID, str]) -> dict[str, Any] | None:
    return None if id is None else {"id": id, "name": names.get(id)}


def _notes(result: RecallResult, shown: int, *, answers: bool) -> list[str]:
    """Return what to know about the answer: legs that failed, and hits that are left out."""
    late = [f"{each.leg} did not respond: {each.problem}" for each in result.legs if each.problem]
    if answers and shown < len(result.hits):
        left = result.hits[shown]
        late.append(
            f"{len(result.hits) - shown} more hits do not fit token_budget; the next is"
            f" {headline(left.artifact, left.annotation, None)}, id {left.artifact.id}"
        )
    return late


def page_of(call: ToolCall, text: str, offset: int, room: int) -> int:
    """Return where a page of a text ends that has room for so many tokens: behind a paragraph, if it can."""
    window = text[offset : offset + room * MAX_PIECE]
    pieces = call.memory.embedder.piece_offsets(window)
    if len(pieces) <= room:
        return offset + len(window)
    end = pieces[room][0]
    for mark in ("\n\n", "\n", " "):
        if (at := window.rfind(mark, end // 2, end)) > 0:
            return offset + at + len(mark)
    return offset + max(end, 1)


def entity_data(id: UUID, names: EntityNames) -> dict[str, Any]:
    """Return an entity."""
    entity, called = names.entities[id], names.names[id]
    return {
        "entity_uuid": id,
        "entity_type": entity.type_name,
        "identifier": called.identifier,
        "name": called.label,
        "pid": names.project(id).key,
    }


def state_data(state: EntityState, event: StateEvent | None = None) -> dict[str, Any]:
    """Return a state, with the event that led to it."""
    return {
        "state_uuid": state.id,
        "branch": state.branch,
        "valid_from": known_moment(state.valid.start),
        "valid_until": state.valid.end,
        "props": state.props,
        "recorded_by": state.actor,
        "event_type": None if event is None else event.event_type,
        "description": None if event is None else event.description,
    }


def written_answer(written: StateAnswer, name: str, verb: str) -> ToolAnswer:
    """Return what a verb wrote: the state, its event and what is odd about it."""
    state = state_data(written.state, written.event)
    data = {"entity_uuid": written.entity.id, **state, "warnings": list(written.warnings)}
    line = f"{verb} {name}: {json_text(plain(state['props']))}, valid from {day(state['valid_from'])}"
    return said(data, line, f"state {written.state.id}", *written.warnings)


def alias_data(alias: Alias) -> dict[str, Any]:
    """Return an alias."""
    return {
        "alias_uuid": alias.id,
        "surface_form": alias.surface_form,
        "target_uuid": alias.target,
        "source_uuid": alias.source,
        "authority_tier": alias.tier,
        "valid_from": known_moment(alias.valid.start),
        "valid_until": alias.valid.end,
    }


def reference_data(reference: Reference, names: EntityNames) -> dict[str, Any]:
    """Return a reference with the names of its ends."""
    return {
        "reference_uuid": reference.id,
        "source_uuid": reference.source,
        "source": names.text(reference.source),
        "ref_type": reference.type,
        "in_part": reference.in_part,
        "target_uuid": reference.target,
        "target": names.text(reference.target),
        "valid_from": known_moment(reference.valid.start),
        "valid_until": reference.valid.end,
    }


def candidate_data(candidate: Candidate, names: EntityNames) -> dict[str, Any]:
    """Return a candidate with its quote."""
    proposed = (
        {"surface_form": candidate.surface_form}
        if isinstance(candidate, AliasCandidate)
        else {"property": candidate.property, "value": candidate.value}
    )
    return {
        "candidate_uuid": candidate.id,
        "status": status_of(candidate),
        "entity": names.text(candidate.entity),
        **proposed,
        "quote": candidate.quote.text,
        "artifact_uuid": candidate.artifact,
    }
