"""`trigraph check`: text, JSON, annotations and SARIF, and the exit status."""

from __future__ import annotations

import io
import json
import re
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
from rich.console import Console

from app import __version__
from app.cli.check import print_findings, sarif_log
from app.services.checking import Rule, check_path
from tests.cli.processes import Shell

ODD = "0001-a, b%:ü c.md"


@pytest.fixture
def records(tmp_path: Path) -> Path:
    folder = tmp_path / "adr"
    folder.mkdir()
    (folder / ODD).write_text("# A\n\nDate: 2026-01-10\nStatus: Blessed: 100%\n")
    (folder / "0002-b.md").write_text("# B\n\nDate: 2026-01-10\nStatus: Accepted\n\nSee ADR-7.\n")
    return folder


def test_text_names_the_line_within_the_width(records: Path, tmp_path: Path) -> None:
    ran = Shell(tmp_path, {"COLUMNS": "80"}).run("check", records)
    assert ran.code == 0
    assert f"{records}/0002-b.md:6: warning: ADR-7 is not there" in " ".join(ran.out.split())
    assert "2 records: 2 findings (1 missing-target, 1 unknown-status)" in " ".join(ran.out.split())
    assert all(len(line) <= 80 for line in ran.out.splitlines() if str(records) not in line)


def test_equal_findings_stand_together_on_a_terminal_with_short_paths(records: Path) -> None:
    for number in range(20, 32):
        (records / f"{number:04}-c.md").write_text(
            "# C\n\nDate: 2026-01-10\nStatus: Accepted\n\nSee ADR-77.\n"
        )
    report = check_path(records)
    shown, piped = (io.StringIO() for _ in range(2))
    print_findings(Console(file=shown, width=80, force_terminal=True, color_system=None), records, report)
    print_findings(Console(file=piped, width=300), records, report)
    lines = shown.getvalue().splitlines()
    place = lines.index("12 x warning: ADR-77 is not there [missing-target]")
    assert lines[place + 1] == "    0020-c.md:6"
    assert lines[place + 11] == "    and 2 more; --json lists all"
    assert "0002-b.md:6: warning: ADR-7 is not there [missing-target]" in lines
    assert len(piped.getvalue().splitlines()) == len(report.findings) + 1
    assert f"{records}/0020-c.md:6: warning: ADR-77 is not there [missing-target]" in piped.getvalue()


def test_strict_makes_a_finding_a_failure(records: Path, tmp_path: Path) -> None:
    shell = Shell(tmp_path, {})
    assert shell.run("check", records, "--strict").code == 1
    assert shell.run("check", records / "0002-b.md", "--json").object["counts"] == {"missing-target": 1}
    (records / ODD).unlink()
    (records / "0002-b.md").write_text("# B\n\nDate: 2026-01-10\nStatus: Accepted\n")
    ran = shell.run("check", records, "--strict")
    assert (ran.code, ran.out) == (0, "1 record: no findings\n")


@pytest.mark.parametrize(
    "words", [("gone",), ("",), ("--format", "xml", "."), (".", "--json", "--format", "sarif"), ()]
)
def test_wrong_usage_has_the_status_2(words: tuple[str, ...], tmp_path: Path) -> None:
    ran = Shell(tmp_path, {}).run("check", *words)
    assert (ran.code, ran.out) == (2, "")
    assert ran.err


def test_annotations_are_escaped(records: Path, tmp_path: Path) -> None:
    ran = Shell(tmp_path, {}).run("check", records, "--format", "github")
    first, second = ran.out.splitlines()
    place = f"{records}/0001-a%2C b%25%3Aü c.md"
    assert first.startswith(f"::warning file={place},line=4,title=unknown-status::unknown status Blessed")
    assert second == f"::warning file={records}/0002-b.md,line=6,title=missing-target::ADR-7 is not there"


RULE_TEXTS = ("shortDescription", "fullDescription", "help")


def test_sarif_has_what_its_schema_and_code_scanning_want(records: Path, tmp_path: Path) -> None:
    log = Shell(tmp_path, {}).run("check", records, "--format", "sarif").object
    assert log["version"] == "2.1.0"
    (run,) = log["runs"]
    driver = run["tool"]["driver"]
    assert driver["name"]
    assert driver["version"] == driver["semanticVersion"] == __version__
    rules = driver["rules"]
    for rule in rules:
        assert re.fullmatch(r"[a-z]+(-[a-z]+)*", rule["id"])
        assert re.fullmatch(r"([A-Z][a-z]+)+", rule["name"])
        assert all(0 < len(rule[part]["text"]) <= 1_024 for part in RULE_TEXTS)
        assert rule["defaultConfiguration"]["level"] in ("error", "warning", "note")
    assert len({rule["id"] for rule in rules}) == len(rules) == len(Rule)
    root = run["originalUriBaseIds"]["%SRCROOT%"]["uri"]
    assert Path(unquote(urlsplit(root).path)) == records.resolve()
    assert root.endswith("/")
    for result in run["results"]:
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"]
        assert result["level"] in ("error", "warning", "note")
        assert result["message"]["text"]
        place = result["locations"][0]["physicalLocation"]
        uri = place["artifactLocation"]["uri"]
        assert uri.isascii()
        assert (records / unquote(uri)).is_file()
        assert place["artifactLocation"]["uriBaseId"] in run["originalUriBaseIds"]
        assert place["region"]["startLine"] >= 1
        assert re.fullmatch(r"[0-9a-f]{16}:\d+", result["partialFingerprints"]["primaryLocationLineHash"])
    assert [result["ruleId"] for result in run["results"]] == ["unknown-status", "missing-target"]
    assert json.dumps(log)


def fingerprints(folder: Path) -> list[str]:
    (run,) = sarif_log(folder, check_path(folder))["runs"]
    return [result["partialFingerprints"]["primaryLocationLineHash"] for result in run["results"]]


def test_a_finding_keeps_its_fingerprint_when_its_line_moves(records: Path) -> None:
    text = "# B\n\nDate: 2026-01-10\nStatus: Accepted\n\nSee ADR-7.\n\nAnd ADR-9.\n\n## Status\n\nRejected\n"
    (records / "0002-b.md").write_text(text)
    before = fingerprints(records)
    assert len(before) == len(set(before)) == 4
    (records / "0002-b.md").write_text(text.replace("Date", "One.\n\nTwo.\n\nDate"))
    assert fingerprints(records) == before
    (records / "0002-b.md").write_text(text.replace("ADR-7", "ADR-8"))
    assert len(set(fingerprints(records)) & set(before)) == 3
