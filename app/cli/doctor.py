"""`trigraph doctor`."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from app.cli.runner import FAILED, finish, settings

if TYPE_CHECKING:
    from rich.text import Text

    from app.cli.diagnostics import Finding


def doctor(
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Look at each part and say what is wrong and what to do about it; fails when something is."""
    if not finish(_doctor(as_json=as_json)):
        raise typer.Exit(FAILED)


async def _doctor(*, as_json: bool) -> bool:
    from app.cli.diagnostics import examine
    from app.cli.output import console, print_json, printable, styled

    screen = console()
    findings = []
    async for finding in examine(settings()):
        findings.append(finding)
        if not as_json:
            screen.print(
                _mark(finding) + styled(f"{finding.part}: {printable(finding.told)}"), soft_wrap=True
            )
    is_well = all(finding.is_well for finding in findings)
    if as_json:
        print_json({"isWell": is_well, "findings": [_named(asdict(finding)) for finding in findings]})
    return is_well


def _mark(finding: Finding) -> Text:
    from app.cli.output import styled

    if finding.is_doubtful:
        return styled("doubt ", "yellow")
    return styled("well  ", "green") if finding.is_well else styled("wrong ", "red")


def _named(finding: dict[str, object]) -> dict[str, object]:
    return {
        "part": finding["part"],
        "isWell": finding["is_well"],
        "isDoubtful": finding["is_doubtful"],
        "told": finding["told"],
    }
