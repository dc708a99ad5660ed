"""The JSON of the command line: one shape for each kind of object, with the names of the GraphQL schema."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from app.domain.artifact import Artifact
from app.domain.candidate import AliasCandidate, Candidate, status_of
from app.domain.entity import Absence, PendingReference, Reference
from app.domain.recall import Anchor, Hit, LegContribution, Ranking, RecallResult
from app.domain.temporal import EntityState, StateEvent, known_moment
from app.services.catalog import EntityNames


def entity_json(id: UUID, names: EntityNames) -> dict[str, Any]:
    """Return an entity; its identifier stands beside the fields of the API, since people cite by it."""
    entity, called, project = names.entities[id], names.names[id], names.project(id)
    return {
        "id": entity.id,
        "type": {"name": entity.type_name},
        "project": {"key": project.key, "name": project.name},
        "identifier": called.identifier,
        "label": called.label,
        "createdAt": known_moment(entity.created_at),
    }


def artifact_json(artifact: Artifact) -> dict[str, Any]:
    """Return an artifact without its body."""
    return {
        "id": artifact.id,
        "kind": artifact.kind,
        "identifier": artifact.identifier,
        "title": artifact.title,
        "domain": artifact.domain,
        "createdAt": known_moment(artifact.created_at),
        "dateSource": artifact.date_source,
        "datePrecision": artifact.date_precision,
        "statedAt": artifact.stated_at,
        "recordedAt": artifact.recorded_at,
        "sourceUri": artifact.source_uri,
        "sourceCommit": artifact.source_commit,
        "author": artifact.author,
        "meta": artifact.meta,
        "contentHash": artifact.content_hash,
    }


def absence_json(absence: Absence) -> dict[str, Any]:
    """Return when a document is not there, and why."""
    return {
        "validFrom": known_moment(absence.valid.start),
        "validUntil": known_moment(absence.valid.end),
        "source": absence.source,
        "commit": absence.commit,
        "reason": absence.reason,
        "actor": absence.actor,
    }


def state_json(state: EntityState) -> dict[str, Any]:
    """Return a state, with who recorded it."""
    return {
        "id": state.id,
        "branch": state.branch,
        "validFrom": known_moment(state.valid.start),
        "validUntil": known_moment(state.valid.end),
        "recordedAt": state.recorded_at,
        "retractedAt": state.retracted_at,
        "props": state.props,
        "wipSource": state.wip_source,
        "actor": state.actor,
    }


def event_json(event: StateEvent, causes: Mapping[UUID, Artifact]) -> dict[str, Any]:
    """Return an event with the artifact that caused it."""
    cause = None if event.cause_artifact is None else causes.get(event.cause_artifact)
    return {
        "eventType": event.event_type,
        "at": known_moment(event.at),
        "properties": event.properties,
        "causeArtifact": None if cause is None else artifact_json(cause),
        "causeCommit": event.cause_commit,
        "description": event.description,
        "propsDrift": event.props_drift,
        "actor": event.actor,
    }


def reference_json(reference: Reference, ends: EntityNames) -> dict[str, Any]:
    """Return a reference with both its ends."""
    return {
        "id": reference.id,
        "source": entity_json(reference.source, ends),
        "type": reference.type,
        "inPart": reference.in_part,
        "target": entity_json(reference.target, ends),
        "validFrom": known_moment(reference.valid.start),
        "validUntil": known_moment(reference.valid.end),
    }


def pending_reference_json(pending: PendingReference, ends: EntityNames) -> dict[str, Any]:
    """Return a pending reference with its source."""
    return {
        "id": pending.id,
        "source": entity_json(pending.source, ends),
        "type": pending.type,
        "waitsFor": pending.waits_for,
        "isInverted": pending.is_inverted,
        "inPart": pending.in_part,
        "isAmbiguous": pending.is_ambiguous,
        "recordedAt": pending.recorded_at,
    }


def candidate_json(
    candidate: Candidate, names: EntityNames, artifacts: Mapping[UUID, Artifact]
) -> dict[str, Any]:
    """Return a likely alias or a likely fact with its entity and its artifact."""
    proposed = (
        {"surfaceForm": candidate.surface_form}
        if isinstance(candidate, AliasCandidate)
        else {"property": candidate.property, "value": candidate.value}
    )
    return {
        "id": candidate.id,
        "status": status_of(candidate),
        "entity": entity_json(candidate.entity, names),
        "artifact": artifact_json(artifacts[candidate.artifact]),
        "quote": candidate.quote.text,
        "quoteStart": candidate.quote.start,
        "recordedAt": candidate.recorded_at,
        **proposed,
    }


def result_json(result: RecallResult, names: EntityNames) -> dict[str, Any]:
    """Return a result as a JSON object; a hit has its best passage in place of the whole body."""
    return {
        "id": result.id,
        "hits": [_hit(hit, names) for hit in result.hits],
        "anchors": [_anchor(anchor, names) for anchor in result.anchors],
        "legs": [_leg(ranking) for ranking in result.legs],
        "asOf": result.as_of,
        "knownAt": result.known_at,
        "tokensUsed": result.tokens_used,
        "confidence": result.confidence,
        "advisories": list(result.advisories),
    }


def _hit(hit: Hit, names: EntityNames) -> dict[str, Any]:
    note = hit.annotation
    return {
        "artifact": artifact_json(hit.artifact),
        "entity": entity_json(hit.artifact.entity, names),
        "passage": {
            "ordinal": hit.passage.ordinal,
            "heading": hit.passage.heading,
            "text": hit.passage.text,
        },
        "content": hit.passage.text,
        "score": hit.score,
        "rank": hit.rank,
        "stateFlag": note.flag,
        "stateSummary": note.summary,
        "flagGround": note.ground,
        "state": None if note.state is None else state_json(note.state),
        "supersededBy": None if note.superseded_by is None else entity_json(note.superseded_by, names),
        "explanation": [_contribution(share) for share in hit.contributions],
    }


def _anchor(anchor: Anchor, names: EntityNames) -> dict[str, Any]:
    return {
        "entity": entity_json(anchor.entity.id, names),
        "surfaceForm": anchor.surface_form,
        "state": None if anchor.state is None else state_json(anchor.state),
    }


def _leg(ranking: Ranking) -> dict[str, Any]:
    return {
        "leg": ranking.leg,
        "candidates": len(ranking.candidates),
        "milliseconds": ranking.milliseconds,
        "served": ranking.served,
        "problem": ranking.problem,
        "approximate": ranking.approximate,
    }


def _contribution(share: LegContribution) -> dict[str, Any]:
    return {
        "leg": share.leg,
        "rank": share.rank,
        "score": share.score,
        "contribution": share.contribution,
    }
