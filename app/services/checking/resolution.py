"""Find what the texts of a folder refer to, by the rules of filing, without a ledger."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from uuid import UUID

from app.domain.artifact import ReferenceClaim
from app.domain.entity import ReferenceType
from app.domain.status_words import NO_TEAM_WORDS, TeamWords, may_put_in_force, was_in_force
from app.domain.text import name_key
from app.services.checking.folder import CheckedFolder, CheckedText
from app.services.filing.document_names import names_of
from app.services.importing.name_collisions import homonyms_of
from app.services.parsing.target_readings import (
    TargetLookups,
    TargetReading,
    target_lookups,
    target_readings,
)
from app.services.references.target_resolution import Claimant, KnownTargets, Target, target_of
from app.stores.postgres.document_names import DocumentByName
from app.stores.postgres.entities import KeyedEntity, by_either_key


@dataclass(frozen=True, slots=True)
class LedgerTargets:
    """What a ledger has under the names that some claims use, and the statuses of what it has."""

    known: KnownTargets
    statuses: Mapping[UUID, str | None] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ResolvedClaim:
    """A claim of a text with the entities that it can mean."""

    source: CheckedText
    claim: ReferenceClaim
    target: Target

    @property
    def line(self) -> int:
        """The line that states it."""
        return self.claim.line or 1

    @property
    def meant(self) -> UUID | None:
        """The entity that it means, if it is exactly one."""
        others = self.target.others(self.source.id)
        return others[0].id if len(others) == 1 else None


@dataclass(frozen=True, slots=True)
class Resolution:
    """The claims of the texts of a folder, and which entities supersede which.

    `superseding` has the entities that supersede each one, and `statuses` are those of texts and of what the
    ledger has, read with the words of a team.
    """

    claims: Sequence[ResolvedClaim]
    superseding: Mapping[UUID, Mapping[UUID, ResolvedClaim]]
    statuses: Mapping[UUID, str | None]
    team: TeamWords = NO_TEAM_WORDS

    def may_supersede(self, entity: UUID) -> bool:
        """Return whether something counts as in force for what it supersedes."""
        return may_put_in_force(self.statuses.get(entity), self.team)

    def is_superseded(self, entity: UUID) -> bool:
        """Return whether something was in force and no longer is, by its own status or by a successor."""
        if was_in_force(self.statuses.get(entity), self.team):
            return True
        return any(self.may_supersede(each) for each in self.superseding.get(entity, ()))

    def successors(self, entity: UUID) -> set[UUID]:
        """Return everything that supersedes something, step by step."""
        found: set[UUID] = set()
        open_ends = [entity]
        while open_ends:
            for each in self.superseding.get(open_ends.pop(), ()):
                if each not in found:
                    found.add(each)
                    open_ends.append(each)
        return found


def ways_of(
    texts: Sequence[CheckedText],
) -> Iterator[tuple[CheckedText, ReferenceClaim, list[TargetReading]]]:
    """Yield each claim of some texts with the ways to read its target."""
    for text in texts:
        for claim in text.document.references:
            yield text, claim, target_readings(claim, text.entity.key, text.document.source_uri)


def wanted_lookups(folder: CheckedFolder) -> TargetLookups:
    """Return what a ledger is asked for, so that the claims of the texts can be resolved there too."""
    return target_lookups(ways for _, _, ways in ways_of(folder.texts))


def resolve(folder: CheckedFolder, ledger: LedgerTargets | None = None) -> Resolution:
    """Resolve the claims of the texts of a folder, among them and in a ledger, if one is given."""
    known = _known_among(folder.texts)
    statuses = {text.id: text.document.status for text in folder.texts}
    if ledger is not None:
        known = _with_ledger(known, ledger.known, folder.texts)
        statuses |= ledger.statuses
    homonyms = homonyms_of(folder.collisions)
    claims = [
        ResolvedClaim(
            text,
            claim,
            target_of(homonyms, claim, ways, Claimant(text.entity.key, text.document.source_uri), known),
        )
        for text, claim, ways in ways_of(folder.texts)
    ]
    superseding: defaultdict[UUID, dict[UUID, ResolvedClaim]] = defaultdict(dict)
    for each in claims:
        if each.claim.type is ReferenceType.SUPERSEDES and each.meant is not None:
            ends = (each.source.id, each.meant)
            successor, predecessor = reversed(ends) if each.claim.inverted else ends
            superseding[predecessor].setdefault(successor, each)
    return Resolution(claims, superseding, statuses, folder.team)


def _known_among(texts: Sequence[CheckedText]) -> KnownTargets:
    by_name: defaultdict[str, list[KeyedEntity]] = defaultdict(list)
    by_document_name: defaultdict[str, list[DocumentByName]] = defaultdict(list)
    for text in texts:
        by_name[name_key(text.document.title)].append(text.entity)
        for key, sort in names_of(text.document):
            by_document_name[key].append(DocumentByName(sort, text.entity))
    return KnownTargets(
        by_key=by_either_key(text.entity for text in texts),
        by_path={text.path: text.entity for text in texts},
        by_name=by_name,
        by_alias={},
        by_document_name=by_document_name,
    )


def _with_ledger(known: KnownTargets, ledger: KnownTargets, texts: Sequence[CheckedText]) -> KnownTargets:
    """Return the targets of a folder, and those of a ledger that the folder has no newer version of."""
    keys = {text.entity.key for text in texts}
    sources = {text.path for text in texts}

    def is_older(entity: KeyedEntity) -> bool:
        return entity.key in keys or entity.source_uri in sources

    def joined(
        here: Mapping[str, Sequence[KeyedEntity]], there: Mapping[str, Sequence[KeyedEntity]]
    ) -> dict[str, list[KeyedEntity]]:
        return {
            key: [*here.get(key, ()), *(each for each in there.get(key, ()) if not is_older(each))]
            for key in {*here, *there}
        }

    there = {path: each for path, each in ledger.by_path.items() if not is_older(each)}
    return KnownTargets(
        by_key=joined(known.by_key, ledger.by_key),
        by_path={**there, **known.by_path},
        by_name=joined(known.by_name, ledger.by_name),
        by_alias=joined({}, ledger.by_alias),
        by_document_name={
            key: [
                *known.by_document_name.get(key, ()),
                *(each for each in ledger.by_document_name.get(key, ()) if not is_older(each.entity)),
            ]
            for key in {*known.by_document_name, *ledger.by_document_name}
        },
    )
