"""The rules of a check, how much each counts, and the rules that concern one record alone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from itertools import combinations
from pathlib import PurePosixPath

from app.domain.status_words import flag_of_status, is_known, unknown_status_warnings
from app.services.checking.folder import CheckedFolder, CheckedText
from app.services.parsing.identifiers import is_about_another
from app.services.parsing.vocabulary import field_key


class Severity(StrEnum):
    """How much a finding counts."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


class Rule(StrEnum):
    """What a check looks for, by the name that reports show."""

    UNREADABLE_FILE = "unreadable-file"
    NUMBER_USED_TWICE = "number-used-twice"
    CIRCULAR_SUPERSESSION = "circular-supersession"
    ONE_WAY_SUPERSESSION = "one-way-supersession"
    MISSING_TARGET = "missing-target"
    AMBIGUOUS_TARGET = "ambiguous-target"
    SUPERSEDED_TARGET = "superseded-target"
    UNKNOWN_STATUS = "unknown-status"
    CONTRADICTION = "contradiction"
    UNREAD_HEADING = "unread-heading"
    MISREAD_TEXT = "misread-text"
    FUTURE_DATE = "future-date"
    UNDATED_RECORD = "undated-record"


@dataclass(frozen=True, slots=True)
class RuleText:
    """The usual severity of a rule's findings, what the rule says, what is found, and what to do about it."""

    severity: Severity
    description: str
    finding: str
    remedy: str


RULES: Mapping[Rule, RuleText] = {
    Rule.UNREADABLE_FILE: RuleText(
        Severity.ERROR,
        "Each text can be read.",
        "The file is empty, not UTF-8, or too large, so an import refuses it.",
        "Save the file as UTF-8, give it a text, or remove it.",
    ),
    Rule.NUMBER_USED_TWICE: RuleText(
        Severity.ERROR,
        "One record has a number, and no other one.",
        "Another record of the series has the same number, so references to it are ambiguous.",
        "Give one of the records the next free number, in its file name and in its title.",
    ),
    Rule.CIRCULAR_SUPERSESSION: RuleText(
        Severity.ERROR,
        "No record supersedes itself by way of others.",
        "The records supersede each other in a circle, so none of them can be in force.",
        "Remove the supersession that is wrong.",
    ),
    Rule.ONE_WAY_SUPERSESSION: RuleText(
        Severity.WARNING,
        "Of two records, both say that one supersedes the other.",
        "One record says that it supersedes another or is superseded by it. The other does not say so.",
        "Say in the older record what supersedes it, and in the newer one what it supersedes.",
    ),
    Rule.MISSING_TARGET: RuleText(
        Severity.WARNING,
        "What a record refers to is there.",
        "A link leads to no file, or no record has the number.",
        "Correct the link or the number, or add the record.",
    ),
    Rule.AMBIGUOUS_TARGET: RuleText(
        Severity.WARNING,
        "What a record refers to is one document.",
        "A reference could mean several documents.",
        "Link to the file that is meant.",
    ),
    Rule.SUPERSEDED_TARGET: RuleText(
        Severity.NOTE,
        "A record in force refers to records that are in force.",
        "A record in force depends on or mentions one that no longer is, and not what replaced it.",
        "Refer to the record that replaced it.",
    ),
    Rule.UNKNOWN_STATUS: RuleText(
        Severity.WARNING,
        "The status of a record can be read and is known.",
        "The status has no known word, or was left open, so the record is neither current nor over.",
        "Write one status such as Proposed, Accepted or Rejected, or define your own word.",
    ),
    Rule.CONTRADICTION: RuleText(
        Severity.WARNING,
        "All places of a record say the same of its status.",
        "The header and the text of a record state different statuses.",
        "Correct the status that is out of date.",
    ),
    Rule.UNREAD_HEADING: RuleText(
        Severity.WARNING,
        "A heading that looks like a relation is one.",
        "A heading looks like a relation and is not read as one, so what it names is only mentioned.",
        "Use a heading such as Supersedes or Superseded by.",
    ),
    Rule.MISREAD_TEXT: RuleText(
        Severity.WARNING,
        "An import reads a record without a warning.",
        "An import would warn of a part of this record that it cannot read, such as a date.",
        "Correct what the message names.",
    ),
    Rule.FUTURE_DATE: RuleText(
        Severity.WARNING,
        "The date of a record is not in the future.",
        "The record takes effect in the future, and no question is answered with it before.",
        "Correct the date, unless the record is meant to take effect then.",
    ),
    Rule.UNDATED_RECORD: RuleText(
        Severity.NOTE,
        "A decision says when it was made.",
        "No date is read from the decision, so it takes effect when it is imported.",
        "Add a field such as `date: 2026-01-31`.",
    ),
}


@dataclass(frozen=True, slots=True)
class RecordFinding:
    """A place where a record breaks a rule.

    `path` is relative to the checked folder, with slashes; `line` counts from 1.
    """

    path: str
    line: int
    rule: Rule
    message: str
    severity: Severity

    @classmethod
    def of(
        cls, rule: Rule, path: str, line: int, message: str, severity: Severity | None = None
    ) -> RecordFinding:
        """Create a finding of a rule, with the usual severity of the rule unless another is given."""
        return cls(path, line, rule, message, severity or RULES[rule].severity)


