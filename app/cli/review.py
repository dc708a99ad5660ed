"""`trigraph review`: list the pending candidates, or decide about one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any
from uuid import UUID

import typer
from rich.console import Console

from app.cli.layout import paged, print_text
from app.cli.output import printable
from app.cli.runner import ShowIds, run_async, settings
from app.domain.artifact import Artifact
from app.domain.candidate import AliasCandidate, Candidate, CandidateStatus, FactCandidate
from app.domain.page import PageRequest
from app.domain.temporal import known_moment

if TYPE_CHECKING:
    from app.domain.entity import Alias
    from app.domain.temporal import EntityState
    from app.services.catalog import EntityNames
    from app.services.container import Memory
    from app.services.review import Decision


@dataclass(frozen=True, slots=True)
class PendingCandidates:
    """The first of the pending candidates, their total count, their entities and their documents."""

    listed: tuple[Candidate, ...]
    pending_count: int
    entities: EntityNames
    artifacts: Mapping[UUID, Artifact]


async def load_candidates(memory: Memory, project: str | None, page: PageRequest) -> PendingCandidates:
    """Load the pending candidates, names before facts; raises NotFound for an unknown project."""
    service, caller = memory.review, memory.caller
    names = await service.alias_candidates(caller, project, CandidateStatus.PENDING, page)
    facts = await service.fact_candidates(caller, project, CandidateStatus.PENDING, page)
    listed: tuple[Candidate, ...] = (*names.page.items, *facts.page.items)
    entities = await memory.catalog.names(caller, {candidate.entity for candidate in listed})
    documents = await memory.catalog.artifacts_by_id(caller, {candidate.artifact for candidate in listed})
    return PendingCandidates(
        listed=listed,
        pending_count=await names.count() + await facts.count(),
        entities=entities,
        artifacts=documents,
    )


def print_candidates(console: Console, found: PendingCandidates, *, shows_ids: bool = False) -> None:
    """Print each candidate: what it suggests, and the quote from its document."""
    for candidate in found.listed:
        print_text(console, printable(_candidate_text(candidate, found)), hang=4)
        source = found.artifacts[candidate.artifact]
        quote = f"{source.identifier or source.title}: {candidate.quote.text}"
        print_text(console, printable(quote), "dim", indent=4)
        if shows_ids:
            print_text(console, str(candidate.id), "dim", indent=4)
    if found.listed and not shows_ids:
        print_text(console, DECIDING, "blue")
    if more := found.pending_count - len(found.listed):
        console.print(f"{more} more pending" if found.listed else f"{more} pending; use --first to list them")
    if not found.pending_count:
        console.print("no pending candidates")


DECIDING = "to decide about one, run `trigraph review ID --promote` or `--reject`; --ids shows the ids"


def _candidate_text(candidate: Candidate, found: PendingCandidates) -> str:
    subject = found.entities.text(candidate.entity)
    if isinstance(candidate, AliasCandidate):
        return f"{candidate.surface_form} may mean {subject}"
    return f"{candidate.property} of {subject} may be {candidate.value}"


def candidates_json(found: PendingCandidates) -> dict[str, Any]:
    """Return the candidates as a JSON object with the names of the API."""
    from app.cli.api_json import candidate_json

    aliases = [each for each in found.listed if isinstance(each, AliasCandidate)]
    facts = [each for each in found.listed if isinstance(each, FactCandidate)]
    return {
        "aliasCandidates": [candidate_json(each, found.entities, found.artifacts) for each in aliases],
        "factCandidates": [candidate_json(each, found.entities, found.artifacts) for each in facts],
        "pending": found.pending_count,
    }


def review(
    candidate: Annotated[
        UUID | None,
        typer.Argument(
            metavar="ID",
            help="The id of the candidate to decide about; `trigraph review --ids` shows the ids. Without an"
            " id the command lists the candidates.",
        ),
    ] = None,
    promote: Annotated[
        bool, typer.Option("--promote", help="Promote the candidate: write the alias or fact.")
    ] = False,
    reject: Annotated[
        bool, typer.Option("--reject", help="Reject the candidate: write only the decision.")
    ] = False,
    reason: Annotated[str | None, typer.Option(help="The reason for the decision.")] = None,
    project: Annotated[str | None, typer.Option(help="List only the candidates of this project.")] = None,
    first: Annotated[
        int, typer.Option(help="The maximum number of candidates of each kind, up to 100.")
    ] = 20,
    ids: ShowIds = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as one JSON object.")] = False,
) -> None:
    """List alias and fact candidates, or decide about one.

    The list starts with the oldest candidates. A decision is final.
    """
    if candidate is None:
        if promote or reject or reason is not None:
            raise typer.BadParameter("give the id of the candidate to decide about")
        run_async(_list(project, first, ids=ids, as_json=as_json))
        return
    if promote == reject:
        raise typer.BadParameter("give either --promote or --reject")
    status = CandidateStatus.PROMOTED if promote else CandidateStatus.REJECTED
    run_async(_decide(candidate, status, reason, ids=ids, as_json=as_json))


async def _list(project: str | None, first: int, *, ids: bool, as_json: bool) -> None:
    from app.cli.output import console, print_json
    from app.services.container import open_memory

    page = PageRequest(first)
    async with open_memory(settings()) as memory:
        found = await load_candidates(memory, project, page)
    if as_json:
        print_json(candidates_json(found))
    else:
        screen = console()
        with paged(screen):
            print_candidates(screen, found, shows_ids=ids)


async def _decide(
    candidate: UUID, status: CandidateStatus, reason: str | None, *, ids: bool, as_json: bool
) -> None:
    from app.cli.output import print_json, say, start_text
    from app.services.container import open_memory
    from app.services.review import Decision

    async with open_memory(settings()) as memory:
        written = await _review(memory, Decision(candidate, status, reason))
    if as_json:
        id, since = (None, None) if written is None else (written.id, known_moment(written.valid.start))
        print_json({"candidate": candidate, "status": status, "written": id, "validFrom": since})
    elif written is None:
        say("rejected")
    else:
        outcome = f"promoted; it holds from {start_text(written.valid.start)}"
        say(f"{outcome}; wrote {written.id}" if ids else outcome)


async def _review(memory: Memory, decision: Decision) -> Alias | EntityState | None:
    """Decide about a candidate; return the alias or state written. Raises NotFound for an unknown id."""
    kind = await memory.catalog.kind_of_node(memory.caller, decision.candidate)
    if kind == "FactCandidate":
        fact = await memory.review.review_fact(memory.caller, decision)
        return fact.written
    alias = await memory.review.review_alias(memory.caller, decision)
    return alias.written
