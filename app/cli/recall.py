"""`trigraph recall`: ask a question and print the hits."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Annotated

import typer

from app.cli.runner import MOMENT_HELP, parse_moment, print_error, run_async, settings
from app.domain.artifact import MemoryDomain
from app.domain.recall import DEFAULT_HITS, RecallRequest, RecallResult, StateFlag
from app.domain.temporal import AsOf

if TYPE_CHECKING:
    from app.services.catalog import EntityNames
    from app.services.container import Memory

_DOMAINS = [domain.lower() for domain in MemoryDomain]


def recall(
    query: Annotated[str, typer.Argument(help="The question: plain words, names or identifiers.")],
    as_of: Annotated[
        datetime | None,
        typer.Option(
            parser=parse_moment,
            metavar="MOMENT",
            help=f"Answer as of this moment in valid time. {MOMENT_HELP}",
        ),
    ] = None,
    known_at: Annotated[
        datetime | None,
        typer.Option(
            parser=parse_moment, metavar="MOMENT", help="Use only what was recorded by this moment."
        ),
    ] = None,
    prefer_wip: Annotated[
        bool,
        typer.Option("--prefer-wip/--no-prefer-wip", help="Prefer an open draft over the committed state."),
    ] = True,
    project: Annotated[str | None, typer.Option(help="Search only this project.")] = None,
    kind: Annotated[
        list[str] | None,
        typer.Option(help="Only documents of this type, and documents that replaced them; repeatable."),
    ] = None,
    domain: Annotated[
        list[MemoryDomain] | None,
        typer.Option(
            case_sensitive=False,
            metavar="DOMAIN",
            help=f"Only documents of this domain, repeatable: {', '.join(_DOMAINS)}.",
        ),
    ] = None,
    flag: Annotated[
        list[StateFlag] | None,
        typer.Option(case_sensitive=False, help="Only hits with this flag; repeatable."),
    ] = None,
    first: Annotated[int, typer.Option(help="The maximum number of hits, up to 100.")] = DEFAULT_HITS,
    token_budget: Annotated[
        int | None, typer.Option(help="The maximum number of tokens in all passages together.")
    ] = None,
    explain: Annotated[
        bool, typer.Option("--explain", help="Show the score of each hit and the result of each leg.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as one JSON object.")] = False,
) -> None:
    """Ask a question and print the hits, best first.

    Each hit is marked as current, historical or work in progress.
    """
    from app.services.parsing import clean_text

    request = RecallRequest(
        query=clean_text(query),
        as_of=as_of,
        known_at=known_at,
        prefer_wip=prefer_wip,
        project=project,
        kinds=tuple(kind or ()),
        domains=tuple(domain or ()),
        flags=tuple(flag or ()),
        first=first,
        token_budget=token_budget,
    )
    run_async(_recall(request, explain=explain, as_json=as_json))


async def _recall(request: RecallRequest, *, explain: bool, as_json: bool) -> None:
    from app.cli.api_json import result_json
    from app.cli.layout import paged
    from app.cli.output import console, print_json
    from app.cli.recall_output import print_explanation, print_hits
    from app.services.container import open_memory

    async with open_memory(settings()) as memory:
        result = await memory.recall.recall(memory.caller, request)
        names = await load_names(memory, result) if as_json else None
    if names is not None:
        print_json(result_json(result, names))
        return
    if result.hits or any(ranking.problem for ranking in result.legs):
        for advisory in result.advisories:
            print_error(advisory)
    screen = console()
    with paged(screen):
        if explain:
            print_explanation(screen, result)
        print_hits(screen, request, result, explain=explain)


async def load_names(memory: Memory, result: RecallResult) -> EntityNames:
    """Load the entities of the hits, of their replacements and of the anchors."""
    ids = {hit.artifact.entity for hit in result.hits}
    ids |= {hit.annotation.superseded_by for hit in result.hits if hit.annotation.superseded_by}
    ids |= {anchor.entity.id for anchor in result.anchors}
    return await memory.catalog.names(memory.caller, ids, AsOf(result.as_of, result.known_at))
