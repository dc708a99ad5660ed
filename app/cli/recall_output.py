"""Print a recall result for people: the hits, their reasons, and why there are none."""

from __future__ import annotations

import re

from rich.console import Console

from app.cli.layout import RowPart, Yields, print_row, print_text
from app.cli.output import moment_text, printable
from app.domain.recall import Anchor, FlagGround, Hit, RecallRequest, RecallResult, StateFlag
from app.domain.text import beginning, pluralize
from app.domain.types import label_of

_GROUNDS = {
    FlagGround.OWN_STATE: "because of its own state",
    FlagGround.MENTION: "because its text uses a former name",
}


def reasons(hit: Hit, result: RecallResult) -> str:
    """Return why a hit is in the result: named by the query, a replacement, and its rank in each leg.

    A hit that is ranked for a lower hit that it replaced says which that is.
    """
    shares = ", ".join(f"{share.leg.lower()} {share.rank}" for share in hit.contributions)
    return "; ".join([*_other_reasons(hit, result), *([f"ranks: {shares}"] if shares else [])])


def explanation(hit: Hit, result: RecallResult) -> str:
    """Return the reasons of a hit with every score and the ground of its flag."""
    shares = [
        f"{share.leg.lower()} rank {share.rank}, scored {share.score:.4f}, adds {share.contribution:.5f}"
        for share in hit.contributions
    ]
    return "; ".join([f"score {hit.score:.5f}", *_other_reasons(hit, result), *_flag_reason(hit), *shares])


def _flag_reason(hit: Hit) -> list[str]:
    flag, ground = hit.annotation.flag, hit.annotation.ground
    return [] if flag is None or ground is None else [f"{flag.lower()} {_GROUNDS[ground]}"]


def _other_reasons(hit: Hit, result: RecallResult) -> list[str]:
    entity = hit.artifact.entity
    if any(anchor.exact and anchor.entity.id == entity for anchor in result.anchors):
        return ["exact match"]
    replaced = (other for other in result.hits if other.annotation.superseded_by == entity)
    below = next((other for other in replaced if other.rank > hit.rank), None)
    if below is not None and (below.score > hit.score or not hit.contributions):
        is_version = below.artifact.entity == entity
        return [f"newer version of {below.rank}" if is_version else f"replaces {below.rank}"]
    return [] if hit.contributions else ["added as a replacement"]


def no_hits_line(request: RecallRequest, result: RecallResult) -> str:
    """Return one line that explains a result without hits."""
    if request.first == 0:
        return "--first 0 asks for no hits"
    if any(ranking.problem for ranking in result.legs):
        return "the legs that responded found nothing; try again"
    if any(ranking.candidates for ranking in result.legs):
        return _filtered_out_line(request)
    if request.known_at is not None:
        return f"nothing that was recorded by {moment_text(result.known_at)} matched{_as_of(request, result)}"
    if request.as_of is not None:
        return f"nothing matched as of {moment_text(result.as_of)}"
    if request.kinds or request.domains:
        return "no document of this type or domain matched; use other words, or leave out --kind and --domain"
    return "nothing matched; use other words, or import documents with `trigraph ingest PATH`"


def _filtered_out_line(request: RecallRequest) -> str:
    flags = " or ".join(request.flags).lower()
    if not flags:
        return "every match is larger than --token-budget; raise it"
    budget = "" if request.token_budget is None else ", or it is larger than --token-budget"
    return f"no match is {flags}{budget}; leave out --flag to see the matches"


def _as_of(request: RecallRequest, result: RecallResult) -> str:
    return "" if request.as_of is None else f" as of {moment_text(result.as_of)}"


SNIPPET = 200
_COLOURS = {StateFlag.CURRENT: "green", StateFlag.HISTORICAL: "yellow", StateFlag.WIP: "cyan"}
_INNER_HEADING = re.compile(r"(?m)^#{1,6}[ \t]+(.+?)[ \t#]*$")
_INNER_UNDERLINED = re.compile(r"(?m)^(\S.*)\n(?:={3,}|-{3,})[ \t]*$")
_LEADING_HEADING = re.compile(r"\s*(?:#{1,6}[ \t][^\n]*|[^\n]+\n[ \t]*(?:=+|-+)[ \t]*)(?:\n|\Z)")


def print_hits(
    console: Console, request: RecallRequest, result: RecallResult, *, explain: bool = False
) -> None:
    """Print each hit: rank, identifier, title, date and flag, then its state, its passage and its reasons."""
    for hit in result.hits:
        print_row(console, *_headline(hit), start=f"{hit.rank:>2}  ")
        if hit.annotation.summary:
            print_text(console, printable(hit.annotation.summary), "yellow", indent=4)
        print_text(console, _snippet(hit), "dim", indent=4)
        print_text(console, explanation(hit, result) if explain else reasons(hit, result), "blue", indent=4)
    if not result.hits:
        print_text(console, no_hits_line(request, result))


def print_explanation(console: Console, result: RecallResult) -> None:
    """Print the anchors of the query, the two instants of the result, and the outcome of each leg."""
    for anchor in result.anchors:
        named = f"{printable(anchor.surface_form)}: {printable(_anchor_text(anchor))}"
        print_text(console, f"anchor    {named}", hang=10)
    console.print(f"as of     {moment_text(result.as_of)}")
    console.print(f"known at  {moment_text(result.known_at)}")
    for ranking in result.legs:
        candidates = pluralize(len(ranking.candidates), "candidate")
        outcome = f"{candidates}, {ranking.milliseconds:.1f} ms, {ranking.served}"
        outcome += ", approximate" if ranking.approximate else ""
        print_text(console, f"leg       {ranking.leg.lower()}: {ranking.problem or outcome}", hang=10)


def _anchor_text(anchor: Anchor) -> str:
    """Return the identifier and title of an anchor at the moment of the result, or its type and id."""
    props = {} if anchor.state is None else anchor.state.props
    parts = [props.get("identifier"), label_of(props)]
    called = " ".join(dict.fromkeys(part for part in parts if isinstance(part, str)))
    return called or f"{anchor.entity.type_name} {anchor.entity.id}"


def _headline(hit: Hit) -> list[RowPart]:
    flag, artifact, state = hit.annotation.flag, hit.artifact, hit.annotation.state
    named = None if state is None else state.props.get("identifier")  # it may have been renamed since
    return [
        RowPart(named if isinstance(named, str) else artifact.identifier or "", "bold", Yields.LAST),
        RowPart(artifact.title, yields=Yields.FIRST),
        RowPart("" if artifact.date is None else artifact.date.date().isoformat(), "dim"),
        RowPart("" if flag is None else flag.lower(), "" if flag is None else _COLOURS[flag]),
    ]


def _snippet(hit: Hit) -> str:
    *above, heading = (hit.passage.heading or "").split(" > ")
    if not above and heading.endswith(hit.artifact.title):  # the line above has it already
        heading = ""
    words = _without_headings(hit.passage.text)
    if f"{heading}:" in words:  # the passage begins before its heading
        heading = ""
    text = printable(f"{heading}: {words}" if heading and words else words or hit.passage.text)
    start = beginning(text, SNIPPET)
    return text if start == text else f"{start.rpartition(' ')[0] or start} …"


def _without_headings(text: str) -> str:
    """Return a passage without its leading headings; inner headings end in a colon instead."""
    rest = text
    while (match := _LEADING_HEADING.match(rest)) is not None:
        rest = rest[match.end() :]
    return _INNER_UNDERLINED.sub(r"\1:", _INNER_HEADING.sub(r"\1:", rest)).strip()
