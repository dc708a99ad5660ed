"""Candidates that wait for a person, as blocks that people read and as JSON."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from rich.console import Console

from app.cli.entities_told import ToldEntities, load_entities
from app.cli.printing import printable
from app.cli.screen import styled
from app.domain.artifact import Artifact
from app.domain.candidate import AliasCandidate, Candidate, CandidateStatus, FactCandidate, status_of
from app.domain.page import PageRequest
from app.services.memory import Memory
from app.services.review import ReviewService
from app.stores.postgres import artifacts


@dataclass(frozen=True, slots=True)
class WaitingCandidates:
    """The first of the candidates that wait, how many wait in all, and what they speak of."""

    listed: tuple[Candidate, ...]
    waiting: int
    entities: ToldEntities
    artifacts: Mapping[UUID, Artifact]


async def load_candidates(memory: Memory, project: str | None, page: PageRequest) -> WaitingCandidates:
    """Answer the candidates that wait, likely names before likely facts; raises NotFound for no project."""
    service, caller = ReviewService(memory.database), memory.caller
    names = await service.alias_candidates(caller, project, CandidateStatus.PENDING, page)
    facts = await service.fact_candidates(caller, project, CandidateStatus.PENDING, page)
    listed: tuple[Candidate, ...] = (*names.page.items, *facts.page.items)
    called = await load_entities(memory, {candidate.entity for candidate in listed})
    async with memory.database.reading(caller.tenant) as connection:
        told_by = await artifacts.artifacts_by_id(
            connection, caller.tenant, list({candidate.artifact for candidate in listed})
        )
    return WaitingCandidates(
        listed=listed,
        waiting=await names.count() + await facts.count(),
        entities=called,
        artifacts=told_by,
    )


def print_candidates(console: Console, found: WaitingCandidates) -> None:
    """Write each candidate: its id, what it says, and the document and words that say so."""
    for candidate in found.listed:
        console.print(styled(f"{candidate.id}  {printable(_said(candidate, found))}"), soft_wrap=True)
        source = found.artifacts[candidate.artifact]
        told = f"{source.identifier or source.title}: {candidate.quote.text}"
        console.print(styled(f"    {printable(told)}", style="dim"), soft_wrap=True)
    if more := found.waiting - len(found.listed):
        console.print(
            f"{more} more wait" if found.listed else f"{more} wait; --first lists that many of each"
        )
    if not found.waiting:
        console.print("nothing waits for review")


def _said(candidate: Candidate, found: WaitingCandidates) -> str:
    subject = found.entities.told(candidate.entity)
    if isinstance(candidate, AliasCandidate):
        return f"{candidate.surface_form} may mean {subject}"
    return f"{candidate.property} of {subject} may be {candidate.value}"


def candidates_json(found: WaitingCandidates) -> dict[str, Any]:
    """Answer the candidates with the names of the schema."""
    return {
        "aliasCandidates": [
            _json(candidate, found) | {"surfaceForm": candidate.surface_form}
            for candidate in found.listed
            if isinstance(candidate, AliasCandidate)
        ],
        "factCandidates": [
            _json(candidate, found) | {"property": candidate.property, "value": candidate.value}
            for candidate in found.listed
            if isinstance(candidate, FactCandidate)
        ],
        "waiting": found.waiting,
    }


def _json(candidate: Candidate, found: WaitingCandidates) -> dict[str, Any]:
    source = found.artifacts[candidate.artifact]
    return {
        "id": candidate.id,
        "status": status_of(candidate),
        "entity": found.entities.object(candidate.entity),
        "artifact": {"id": source.id, "identifier": source.identifier, "title": source.title},
        "quote": candidate.quote.text,
        "quoteStart": candidate.quote.start,
        "recordedAt": candidate.recorded_at,
    }
