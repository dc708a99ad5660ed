"""Filing again under the same key: the first answer again, and nothing written."""

from __future__ import annotations

import hashlib
from dataclasses import asdict, replace
from typing import Any
from uuid import UUID

import asyncpg
import orjson

from app.domain.artifact import Document
from app.domain.entity import Caller
from app.errors import Conflict, Invalid
from app.services.filing.write import Write
from app.services.filing.writing import FiledDocument
from app.stores.postgres import artifacts, entities, idempotency, references, states
from app.stores.postgres.idempotency import KeyedRequest

OPERATION = "fileArtifact"
LONGEST_KEY = 255


def keyed_request(caller: Caller, key: str | None, document: Document, project: str) -> KeyedRequest | None:
    """Answer the request as its key is kept by, or None without a key; raises Invalid for an unfit one."""
    if key is None:
        return None
    if not key.strip() or len(key) > LONGEST_KEY or not key.isprintable():
        raise Invalid(
            f"an idempotency key has 1 to {LONGEST_KEY} printable characters", field="idempotencyKey"
        )
    content = orjson.dumps([project, asdict(document)], option=orjson.OPT_SORT_KEYS)
    return KeyedRequest(caller.principal, OPERATION, key, hashlib.sha256(content).hexdigest())


async def answered_before(
    connection: asyncpg.Connection, tenant: int, request: KeyedRequest
) -> FiledDocument | None:
    """Answer what was answered to this key; raises Conflict when it came with other input."""
    kept = await idempotency.answer_of_key(connection, tenant, request)
    if kept is None:
        return None
    if kept.fingerprint != request.fingerprint:
        raise Conflict(
            "this idempotency key came with other input before; take a new key for a new document",
            field="idempotencyKey",
        )
    return await _restored(connection, tenant, kept.answer)


async def keep_answer(write: Write, request: KeyedRequest, filed: FiledDocument) -> None:
    """Keep what is answered to this key, in the transaction that files the document."""
    answer = {
        "artifact": str(filed.artifact.id),
        "state": str(filed.state.id),
        "created": filed.created,
        "references": [str(reference.id) for reference in filed.references],
        "candidates": filed.candidates,
        "position": filed.position,
        "warnings": list(filed.warnings),
    }
    await idempotency.insert_answer(write.connection, write.tenant, request, answer, write.recorded_at)


async def _restored(connection: asyncpg.Connection, tenant: int, answer: dict[str, Any]) -> FiledDocument:
    artifact_id, state_id = UUID(answer["artifact"]), UUID(answer["state"])
    reference_ids = [UUID(each) for each in answer["references"]]
    artifact = (await artifacts.artifacts_by_id(connection, tenant, [artifact_id]))[artifact_id]
    entity = (await entities.entities_by_id(connection, tenant, [artifact.entity]))[artifact.entity]
    state = (await states.states_by_id(connection, tenant, [state_id]))[state_id]
    stated = await references.references_by_id(connection, tenant, reference_ids)
    return FiledDocument(
        artifact=artifact,
        entity=entity,
        state=replace(state, retracted_at=None),  # as it stood when this was first answered
        created=answer["created"],
        references=tuple(stated[each] for each in reference_ids),
        candidates=answer["candidates"],
        position=answer["position"],
        warnings=tuple(answer["warnings"]),
    )
