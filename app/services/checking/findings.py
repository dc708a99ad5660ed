"""The findings of a check: the rules, how much each counts, and where a record breaks one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum


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
    UNDATED_RECORD = "undated-record"


@dataclass(frozen=True, slots=True)
class RuleText:
    """The usual severity of a rule's findings, and what the rule says."""

    severity: Severity
    description: str


RULES: Mapping[Rule, RuleText] = {
    Rule.UNREADABLE_FILE: RuleText(Severity.ERROR, "Each text can be read."),
    Rule.NUMBER_USED_TWICE: RuleText(Severity.ERROR, "One record has a number, and no other one."),
    Rule.CIRCULAR_SUPERSESSION: RuleText(Severity.ERROR, "No record supersedes itself by way of others."),
    Rule.ONE_WAY_SUPERSESSION: RuleText(
        Severity.WARNING, "Of two records, both say that one supersedes the other."
    ),
    Rule.MISSING_TARGET: RuleText(Severity.WARNING, "What a record refers to is there."),
    Rule.AMBIGUOUS_TARGET: RuleText(Severity.WARNING, "What a record refers to is one document."),
    Rule.SUPERSEDED_TARGET: RuleText(Severity.NOTE, "A record in force refers to records that are in force."),
    Rule.UNKNOWN_STATUS: RuleText(Severity.WARNING, "The status of a record can be read and is known."),
    Rule.CONTRADICTION: RuleText(Severity.WARNING, "All places of a record say the same of its status."),
    Rule.UNREAD_HEADING: RuleText(Severity.WARNING, "A heading that looks like a relation is one."),
    Rule.MISREAD_TEXT: RuleText(Severity.WARNING, "An import reads a record without a warning."),
    Rule.UNDATED_RECORD: RuleText(Severity.NOTE, "A decision says when it was made."),
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
