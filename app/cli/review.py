"""`trigraph review`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any
from uuid import UUID

import typer
from rich.console import Console

from app.cli.entity_lookup import ToldEntities, load_entities
from app.cli.output import printable, styled
from app.cli.runner import finish, settings
from app.domain.artifact import Artifact
from app.domain.candidate import AliasCandidate, Candidate, CandidateStatus, FactCandidate, status_of
from app.domain.page import PageRequest
from app.services.container import Memory
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
    """Return the candidates that wait, likely names before likely facts; raises NotFound for no project."""
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
    """Return the candidates with the names of the schema."""
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


if TYPE_CHECKING:
    from app.domain.candidate import CandidateStatus
    from app.services.container import Memory
    from app.services.review import Decision


def review(
    candidate: Annotated[
        UUID | None,
        typer.Argument(metavar="ID", help="The candidate to decide about; without one, list them."),
    ] = None,
    promote: Annotated[bool, typer.Option("--promote", help="Write what it says.")] = False,
    reject: Annotated[bool, typer.Option("--reject", help="Write nothing but the decision.")] = False,
    reason: Annotated[str | None, typer.Option(help="Why; kept with the decision.")] = None,
    project: Annotated[str | None, typer.Option(help="List the candidates of this project only.")] = None,
    first: Annotated[int, typer.Option(help="How many of each kind to list at most, up to 100.")] = 20,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """List the names and facts that documents suggest, the oldest first, or decide about one, once."""
    if candidate is None:
        if promote or reject or reason is not None:
            raise typer.BadParameter("name the candidate to decide about by its id")
        finish(_list(project, first, as_json=as_json))
        return
    if promote == reject:
        raise typer.BadParameter("decide: --promote or --reject")
    from app.domain.candidate import CandidateStatus

    status = CandidateStatus.PROMOTED if promote else CandidateStatus.REJECTED
    finish(_decide(candidate, status, reason, as_json=as_json))


async def _list(project: str | None, first: int, *, as_json: bool) -> None:
    from app.cli.output import console, print_json
    from app.domain.page import PageRequest
    from app.services.container import open_memory

    page = PageRequest(first)
    async with open_memory(settings()) as memory:
        found = await load_candidates(memory, project, page)
    if as_json:
        print_json(candidates_json(found))
    else:
        print_candidates(console(), found)


async def _decide(candidate: UUID, status: CandidateStatus, reason: str | None, *, as_json: bool) -> None:
    from app.cli.output import console, print_json
    from app.services.container import open_memory
    from app.services.review import Decision

    async with open_memory(settings()) as memory:
        written = await _review(memory, Decision(candidate, status, reason))
    if as_json:
        print_json({"candidate": candidate, "status": status, "written": written})
    else:
        told = "rejected" if written is None else f"promoted; wrote {written}"
        console().print(f"{candidate}  {told}", soft_wrap=True)


async def _review(memory: Memory, decision: Decision) -> UUID | None:
    """Return the id of the alias or state that the decision wrote; raises NotFound for no candidate."""
    from app.services.catalog import CatalogService
    from app.services.review import ReviewService

    kind = await CatalogService(memory.database).kind_of_node(memory.caller, decision.candidate)
    service = ReviewService(memory.database)
    if kind == "FactCandidate":
        fact = await service.review_fact(memory.caller, decision)
        return None if fact.written is None else fact.written.id
    alias = await service.review_alias(memory.caller, decision)
    return None if alias.written is None else alias.written.id
