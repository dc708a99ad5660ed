"""`trigraph check`: what contradicts itself or leads nowhere in decision records, and where."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TypeAlias

import pytest

from app.domain.recall import StateFlag
from app.errors import Invalid, NotFound
from app.services.checking import CheckReport, Rule, Severity, check_path
from app.services.entities import StatedStatusWord
from app.services.importing.interruption import MIN_SHARED
from tests.documents import ProjectFixture, adr, day

Found: TypeAlias = list[tuple[str, int, Rule]]


def record(title: str, *lines: str, status: str = "Accepted", date: str = "2026-01-10") -> str:
    """Return a record with front matter of four lines, a title in the sixth, and text from the eighth on."""
    head = ["---", f"status: {status}", f"date: {date}", "---", "", f"# {title}", ""]
    return "\n".join([*head, *lines, ""])


def write(folder: Path, files: Mapping[str, str | bytes]) -> Path:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return folder


def found(report: CheckReport) -> Found:
    return [(each.path, each.line, each.rule) for each in report.findings]


GOOD = {
    "adr/0001-poll.md": record("Poll", "Why.", "", "## Superseded by", "", "ADR-2", status="Superseded"),
    "adr/0002-push.md": record("Push", "Why.", "", "## Supersedes", "", "- [ADR-1](0001-poll.md)"),
}
A, B, C = "adr/0001-a.md", "adr/0002-b.md", "adr/0003-c.md"

CASES: Mapping[str, tuple[Mapping[str, str | bytes], Found]] = {
    "all is well": (GOOD, []),
    "a number twice in a folder": (
        {A: record("A"), "adr/0001-z.md": record("Z")},
        [(A, 6, Rule.NUMBER_USED_TWICE), ("adr/0001-z.md", 6, Rule.NUMBER_USED_TWICE)],
    ),
    "a number twice, once in an archive": (
        {A: record("A"), "adr/archive/0001-z.md": record("Z")},
        [(A, 6, Rule.NUMBER_USED_TWICE), ("adr/archive/0001-z.md", 6, Rule.NUMBER_USED_TWICE)],
    ),
    "a number twice, in folders of a status": (
        {"adr/accepted/0001-a.md": record("A"), "adr/rejected/0001-z.md": record("Z", status="Rejected")},
        [
            ("adr/accepted/0001-a.md", 6, Rule.NUMBER_USED_TWICE),
            ("adr/rejected/0001-z.md", 6, Rule.NUMBER_USED_TWICE),
        ],
    ),
    "two series with the same numbers": (
        {"a/adr/0001-a.md": record("A"), "b/adr/0001-b.md": record("B")},
        [],
    ),
    "a review of a record": (
        {"adr/ADR-1-a.md": record("A"), "reviews/ADR-1-a-REVIEW.md": record("ADR-1: A, reviewed")},
        [],
    ),
    "a number in the header": (
        {
            A: "---\ndate: 2026-01-10\nid: ADR-7\n---\n# A\n",
            B: "---\ndate: 2026-01-10\nid: ADR-7\n---\n# B\n",
        },
        [(A, 3, Rule.NUMBER_USED_TWICE), (B, 3, Rule.NUMBER_USED_TWICE)],
    ),
    "the old one says so, the new one does not": (
        {A: record("A", "## Superseded by", "", "ADR-2", status="Superseded"), B: record("B")},
        [(A, 10, Rule.ONE_WAY_SUPERSESSION)],
    ),
    "the new one says so, and the old one is still accepted": (
        {A: record("A"), B: record("B", "Text.", "", "## Supersedes", "", "- ADR-9", "- ADR-1")},
        [(B, 12, Rule.MISSING_TARGET), (B, 13, Rule.ONE_WAY_SUPERSESSION)],
    ),
    "the new one is only proposed": (
        {A: record("A"), B: record("B", "## Supersedes", "", "ADR-1", status="Proposed")},
        [],
    ),
    "the old one is deprecated, and names no successor": (
        {A: record("A", status="Deprecated"), B: record("B", "## Supersedes", "", "ADR-1")},
        [],
    ),
    "a circle of two": (
        {
            A: record("A", "## Supersedes", "", "ADR-2"),
            B: record("B", "## Supersedes", "", "ADR-1"),
        },
        [(A, 10, Rule.CIRCULAR_SUPERSESSION)],
    ),
    "a circle of three, stated from both ends": (
        {
            A: record("A", "## Superseded by", "", "ADR-2", status="Superseded"),
            B: record("B", "## Superseded by", "", "ADR-3", status="Superseded"),
            C: record("C", "Text.", "", "## Superseded by", "", "ADR-1", status="Superseded"),
        },
        [(A, 10, Rule.CIRCULAR_SUPERSESSION)],
    ),
    "a number and a file that are not there": (
        {
            A: record("A", "See ADR-2,", "and ADR-4 and [b](0005-b.md),", "RFC 2119 and [c](gone/x.md)."),
            B: record("B"),
        },
        [(A, 9, Rule.MISSING_TARGET), (A, 9, Rule.MISSING_TARGET), (A, 10, Rule.MISSING_TARGET)],
    ),
    "a link to what is there, although it is not read": (
        {
            A: record("A", "See [all](index.md), [the code](../src/x.txt), [top](/adr/9.md), `ADR-8`."),
            "adr/index.md": "# All\n",
            "src/x.txt": "x",
        },
        [],
    ),
    "a reference to what is superseded": (
        {
            **GOOD,
            "adr/0003-c.md": record("C", "As ADR-1 says.", "", "## Depends on", "", "- ADR-1"),
            "adr/0004-d.md": record("D", "As ADR-1 says."),
            "adr/0005-e.md": record("E", "Until ADR-2, there was ADR-1."),
            "adr/0006-f.md": record("F", "As ADR-1 says.", status="Rejected"),
        },
        [("adr/0003-c.md", 12, Rule.SUPERSEDED_TARGET), ("adr/0004-d.md", 8, Rule.SUPERSEDED_TARGET)],
    ),
    "a link in brackets": (
        {A: record("A", "Status", "As [[2]], [[ADR-2]].", "", "[2]: https://x.example/"), B: record("B")},
        [],
    ),
    "a successor among two with one number": (
        {
            A: record("A", "## Superseded by", "", "ADR-2", status="Superseded"),
            B: record("B", "In place of ADR-1."),
            "adr/0002-z.md": record("Z"),
        },
        [
            (A, 10, Rule.AMBIGUOUS_TARGET),
            (B, 6, Rule.NUMBER_USED_TWICE),
            ("adr/0002-z.md", 6, Rule.NUMBER_USED_TWICE),
        ],
    ),
    "an unknown status, and one that cannot be read": (
        {A: record("A", status="Blessed"), B: "# B\n\nDate: 2026-01-10\n\n## Status\n\n{status}\n"},
        [(A, 2, Rule.UNKNOWN_STATUS), (B, 7, Rule.UNKNOWN_STATUS)],
    ),
    "the header and the prose disagree": (
        {
            A: record("A", "## Status", "", "Rejected"),
            B: record("B", "## Status", "", "Approved"),
            C: record("C", "## Links", "", "* Superseded by ADR-2"),
        },
        [
            (A, 10, Rule.CONTRADICTION),
            (C, 10, Rule.ONE_WAY_SUPERSESSION),
            (C, 10, Rule.CONTRADICTION),
        ],
    ),
    "the header and the status section disagree about a successor": (
        {
            A: record("A", "## Status", "", "Superseded by [ADR-2](0002-b.md)"),
            B: record("B", "## Supersedes", "", "ADR-1"),
        },
        [(A, 10, Rule.CONTRADICTION)],
    ),
    "title and file name disagree": ({A: record("ADR-2: A")}, [(A, 6, Rule.MISREAD_TEXT)]),
    "undated": (
        {A: "# A\n\n## Status\n\nAccepted\n", "notes/x.md": "# Note\n", "specs/SPEC-1.md": "# Spec\n"},
        [(A, 1, Rule.UNDATED_RECORD)],
    ),
    "an unreadable date": (
        {A: "---\ndate: soon\n---\n# A\n"},
        [(A, 2, Rule.MISREAD_TEXT), (A, 4, Rule.UNDATED_RECORD)],
    ),
    "unreadable dates elsewhere": (
        {
            A: "# A\n\nDecided on: some day\n",
            B: "# B\n\nStatus: Accepted\n\n## Date\n\n30/02/2026\n",
            C: "---\neffective-date: 2026-02-30\naccepted: true\n---\n# C\n",
        },
        [
            (A, 1, Rule.UNDATED_RECORD),
            (A, 3, Rule.MISREAD_TEXT),
            (B, 1, Rule.UNDATED_RECORD),
            (B, 5, Rule.MISREAD_TEXT),
            (C, 2, Rule.MISREAD_TEXT),
            (C, 5, Rule.UNDATED_RECORD),
        ],
    ),
    "a date in the future": (
        {
            A: record("A", date="2199-01-10"),
            B: "# B\n\nText.\n\n## Date\n\n2199-01-10\n",
            "adr/2199-01-10-c.md": "# ADR-3: C\n",
            "notes/x.md": "---\ndate: 2199-01-10\n---\n# Note\n",
        },
        [(A, 3, Rule.FUTURE_DATE), (B, 5, Rule.FUTURE_DATE), ("adr/2199-01-10-c.md", 1, Rule.FUTURE_DATE)],
    ),
    "a heading that looks like a relation": (
        {A: record("A", "Text.", "", "## Replaced decisions of the past", "", "ADR-2"), B: record("B")},
        [(A, 10, Rule.UNREAD_HEADING)],
    ),
    "templates, indexes and notes state nothing": (
        {
            "adr/template.md": "# {title}\n\n## Status\n\n{proposed | superseded by ADR-0123}\n\nADR-99\n",
            "adr/README.md": "# Decisions\n\n- [ADR-99](0099-x.md)\n",
            "notes/x.md": "# Note\n\nStatus: Blessed\n\nSee ADR-99 and [gone](gone.md).\n",
            A: record("A"),
        },
        [],
    ),
    "odd bytes and an empty file": (
        {A: b"\xff\xfe\x00", B: b"# B \xe9\n", C: b"", "adr/0004-d.md": record("D")},
        [(A, 1, Rule.UNREADABLE_FILE), (B, 1, Rule.UNREADABLE_FILE), (C, 1, Rule.UNREADABLE_FILE)],
    ),
    "nothing at all": ({}, []),
}


@pytest.mark.parametrize("case", CASES)
def test_each_finding_has_its_rule_and_line(case: str, tmp_path: Path) -> None:
    files, expected = CASES[case]
    assert sorted(found(check_path(write(tmp_path, files)))) == sorted(expected)


LINES = "\n".join(
    [
        "---",
        "title: A",
        "date: 2026-01-10",
        "requires:",
        "  - ADR-2",
        "  - ADR-11",
        "superseded-by: 12",
        "---",
        "# A",
        "",
        "Status: Accepted",
        "Amends: ADR-13",
        "",
        "| a | b |",
        "|---|---|",
        "| x | ADR-14 |",
        "",
        "1. one",
        "   - two [x](0015-x.md)",
        "     and ADR-16",
        "",
        "> quoted ADR-99",
        "",
        "```",
        "ADR-98",
        "```",
        "",
        "Heading ADR-17",
        "--------------",
        "",
        "End ADR-18",
    ]
)
STATED = {6: 1, 7: 2, 12: 1, 16: 1, 19: 1, 20: 1, 28: 1, 31: 1}
"""How many findings each line has: one for each target that is not there, and one for the status."""


@pytest.mark.parametrize("form", ["\n", "\r\n", "\ufeff\n", "\ufeff\r\n"])
def test_lines_are_those_of_the_file(form: str, tmp_path: Path) -> None:
    mark, end = form.removesuffix(form.lstrip("\ufeff")), form.lstrip("\ufeff")
    text = mark + LINES.replace("\n", end)
    report = check_path(write(tmp_path, {A: text.encode(), B: record("B")}))
    lines = [each.line for each in report.findings]
    assert {line: lines.count(line) for line in lines} == STATED


@pytest.mark.parametrize(
    ("head", "line"),
    [
        ("---\nid: ADR-1\ndate: 2026-01-10\nlinks:\n  - type: supersedes\n    target: ADR-9\n---\n", 6),
        ('+++\ndate = "2026-01-10"\nsupersedes = [\n  "ADR-9",\n]\n+++\n', 4),
        ('---json\n{\n  "date": "2026-01-10",\n  "supersedes": "ADR-9"\n}\n---\n', 4),
        ("Title: A\nDate: 2026-01-10\nSupersedes: 9\n\n", 3),
        ("---\ndate: 2026-01-10\n---\n\n## Supersedes\n\nADR-9\n", 7),
        ("---\ndate: 2026-01-10\n---\n\nSupersedes:\n\n* ADR-9\n", 7),
        ("---\ndate: 2026-01-10\n---\n# A\n\n**Supersedes:** ADR-9\n", 6),
    ],
)
def test_a_field_has_the_line_it_is_in(head: str, line: int, tmp_path: Path) -> None:
    report = check_path(write(tmp_path, {A: f"{head}\n# A\n\nText.\n"}))
    assert (A, line, Rule.MISSING_TARGET) in found(report)


def test_a_single_file_is_checked_beside_the_others(tmp_path: Path) -> None:
    files = {
        A: record("A", "See ADR-2 and ADR-9."),
        B: record("B", "See ADR-8."),
        "adr/0001-z.md": record("Z"),
    }
    report = check_path(write(tmp_path, files) / A)
    assert found(report) == [("0001-a.md", 6, Rule.NUMBER_USED_TWICE), ("0001-a.md", 8, Rule.MISSING_TARGET)]


def test_many_files_are_shared_by_two_processes(tmp_path: Path) -> None:
    names = [f"adr/{number:04}-x.md" for number in range(1, MIN_SHARED + 2)]
    files = {name: record("X", *[""] * place, f"See ADR-{900 + place}.") for place, name in enumerate(names)}
    report = check_path(write(tmp_path, {**files, "adr/0999-x.md": b"\xff"}))
    expected = [(name, 8 + place, Rule.MISSING_TARGET) for place, name in enumerate(names)]
    assert found(report) == [*expected, ("adr/0999-x.md", 1, Rule.UNREADABLE_FILE)]
    assert [each.message for each in report.findings[:2]] == ["ADR-900 is not there", "ADR-901 is not there"]


def test_what_another_text_states_counts_too(tmp_path: Path) -> None:
    successor = "---\nstatus: Accepted\nsupersedes: [ADR-1]\n---\n# 4. Use a queue of our own\n\nWe do.\n"
    files = {
        "notes/ADR-0001-a.md": "# ADR-1: A\n\nDate: 2024-01-01\n\nStatus: Superseded by [4](0004-b.md)\n",
        "notes/0004-b.md": successor,
    }
    report = check_path(write(tmp_path, files))
    assert (found(report), report.records, report.others) == ([], 1, 1)
    (tmp_path / "notes" / "0004-b.md").write_text(successor.replace("supersedes: [ADR-1]\n", ""))
    (finding,) = check_path(tmp_path).findings
    assert finding.rule is Rule.ONE_WAY_SUPERSESSION
    assert finding.message == "this record names notes/0004-b as its successor, which does not say so"


def test_links_are_not_followed(tmp_path: Path) -> None:
    outside = write(tmp_path / "outside", {"0007-x.md": record("X", status="Blessed")})
    inside = write(tmp_path / "inside", {A: record("A")})
    (inside / "adr" / "0007-x.md").symlink_to(outside / "0007-x.md")
    (inside / "more").symlink_to(outside)
    report = check_path(inside)
    assert (found(report), report.records, report.skipped) == ([], 1, 2)


def test_a_path_that_is_not_there_is_refused(tmp_path: Path) -> None:
    for path in (tmp_path / "gone", tmp_path / "gone.md", write(tmp_path, {"x.jsonl": "{}"}) / "x.jsonl"):
        with pytest.raises(Invalid):
            check_path(path)


def test_severities_tell_what_misleads_a_reader(tmp_path: Path) -> None:
    files = {
        **GOOD,
        "adr/0003-c.md": record("C", "## Depends on", "", "ADR-1"),
        "adr/0004-d.md": record("D", "See ADR-1.", "", "## Supersedes", "", "ADR-3"),
    }
    report = check_path(write(tmp_path, files))
    severities = {(each.path[7], each.rule): each.severity for each in report.findings}
    assert severities == {
        ("4", Rule.ONE_WAY_SUPERSESSION): Severity.WARNING,
        ("4", Rule.SUPERSEDED_TARGET): Severity.NOTE,
    }


def test_no_model_and_no_database_is_loaded(tmp_path: Path) -> None:
    folder = write(tmp_path, GOOD)
    code = (
        "import sys; from app.cli.app import application\n"
        f"application(['check', {str(folder)!r}], standalone_mode=False)\n"
        "heavy = {'onnxruntime', 'torch', 'tokenizers', 'neo4j', 'strawberry'} & sys.modules.keys()\n"
        "assert not heavy, heavy"
    )
    subprocess.run([sys.executable, "-c", code], check=True, env={"TRIGRAPH_DATABASE_URL": "nowhere"})


async def test_what_a_project_has_is_there(desk: ProjectFixture, tmp_path: Path) -> None:
    await desk.file_all(
        adr(8, "Filed", created_at=day(2025)),
        adr(9, "Old", status="Superseded", created_at=day(2025)),
        adr(2, "Another B", status="Rejected", source_uri="adr/0002-b.md", created_at=day(2025)),
    )
    files = {A: record("A", "See ADR-2, ADR-7,", "ADR-8", "and ADR-9."), B: record("B")}
    folder = write(tmp_path, files)
    memory = desk.memory
    report = await memory.checks.check(memory.caller, folder, desk.project)
    assert found(report) == [(A, 8, Rule.MISSING_TARGET), (A, 10, Rule.SUPERSEDED_TARGET)]
    (folder / B).write_text(record("B", status="Blessed"))
    report = await memory.checks.check(memory.caller, folder, desk.project)
    assert (B, 2, Rule.UNKNOWN_STATUS) in found(report)
    await memory.canonical.define_status(
        memory.caller, StatedStatusWord("Blessed", StateFlag.CURRENT), desk.project
    )
    report = await memory.checks.check(memory.caller, folder, desk.project)
    assert (B, 2, Rule.UNKNOWN_STATUS) not in found(report)
    with pytest.raises(NotFound):
        await memory.checks.check(memory.caller, folder, "no such project")
