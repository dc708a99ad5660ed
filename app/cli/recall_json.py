"""A recall result as one JSON object with the field names of the GraphQL schema."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from app.domain.artifact import Artifact
from app.domain.entity import Entity, Project
from app.domain.recall import Anchor, Hit, LegContribution, Ranking, RecallResult
from app.domain.temporal import AsOf, EntityState
from app.services.container import Memory
from app.stores.postgres import entities, projects
from app.stores.postgres.lookups import labels_as_of


@dataclass(frozen=True, slots=True)
class Details:
    """The entities of a result with their labels at its moment, and the projects by number."""

    entities: Mapping[UUID, Entity]
    labels: Mapping[UUID, str]
    projects: Mapping[int, Project]


async def load_details(memory: Memory, result: RecallResult) -> Details:
    """Load the entities of the hits, of their replacements and of the anchors."""
    ids = {hit.artifact.entity for hit in result.hits}
    ids |= {hit.annotation.superseded_by for hit in result.hits if hit.annotation.superseded_by}
    ids |= {anchor.entity.id for anchor in result.anchors}
    tenant = memory.caller.tenant
    async with memory.database.reading(tenant) as connection:
        found = await entities.entities_by_id(connection, tenant, list(ids))
        moment = AsOf(result.as_of, result.known_at)
        labels = await labels_as_of(connection, tenant, list(ids), moment)
        known = await projects.all_projects(connection, tenant)
    return Details(
        entities=found,
        labels=labels,
        projects={project.number: project for project in known},
    )


def result_json(result: RecallResult, details: Details) -> dict[str, Any]:
    """Return a result as a JSON object; a hit has its best passage in place of the whole body."""
    return {
        "id": result.id,
        "hits": [_hit(hit, details) for hit in result.hits],
        "anchors": [_anchor(anchor, details) for anchor in result.anchors],
        "legs": [_leg(ranking) for ranking in result.legs],
        "asOf": result.as_of,
        "knownAt": result.known_at,
        "tokensUsed": result.tokens_used,
        "confidence": result.confidence,
        "advisories": list(result.advisories),
    }


def _hit(hit: Hit, details: Details) -> dict[str, Any]:
    note = hit.annotation
    return {
        "artifact": _artifact(hit.artifact),
        "entity": _entity(hit.artifact.entity, details),
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
        "state": _state(note.state),
        "supersededBy": None if note.superseded_by is None else _entity(note.superseded_by, details),
        "explanation": [_contribution(share) for share in hit.contributions],
    }


def _artifact(artifact: Artifact) -> dict[str, Any]:
    return {
        "id": artifact.id,
        "kind": artifact.kind,
        "identifier": artifact.identifier,
        "title": artifact.title,
        "domain": artifact.domain,
        "createdAt": artifact.created_at,
        "dateSource": artifact.date_source,
        "datePrecision": artifact.date_precision,
        "recordedAt": artifact.recorded_at,
        "sourceUri": artifact.source_uri,
        "sourceCommit": artifact.source_commit,
        "author": artifact.author,
        "meta": artifact.meta,
        "contentHash": artifact.content_hash,
    }


def _entity(id_: UUID, details: Details) -> dict[str, Any]:
    entity = details.entities[id_]
    project = details.projects[entity.project]
    return {
        "id": entity.id,
        "label": details.labels[id_],
        "type": {"name": entity.type_name},
        "project": {"key": project.key, "name": project.name},
        "createdAt": entity.created_at,
    }


def _state(state: EntityState | None) -> dict[str, Any] | None:
    if state is None:
        return None
    return {
        "id": state.id,
        "branch": state.branch,
        "validFrom": state.valid.start,
        "validUntil": state.valid.end,
        "recordedAt": state.recorded_at,
        "retractedAt": state.retracted_at,
        "props": state.props,
    }


def _anchor(anchor: Anchor, details: Details) -> dict[str, Any]:
    return {
        "entity": _entity(anchor.entity.id, details),
        "surfaceForm": anchor.surface_form,
        "state": _state(anchor.state),
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
