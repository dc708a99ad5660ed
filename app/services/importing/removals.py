"""What an import says of documents that are not there any more, and the roots that documents came from."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from os.path import exists
from pathlib import Path
from typing import TypeVar
from uuid import UUID

from app.domain.artifact import Document
from app.domain.entity import Absence, AbsenceSource, Caller, Entity, Project
from app.domain.identifier import identifier_key
from app.domain.temporal import Interval, subtract_intervals
from app.services.filing.document_withdrawal import Leaving, take_away
from app.services.filing.prepare import content_hash
from app.services.importing.git.known_documents import KnownDocument
from app.services.importing.history.model import DocumentHistory, PastText
from app.services.importing.request import ImportSummary
from app.services.parsing.vocabulary import vocabulary
from app.services.unit_of_work import UnitOfWork, unit_of_work
from app.stores.postgres import absences, entities, projects, state_history
from app.stores.postgres.absences import ImportRoot, RootedDocument
from app.stores.postgres.pool import Database
from app.stores.postgres.state_history import Version

Key = TypeVar("Key")

REMOVED = "its file is not in the folder any more"
DELETED = "its file was deleted"
LOST = "the history that held it was rewritten"
MOVED = "its file moved, and is another document"
REPLACED = "its file is another document now"
DATED = "the history has the same text, and its date"


@dataclass(frozen=True, slots=True)
class RootContents:
    """The documents of one root that an import read: the file of each, by key.

    `unread` are the paths of files and folders that are there and could not be read.
    """

    root: ImportRoot
    sources: Mapping[str, str]
    unread: frozenset[str] = frozenset()

    def has(self, document: RootedDocument) -> bool:
        """Return whether a document is there, or may be."""
        path = str(Path(document.place) / document.source_uri)
        parents = map(str, Path(path).parents)
        return (
            document.key in self.sources
            or path in self.unread
            or any(parent in self.unread for parent in parents)
        )


@dataclass(frozen=True, slots=True)
class RepositoryHistory:
    """The documents of a repository with their histories and gaps; `is_cut` for a shallow one."""

    known: Sequence[KnownDocument]
    is_cut: bool

    def moved_versions(self, known: KnownDocument, versions: Sequence[Version]) -> list[Version]:
        """Return the versions of a document whose file moved later, and is another document of these now.

        They were filed before a new document took the path that the file had.
        """
        own = known.history
        commits = {text.commit for text in own.texts}
        stray = [
            each
            for each in versions
            if each.source_commit in own.line and each.source_commit not in commits and not own.is_cut
        ]
        if not stray:
            return []
        others = {
            (text.commit, text.document().source_uri)
            for each in self.known
            if each is not known
            for text in each.history.texts
            if any(text.commit == version.source_commit for version in stray)
        }
        return [each for each in stray if (each.source_commit, each.source_uri) in others]


class RemovalService:
    """Remembers from where documents came, and takes away those that are not there any more."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def rooted(self, caller: Caller, project: str) -> list[RootedDocument]:
        """Return the documents of a project with the roots that they came from."""
        async with self._database.reading(caller.tenant) as connection:
            return await absences.documents_of_roots(connection, caller.tenant, project)

    async def settle_folder(
        self, caller: Caller, project_key: str, filed: RootContents, summary: ImportSummary, *, prunes: bool
    ) -> None:
        """Remember what a folder held, and list or, if the import prunes, end what it holds no more."""
        rooted = await self.rooted(caller, project_key)
        project, number, filed = await self._put(caller, project_key, filed, rooted, summary)
        if project is None or number is None:
            return
        rooted = await self.rooted(caller, project_key)
        for each in sorted(rooted, key=lambda document: document.key):
            if each.root != number or each.is_absent or filed.has(each):
                continue
            successor = _successor(each, rooted, filed)
            if _is_elsewhere(each, rooted):
                await self._leave(caller, each)
            elif successor is not None:
                await self._end(caller, project, each, REPLACED)
                summary.warn(each.source_uri, [f"{each.kind} {each.key} ended: it is {successor} now"])
            elif prunes:
                await self._end(caller, project, each, REMOVED)
                summary.removed.append(each.source_uri)
            else:
                summary.missing.append(each.source_uri)

    async def _leave(self, caller: Caller, document: RootedDocument) -> None:
        """Note that a document is in a root no more, and lives on in another one."""
        async with unit_of_work(self._database, caller) as write:
            where = (await write.flush(), write.tenant)
            await absences.leave_root(*where, document.id, document.root, write.recorded_at)

    async def _end(self, caller: Caller, project: Project, document: RootedDocument, reason: str) -> None:
        """End a document of a folder now."""
        async with unit_of_work(self._database, caller) as write:
            entity = await _entity(write, document.id)
            leaving = Leaving(Interval(write.recorded_at), AbsenceSource.FOLDER, reason=reason)
            await _take_rest_away(write, project, entity, [leaving])

    async def settle_repository(
        self,
        caller: Caller,
        project_key: str,
        filed: RootContents,
        history: RepositoryHistory,
        summary: ImportSummary,
    ) -> None:
        """Remember what a repository held, and record when each of its documents was not there."""
        rooted = await self.rooted(caller, project_key)
        project, number, filed = await self._put(caller, project_key, filed, rooted, summary)
        if project is None or number is None:
            return
        for known in history.known:
            await self._settle_document(caller, project, known, history, summary)
        if history.is_cut:
            return
        for each in rooted:
            if each.root == number and not each.is_absent and not filed.has(each):
                async with unit_of_work(self._database, caller) as write:
                    entity = await _entity(write, each.id)
                    leaving = Leaving(Interval(entity.created_at), AbsenceSource.GIT, reason=LOST)
                    await _take_rest_away(write, project, entity, [leaving])
                summary.removed.append(each.source_uri)

    async def readmit(
        self, caller: Caller, project_key: str, known: Sequence[KnownDocument]
    ) -> list[KnownDocument]:
        """Retract what git said of documents that are there after all, since their history was rewritten.

        Return all documents. Those are filed again in the same import, which restores what they state.
        """
        gaps = {identifier_key(each.history.identifier): each.gaps for each in known}
        async with self._database.reading(caller.tenant) as connection:
            project = await projects.project_by_key(connection, caller.tenant, project_key)
            if project is None:
                return list(known)
            found = await entities.entities_of_keys(connection, caller.tenant, project.number, list(gaps))
            held = await absences.absences_of(connection, caller.tenant, [each.id for each in found.values()])
        stale = {
            key: absence
            for key, entity in found.items()
            for absence in held.get(entity.id, ())
            if absence.source is AbsenceSource.GIT
            and absence.artifact is None
            and absence.valid.end is None
            and all(gap.valid.start != absence.valid.start for gap in gaps[key])
        }
        if stale:
            async with unit_of_work(self._database, caller) as write:
                for each in stale.values():
                    await absences.retract_absence(
                        await write.flush(), write.tenant, each.id, write.recorded_at
                    )
        return [
            replace(each, history=replace(each.history, returns=True))
            if identifier_key(each.history.identifier) in stale
            else each
            for each in known
        ]

    async def _put(
        self,
        caller: Caller,
        project_key: str,
        filed: RootContents,
        rooted: Sequence[RootedDocument],
        summary: ImportSummary,
    ) -> tuple[Project | None, int | None, RootContents]:
        """Remember the root of the filed documents; count those that came from another one before.

        Return the contents under the keys that the documents have now: some may have been renamed.
        """
        async with self._database.reading(caller.tenant) as connection:
            project = await projects.project_by_key(connection, caller.tenant, project_key)
            if project is None:
                return None, None, filed
            held = await entities.entities_of_keys(
                connection, caller.tenant, project.number, list(filed.sources)
            )
        present = {key: entity.key or key for key, entity in held.items()}
        filed = replace(
            filed, sources={present.get(key, key): source for key, source in filed.sources.items()}
        )
        async with unit_of_work(self._database, caller) as write:
            where = (await write.flush(), write.tenant, project.number)
            number = await absences.find_root(*where, filed.root)
            if number is None:
                number = await absences.insert_root(*where, filed.root, write.recorded_at)
            await absences.put_documents(*where, number, filed.sources, write.recorded_at)
        known = {each.id for each in rooted if each.root == number}
        for each in rooted:
            if each.key in filed.sources and each.id not in known:
                known.add(each.id)
                summary.known_from[each.place] = summary.known_from.get(each.place, 0) + 1
        return project, number, filed

    async def _settle_document(
        self,
        caller: Caller,
        project: Project,
        known: KnownDocument,
        history: RepositoryHistory,
        summary: ImportSummary,
    ) -> None:
        key = identifier_key(known.history.identifier)
        async with self._database.reading(caller.tenant) as connection:
            where = (connection, caller.tenant)
            entity = await entities.entity_by_key(*where, project.number, key)
            if entity is None:
                return
            versions = await state_history.versions_of(*where, entity.id)
            held = (await absences.absences_of(*where, [entity.id])).get(entity.id, [])
        begins_otherwise = {each.artifact for each in held if each.source is AbsenceSource.CALLER}
        versions = [each for each in versions if each.id not in begins_otherwise]
        held = [each for each in held if each.source is AbsenceSource.GIT or each.artifact is None]
        lost = [*_lost_versions(known.history, versions), *history.moved_versions(known, versions)]
        wanted = _Wanted(entity, known, lost, _doubled_versions(known, versions), versions)
        if not wanted.differs(held):
            return
        async with unit_of_work(self._database, caller) as write:
            write = await wanted.settle_versions(write, project, held)
            await wanted.settle_gaps(write, project, held)
        if any(gap.valid.end is None for gap in known.gaps):
            summary.removed.append(known.document.source_uri or key)


