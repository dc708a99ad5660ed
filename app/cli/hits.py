"""Hits as blocks that people read."""

from __future__ import annotations

from rich.console import Console
from rich.text import Text

from app.cli.printing import printable
from app.domain.recall import Hit, RecallResult, StateFlag

SNIPPET = 200
_COLOURS = {StateFlag.CURRENT: "green", StateFlag.HISTORICAL: "yellow", StateFlag.WIP: "cyan"}


def print_hits(console: Console, result: RecallResult, *, explain: bool = False) -> None:
    """Write each hit: rank, identifier, title and flag, why, the passage, and which legs found it."""
    for hit in result.hits:
        console.print(_headline(hit))
        if hit.annotation.summary:
            console.print(Text(f"    {printable(hit.annotation.summary)}", style="yellow"), soft_wrap=True)
        console.print(Text(f"    {_snippet(hit)}", style="dim"), soft_wrap=True)
        console.print(Text(f"    {_explained(hit) if explain else _legs(hit)}", style="blue"), soft_wrap=True)
    if not result.hits:
        console.print(Text("nothing fits; ask in other words, or file something with `trigraph ingest PATH`"))


def print_explanation(console: Console, result: RecallResult) -> None:
    """Write what the query was understood to name, the instants it was asked at, and how each leg fared."""
    for anchor in result.anchors:
        name = printable(anchor.surface_form)
        console.print(f"names     {name}: {anchor.entity.type_name} {anchor.entity.key}")
    console.print(f"as of     {result.as_of.isoformat()}")
    console.print(f"known at  {result.known_at.isoformat()}")
    for ranking in result.legs:
        told = f"{len(ranking.candidates)} candidates, {ranking.milliseconds:.1f} ms, {ranking.served}"
        console.print(f"leg       {ranking.leg.lower()}: {ranking.problem or told}")


def _headline(hit: Hit) -> Text:
    flag = hit.annotation.flag
    line = Text(f"{hit.rank:>2}  ")
    if hit.artifact.identifier:
        line.append(f"{printable(hit.artifact.identifier)}  ", style="bold")
    line.append(printable(hit.artifact.title))
    if flag is not None:
        line.append(f"  {flag.lower()}", style=_COLOURS[flag])
    return line


def _snippet(hit: Hit) -> str:
    headings = [*(hit.passage.heading or "").split(" > ")]
    if headings[0].endswith(hit.artifact.title):  # it stands in the line above already
        headings = headings[1:]
    heading = " > ".join(filter(None, headings))
    text = printable(f"{heading}: {hit.passage.text}" if heading else hit.passage.text)
    return text if len(text) <= SNIPPET else f"{text[:SNIPPET].rpartition(' ')[0]} …"


def _legs(hit: Hit) -> str:
    return ", ".join(f"{share.leg.lower()} {share.rank}" for share in hit.contributions) or "named"


def _explained(hit: Hit) -> str:
    ground = f"flag by {hit.annotation.ground.lower()}; " if hit.annotation.ground else ""
    shares = "; ".join(
        f"{share.leg.lower()} rank {share.rank}, scored {share.score:.4f}, adds {share.contribution:.5f}"
        for share in hit.contributions
    )
    return f"score {hit.score:.5f}; {ground}{shares}"
