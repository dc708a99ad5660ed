"""`trigraph recall`: ask a question and print the hits."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Annotated

import typer

from app.cli.runner import MOMENT_HELP, parse_moment, print_error, run_async, settings
from app.domain.artifact import MemoryDomain
from app.domain.recall import RecallRequest, RecallResult, StateFlag
from app.domain.temporal import AsOf

if TYPE_CHECKING:
    from app.services.catalog import EntityNames
    from app.services.container import Memory


def recall(
    query: Annotated[str, typer.Argument(help="The question, in words or by name.")],
    as_of: Annotated[
        datetime | None,
        typer.Option(parser=parse_moment, metavar="MOMENT", help=f"Answer as of this moment. {MOMENT_HELP}"),
    ] = None,
    known_at: Annotated[
        datetime | None,
        typer.Option(parser=parse_moment, metavar="MOMENT", help="Answer from what was recorded until then."),
    ] = None,
    prefer_wip: Annotated[
        bool, typer.Option("--prefer-wip/--no-prefer-wip", help="Let a draft speak before what it drafts.")
    ] = True,
    project: Annotated[str | None, typer.Option(help="Look into this project only.")] = None,
    kind: Annotated[
        list[str] | None, typer.Option(help="Answer this kind, and what replaced it; may be repeated.")
    ] = None,
    domain: Annotated[
        list[MemoryDomain] | None,
        typer.Option(case_sensitive=False, help="Answer documents of this domain; may be repeated."),
    ] = None,
    flag: Annotated[
        list[StateFlag] | None,
        typer.Option(case_sensitive=False, help="Answer hits with this flag only; may be repeated."),
    ] = None,
    first: Annotated[int, typer.Option(help="How many hits to answer at most, up to 100.")] = 10,
    token_budget: Annotated[
        int | None, typer.Option(help="How many word pieces the passages may take together.")
    ] = None,
    explain: Annotated[bool, typer.Option("--explain", help="Say why, hit by hit and leg by leg.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Ask, and see what is current, historical or work in progress."""
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
    from app.cli.output import console, print_json
    from app.cli.recall_output import print_explanation, print_hits
    from app.services.container import open_memory

    async with open_memory(settings()) as memory:
        result = await memory.recall.recall(memory.caller, request)
        names = await load_names(memory, result) if as_json else None
    if names is not None:
        print_json(result_json(result, names))
        return
    if explain:
        print_explanation(console(), result)
    print_hits(console(), request, result, explain=explain)
    if result.hits or any(ranking.problem for ranking in result.legs):
        for advisory in result.advisories:
            print_error(advisory)


async def load_names(memory: Memory, result: RecallResult) -> EntityNames:
    """Load the entities of the hits, of their replacements and of the anchors."""
    ids = {hit.artifact.entity for hit in result.hits}
    ids |= {hit.annotation.superseded_by for hit in result.hits if hit.annotation.superseded_by}
    ids |= {anchor.entity.id for anchor in result.anchors}
    return await memory.catalog.names(memory.caller, ids, AsOf(result.as_of, result.known_at))
