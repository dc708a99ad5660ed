"""`trigraph check`: find what contradicts itself or leads nowhere in decision records."""

from __future__ import annotations

import asyncio
import os
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from enum import StrEnum
from hashlib import sha256
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING, Annotated, Any
from urllib.parse import quote

import typer

from app import __version__
from app.cli.layout import paged, print_text
from app.cli.output import console, print_json, printable, say
from app.cli.runner import FAILED, run_async, settings

if TYPE_CHECKING:
    from rich.console import Console

    from app.services.checking import CheckReport, RecordFinding, Rule


class ReportFormat(StrEnum):
    """How the findings are printed."""

    TEXT = "text"
    JSON = "json"
    GITHUB = "github"
    SARIF = "sarif"


MAX_PLACES = 10
STYLES = {"error": "red", "warning": "yellow", "note": "cyan"}
COMMANDS = {"error": "error", "warning": "warning", "note": "notice"}
"""What GitHub calls the severities."""

SARIF_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
SARIF_ROOT = "%SRCROOT%"
_LINE = re.compile(r"\bline \d+")


def print_report(path: Path, report: CheckReport, form: ReportFormat) -> None:
    """Print the findings about the records under a path."""
    folder = path if path.is_dir() else path.parent
    if form is ReportFormat.JSON:
        print_json(report_json(report))
    elif form is ReportFormat.SARIF:
        print_json(sarif_log(folder, report))
    elif form is ReportFormat.GITHUB:
        for finding in report.findings:
            say(annotation(folder, finding))
    else:
        screen = console()
        with paged(screen):
            print_findings(screen, folder, report)


def _place(folder: Path, finding: RecordFinding) -> str:
    """Return the path of a finding from the folder in which the command runs."""
    return os.path.normpath(folder / finding.path).replace(os.sep, "/")


def print_findings(screen: Console, folder: Path, report: CheckReport) -> None:
    """Print each finding as `path:line: message`, and the counts.

    On a terminal the paths are relative to the folder, and findings that say the same stand together.
    """
    for said, alike in _grouped(screen, report.findings):
        style = STYLES[alike[0].severity]
        places = [_shown_place(screen, folder, each) for each in alike]
        if len(places) == 1:
            print_text(screen, f"{places[0]}: {said}", style, hang=4)
            continue
        print_text(screen, f"{len(places)} x {said}", style, hang=4)
        for place in places[:MAX_PLACES]:
            print_text(screen, place, "dim", indent=4)
        if len(places) > MAX_PLACES:
            print_text(screen, f"and {len(places) - MAX_PLACES} more; --json lists all", indent=4)
    print_text(screen, _counts(report), "bold", hang=4)


def _grouped(screen: Console, findings: Sequence[RecordFinding]) -> list[tuple[str, list[RecordFinding]]]:
    """Return the findings by what they say, or each by itself where a program reads them line by line."""
    groups: dict[tuple[str, int], list[RecordFinding]] = {}
    for number, each in enumerate(findings):
        said = f"{each.severity}: {printable(each.message)} [{each.rule}]"
        groups.setdefault((said, 0 if screen.is_terminal else number), []).append(each)
    return [(said, alike) for (said, _), alike in groups.items()]


def _shown_place(screen: Console, folder: Path, finding: RecordFinding) -> str:
    path = finding.path if screen.is_terminal else _place(folder, finding)
    return f"{printable(path)}:{finding.line}"


def _counts(report: CheckReport) -> str:
    records = "1 record" if report.records == 1 else f"{report.records} records"
    others = f", {report.others} other {'text' if report.others == 1 else 'texts'}" if report.others else ""
    skipped = f", {report.skipped} skipped" if report.skipped else ""
    counts = ", ".join(f"{count} {rule}" for rule, count in report.counts().items())
    found = len(report.findings)
    findings = "1 finding" if found == 1 else f"{found or 'no'} findings"
    return f"{records}{others}{skipped}: {findings}{f' ({counts})' if counts else ''}"


def report_json(report: CheckReport) -> dict[str, Any]:
    """Return the findings as a JSON object."""
    return {
        "records": report.records,
        "others": report.others,
        "skipped": report.skipped,
        "counts": {str(rule): count for rule, count in report.counts().items()},
        "findings": [
            {
                "path": finding.path,
                "line": finding.line,
                "rule": finding.rule,
                "severity": finding.severity,
                "message": finding.message,
            }
            for finding in report.findings
        ],
    }


def annotation(folder: Path, finding: RecordFinding) -> str:
    """Return a finding as the command by which a workflow of GitHub annotates a line."""
    file, title = (_escaped_property(text) for text in (_place(folder, finding), finding.rule))
    place = f"file={file},line={finding.line},title={title}"
    return f"::{COMMANDS[finding.severity]} {place}::{_escaped(printable(finding.message))}"


