"""Prefetch: prepare the lookups that filing some documents needs, for all of them together."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import datetime
from itertools import chain

from app.domain.entity import Alias, Entity, Project
from app.domain.identifier import identifier_key
from app.domain.text import fold, name_key
from app.services.filing.document_names import listed_aliases, spellings_of
from app.services.filing.prepare import PreparedDocument
from app.services.filing.write_document import subject_keys, subjects_of
from app.services.lookup_cache import CachedForms, CachedLookup, LookupCache
from app.services.parsing.target_readings import target_lookups
from app.services.references.pending import pending_keys
from app.services.unit_of_work import UnitOfWork
from app.stores.postgres import aliases, artifacts, entities, mentions, references
from app.stores.postgres.entities import KeyedEntity, by_either_key
from app.stores.postgres.mentions import NamedForm
from app.stores.postgres.references import PendingReferenceRow


async def prefetch(write: UnitOfWork, project: Project, documents: Sequence[PreparedDocument]) -> LookupCache:
    """Return the lookup cache for filing these documents in one write; most rows are read on first use."""
    ledger = _Ledger(write, project)
    sought = [target_lookups(each.ways.values()) for each in documents]
    subjects = [(each.key, subject) for each in documents for subject in subjects_of(each.document)]
    keys = (key for own, subject in subjects for key in subject_keys(subject, own))
    names = [name_key(subject) for _, subject in subjects]
    return LookupCache(
        own=CachedLookup((each.key for each in documents), ledger.own),
        by_key=CachedLookup(chain(keys, *(each.keys for each in sought)), ledger.by_key),
        by_source=CachedLookup((source for each in sought for source in each.sources), ledger.by_source),
        by_name=CachedLookup(chain(names, *(each.names for each in sought)), ledger.by_name),
        by_alias=CachedLookup((name for each in sought for name in each.names), ledger.by_alias),
        pending=CachedLookup((key for each in documents for key in _pending_keys(each)), ledger.pending),
        aliases=CachedLookup((form for each in documents for form in _alias_forms(each)), ledger.aliases),
        forms=CachedForms("\n".join(each.words for each in documents), ledger.forms),
        numbers=(await artifacts.take_numbers(write.connection, len(documents)))[::-1],
    )


def _pending_keys(prepared: PreparedDocument) -> set[str]:
    document = prepared.document
    listed = map(identifier_key, listed_aliases(document.props))
    return pending_keys(prepared.key, document.title, document.source_uri) | set(listed)


def _alias_forms(prepared: PreparedDocument) -> list[str]:
    document = prepared.document
    return [*spellings_of(document.identifier, prepared.key), *listed_aliases(document.props)]


class _Ledger:
    """The ledger's rows by key, for many documents of a project together."""

    def __init__(self, write: UnitOfWork, project: Project) -> None:
        self._where = (write.connection, write.tenant, project.number)

    async def own(self, keys: list[str]) -> Mapping[str, list[Entity]]:
        found = await entities.entities_of_keys(*self._where, keys)
        return {each.key: [each] for each in found if each.key is not None}

    async def by_key(self, keys: list[str]) -> Mapping[str, list[KeyedEntity]]:
        return by_either_key(await entities.entities_by_keys(*self._where, keys))

    async def by_source(self, sources: list[str]) -> Mapping[str, list[KeyedEntity]]:
        found = await entities.entities_by_source(*self._where, sources)
        return {source: [entity] for source, entity in found.items()}

    async def by_name(self, names: list[str]) -> Mapping[str, list[KeyedEntity]]:
        return await entities.entities_by_name(*self._where, names)

    async def by_alias(self, names: list[str]) -> Mapping[str, list[KeyedEntity]]:
        return await entities.entities_by_alias(*self._where, names)

    async def pending(self, keys: list[str]) -> Mapping[str, list[tuple[datetime, PendingReferenceRow]]]:
        found: dict[str, list[tuple[datetime, PendingReferenceRow]]] = defaultdict(list)
        for recorded_at, row in await references.pending_on(*self._where, keys):
            found[row.target_key].append((recorded_at, row))
        return found

    async def aliases(self, forms: list[str]) -> Mapping[str, list[Alias]]:
        by_folded: dict[str, list[Alias]] = defaultdict(list)
        for alias in await aliases.current_aliases(*self._where, forms):
            by_folded[fold(alias.surface_form)].append(alias)
        return {form: by_folded.get(fold(form), []) for form in forms}

    async def forms(self, words: str) -> list[NamedForm]:
        return await mentions.forms_to_look_for(*self._where, words)
