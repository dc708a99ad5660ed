"""Write the references that a document claims."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from uuid import UUID, uuid4

from app.domain.artifact import ReferenceClaim
from app.domain.entity import Edge, ReferenceType
from app.domain.supersession import dated_statuses
from app.domain.temporal import EntityState, Interval
from app.services.parsing.target_readings import TargetReading
from app.services.references.arrivals import close_earlier_claims, record_claims
from app.services.references.edges import (
    CurrentEdges,
    EdgeStatement,
    Filed,
    Joined,
    claimed_edge,
    current_edges,
    mention_of,
    write_edge,
)
from app.services.references.pending import add_pending
from app.services.references.supersession import SupersessionChange, effective_from
from app.services.references.target_resolution import Claimant, Target, find_targets
from app.services.unit_of_work import UnitOfWork
from app.stores.event_loop import let_others_work
from app.stores.postgres import mentions, references
from app.stores.postgres.entities import KeyedEntity
from app.stores.postgres.supersessions import successions_around


async def join_claims(
    write: UnitOfWork,
    filed: Filed,
    ways: Mapping[ReferenceClaim, Sequence[TargetReading]],
    before: Sequence[EntityState],
) -> Joined:
    """Write a reference for each claim whose target is known, and keep the others as pending.

    `ways` are the ways to read each claim.

    `before` holds the states believed of the entity until now, none if it is new. References that an earlier
    version stated and this one does not end first, so that a document may reverse what it stated before.
    """
    joined = Joined()
    typed_first = dict(sorted(ways.items(), key=lambda each: each[0].type is ReferenceType.REFERENCES))
    earlier = await close_earlier_claims(write, filed.entity.id, ways) if before else {}
    claimant = Claimant(filed.key, filed.artifact.source_uri, filed.artifact.created_at)
    targets = await find_targets(write, filed.project, claimant, typed_first, earlier)
    known = _known_edges(filed, targets, joined)
    if before:
        await _end_what_is_not_stated(write, filed, before, joined)
    held = await current_edges(write, [edge for edge, _, _ in known])
    for place, (edge, claim, other) in enumerate(known):
        await let_others_work(place)
        await _join_one(write, filed, edge, claim, other, held, joined)
    for place, target in enumerate(targets):
        await let_others_work(place)
        if not target.found or len(target.others(filed.entity.id)) > 1:
            await add_pending(write, filed, target, joined)
    await record_claims(write, filed, ways, earlier)
    await _note_mentions(write, filed, targets)
    return joined


def _known_edges(
    filed: Filed, targets: Sequence[Target], joined: Joined
) -> list[tuple[Edge, ReferenceClaim, KeyedEntity]]:
    """Return the edges of claims that mean exactly one entity; a typed edge replaces a generic one."""
    known = []
    for target in targets:
        others = target.others(filed.entity.id)
        if len(others) == 1:
            (other,) = others
            if target.rivals:
                joined.warnings.append(target.preferred())
            edge = _edge(filed.entity.id, target.claim, other, joined)
            if edge[2] is ReferenceType.REFERENCES and joined.has_between(*edge[:2]):
                continue
            joined.add_edge(edge)
            known.append((edge, target.claim, other))
    return known


def _edge(own: UUID, claim: ReferenceClaim, other: KeyedEntity, joined: Joined) -> Edge:
    edge = claimed_edge(own, claim, other)
    if edge[2] is not claim.type:
        joined.warnings.append(f"{claim.type} {claim.target} is recorded as REFERENCES: no rule allows it")
    return edge


async def _end_what_is_not_stated(
    write: UnitOfWork, filed: Filed, before: Sequence[EntityState], joined: Joined
) -> None:
    effective = await _in_effect(write, filed.entity.id, before)
    await references.close_pending_of(await write.flush(), write.tenant, filed.entity.id, write.recorded_at)
    write.cached.note_closed(filed.entity.id)
    end = filed.artifact.created_at
    dropped = await references.end_dropped_references(
        await write.flush(),
        write.tenant,
        filed.entity.id,
        joined.edges,
        end,
        write.recorded_at,
        write.actor,
        write.rows,
    )
    for reference in dropped:
        since = effective.get((reference.source, reference.target, reference.valid))
        if reference.type is ReferenceType.SUPERSEDES and since is not None:
            joined.changes.append(SupersessionChange(reference.target, max(since, end), filed.artifact.id))


async def _in_effect(
    write: UnitOfWork, entity: UUID, before: Sequence[EntityState]
) -> dict[tuple[UUID, UUID, Interval], datetime | None]:
    """Return from when on the supersessions around an entity changed statuses, before this write."""
    statuses = dated_statuses(before)
    return {
        (each.successor, each.predecessor, each.valid): (
            replace(each, statuses=statuses) if each.successor == entity else each
        ).effective_from
        for each in await successions_around(await write.flush(), write.tenant, entity)
    }


async def _join_one(
    write: UnitOfWork,
    filed: Filed,
    edge: Edge,
    claim: ReferenceClaim,
    other: KeyedEntity,
    held: CurrentEdges,
    joined: Joined,
) -> None:
    statement = EdgeStatement(
        edge=edge,
        stated_by=filed.artifact.id,
        cause=other.source_artifact if claim.inverted else filed.artifact.id,
        valid_from=max(claim.since or filed.artifact.created_at, filed.entity.created_at, other.created_at),
        occurrences=claim.count,
        inverted=claim.inverted,
    )
    joined.references += await write_edge(write, filed.project, statement, joined, held)


async def _note_mentions(write: UnitOfWork, filed: Filed, targets: Sequence[Target]) -> None:
    noted = [
        mention_of(filed.artifact.id, found.id, target.claim.target, target.claim.count)
        for target in targets
        if len(target.found) == 1
        for found in target.found
        if found.id != filed.entity.id
    ]
    await mentions.insert_mentions(write.rows, write.tenant, noted, write.recorded_at)


async def confirm_supersession(write: UnitOfWork, statement: EdgeStatement) -> SupersessionChange | None:
    """Write a supersession anew as stated by the superseded document, if it was not in effect by then.

    Return the change of status that follows, if any. Must come last in a write: a reference that this write
    itself recorded can only be ended at a later transaction time.
    """
    target = statement.edge[1]
    start = statement.valid_from
    held = await references.current_edge(await write.flush(), write.tenant, statement.edge, start)
    if held is None:
        return None
    effective = await effective_from(write, held)
    if effective is not None and effective <= start:
        return None
    write = await write.next_transaction_time()
    recorded = await references.recorded_reference(await write.flush(), write.tenant, held.id)
    if recorded is None:
        return None
    await references.end_reference(
        await write.flush(), write.tenant, recorded, start, write.recorded_at, write.actor, write.rows
    )
    valid = Interval(start, held.valid.end)
    own = replace(held, id=uuid4(), source_artifact=statement.stated_by, valid=valid)
    await references.insert_reference(
        write.rows, write.tenant, recorded.project, own, statement.occurrences, write.recorded_at, write.actor
    )
    return SupersessionChange(target, start, statement.cause)