def _is_elsewhere(document: RootedDocument, rooted: Sequence[RootedDocument]) -> bool:
    """Return whether a document that is gone from a root came from another one, which still has its file."""
    return any(each.id == document.id and each.root != document.root and exists(each.path) for each in rooted)


def _successor(document: RootedDocument, rooted: Sequence[RootedDocument], filed: RootContents) -> str | None:
    """Return what the file of a document is now, if it was filed as one of another kind; None otherwise."""
    place = (document.root, document.source_uri)
    for each in rooted:
        if (each.root, each.source_uri) == place and each.key in filed.sources and each.kind != document.kind:
            is_same = each.digest == document.digest or document.kind == vocabulary().default_kind
            return f"{each.kind} {each.key}" if is_same else None
    return None


def _lost_versions(history: DocumentHistory, versions: Sequence[Version]) -> list[Version]:
    """Return the versions that only commits held which are no longer on the main line."""
    gone = [each for each in versions if each.source_commit and history.is_lost(each.source_commit)]
    if not gone:
        return []
    hashes = {content_hash(text.document()) for text in history.texts}
    return [each for each in gone if each.content_hash not in hashes]


def _doubled_versions(known: KnownDocument, versions: Sequence[Version]) -> list[Version]:
    """Return the versions that no commit made, with a text that the history has filed as well.

    One that counts from its filing is none where the history was filed before, and has another text then:
    the folder took an older text back.
    """
    plain = [each for each in versions if each.source_commit is None]
    filed = {each.source_commit: each for each in versions}
    texts = [each for each in known.history.texts if each.commit in filed]
    if not plain or not texts:
        return []
    hashes = [content_hash(_plain_document(known, each)) for each in texts]
    dated = [filed[each.commit] for each in texts]
    found = []
    for each in plain:
        place = bisect_right(dated, each.created_at, key=lambda version: version.created_at)
        is_back = each.created_at == each.recorded_at and each.content_hash != hashes[max(place - 1, 0)]
        if any(
            hashed == each.content_hash and not (is_back and version.recorded_at < each.recorded_at)
            for hashed, version in zip(hashes, dated, strict=True)
        ):
            found.append(each)
    return found


