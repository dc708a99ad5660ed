"""Filing: a document becomes searchable by every leg, or nothing of it is kept."""

from __future__ import annotations

from app.domain.artifact import Document
from app.domain.entity import Caller
from app.domain.surface_form import fold
from app.embedding import Embedder
from app.services.filing.kinds import prefixes_of
from app.services.filing.preparation import check_limits, content_hash, entity_key, prepare
from app.services.filing.repeating import filed_under, keep_filed, keyed_filing
from app.services.filing.writing import FiledDocument, unchanged, write_document
from app.services.models import require_model
from app.services.projects import project_for, project_key
from app.services.write import NO_HOMONYMS, Homonyms, require_writer, writing
from app.stores.postgres import artifacts, entities, ontology, projects
from app.stores.postgres.idempotency import KeyedRequest
from app.stores.postgres.pool import Database


class FilingService:
    """Files documents, one transaction each."""

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
        """File a document into a project; the same content again changes nothing and says so.

        `defines_kinds` lets an import define a kind that nobody defined, and `homonyms` are the keys that
        several of its documents claim: a reference to one of them waits. The same document under the
        same `idempotency_key` gives the first answer again. Raises Invalid, Conflict, Forbidden or
        Unavailable; nothing is then written.
        """
        require_writer(caller)
        key = project_key(project)
        check_limits(document)
        hashed = content_hash(document)
        keyed = keyed_filing(caller, idempotency_key, document, key)
        if filed := await self._filed_before(caller, key, document, hashed, keyed):
            return filed
        prepared = await prepare(document, hashed, self._embedder)
        async with writing(self._database, caller, homonyms) as write:
            if keyed and (filed := await filed_under(write.connection, caller.tenant, keyed)):
                return filed
            await require_model(write.connection, self._embedder)
            found = await project_for(write, key)
            written = await write_document(write, found, prepared, defines_kinds=defines_kinds)
            if keyed:
                await keep_filed(write, keyed, written)
            return written

    async def prefixes(self, caller: Caller, project: str | None = None) -> frozenset[str]:
        """Answer the prefixes of identifiers that the kinds of a project bring, beside the shipped ones.

        Raises Invalid for a key that no project can have.
        """
        key = project_key(project)
        async with self._database.reading(caller.tenant) as connection:
            found = await projects.project_by_key(connection, caller.tenant, key)
            numbers = [] if found is None else [found.number]
            known = await ontology.types_in_projects(connection, caller.tenant, numbers)
        return prefixes_of(recorded.definition for recorded in known)

    async def _filed_before(
        self, caller: Caller, project: str, document: Document, hashed: str, keyed: KeyedRequest | None
    ) -> FiledDocument | None:
        if keyed is None:
            return await self._filed_already(caller, project, document, hashed)
        async with self._database.snapshot(caller.tenant) as connection:
            return await filed_under(connection, caller.tenant, keyed)

    async def _filed_already(
        self, caller: Caller, project: str, document: Document, hashed: str
    ) -> FiledDocument | None:
        """Answer the document when its latest version says the same, so that nothing is embedded twice."""
        key = entity_key(document, hashed)
        async with self._database.reading(caller.tenant) as connection:
            if await artifacts.latest_hash(connection, caller.tenant, project, key) != hashed:
                return None
        async with self._database.snapshot(caller.tenant) as connection:
            found = await projects.project_by_key(connection, caller.tenant, project)
            if found is None:
                return None
            entity = await entities.entity_by_key(connection, caller.tenant, found.number, key)
            if entity is None or fold(entity.type_name) != fold(document.kind):
                return None
            latest = await artifacts.latest_version(connection, caller.tenant, entity.id)
            if latest is None or latest.content_hash != hashed:
                return None
            return await unchanged(connection, caller.tenant, entity, latest)
