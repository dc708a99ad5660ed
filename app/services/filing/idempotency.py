"""Idempotent filing: a document filed again under its key returns the first result and writes nothing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any
from uuid import UUID

import asyncpg

from app.domain.artifact import Document
from app.domain.entity import Caller
from app.domain.numbers import TenantNumber
from app.services.filing.write_document import FiledDocument, with_pending
from app.services.idempotency import SavedAnswer, idempotent_request
from app.stores.postgres import artifacts, entities, references, states
from app.stores.postgres.idempotency import IdempotentRequest

OPERATION = "fileArtifact"


def idempotent_filing(
    caller: Caller, key: str | None, document: Document, project: str
) -> IdempotentRequest | None:
    """Return the filing as a request with a key, or None without one; raise Invalid for an unfit key."""
    return idempotent_request(caller, OPERATION, key, project=project, document=document)


def _to_response(filed: FiledDocument) -> dict[str, Any]:
    return {
        "artifact": str(filed.artifact.id),
        "state": str(filed.state.id),
        "created": filed.created,
        "references": [str(reference.id) for reference in filed.references],
        "candidates": filed.candidates,
        "position": filed.position,
        "warnings": list(filed.warnings),
    }


async def _restore(
    connection: asyncpg.Connection, tenant: TenantNumber, response: Mapping[str, Any]
) -> FiledDocument:
    artifact_id, state_id = UUID(response["artifact"]), UUID(response["state"])
    reference_ids = [UUID(each) for each in response["references"]]
    artifact = (await artifacts.artifacts_by_id(connection, tenant, [artifact_id]))[artifact_id]
    entity = (await entities.entities_by_id(connection, tenant, [artifact.entity]))[artifact.entity]
    state = (await states.states_by_id(connection, tenant, [state_id]))[state_id]
    stated = await references.references_by_id(connection, tenant, reference_ids)
    filed = FiledDocument(
        artifact=artifact,
        entity=entity,
        state=replace(state, retracted_at=None),  # as it was in the first result
        created=response["created"],
        references=tuple(stated[each] for each in reference_ids),
        candidates=response["candidates"],
        position=response["position"],
        warnings=tuple(response["warnings"]),
    )
    return await with_pending(connection, tenant, filed)


SAVED_FILING = SavedAnswer(_to_response, _restore)
