"""Join what other documents refer to with a document that arrives, as if it had been there before them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TypeAlias
from uuid import UUID

from app.domain.artifact import ReferenceClaim
from app.domain.entity import Edge, Project, ReferenceType
from app.services.cached_lookups import claims_under, find_pending
from app.services.parsing.target_readings import TargetReading, claim_keys, target_readings
from app.services.references.edges import (
    EdgeStatement,
    Filed,
    Joined,
    claimed_edge,
    current_edges,
    mention_of,
    write_edge,
)
from app.services.references.pending import record_pending
from app.services.references.supersession import SupersessionChange, effective_from
from app.services.references.target_resolution import Claimant, Target, known_targets, target_of
from app.services.unit_of_work import UnitOfWork
from app.stores.event_loop import let_others_work
from app.stores.postgres import document_names, mentions, references
from app.stores.postgres.document_names import StatedClaim
from app.stores.postgres.entities import KeyedEntity

_Sort: TypeAlias = tuple[ReferenceType, bool, bool, str]
_Edges: TypeAlias = dict[Edge, tuple[StatedClaim, KeyedEntity]]


async def record_claims(
    write: UnitOfWork,
    filed: Filed,
    ways: Mapping[ReferenceClaim, Sequence[TargetReading]],
    earlier: Mapping[ReferenceClaim, datetime],
) -> None:
    """Keep the claims of a document's new version, each since it states the `earlier` ones."""
    claims = [
        (
            StatedClaim(
                claim=claim,
                source=filed.entity.id,
                source_key=filed.key,
                source_uri=filed.artifact.source_uri,
                source_artifact=filed.artifact.id,
                valid_from=claim.since or earlier.get(claim, filed.artifact.created_at),
            ),
            claim_keys(of_claim),
        )
        for claim, of_claim in ways.items()
    ]
    await document_names.insert_claims(write.rows, write.tenant, filed.project.number, claims)
    write.cached.note_claims(claims)


async def close_earlier_claims(
    write: UnitOfWork, entity: UUID, claims: Iterable[ReferenceClaim]
) -> dict[ReferenceClaim, datetime]:
    """Close the claims of a document's earlier version; return since when it stated those of a later one."""
    earlier = await document_names.claims_of(await write.flush(), write.tenant, [entity])
    if earlier:
        await document_names.close_claims(await write.flush(), write.tenant, entity, write.recorded_at)
        write.cached.note_closed_claims(entity)
    stated = {_sort_of(each.claim): each.valid_from for each in earlier}
    return {claim: stated[_sort_of(claim)] for claim in claims if _sort_of(claim) in stated}


def _sort_of(claim: ReferenceClaim) -> _Sort:
    return claim.type, claim.inverted, claim.in_part, claim.target


@dataclass(frozen=True, slots=True)
class ClaimChange:
    """A claim with what it means without a document that arrived, and what it means with it."""

    stated: StatedClaim
    before: Target
    after: Target

    @property
    def former(self) -> list[KeyedEntity]:
        """The entity that it meant, if it was exactly one."""
        return _single(self.before, self.stated.source)

    @property
    def meant(self) -> list[KeyedEntity]:
        """The entity that it means now, if it is exactly one."""
        return _single(self.after, self.stated.source)

    @property
    def pending_key(self) -> tuple[str, tuple[UUID, ReferenceType, bool, bool]]:
        """What distinguishes it among pending references."""
        return self.after.key, self.stated.relation

    @property
    def ends(self) -> set[UUID]:
        """The ids of both."""
        return {each.id for each in (*self.former, *self.meant)}


def _single(target: Target, own: UUID) -> list[KeyedEntity]:
    others = target.others(own)
    return others if len(others) == 1 else []


async def join_arrived(
    write: UnitOfWork, filed: Filed, names: Collection[str], joined: Joined
) -> set[tuple[UUID, _Sort]]:
    """Join the claims of other documents that mean this one by one of its new names; return all of them.

    A claim that was joined with a worse match is parted from it; an ambiguous one becomes pending again.
    """
    claims = await claims_under(write, sorted(names), filed.entity.id)
    changes = await _changes(write, filed, claims)
    await _settle_pending(write, filed, changes, joined)
    await _settle_edges(write, filed, changes, joined)
    noted = [
        mention_of(each.stated.source_artifact, entity.id, each.stated.claim.target, each.stated.claim.count)
        for each in changes
        for entity in each.meant
    ]
    await mentions.insert_mentions(write.rows, write.tenant, noted, write.recorded_at)
    return {(each.source, _sort_of(each.claim)) for each in claims}


