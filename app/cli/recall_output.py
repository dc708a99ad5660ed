"""Hits as blocks that people read."""

from __future__ import annotations

import re

from rich.console import Console
from rich.text import Text

from app.cli.output import counted, moment_text, printable, styled
from app.domain.recall import Anchor, FlagGround, Hit, RecallRequest, RecallResult, StateFlag
from app.domain.text import beginning
from app.domain.types import label_of

_GROUNDS = {
    FlagGround.OWN_STATE: "by its own state",
    FlagGround.MENTION: "by a former name in its text",
}


def reasons(hit: Hit, result: RecallResult) -> str:
    """Return whether the query names a hit, and the rank that each leg gave it.

    A hit that stands where it does for the one below that it replaced says which that is.
    """
    shares = [f"{share.leg.lower()} {share.rank}" for share in hit.contributions]
    return ", ".join([*_beside_legs(hit, result), *shares])


def explained(hit: Hit, result: RecallResult) -> str:
    """Return the same with every score, and what the hit's flag rests on."""
    shares = [
        f"{share.leg.lower()} rank {share.rank}, scored {share.score:.4f}, adds {share.contribution:.5f}"
        for share in hit.contributions
    ]
    return "; ".join([f"score {hit.score:.5f}", *_beside_legs(hit, result), *_flag(hit), *shares])


def _flag(hit: Hit) -> list[str]:
    flag, ground = hit.annotation.flag, hit.annotation.ground
    return [] if flag is None or ground is None else [f"{flag.lower()} {_GROUNDS[ground]}"]


def _beside_legs(hit: Hit, result: RecallResult) -> list[str]:
    entity = hit.artifact.entity
    if any(anchor.exact and anchor.entity.id == entity for anchor in result.anchors):
        return ["named"]
    replaced = (other for other in result.hits if other.annotation.superseded_by == entity)
    below = next((other for other in replaced if other.rank > hit.rank), None)
    if below is not None and (below.score > hit.score or not hit.contributions):
        return [f"replaces {below.rank}"]
    return [] if hit.contributions else ["brought along"]


def why_nothing(request: RecallRequest, result: RecallResult) -> str:
    """Return one line for a result without hits."""
    if request.first == 0:
        return "--first 0 asks for nothing"
    if any(ranking.problem for ranking in result.legs):
        return "the legs of recall that answered found nothing; ask again"
    if any(ranking.candidates for ranking in result.legs):
        return _left_out(request)
    if request.known_at is not None:
        return f"nothing that fits was known at {moment_text(result.known_at)}{_as_of(request, result)}"
    if request.as_of is not None:
        return f"nothing that fits existed at {moment_text(result.as_of)}"
    if request.kinds or request.domains:
        return "nothing of that kind or domain fits; ask in other words, or leave --kind and --domain out"
    return "nothing fits; ask in other words, or file something with `trigraph ingest PATH`"


def _left_out(request: RecallRequest) -> str:
    flags = " or ".join(request.flags).lower()
    if not flags:
        return "what fits is left out: raise --token-budget"
    budget = "" if request.token_budget is None else ", or larger than --token-budget"
    return f"what fits is not {flags}{budget}: leave --flag out to see it"


def _as_of(request: RecallRequest, result: RecallResult) -> str:
    return "" if request.as_of is None else f" to have existed at {moment_text(result.as_of)}"


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
    """Return the identifier and title that an anchor has at the asked time, else its type."""
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
    """Return a passage without the headings it opens with; those inside it end in a colon instead."""
    rest = text
    while (match := _LEADING_HEADING.match(rest)) is not None:
        rest = rest[match.end() :]
    return _INNER_UNDERLINED.sub(r"\1:", _INNER_HEADING.sub(r"\1:", rest)).strip()