def _escaped(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _escaped_property(text: str) -> str:
    return _escaped(text).replace(":", "%3A").replace(",", "%2C")


def sarif_log(folder: Path, report: CheckReport) -> dict[str, Any]:
    """Return the findings as a log in SARIF 2.1.0; paths are relative to the checked folder."""
    from app.services.checking import RULES

    rules = [
        {
            "id": str(rule),
            "name": "".join(word.capitalize() for word in rule.split("-")),
            "shortDescription": {"text": text.description},
            "fullDescription": {"text": text.finding},
            "help": {"text": text.remedy},
            "defaultConfiguration": {"level": str(text.severity)},
        }
        for rule, text in RULES.items()
    ]
    driver = {
        "name": "trigraph check",
        "version": __version__,
        "semanticVersion": __version__,
        "rules": rules,
    }
    run = {
        "tool": {"driver": driver},
        "originalUriBaseIds": {SARIF_ROOT: {"uri": f"{folder.resolve().as_uri()}/"}},
        "results": _sarif_results(report, {rule: place for place, rule in enumerate(RULES)}),
        "columnKind": "unicodeCodePoints",
    }
    return {"$schema": SARIF_SCHEMA, "version": "2.1.0", "runs": [run]}


def _sarif_results(report: CheckReport, places: Mapping[Rule, int]) -> list[dict[str, Any]]:
    alike: Counter[str] = Counter()
    results = []
    for finding in report.findings:
        fingerprint = _fingerprint(finding)
        alike[fingerprint] += 1
        results.append(
            {
                "ruleId": str(finding.rule),
                "ruleIndex": places[finding.rule],
                "level": str(finding.severity),
                "message": {"text": finding.message},
                "locations": [_location(finding)],
                "partialFingerprints": {"primaryLocationLineHash": f"{fingerprint}:{alike[fingerprint]}"},
            }
        )
    return results


def _fingerprint(finding: RecordFinding) -> str:
    """Return a hash of what is found and in which file, whatever the line."""
    said = _LINE.sub("line", finding.message)
    return sha256("\0".join((finding.rule, finding.path, said)).encode()).hexdigest()[:16]


def _location(finding: RecordFinding) -> dict[str, Any]:
    place = {"uri": quote(finding.path), "uriBaseId": SARIF_ROOT}
    return {"physicalLocation": {"artifactLocation": place, "region": {"startLine": finding.line}}}


def _path(text: str) -> Path:
    """Return the path; refuse an empty one: an unset shell variable must not mean the current folder."""
    if not text:
        raise typer.BadParameter("the path is empty; use . for the current folder")
    return Path(text)


def check(
    path: Annotated[
        Path, typer.Argument(parser=_path, metavar="PATH", help="A folder of Markdown, or one file of it.")
    ],
    against: Annotated[
        str | None,
        typer.Option(metavar="PROJECT", help="What is in this project counts as there. Opens the database."),
    ] = None,
    report_format: Annotated[
        ReportFormat,
        typer.Option(
            "--format",
            help="text; json; github, which annotates the lines of a pull request; or sarif, version 2.1.0.",
        ),
    ] = ReportFormat.TEXT,
    as_json: Annotated[bool, typer.Option("--json", help="The same as --format json.")] = False,
    strict: Annotated[
        bool, typer.Option("--strict", help="Exit with status 1 if there is a finding.")
    ] = False,
) -> None:
    """Check decision records: numbers, supersessions, references, statuses, dates.

    Nothing is written, and without --against no database is opened. Of a single file the findings are
    printed, and the files beside it are read too. The exit status is 2 if PATH cannot be read.
    """
    if as_json and report_format not in (ReportFormat.TEXT, ReportFormat.JSON):
        raise typer.BadParameter("--json and --format name different formats; give one of them")
    report = run_async(_check(path, against))
    print_report(path, report, ReportFormat.JSON if as_json else report_format)
    if strict and report.findings:
        raise typer.Exit(FAILED)


async def _check(path: Path, against: str | None) -> CheckReport:
    from app.services.document_reader import document_reader

    document_reader().prepare("app.services.parsing")
    stop = Event()
    try:
        if against is not None:
            from app.services.container import open_memory

            async with open_memory(settings()) as memory:
                return await memory.checks.check(memory.caller, path, against, stop.is_set)
        from app.services.checking import check_path

        return await asyncio.to_thread(check_path, path, stop.is_set)
    except asyncio.CancelledError:
        stop.set()
        raise
