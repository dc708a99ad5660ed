"""`trigraph review`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated
from uuid import UUID

import typer

from app.cli.running import finish, settings

if TYPE_CHECKING:
    from app.domain.candidate import CandidateStatus
    from app.services.memory import Memory
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
    from app.cli.candidates import candidates_json, load_candidates, print_candidates
    from app.cli.printing import console, print_json
    from app.domain.page import PageRequest
    from app.services.memory import open_memory

    page = PageRequest(first)
    async with open_memory(settings()) as memory:
        found = await load_candidates(memory, project, page)
    if as_json:
        print_json(candidates_json(found))
    else:
        print_candidates(console(), found)


async def _decide(candidate: UUID, status: CandidateStatus, reason: str | None, *, as_json: bool) -> None:
    from app.cli.printing import console, print_json
    from app.services.memory import open_memory
    from app.services.review import Decision

    async with open_memory(settings()) as memory:
        written = await _review(memory, Decision(candidate, status, reason))
    if as_json:
        print_json({"candidate": candidate, "status": status, "written": written})
    else:
        told = "rejected" if written is None else f"promoted; wrote {written}"
        console().print(f"{candidate}  {told}", soft_wrap=True)


async def _review(memory: Memory, decision: Decision) -> UUID | None:
    """Answer the id of the alias or state that the decision wrote; raises NotFound for no candidate."""
    from app.services.catalog import CatalogService
    from app.services.review import ReviewService

    kind = await CatalogService(memory.database).kind_of_node(memory.caller, decision.candidate)
    service = ReviewService(memory.database)
    if kind == "FactCandidate":
        fact = await service.review_fact(memory.caller, decision)
        return None if fact.written is None else fact.written.id
    alias = await service.review_alias(memory.caller, decision)
    return None if alias.written is None else alias.written.id