def _plain_document(known: KnownDocument, text: PastText) -> Document:
    """Return a text of a history as its folder would be filed."""
    document, own = text.document(), known.document
    return replace(document, identifier=own.identifier, kind=own.kind, created_at=text.own_date)


@dataclass(frozen=True, slots=True)
class _Wanted:
    """When a document and its versions are not there, by the history of its repository.

    `lost` are versions that a rewritten history lost, `doubled` those with a text that it dates otherwise.
    """

    entity: Entity
    known: KnownDocument
    lost: Sequence[Version]
    doubled: Sequence[Version]
    versions: Sequence[Version]

    def gaps(self) -> list[Leaving]:
        """Return when the document is not there: between its texts, after the last, and before the first."""
        found = [Leaving(gap.valid, AbsenceSource.GIT, gap.commit, DELETED) for gap in self.known.gaps]
        lost = {each.id for each in self.lost}
        first = next((each.created_at for each in self.versions if each.id not in lost), None)
        if lost and first is not None and first > self.entity.created_at:
            before = Interval(self.entity.created_at, first)
            found.insert(0, Leaving(before, AbsenceSource.GIT, None, self._reason(self.lost[0])))
        return found

    def _reason(self, version: Version) -> str:
        if version.source_commit is None:
            return DATED
        return LOST if self.known.history.is_lost(version.source_commit) else MOVED

    def differs(self, held: Sequence[Absence]) -> bool:
        """Return whether other absences are recorded from git."""
        of_git = [each for each in held if each.source is AbsenceSource.GIT]
        versions = {each.artifact for each in of_git if each.artifact is not None}
        recorded = {each.valid for each in of_git if each.artifact is None}
        return versions != {each.id for each in (*self.lost, *self.doubled)} or recorded != set(
            self._free(held)
        )

    def _free(self, held: Sequence[Absence]) -> list[Interval]:
        """Return the gaps, without the time in which something else says that the document is not there."""
        others = [
            each.valid for each in held if each.artifact is None and each.source is not AbsenceSource.GIT
        ]
        return [part for gap in self.gaps() for part in subtract_intervals(gap.valid, others)]

    async def settle_versions(
        self, write: UnitOfWork, project: Project, held: Sequence[Absence]
    ) -> UnitOfWork:
        """Hide the lost and doubled versions, and show those again that a history has once more."""
        wanted = {each.id: each for each in (*self.lost, *self.doubled)}
        hidden = {each.artifact: each for each in held if each.artifact is not None}
        for artifact, absence in hidden.items():
            if artifact not in wanted:
                await absences.retract_absence(
                    await write.flush(), write.tenant, absence.id, write.recorded_at
                )
        for version in wanted.values():
            if version.id not in hidden:
                leaving = Leaving(
                    Interval(version.created_at),
                    AbsenceSource.GIT,
                    version.source_commit,
                    self._reason(version),
                )
                absence = leaving.absence(write, self.entity.id, version.id)
                await absences.insert_absence(await write.flush(), write.tenant, project.number, absence)
        return await write.next_transaction_time()

    async def settle_gaps(self, write: UnitOfWork, project: Project, held: Sequence[Absence]) -> None:
        """Record when the document is not there, and retract what the history does not say any more."""
        free = self._free(held)
        of_git = [each for each in held if each.source is AbsenceSource.GIT and each.artifact is None]
        for each in of_git:
            if each.valid not in free:
                await absences.retract_absence(await write.flush(), write.tenant, each.id, write.recorded_at)
        new = [each for each in free if each not in [absence.valid for absence in of_git]]
        by_gap = [
            replace(gap, valid=part)
            for gap in self.gaps()
            for part in new
            if subtract_intervals(part, [gap.valid]) == []
        ]
        for leaving in by_gap:
            write = await write.next_transaction_time()
            await take_away(write, project, self.entity, leaving)


