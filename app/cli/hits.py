"""Hits as blocks that people read."""

from __future__ import annotations

import re

from rich.console import Console
from rich.text import Text

from app.cli.hit_reasons import explained, reasons
from app.cli.no_hits import why_nothing
from app.cli.printing import counted, moment_text, printable
from app.cli.screen import styled
from app.domain.graphemes import beginning
from app.domain.ontology import label_of
from app.domain.recall import Anchor, Hit, RecallRequest, RecallResult, StateFlag

SNIPPET = 200
_COLOURS = {StateFlag.CURRENT: "green", StateFlag.HISTORICAL: "yellow", StateFlag.WIP: "cyan"}
_INNER_HEADING = re.compile(r"(?m)^#{1,6}[ \t]+(.+?)[ \t#]*$")
_INNER_UNDERLINED = re.compile(r"(?m)^(\S.*)\n(?:={3,}|-{3,})[ \t]*$")
_LEADING_HEADING = re.compile(r"\s*(?:#{1,6}[ \t][^\n]*|[^\n]+\n[ \t]*(?:=+|-+)[ \t]*)(?:\n|\Z)")


def print_hits(
    console: Console, request: RecallRequest, result: RecallResult, *, explain: bool = False
) -> None:
    """Write each hit: rank, identifier, title, date and flag, why, the passage, and what brought it here."""
    for hit in result.hits:
        console.print(_headline(hit), soft_wrap=True)
        if hit.annotation.summary:
            console.print(styled(f"    {printable(hit.annotation.summary)}", style="yellow"), soft_wrap=True)
        console.print(styled(f"    {_snippet(hit)}", style="dim"), soft_wrap=True)
        why = explained(hit, result) if explain else reasons(hit, result)
        console.print(styled(f"    {why}", style="blue"), soft_wrap=True)
    if not result.hits:
        console.print(styled(why_nothing(request, result)), soft_wrap=True)


def print_explanation(console: Console, result: RecallResult) -> None:
    """Write what the query was understood to name, the instants it was asked at, and how each leg fared."""
    for anchor in result.anchors:
        named = f"{printable(anchor.surface_form)}: {printable(_called(anchor))}"
        console.print(f"names     {named}", soft_wrap=True)
    console.print(f"as of     {moment_text(result.as_of)}")
    console.print(f"known at  {moment_text(result.known_at)}")
    for ranking in result.legs:
        candidates = counted(len(ranking.candidates), "candidate")
        told = f"{candidates}, {ranking.milliseconds:.1f} ms, {ranking.served}"
        told += ", approximate" if ranking.approximate else ""
        console.print(f"leg       {ranking.leg.lower()}: {ranking.problem or told}", soft_wrap=True)


def _called(anchor: Anchor) -> str:
    """Answer the identifier and title that an anchor has at the asked time, else its type."""
    props = {} if anchor.state is None else anchor.state.props
    parts = [props.get("identifier"), label_of(props)]
    called = " ".join(dict.fromkeys(part for part in parts if isinstance(part, str)))
    return called or f"{anchor.entity.type_name} {anchor.entity.id}"


def _headline(hit: Hit) -> Text:
    flag = hit.annotation.flag
    line = styled(f"{hit.rank:>2}  ")
    if hit.artifact.identifier:
        line.append(f"{printable(hit.artifact.identifier)}  ", style="bold")
    line.append(printable(hit.artifact.title))
    line.append(f"  {hit.artifact.created_at.date().isoformat()}", style="dim")
    if flag is not None:
        line.append(f"  {flag.lower()}", style=_COLOURS[flag])
    return line


def _snippet(hit: Hit) -> str:
    *above, heading = (hit.passage.heading or "").split(" > ")
    if not above and heading.endswith(hit.artifact.title):  # it stands in the line above already
        heading = ""
    words = _without_headings(hit.passage.text)
    text = printable(f"{heading}: {words}" if heading and words else words or hit.passage.text)
    start = beginning(text, SNIPPET)
    return text if start == text else f"{start.rpartition(' ')[0] or start} …"


def _without_headings(text: str) -> str:
    """Answer a passage without the headings it opens with; those inside it end in a colon instead."""
    rest = text
    while (match := _LEADING_HEADING.match(rest)) is not None:
        rest = rest[match.end() :]
    return _INNER_UNDERLINED.sub(r"\1:", _INNER_HEADING.sub(r"\1:", rest)).strip()
