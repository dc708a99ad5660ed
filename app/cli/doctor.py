"""`trigraph doctor`: run all checks and print their findings."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from app.cli.runner import FAILED, run_async, settings

if TYPE_CHECKING:
    from rich.text import Text

    from app.diagnostics import Finding


def doctor(
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as one JSON object.")] = False,
) -> None:
    """Run a health check and say how to fix problems.

    Each part is ok, or has a warning or an error. With an error the exit status is 1.
    """
    if not run_async(_doctor(as_json=as_json)):
        raise typer.Exit(FAILED)


async def _doctor(*, as_json: bool) -> bool:
    from app.cli.layout import print_text
    from app.cli.output import console, print_json, printable, styled_text
    from app.diagnostics import examine

    screen = console()
    findings = []
    async for finding in examine(settings()):
        findings.append(finding)
        if not as_json:
            text = styled_text(f"{finding.part}: {printable(finding.message)}")
            print_text(screen, _mark(finding) + text, hang=9)
    is_well = all(finding.is_well for finding in findings)
    if as_json:
        print_json({"isWell": is_well, "findings": [_finding_json(asdict(finding)) for finding in findings]})
    return is_well


def _mark(finding: Finding) -> Text:
    from app.cli.output import styled_text

    if finding.is_doubtful:
        return styled_text("warning  ", "yellow")
    return styled_text("ok       ", "green") if finding.is_well else styled_text("error    ", "red")


def _finding_json(finding: dict[str, object]) -> dict[str, object]:
    return {
        "part": finding["part"],
        "isWell": finding["is_well"],
        "isDoubtful": finding["is_doubtful"],
        "message": finding["message"],
    }
