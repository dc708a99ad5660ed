"""Idempotent filing: a document filed again under its key returns the first result and writes nothing."""

from __future__ import annotations

from dataclasses import replace
from typing import Any
from uuid import UUID

import asyncpg

from app.domain.artifact import Document
from app.domain.entity import Caller
from app.services import idempotency
from app.services.filing.write_document import FiledDocument, with_pending
from app.services.unit_of_work import UnitOfWork
from app.stores.postgres import artifacts, entities, references, states
from app.stores.postgres.idempotency import IdempotentRequest

OPERATION = "fileArtifact"


def idempotent_filing(
    caller: Caller, key: str | None, document: Document, project: str
) -> IdempotentRequest | None:
    """Return the filing as a request with a key, or None without one; raise Invalid for an unfit key."""
    return idempotency.idempotent_request(caller, OPERATION, key, project=project, document=document)


async def load_filed(
    connection: asyncpg.Connection, tenant: int, request: IdempotentRequest
) -> FiledDocument | None:
    """Return the result saved under a key; raise Conflict if the key came with other input."""
    answer = await idempotency.load_response(connection, tenant, request)
    return None if answer is None else await _restore(connection, tenant, answer)


async def save_filed(write: UnitOfWork, request: IdempotentRequest, filed: FiledDocument) -> None:
    """Save the result under its key, in the transaction that files the document."""
    answer = {
        "artifact": str(filed.artifact.id),
        "state": str(filed.state.id),
        "created": filed.created,
        "references": [str(reference.id) for reference in filed.references],
        "candidates": filed.candidates,
        "position": filed.position,
        "warnings": list(filed.warnings),
    }
    await idempotency.save_response(write, request, answer)


async def _restore(connection: asyncpg.Connection, tenant: int, answer: dict[str, Any]) -> FiledDocument:
    artifact_id, state_id = UUID(answer["artifact"]), UUID(answer["state"])
    reference_ids = [UUID(each) for each in answer["references"]]
    artifact = (await artifacts.artifacts_by_id(connection, tenant, [artifact_id]))[artifact_id]
    entity = (await entities.entities_by_id(connection, tenant, [artifact.entity]))[artifact.entity]
    state = (await states.states_by_id(connection, tenant, [state_id]))[state_id]
    stated = await references.references_by_id(connection, tenant, reference_ids)
    filed = FiledDocument(
        artifact=artifact,
        entity=entity,
        state=replace(state, retracted_at=None),  # as it was in the first result
        created=answer["created"],
        references=tuple(stated[each] for each in reference_ids),
        candidates=answer["candidates"],
        position=answer["position"],
        warnings=tuple(answer["warnings"]),
    )
    return await with_pending(connection, tenant, filed)