async def _changes(write: UnitOfWork, filed: Filed, claims: Sequence[StatedClaim]) -> list[ClaimChange]:
    """Return the claims whose meaning differs for the document that arrived."""
    if not claims:
        return []
    ways = {each: target_readings(each.claim, each.source_key, each.source_uri) for each in claims}
    known = await known_targets(write, filed.project, ways.values())
    arrived, changes = filed.entity.id, []
    for place, (stated, of_claim) in enumerate(ways.items()):
        await let_others_work(place)
        claimant = Claimant(stated.source_key, stated.source_uri, stated.valid_from)
        before, after = (
            target_of(write.homonyms, stated.claim, of_claim, claimant, known, counts)
            for counts in (lambda entity: entity.id != arrived, lambda entity: True)
        )
        if before.others(stated.source) != after.others(stated.source):
            changes.append(ClaimChange(stated, before, after))
    return changes


async def _settle_pending(
    write: UnitOfWork, filed: Filed, changes: Sequence[ClaimChange], joined: Joined
) -> None:
    """Close the pending references of claims with one meaning, and record those with several."""
    keys = sorted({each.after.key for each in changes})
    rows = {
        (row.target_key, row.relation): row
        for row in (await find_pending(write, filed.project, keys, filed.entity.id) if keys else ())
    }
    of_changes = [(each, rows.get(each.pending_key)) for each in changes]
    unclear = [(each, row) for each, row in of_changes if not each.meant and not (row and row.is_ambiguous)]
    closed = [row.id for each, row in of_changes if row and each.meant]
    await references.close_pending(write.rows, write.tenant, closed, write.recorded_at)
    reopened = [row.id for _, row in unclear if row]
    if reopened:  # at once, so that others of the same claims can be recorded
        await references.close_pending(await write.flush(), write.tenant, reopened, write.recorded_at)
    write.cached.note_resolved({*closed, *reopened})
    for each, _ in unclear:
        joined.warnings.append(
            f"{each.after.unclear()}; the reference of {each.stated.source_key} is unresolved"
        )
        await record_pending(write, filed.project, each.stated, each.after)


async def _settle_edges(
    write: UnitOfWork, filed: Filed, changes: Sequence[ClaimChange], joined: Joined
) -> None:
    """Write and retract the edges of documents whose claims changed their meaning."""
    by_source: dict[UUID, list[ClaimChange]] = defaultdict(list)
    for each in changes:
        by_source[each.stated.source].append(each)
    parting = {source for source, each in by_source.items() if any(change.former for change in each)}
    every = await _claims_as_meant(write, filed, parting)
    wanted: _Edges = {}
    for source, of_source in by_source.items():
        ends = {end for each in of_source for end in each.ends}
        targets = every[source] if source in parting else [(each.stated, each.after) for each in of_source]
        edges = {
            edge: stated for edge, stated in _edges(source, targets).items() if ends.intersection(edge[:2])
        }
        if source in parting:
            await _part(write, source, ends, edges, joined)
        wanted |= edges
    await _write_edges(write, filed.project, wanted, joined)


async def _claims_as_meant(
    write: UnitOfWork, filed: Filed, sources: Collection[UUID]
) -> dict[UUID, list[tuple[StatedClaim, Target]]]:
    """Return every claim of some documents with what it means now, by document."""
    claims = await document_names.claims_of(await write.flush(), write.tenant, sources) if sources else []
    ways = {each: target_readings(each.claim, each.source_key, each.source_uri) for each in claims}
    found: dict[UUID, list[tuple[StatedClaim, Target]]] = defaultdict(list)
    known = await known_targets(write, filed.project, ways.values()) if claims else None
    for place, (stated, of_claim) in enumerate(ways.items()):
        await let_others_work(place)
        assert known is not None
        claimant = Claimant(stated.source_key, stated.source_uri, stated.valid_from)
        target = target_of(write.homonyms, stated.claim, of_claim, claimant, known)
        found[stated.source].append((stated, target))
    return found


