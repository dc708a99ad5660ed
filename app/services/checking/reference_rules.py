"""The rules of a check that concern several records: what supersedes what, and what references lead to."""

from __future__ import annotations

import os.path
from collections import deque
from collections.abc import Container, Iterable, Iterator, Mapping
from typing import TypeAlias
from uuid import UUID

from app.domain.entity import ReferenceType
from app.domain.identifier import bare_key, identifier_key, is_numbered
from app.domain.recall import StateFlag
from app.domain.status_words import flag_of_status
from app.services.checking.folder import CheckedFolder, CheckedText
from app.services.checking.resolution import Resolution, ResolvedClaim
from app.services.checking.rules import RecordFinding, Rule, Severity

_Above: TypeAlias = dict[UUID, list[UUID]]
"""Which entities supersede each one."""

_BINDING = frozenset(
    {
        ReferenceType.DEPENDS_ON,
        ReferenceType.IMPLEMENTS,
        ReferenceType.EXTENDS,
        ReferenceType.SPECIFIES,
        ReferenceType.FORMALIZES,
    }
)
"""Relations to something that has to be in force; the others may well tell of the past."""


class ReferenceRules:
    """Checks the references of the records of a folder."""

    def __init__(self, folder: CheckedFolder, resolution: Resolution) -> None:
        self._folder = folder
        self._resolution = resolution
        self._circles = circles_of(resolution.superseding)
        self._in_circles = {entity for circle in self._circles for entity in circle}
        self._stated = {
            (each.source.id, each.meant, each.claim.inverted)
            for each in resolution.claims
            if each.claim.type is ReferenceType.SUPERSEDES
        }
        self._referred = {(each.source.id, each.meant) for each in resolution.claims}
        self._may_succeed = {
            (other.id, each.source.id)
            for each in resolution.claims
            if each.claim.type is ReferenceType.SUPERSEDES and each.claim.inverted
            for other in each.target.found
        }
        self._series = {text.series for text in folder.records}
        self._records = {text.id for text in folder.records}

    def findings(self) -> Iterator[RecordFinding]:
        """Yield the findings about all references."""
        for circle in self._circles:
            yield self._circular(circle)
        for claim in self._resolution.claims:
            if claim.source.id not in self._records:
                continue
            yield from self._unresolved(claim)
            if claim.claim.type is not ReferenceType.SUPERSEDES:
                yield from self._to_superseded(claim)
            elif claim.meant not in self._in_circles or claim.source.id not in self._in_circles:
                yield from self._one_way(claim)
                yield from self._contradicting(claim)

    def _name(self, entity: UUID, claim: ResolvedClaim) -> str:
        text = self._folder.by_id.get(entity)
        return claim.claim.target if text is None else text.name

    def _circular(self, circle: list[UUID]) -> RecordFinding:
        first = self._resolution.superseding[circle[0]][circle[1]]
        names = [self._name(entity, first) for entity in (*circle, circle[0])]
        message = f"{names[0]} is superseded by {', which is superseded by '.join(names[1:])}"
        return _finding(Rule.CIRCULAR_SUPERSESSION, first, message)

    def _unresolved(self, claim: ResolvedClaim) -> Iterator[RecordFinding]:
        if len(claim.target.others(claim.source.id)) > 1 or (
            claim.target.homonyms and not claim.target.found
        ):
            yield _finding(Rule.AMBIGUOUS_TARGET, claim, claim.target.unclear())
        elif not claim.target.found and self._ought_to_be_there(claim):
            target = claim.claim.path or claim.claim.target
            yield _finding(Rule.MISSING_TARGET, claim, f"{target} is not there")

    def _ought_to_be_there(self, claim: ResolvedClaim) -> bool:
        """Return whether a target that was not found is one of the folder, and not of another place."""
        if claim.claim.path is not None:
            return not claim.claim.path.startswith("/") and not self._is_a_file(claim)
        key = bare_key(identifier_key(claim.claim.target))
        if is_numbered(key):
            return key.rpartition("-")[0] in self._series
        return claim.claim.type is ReferenceType.SUPERSEDES

    def _is_a_file(self, claim: ResolvedClaim) -> bool:
        """Return whether a link leads to a file that is not read, such as an index of a folder above."""
        path = claim.claim.path or ""
        beside = self._folder.root / os.path.dirname(claim.source.path)
        return any(os.path.lexists(folder / path) for folder in (beside, self._folder.root))

    def _to_superseded(self, claim: ResolvedClaim) -> Iterator[RecordFinding]:
        """Yield a reference of a record in force to one that is over, unless it names the successor too."""
        meant, source = claim.meant, claim.source
        if meant is None or claim.claim.inverted or self._is_over(source):
            return
        successors = self._resolution.successors(meant)
        knows = source.id in successors or any((source.id, each) in self._referred for each in successors)
        if (
            knows
            or (source.id, meant) in self._may_succeed
            or meant in self._resolution.successors(source.id)
        ):
            return
        if self._resolution.is_superseded(meant):
            severity = Severity.WARNING if claim.claim.type in _BINDING else Severity.NOTE
            yield _finding(Rule.SUPERSEDED_TARGET, claim, self._why_over(meant, claim), severity)

    def _is_over(self, text: CheckedText) -> bool:
        return text.flag is StateFlag.HISTORICAL or self._resolution.is_superseded(text.id)

    def _why_over(self, entity: UUID, claim: ResolvedClaim) -> str:
        name, statuses = self._name(entity, claim), self._resolution.statuses
        for successor, stated in self._resolution.superseding.get(entity, {}).items():
            if self._resolution.may_supersede(successor):
                return f"{name} is superseded by {self._name(successor, stated)}"
        return f"the status of {name} is {statuses.get(entity)}"

    def _one_way(self, claim: ResolvedClaim) -> Iterator[RecordFinding]:
        """Yield a supersession that one record states and the other contradicts or does not mention."""
        source, other = claim.source, self._folder.by_id.get(claim.meant) if claim.meant else None
        if other is None or (other.id, source.id, not claim.claim.inverted) in self._stated:
            return
        if claim.claim.inverted:
            message = f"this record names {other.name} as its successor, which does not say so"
            yield _finding(Rule.ONE_WAY_SUPERSESSION, claim, message, Severity.NOTE)
        elif other.flag is not StateFlag.HISTORICAL and self._resolution.may_supersede(source.id):
            status = f"has the status {other.document.status}" if other.document.status else "has no status"
            message = f"this record supersedes {other.name}, which {status} and does not say so"
            yield _finding(Rule.ONE_WAY_SUPERSESSION, claim, message)

    def _contradicting(self, claim: ResolvedClaim) -> Iterator[RecordFinding]:
        """Yield a record that names its successor, while its status is not that of a superseded one."""
        text = claim.source
        successor = self._resolution.statuses.get(claim.meant) if claim.meant else None
        is_over = text.document.status is None or text.flag in (StateFlag.HISTORICAL, None)
        if not claim.claim.inverted or is_over or flag_of_status(successor, text.team) is StateFlag.WIP:
            return
        if any(each.line == claim.line for each in text.document.lines.statuses[1:]):
            return
        said = text.document.lines.statuses[:1]
        where = f" in line {said[0].line}" if said else ""
        message = f"superseded by {claim.claim.target}, but the status is {text.document.status}{where}"
        yield _finding(Rule.CONTRADICTION, claim, message)


