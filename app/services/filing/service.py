"""File documents: each becomes searchable by every leg, or nothing of it is written."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Collection, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any
from uuid import UUID

import asyncpg

from app.domain.artifact import Document
from app.domain.entity import Caller
from app.domain.numbers import TenantNumber
from app.domain.text import fold
from app.embedding import Embedder
from app.services.catalog.lookup import project_key
from app.services.filing.batch_writer import BatchWriter
from app.services.filing.document_types import prefixes_of
from app.services.filing.pipeline import DocumentBatch, Hashed, IngestPipeline, Origin, Outcome
from app.services.filing.prepare import (
    NOTHING_KNOWN,
    KnownVectors,
    check_limits,
    content_hash,
    entity_key,
    prepare,
)
from app.services.filing.write_document import FiledDocument, load_unchanged, with_pending
from app.services.idempotency import SavedAnswer, idempotent_request
from app.services.parsing import passage_text_for_encoder
from app.services.unit_of_work import NO_HOMONYMS, Homonyms, require_writer
from app.stores.postgres import (
    artifacts,
    entities,
    passage_vectors,
    projects,
    references,
    states,
    type_definitions,
)
from app.stores.postgres.idempotency import IdempotentRequest
from app.stores.postgres.pool import Database

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


class FilingService:
    """Files one document in a transaction, or many documents in a few transactions."""

    def __init__(self, database: Database, embedder: Embedder) -> None:
        self._database = database
        self._embedder = embedder

    async def file(
        self,
        caller: Caller,
        document: Document,
        project: str | None = None,
        *,
        defines_kinds: bool = False,
        idempotency_key: str | None = None,
        homonyms: Homonyms = NO_HOMONYMS,
    ) -> FiledDocument:
        """File a document into a project; the same content again changes nothing, and the result says so.

        `defines_kinds` lets an import define an unknown kind, and `homonyms` are the keys that several of its
        documents claim: a reference to one of them stays pending. The same document under the same
        `idempotency_key` returns the first result. Raises Invalid, Conflict, Forbidden or
        Unavailable; nothing is then written.
        """
        require_writer(caller)
        key = project_key(project)
        check_limits(document)
        hashed = content_hash(document)
        keyed = idempotent_filing(caller, idempotency_key, document, key)
        if filed := await self._find_earlier(caller, key, document, hashed, keyed):
            return filed
        known = await self._known_vectors(caller, key, entity_key(document, hashed))
        prepared, _ = await prepare(document, hashed, self._embedder, known)
        return await self._writer(caller, key, homonyms, defines_kinds=defines_kinds).file_one(
            prepared, keyed, SAVED_FILING
        )

    async def file_all(
        self,
        caller: Caller,
        batches: AsyncIterator[DocumentBatch[Origin]],
        project: str | None = None,
        *,
        width: int,
        done: Callable[[Origin, Outcome], None],
        stop: asyncio.Event | None = None,
        defines_kinds: bool = False,
        homonyms: Homonyms = NO_HOMONYMS,
    ) -> bool:
        """File many documents, `width` of them being prepared at once, several in one transaction.

        Each is filed as `file` would file it, in the given order, and `done` receives the result of
        each batch, or the error why it is not complete. After `stop` is set only the documents
        that are being written are finished. Return whether it was set. Raises Unavailable if the ledger is
        gone or takes no more writes.
        """
        require_writer(caller)
        key = project_key(project)
        new: set[str] = set()
        look = partial(self._find_unchanged, caller, key, new=new)
        writer = self._writer(caller, key, homonyms, defines_kinds=defines_kinds)
        known = partial(self._known_vectors, caller, key, new=new)
        pipeline = IngestPipeline(look, known, self._embedder, writer, width, done, stop or asyncio.Event())
        return await pipeline.run(batches)

    def _writer(
        self, caller: Caller, project: str, homonyms: Homonyms, *, defines_kinds: bool
    ) -> BatchWriter:
        return BatchWriter(self._database, self._embedder, caller, project, defines_kinds, homonyms)

    async def prefixes(self, caller: Caller, project: str | None = None) -> frozenset[str]:
        """Return the identifier prefixes of the kinds of a project, besides the shipped ones.

        Raises Invalid for a key that no project can have.
        """
        key = project_key(project)
        async with self._database.reading(caller.tenant) as connection:
            found = await projects.project_by_key(connection, caller.tenant, key)
            numbers = [] if found is None else [found.number]
            known = await type_definitions.types_in_projects(connection, caller.tenant, numbers)
        return prefixes_of(recorded.definition for recorded in known)

    async def _known_vectors(
        self, caller: Caller, project: str, key: str, *, new: Collection[str] = ()
    ) -> KnownVectors:
        """Return the vectors of the texts of a document's latest version, so that they are not made again."""
        if key in new:
            return NOTHING_KNOWN
        model = self._embedder.fingerprint
        async with self._database.reading(caller.tenant) as connection:
            found = await passage_vectors.vectors_of_latest(connection, caller.tenant, project, key, model)
        return {passage_text_for_encoder(each.title, each.passage): each.vector for each in found}

    async def _find_earlier(
        self, caller: Caller, project: str, document: Document, hashed: str, keyed: IdempotentRequest | None
    ) -> FiledDocument | None:
        if keyed is None:
            (filed,) = await self._find_unchanged(caller, project, [Hashed(document, hashed)])
            return filed
        async with self._database.snapshot(caller.tenant) as connection:
            return await SAVED_FILING.find(connection, caller.tenant, keyed)

    async def _find_unchanged(
        self, caller: Caller, project: str, documents: Sequence[Hashed], *, new: set[str] | None = None
    ) -> list[FiledDocument | None]:
        """Return the documents whose latest version is the same; add the keys that have none to `new`."""
        async with self._database.reading(caller.tenant) as connection:
            keys = [each.key for each in documents]
            latest = await artifacts.latest_hashes(connection, caller.tenant, project, keys)
        if new is not None:
            new.update(key for key in keys if key not in latest)
        return [
            await self._load_unchanged(caller, project, each) if latest.get(each.key) == each.hash else None
            for each in documents
        ]

    async def _load_unchanged(self, caller: Caller, project: str, document: Hashed) -> FiledDocument | None:
        async with self._database.snapshot(caller.tenant) as connection:
            found = await projects.project_by_key(connection, caller.tenant, project)
            if found is None:
                return None
            entity = await entities.entity_by_key(connection, caller.tenant, found.number, document.key)
            if entity is None or fold(entity.type_name) != fold(document.document.kind):
                return None
            latest = await artifacts.latest_version(connection, caller.tenant, entity.id)
            if latest is None or latest.content_hash != document.hash:
                return None
            return await load_unchanged(connection, caller.tenant, entity, latest)