def _edges(source: UUID, targets: Sequence[tuple[StatedClaim, Target]]) -> _Edges:
    """Return the edges of the claims that mean exactly one entity; a typed edge replaces a generic one."""
    edges: _Edges = {}
    pairs: set[frozenset[UUID]] = set()
    for stated, target in sorted(targets, key=lambda each: each[0].claim.type is ReferenceType.REFERENCES):
        for other in _single(target, source):
            edge = claimed_edge(source, stated.claim, other)
            pair = frozenset(edge[:2])
            if edge not in edges and not (edge[2] is ReferenceType.REFERENCES and pair in pairs):
                edges[edge] = (stated, other)
                pairs.add(pair)
    return edges


async def _part(
    write: UnitOfWork, source: UUID, ends: Collection[UUID], wanted: _Edges, joined: Joined
) -> None:
    """Retract the edges that a document states to or from these ends and no longer means."""
    for held in await references.stated_by(await write.flush(), write.tenant, source):
        if held.edge in wanted or not set(held.edge[:2]).intersection(ends):
            continue
        if held.type is ReferenceType.SUPERSEDES and (since := await effective_from(write, held)) is not None:
            joined.changes.append(SupersessionChange(held.target, since, None))
        await references.retract_reference(await write.flush(), write.tenant, held.id, write.recorded_at)


async def _write_edges(write: UnitOfWork, project: Project, wanted: _Edges, joined: Joined) -> None:
    held = await current_edges(write, list(wanted))
    for place, (edge, (stated, other)) in enumerate(wanted.items()):
        await let_others_work(place)
        statement = EdgeStatement(
            edge=edge,
            stated_by=stated.source_artifact,
            cause=other.source_artifact if stated.claim.inverted else stated.source_artifact,
            valid_from=max(stated.holds_from, other.created_at),
            occurrences=stated.claim.count,
            inverted=stated.claim.inverted,
        )
        await write_edge(write, project, statement, joined, held)


@dataclass(frozen=True, slots=True)
class Departed:
    """A document that is gone since a moment, and the documents whose references to it ended then."""

    entity: UUID
    since: datetime
    parted: frozenset[UUID]


async def leave_departed(
    write: UnitOfWork,
    project: Project,
    names: Collection[str],
    departed: Departed,
    joined: Joined,
) -> None:
    """Join the claims of other documents with what they mean without one that is gone, or let them wait.

    `names` are its names. A claim that means nothing else waits for its return, if it was joined with it.
    """
    claims = await claims_under(write, sorted(names), departed.entity)
    ways = {each: target_readings(each.claim, each.source_key, each.source_uri) for each in claims}
    known = await known_targets(write, project, ways.values()) if ways else None
    wanted: _Edges = {}
    settled: set[tuple[str, tuple[UUID, ReferenceType, bool, bool]]] = set()
    waiting: list[tuple[StatedClaim, Target]] = []
    for place, (stated, of_claim) in enumerate(ways.items()):
        await let_others_work(place)
        assert known is not None
        claimant = Claimant(stated.source_key, stated.source_uri, stated.valid_from)
        target = target_of(write.homonyms, stated.claim, of_claim, claimant, known)
        later = replace(stated, valid_from=max(stated.holds_from, departed.since), begins=None)
        if _single(target, stated.source):
            wanted |= _edges(stated.source, [(later, target)])
        elif stated.source in departed.parted:
            waiting.append((later, target))
        else:
            continue
        settled.add((target.key, stated.relation))
    rows = await find_pending(write, project, sorted({key for key, _ in settled}), departed.entity)
    closed = [row.id for row in rows if (row.target_key, row.relation) in settled]
    # At once, so that one that waits from another moment on can be recorded.
    await references.close_pending(await write.flush(), write.tenant, closed, write.recorded_at)
    for later, target in waiting:
        await record_pending(write, project, later, target)
    await _write_edges(write, project, wanted, joined)
