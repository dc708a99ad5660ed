"""Write many prepared documents in one transaction: the same rows as one by one, in fewer statements."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import chain

import asyncpg

from app.domain.entity import Alias, Caller, Entity, Project
from app.domain.identifier import bare_key, identifier_key
from app.domain.numbers import ProjectNumber, TenantNumber
from app.domain.text import fold, name_key
from app.embedding import Embedder
from app.errors import Busy, Unavailable, Unwritable
from app.services.aliases.mentions import NOTHING_SOUGHT, seek_forms, text_of
from app.services.catalog.lookup import project_for
from app.services.document_reader.child import MAX_SMALL_CHARACTERS
from app.services.filing.document_names import alias_key, listed_aliases, spellings_of
from app.services.filing.prepare import PreparedDocument
from app.services.filing.write_document import (
    FiledDocument,
    subject_keys,
    subjects_of,
    with_pending,
    write_document,
)
from app.services.idempotency import SavedAnswer, write_once
from app.services.lookup_cache import CachedForms, CachedLookup, LookupCache
from app.services.maintenance.reembed import require_model
from app.services.parsing.target_readings import file_key, target_lookups, target_readings
from app.services.references.pending import pending_keys
from app.services.unit_of_work import Homonyms, UnitOfWork, unit_of_work
from app.stores.postgres import (
    aliases,
    artifacts,
    document_names,
    entities,
    ledger_clock,
    mentions,
    projects,
    references,
)
from app.stores.postgres.document_names import DocumentByName, StatedClaim
from app.stores.postgres.entities import KeyedEntity, by_either_key
from app.stores.postgres.idempotency import IdempotentRequest
from app.stores.postgres.mentions import NamedForm
from app.stores.postgres.pool import Database
from app.stores.postgres.references import PendingReferenceRow
from app.stores.postgres.write_buffer import WriteBuffer


async def prefetch(write: UnitOfWork, project: Project, documents: Sequence[PreparedDocument]) -> LookupCache:
    """Return the lookup cache for filing these documents in one write; most rows are read on first use."""
    ledger = _Ledger(write, project)
    numbers = await artifacts.take_numbers(await write.flush(), len(documents))
    sought = [target_lookups(each.ways.values()) for each in documents]
    subjects = [(each.key, subject) for each in documents for subject in subjects_of(each.document)]
    keys = (key for own, subject in subjects for key in subject_keys(subject, own))
    names = [name_key(subject) for _, subject in subjects]

    async def claims(keys: list[str]) -> Mapping[str, list[StatedClaim]]:
        found = await ledger.claims(keys)
        _want_targets(cache, {each for held in found.values() for each in held})
        return found

    cache = LookupCache(
        own=CachedLookup((each.key for each in documents), ledger.own),
        by_key=CachedLookup(chain(keys, *(each.keys for each in sought)), ledger.by_key),
        by_source=CachedLookup((source for each in sought for source in each.sources), ledger.by_source),
        by_name=CachedLookup(chain(names, *(each.names for each in sought)), ledger.by_name),
        by_alias=CachedLookup((name for each in sought for name in each.names), ledger.by_alias),
        by_document_name=CachedLookup(
            chain(
                *(each.document_names for each in sought),
                *(map(alias_key, listed_aliases(each.document.props)) for each in documents),
            ),
            ledger.by_document_name,
        ),
        claims=CachedLookup((key for each in documents for key in _name_keys(each)), claims),
        pending=CachedLookup((key for each in documents for key in _pending_keys(each)), ledger.pending),
        aliases=CachedLookup((form for each in documents for form in _alias_forms(each)), ledger.aliases),
        forms=CachedForms("\n".join(each.words for each in documents), ledger.forms),
        numbers=numbers[::-1],
    )
    return cache


def _want_targets(cache: LookupCache, claims: Iterable[StatedClaim]) -> None:
    """Let what earlier documents refer to be looked up together with what these refer to."""
    ways = (target_readings(each.claim, each.source_key, each.source_uri) for each in claims)
    wanted = target_lookups(ways)
    cache.by_key.want(wanted.keys)
    cache.by_source.want(wanted.sources)
    cache.by_name.want(wanted.names)
    cache.by_alias.want(wanted.names)
    cache.by_document_name.want(wanted.document_names)


def _name_keys(prepared: PreparedDocument) -> set[str]:
    """Return the keys under which claims of other documents may mean a document."""
    document = prepared.document
    names = {prepared.key, identifier_key(document.title), *map(alias_key, listed_aliases(document.props))}
    if document.stated_identifier is not None:
        names.add(identifier_key(document.stated_identifier))
    if document.source_uri:
        names.add(file_key(document.source_uri))
    return set(map(bare_key, names))


def _pending_keys(prepared: PreparedDocument) -> set[str]:
    document = prepared.document
    listed = map(identifier_key, listed_aliases(document.props))
    return pending_keys(prepared.key, document.title, document.source_uri) | set(listed)


def _alias_forms(prepared: PreparedDocument) -> list[str]:
    document = prepared.document
    spelled = spellings_of(document.identifier, prepared.key, document.title)
    return [*spelled, *listed_aliases(document.props)]


class _Ledger:
    """The ledger's rows by key, for many documents of a project together."""

    def __init__(self, write: UnitOfWork, project: Project) -> None:
        self._write = write
        self._project = project.number

    async def _where(self) -> tuple[asyncpg.Connection, TenantNumber, ProjectNumber]:
        return await self._write.flush(), self._write.tenant, self._project

    async def own(self, keys: list[str]) -> Mapping[str, list[Entity]]:
        found = await entities.entities_of_keys(*await self._where(), keys)
        return {key: [each] for key, each in found.items()}

    async def by_key(self, keys: list[str]) -> Mapping[str, list[KeyedEntity]]:
        return by_either_key(await entities.entities_by_keys(*await self._where(), keys))

    async def by_source(self, sources: list[str]) -> Mapping[str, list[KeyedEntity]]:
        found = await entities.entities_by_source(*await self._where(), sources)
        return {source: [entity] for source, entity in found.items()}

    async def by_name(self, names: list[str]) -> Mapping[str, list[KeyedEntity]]:
        return await entities.entities_by_name(*await self._where(), names)

    async def by_alias(self, names: list[str]) -> Mapping[str, list[KeyedEntity]]:
        return await entities.entities_by_alias(*await self._where(), names)

    async def by_document_name(self, keys: list[str]) -> Mapping[str, list[DocumentByName]]:
        return await document_names.documents_by_names(*await self._where(), keys)

    async def claims(self, keys: list[str]) -> Mapping[str, list[StatedClaim]]:
        return await document_names.claims_under(*await self._where(), keys)

    async def pending(self, keys: list[str]) -> Mapping[str, list[tuple[datetime, PendingReferenceRow]]]:
        found: dict[str, list[tuple[datetime, PendingReferenceRow]]] = defaultdict(list)
        for recorded_at, row in await references.pending_on(*await self._where(), keys):
            found[row.target_key].append((recorded_at, row))
        return found

    async def aliases(self, forms: list[str]) -> Mapping[str, list[Alias]]:
        by_folded: dict[str, list[Alias]] = defaultdict(list)
        for alias in await aliases.current_aliases(*await self._where(), forms):
            by_folded[fold(alias.surface_form)].append(alias)
        return {form: by_folded.get(fold(form), []) for form in forms}

    async def forms(self, words: str) -> list[NamedForm]:
        return await mentions.forms_to_look_for(*await self._where(), words)