@dataclass(frozen=True, slots=True)
class CheckReport:
    """The findings of a check by path and line, and how many texts it read.

    `records` counts decision records and numbered documents, `others` the other texts, and `skipped` links
    and files that were left alone.
    """

    findings: Sequence[RecordFinding]
    records: int
    others: int
    skipped: int

    def counts(self) -> dict[Rule, int]:
        """Return the number of findings of each rule that has any, in the order of the rules."""
        found = Counter(finding.rule for finding in self.findings)
        return {rule: found[rule] for rule in Rule if found[rule]}


UNDATED = "no date is read from this record; add a field such as `date: 2026-01-31`"


def findings_about_files(folder: CheckedFolder) -> Iterator[RecordFinding]:
    """Yield the files that an import would refuse."""
    for refusal in folder.refused:
        yield RecordFinding.of(
            Rule.UNREADABLE_FILE, refusal.source, 1, f"the file is not read: {refusal.reason}"
        )


def findings_about_numbers(folder: CheckedFolder) -> Iterator[RecordFinding]:
    """Yield the records of one series that state the number of another one."""
    by_path = {text.path: text for text in folder.records}
    for collision in folder.collisions:
        texts = [by_path[file.source] for file in collision.files if file.source in by_path]
        absent = [file.source for file in collision.files if file.source not in by_path]
        twins = {text.path: list(absent) for text in texts}
        for one, other in combinations(texts, 2):
            if _share_a_series(one.path, other.path) and not _is_about(one.path, other.path):
                twins[one.path].append(other.path)
                twins[other.path].append(one.path)
        for path, others in twins.items():
            if others:
                message = f"{collision.identifier} is also the number of {_listed(others)}"
                yield RecordFinding.of(
                    Rule.NUMBER_USED_TWICE, path, by_path[path].document.lines.name, message
                )


def _listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - 3} more" if len(names) > 3 else ""
    return ", ".join(names[:3]) + more


def _share_a_series(one: str, other: str) -> bool:
    """Return whether two files count in one series: in one folder, leaving out those of a status or year."""
    return _series(one) == _series(other)


def _series(path: str) -> tuple[str, ...]:
    return tuple(part for part in PurePosixPath(path).parent.parts if not _only_sorts(part))


def _only_sorts(folder: str) -> bool:
    """Return whether a folder sorts the records of a series: `accepted`, `archive`, `2024`."""
    name = field_key(folder).replace("-", " ")
    is_year = len(name) == 4 and name.isdigit()
    return is_year or is_known(name) or is_about_another(f"{folder}/x")


def _is_about(one: str, other: str) -> bool:
    """Return whether one of two files is about the other, as `ADR-1-x-review.md` is about `ADR-1-x.md`."""
    about, meant = sorted((one, other), key=is_about_another, reverse=True)
    stems = (PurePosixPath(about).stem.lower(), PurePosixPath(meant).stem.lower())
    return is_about_another(about) and not is_about_another(meant) and stems[0].startswith(stems[1])


def findings_about_text(text: CheckedText) -> Iterator[RecordFinding]:
    """Yield what an import would warn of when it reads a record, with the line where there is one."""
    lines = text.document.lines
    unread = next((each.line for each in lines.statuses[:1] if each.status is None), None)
    for warning in text.document.warnings:
        line = lines.warnings.get(warning, lines.name)
        if warning in lines.unread_headings:
            rule = Rule.UNREAD_HEADING
        else:
            rule = Rule.UNKNOWN_STATUS if line == unread else Rule.MISREAD_TEXT
        yield RecordFinding.of(rule, text.path, line, warning)


def findings_about_status(text: CheckedText) -> Iterator[RecordFinding]:
    """Yield a status whose words have no meaning, and the places that say another one than the first."""
    stated = text.document.lines.statuses
    status = text.document.status
    line = stated[0].line if stated else text.document.lines.name
    for warning in unknown_status_warnings(status, text.team) if status is not None else ():
        yield RecordFinding.of(Rule.UNKNOWN_STATUS, text.path, line, warning)
    flag = None if status is None else text.flag
    for other in stated[1:]:
        said = None if other.status is None else flag_of_status(other.status, text.team)
        if flag is not None and said is not None and said is not flag:
            message = f"the status is {other.status} here and {status} in line {line}"
            yield RecordFinding.of(Rule.CONTRADICTION, text.path, other.line, message)


def findings_about_date(text: CheckedText, now: datetime) -> Iterator[RecordFinding]:
    """Yield a decision that nothing dates, and a record that begins in the future."""
    date, lines = text.document.created_at, text.document.lines
    if date is None and text.is_decision:
        yield RecordFinding.of(Rule.UNDATED_RECORD, text.path, lines.name, UNDATED)
    if date is not None and date > now:
        message = f"it begins on {date.date()} and is not shown before"
        yield RecordFinding.of(Rule.FUTURE_DATE, text.path, lines.date or lines.name, message)