async def _take_rest_away(
    write: UnitOfWork, project: Project, entity: Entity, wanted: Iterable[Leaving]
) -> None:
    """Take a document away for the time in which it is not absent already."""
    held = (await absences.absences_of(await write.flush(), write.tenant, [entity.id])).get(entity.id, [])
    taken = [each.valid for each in held if each.artifact is None]
    for leaving in wanted:
        for part in subtract_intervals(leaving.valid, taken):
            await take_away(write, project, entity, replace(leaving, valid=part))
            write = await write.next_transaction_time()


async def _entity(write: UnitOfWork, id: UUID) -> Entity:
    return (await entities.entities_by_id(await write.flush(), write.tenant, [id]))[id]


def _grouped(pairs: Iterable[tuple[Key, RootedDocument]]) -> dict[Key, list[RootedDocument]]:
    """Return documents by their keys, each in the order of the documents."""
    groups: defaultdict[Key, list[RootedDocument]] = defaultdict(list)
    for key, document in pairs:
        groups[key].append(document)
    return groups


@dataclass(frozen=True)
class KnownFiles:
    """The documents of a project by the root and the file that they came from."""

    documents: Sequence[RootedDocument] = ()
    present: Mapping[str, Collection[str]] = field(default_factory=dict)

    @cached_property
    def _by_file(self) -> Mapping[tuple[str, str], Sequence[RootedDocument]]:
        return _grouped(((each.place, each.source_uri), each) for each in self.documents)

    @cached_property
    def _by_path(self) -> Mapping[Path, Sequence[RootedDocument]]:
        return _grouped((each.path, each) for each in self.documents)

    @cached_property
    def _by_key(self) -> Mapping[str, Sequence[RootedDocument]]:
        return _grouped((each.key, each) for each in self.documents)

    @cached_property
    def _there_by_key(self) -> Mapping[str, Sequence[RootedDocument]]:
        """The documents that are there, by each key that they go by."""
        there = (each for each in self.documents if not each.is_absent)
        return _grouped((key, each) for each in there for key in each.keys)

    def missing_sources(self) -> set[str]:
        """Return the sources of documents whose files are not in the roots of this import any more."""
        return {
            each.source_uri
            for each in self.documents
            if each.place in self.present and each.source_uri not in self.present[each.place]
        }

    def moved(self, place: str, digests: Mapping[str, str]) -> dict[str, str]:
        """Return the identifiers of documents of a root that moved, by the source that each has now.

        `digests` are the MD5 of new files without an identifier, by source. A text that several files or
        several missing documents have says nothing.
        """
        gone: dict[str, list[RootedDocument]] = defaultdict(list)
        for each in self.documents:
            if each.place == place and each.source_uri not in self.present.get(place, ()):
                gone[each.digest].append(each)
        arrived: dict[str, list[str]] = defaultdict(list)
        for source, digest in digests.items():
            arrived[digest].append(source)
        return {
            sources[0]: gone[digest][0].identifier or ""
            for digest, sources in arrived.items()
            if len(sources) == 1 and len(gone.get(digest, ())) == 1 and gone[digest][0].identifier
        }

    def at(self, place: str, source: str) -> RootedDocument | None:
        """Return the document that came from a file of a root last."""
        return next(iter(self._by_file.get((place, source), ())), None)

    def kind_of(self, place: str, key: str) -> str | None:
        """Return the kind of the document of a root that has a key, whichever file it came from."""
        return next((each.kind for each in self._by_key.get(key, ()) if each.place == place), None)

    def elsewhere(self, path: Path, place: str) -> str | None:
        """Return the identifier under which a file was filed from another root."""
        return next((each.identifier for each in self._by_path.get(path, ()) if each.place != place), None)

    def holder(self, key: str, place: str, digests: Mapping[str, str], source: str) -> RootedDocument | None:
        """Return the document of another file that has the key of a file of a root, None if it is the same.

        It is the same if its text is, or if most files that both roots hold have the same text: the second
        root is a copy. `digests` are the MD5 of the files of the root, by source.
        """
        held = self._by_key.get(key, ())
        found = next((each for each in held if each.place == place), next(iter(held), None))
        if found is None or found.digest == digests[source]:
            return None
        if found.place == place:
            is_there = found.source_uri in self.present.get(place, ())
            return found if is_there and found.source_uri != source else None
        return None if any(self._is_copied(each.place, digests) for each in held) else found

    def _is_copied(self, place: str, digests: Mapping[str, str]) -> bool:
        """Return whether most files that a root and another one hold have the same text."""
        there = {each.source_uri: each.digest for each in self.documents if each.place == place}
        both = there.keys() & digests.keys()
        return 2 * sum(there[each] == digests[each] for each in both) > len(both)

    def is_of_another(self, key: str, place: str) -> bool:
        """Return whether a document of another root has a number."""
        return any(each.place != place for each in self._there_by_key.get(key, ()))

    def stranger(
        self, key: str, path: Path, place: str, digests: Mapping[str, str], source: str
    ) -> RootedDocument | None:
        """Return the document of another root that has the number of a file, None if it may be the same.

        It may be if one of its files is that file, has its text or is gone, or if the roots are copies.
        """
        held = self._there_by_key.get(key, ())
        may_be = any(
            each.place == place
            or each.path == path
            or each.digest == digests[source]
            or not exists(each.path)
            or self._is_copied(each.place, digests)
            for each in held
        )
        return None if may_be else next(iter(held), None)
