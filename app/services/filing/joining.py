"""Turning what a document claims into references, now or when the target arrives."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from uuid import UUID, uuid4

from app.domain.artifact import Artifact, ReferenceClaim
from app.domain.entity import AuthorityTier, Entity, Project, Reference, ReferenceType
from app.domain.identifier import bare_key, may_mean
from app.domain.surface_form import fold
from app.services.filing.supersession import Supersession
from app.services.filing.targets import Target, find_targets, path_key
from app.services.filing.write import Write
from app.stores.postgres import mentions, references
from app.stores.postgres.entities import KeyedEntity
from app.stores.postgres.mentions import Mention, NamedForm
from app.stores.postgres.references import PendingReference

Edge = tuple[UUID, UUID, ReferenceType]
THING_REFERENCES = frozenset(
    {
        ReferenceType.SPECIFIES,
        ReferenceType.FORMALIZES,
        ReferenceType.DOCUMENTS,
        ReferenceType.RELATES_TO,
        ReferenceType.REFERENCES,
    }
)


@dataclass(frozen=True, slots=True)
class Statement:
    """An edge as a document states it; `cause` is the document on its source's side."""

    edge: Edge
    stated_by: UUID
    cause: UUID | None
    valid_from: datetime
    occurrences: int


@dataclass(slots=True)
class Joined:
    """What became of a document's claims; supersessions still have to move the states they end."""

    references: list[Reference] = field(default_factory=list)
    supersessions: list[Supersession] = field(default_factory=list)
    edges: set[Edge] = field(default_factory=set)
    warnings: list[str] = field(default_factory=list)

    def has_between(self, one: UUID, other: UUID) -> bool:
        """Tell whether an edge joins these two, either way."""
        return any({one, other} == set(edge[:2]) for edge in self.edges)


@dataclass(frozen=True, slots=True)
class Filed:
    """The document whose claims are joined."""

    project: Project
    entity: Entity
    artifact: Artifact
    key: str


async def join_claims(write: Write, filed: Filed, claims: Sequence[ReferenceClaim]) -> Joined:
    """Write a reference for each claim whose target is known, and keep the others as pending."""
    joined = Joined()
    typed_first = sorted(claims, key=lambda claim: claim.type is ReferenceType.REFERENCES)
    targets = await find_targets(write, filed.project, filed.key, filed.artifact.source_uri, typed_first)
    for target in targets:
        others = [found for found in target.found if found.id != filed.entity.id]
        if len(others) == 1:
            await _join_one(write, filed, target.claim, others[0], joined)
        elif others or not target.found:
            await _keep(write, filed, target, joined)
    await _note_mentions(write, filed, targets)
    return joined


async def _join_one(
    write: Write, filed: Filed, claim: ReferenceClaim, other: KeyedEntity, joined: Joined
) -> None:
    reference_type = claim.type
    if not other.is_document and reference_type not in THING_REFERENCES:
        joined.warnings.append(f"{reference_type} {claim.target} is kept as REFERENCES: no rule allows it")
        reference_type = ReferenceType.REFERENCES
    ends = (other.id, filed.entity.id) if claim.inverted else (filed.entity.id, other.id)
    edge = (*ends, reference_type)
    if reference_type is ReferenceType.REFERENCES and any(
        set(ends) == set(kept[:2]) for kept in joined.edges
    ):
        return
    statement = Statement(
        edge=edge,
        stated_by=filed.artifact.id,
        cause=other.source_artifact if claim.inverted else filed.artifact.id,
        valid_from=max(filed.artifact.created_at, filed.entity.created_at, other.created_at),
        occurrences=claim.count,
    )
    written = await _write(write, filed.project, statement, joined)
    if written is not None:
        joined.references.append(written)