TIMES_FOR_EACH = 2
"""Most documents are written at one transaction time; one that supersedes another takes a second."""

MAX_TIMES = 1_000

MAX_WAITS = 20
"""How often an import queues again while other writers are ahead of it: for some minutes."""


@dataclass(frozen=True, slots=True)
class BatchWriter:
    """Writes prepared documents of one caller into one project."""

    database: Database
    embedder: Embedder
    caller: Caller
    project_key: str
    defines_kinds: bool
    homonyms: Homonyms

    async def file_one(
        self,
        prepared: PreparedDocument,
        keyed: IdempotentRequest | None,
        saved: SavedAnswer[FiledDocument],
    ) -> FiledDocument:
        """File a document, or return the result saved under its key."""
        prepared = await self._seek_names(prepared)

        async def write_one(write: UnitOfWork) -> FiledDocument:
            (filed,) = await self._write(write, [prepared])
            return await with_pending(await write.flush(), write.tenant, filed)

        return await write_once(self.database, self.caller, keyed, saved, write_one, self.homonyms)

    async def file_all(
        self, groups: Sequence[Sequence[PreparedDocument]]
    ) -> AsyncIterator[list[FiledDocument] | Exception]:
        """Yield, once it is committed, the result of each group, or the error why it is not complete.

        If one document cannot be filed, the others are, in ever smaller shares; of its own group, those
        before it. Raises Unavailable if the ledger is gone or takes no more writes.
        """
        if not groups:
            return
        try:
            groups = [[await self._seek_names(each) for each in group] for group in groups]
            filed = await self._file_together(groups)
        except Unwritable:
            raise
        except Exception as error:
            failure = error
        else:
            for each in filed:
                yield each
            return
        if isinstance(failure, Unavailable):
            await self.require_ledger()
        if len(groups) == 1:
            yield await self._file_until(groups[0], failure)
            return
        middle = len(groups) // 2
        for share in (groups[:middle], groups[middle:]):
            async for outcome in self.file_all(share):
                yield outcome

    async def _file_until(
        self, versions: Sequence[PreparedDocument], error: Exception
    ) -> list[FiledDocument] | Exception:
        """File the versions of a document up to the one that cannot be filed."""
        if len(versions) == 1:
            return error
        for version in versions:
            (filed,) = [outcome async for outcome in self.file_all([[version]])]
            if isinstance(filed, Exception):
                return filed
        return error

    async def _file_together(self, groups: Sequence[Sequence[PreparedDocument]]) -> list[list[FiledDocument]]:
        documents = [document for group in groups for document in group]
        times = min(MAX_TIMES, TIMES_FOR_EACH * len(documents))
        filed = iter(await self._file_patiently(documents, times))
        return [[next(filed) for _ in group] for group in groups]

    async def _file_patiently(self, documents: Sequence[PreparedDocument], times: int) -> list[FiledDocument]:
        """File documents, and wait longer for other writers than a single request would."""
        for _ in range(MAX_WAITS):
            with suppress(Busy):
                async with unit_of_work(self.database, self.caller, self.homonyms, times) as write:
                    return await self._write(write, documents)
        async with unit_of_work(self.database, self.caller, self.homonyms, times) as write:
            return await self._write(write, documents)

    async def _seek_names(self, prepared: PreparedDocument) -> PreparedDocument:
        """Search a long text for names before the write begins, so that no other writer waits for it."""
        document = prepared.document
        if len(document.body) <= MAX_SMALL_CHARACTERS or prepared.sought is not NOTHING_SOUGHT:
            return prepared
        tenant = self.caller.tenant
        async with self.database.reading(tenant) as connection:
            project = await projects.project_by_key(connection, tenant, self.project_key)
            if project is None:
                return prepared
            forms = await mentions.forms_to_look_for(connection, tenant, project.number, prepared.words)
        return replace(prepared, sought=await seek_forms(text_of(document), forms))

    async def _write(self, write: UnitOfWork, documents: Sequence[PreparedDocument]) -> list[FiledDocument]:
        await require_model(await write.flush(), self.embedder)
        project = await project_for(write, self.project_key)
        write = replace(write, buffer=WriteBuffer())
        write = replace(write, lookup_cache=await prefetch(write, project, documents))
        filed = []
        for place, prepared in enumerate(documents):
            if place:
                write = await write.next_transaction_time()
                await asyncio.sleep(0)  # with every lookup cached no other task would run
            filed.append(await write_document(write, project, prepared, defines_kinds=self.defines_kinds))
        position = await ledger_clock.finish_write(await write.flush(searched=True))
        return [replace(each, position=position) if each.created else each for each in filed]

    async def require_ledger(self) -> None:
        """Raise Unavailable if the ledger does not answer."""
        async with self.database.reading(self.caller.tenant) as connection:
            await ledger_clock.read_clock(connection, self.caller.tenant)