def _finding(
    rule: Rule, claim: ResolvedClaim, message: str, severity: Severity | None = None
) -> RecordFinding:
    return RecordFinding.of(rule, claim.source.path, claim.line, message, severity)


def circles_of(superseding: Mapping[UUID, Iterable[UUID]]) -> list[list[UUID]]:
    """Return circles of supersession, each entity superseded by the next one and the last by the first.

    No two of them have an entity in common.
    """
    left = _without_ends({entity: list(above) for entity, above in superseding.items()})
    circles: list[list[UUID]] = []
    while left:
        start = next(iter(left))
        circle = _way_back(start, left)
        circles += [circle] if circle else []
        left = _without(left, set(circle or [start]))
    return circles


def _without(above: _Above, gone: Container[UUID]) -> _Above:
    """Return a graph without some entities, and without those from which no way leads on any more."""
    kept = {
        entity: [each for each in others if each not in gone]
        for entity, others in above.items()
        if entity not in gone
    }
    return _without_ends(kept)


def _without_ends(above: _Above) -> _Above:
    while ends := {each for others in above.values() for each in others if not above.get(each)}:
        above = {
            entity: [each for each in others if each not in ends]
            for entity, others in above.items()
            if entity not in ends
        }
    return {entity: others for entity, others in above.items() if others}


def _way_back(start: UUID, above: _Above) -> list[UUID]:
    """Return the shortest circle through an entity, beginning with it; nothing if there is none."""
    before: dict[UUID, UUID] = {}
    waiting = deque([start])
    while waiting:
        entity = waiting.popleft()
        for each in above.get(entity, ()):
            if each == start:
                circle = [entity]
                while circle[-1] != start:
                    circle.append(before[circle[-1]])
                return circle[::-1]
            if each not in before:
                before[each] = entity
                waiting.append(each)
    return []