async def _write(write: Write, project: Project, statement: Statement, joined: Joined) -> Reference | None:
    """Write one reference and what follows from it; None when it is there or would close a circle."""
    source, target, reference_type = statement.edge
    joined.edges.add(statement.edge)
    valid = await references.missing_from(
        write.connection, write.tenant, statement.edge, statement.valid_from
    )
    if valid is None:
        return None
    supersedes = reference_type is ReferenceType.SUPERSEDES
    if supersedes and await references.supersession_leads(
        write.connection, write.tenant, target, source, valid.start
    ):
        joined.warnings.append("left out a supersession that would close a circle: one must stay current")
        return None
    reference = Reference(uuid4(), source, target, reference_type, statement.stated_by, valid)
    await references.insert_reference(
        write.connection,
        write.tenant,
        project.number,
        reference,
        statement.occurrences,
        write.recorded_at,
        write.actor,
    )
    if supersedes and write.caller.tier <= AuthorityTier.AGENT:
        joined.supersessions.append(Supersession(target, statement.valid_from, statement.cause))
    return reference


async def _keep(write: Write, filed: Filed, target: Target, joined: Joined) -> None:
    is_ambiguous = bool(target.found)
    if is_ambiguous:
        choices = ", ".join(found.key for found in target.found)
        joined.warnings.append(f"{target.claim.target} could mean {choices}; kept as pending")
    pending = PendingReference(
        id=uuid4(),
        source=filed.entity.id,
        source_key=filed.key,
        target_key=target.key,
        target_text=target.claim.target,
        type=target.claim.type,
        inverted=target.claim.inverted,
        occurrences=target.claim.count,
        source_artifact=filed.artifact.id,
        valid_from=filed.artifact.created_at,
    )
    await references.insert_pending(
        write.connection,
        write.tenant,
        filed.project.number,
        pending,
        is_ambiguous,
        write.recorded_at,
        write.actor,
    )


async def _note_mentions(write: Write, filed: Filed, targets: Sequence[Target]) -> None:
    noted = [
        _mention(filed.artifact.id, found.id, target.claim.target, target.claim.count)
        for target in targets
        if len(target.found) == 1
        for found in target.found
        if found.id != filed.entity.id
    ]
    await mentions.insert_mentions(write.connection, write.tenant, noted, write.recorded_at)


def _mention(artifact: UUID, entity: UUID, form: str, occurrences: int) -> Mention:
    return Mention(artifact, entity, NamedForm(entity, form, fold(form)), occurrences)


async def join_pending(write: Write, filed: Filed) -> Joined:
    """Join the references of other documents that waited for this one."""
    path = path_key(filed.artifact.source_uri) if filed.artifact.source_uri else None
    keys = sorted({filed.key, bare_key(filed.key), *filter(None, [path])})
    found = await references.pending_on(
        write.connection, write.tenant, filed.project.number, keys, filed.entity.id
    )
    waiting = [
        pending
        for pending in found
        if pending.target_key == path or may_mean(pending.target_key, pending.source_key, filed.key)
    ]
    joined = Joined()
    for pending in waiting:
        await _join_waiting(write, filed, pending, joined)
    await references.close_pending(
        write.connection, write.tenant, [pending.id for pending in waiting], write.recorded_at
    )
    noted = [
        _mention(pending.source_artifact, filed.entity.id, pending.target_text, pending.occurrences)
        for pending in waiting
    ]
    await mentions.insert_mentions(write.connection, write.tenant, noted, write.recorded_at)
    return joined


async def _join_waiting(write: Write, filed: Filed, pending: PendingReference, joined: Joined) -> None:
    ends = (filed.entity.id, pending.source) if pending.inverted else (pending.source, filed.entity.id)
    statement = Statement(
        edge=(*ends, pending.type),
        stated_by=pending.source_artifact,
        cause=filed.artifact.id if pending.inverted else pending.source_artifact,
        valid_from=max(pending.valid_from, filed.entity.created_at),
        occurrences=pending.occurrences,
    )
    await _write(write, filed.project, statement, joined)
