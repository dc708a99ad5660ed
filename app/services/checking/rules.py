"""The rules of a check that concern one record: its number, status, date and text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from pathlib import PurePosixPath

from app.domain.status_words import flag_of_status, is_known, unknown_status_warnings
from app.services.checking.findings import RecordFinding, Rule
from app.services.checking.folder import CheckedFolder, CheckedText
from app.services.parsing.identifiers import is_about_another
from app.services.parsing.vocabulary import field_key

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


def findings_about_date(text: CheckedText) -> Iterator[RecordFinding]:
    """Yield a decision that nothing dates."""
    if text.is_decision and text.document.created_at is None:
        yield RecordFinding.of(Rule.UNDATED_RECORD, text.path, text.document.lines.name, UNDATED)
