"""Reading the documents of a git repository, with their histories, for an import."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path, PurePosixPath
from typing import TypeAlias

from app.domain.artifact import Document, ReferenceClaim
from app.domain.entity import ReferenceType
from app.domain.identifier import identifier_key
from app.errors import TrigraphError
from app.services.filing.prepare import MAX_BODY_BYTES
from app.services.importing.folders import A_TWIN, NO_TEXT, is_hidden, is_markdown, is_text, text_of_bytes
from app.services.importing.git.blobs import Blobs, open_blobs
from app.services.importing.git.lineage import (
    DocumentRun,
    Edit,
    Edition,
    Lineage,
    Lineages,
    Others,
    add_edition,
    by_identifier,
    follow_files,
    with_past,
)
from app.services.importing.git.location import find_place, open_store
from app.services.importing.git.log import read_line
from app.services.importing.history.model import HistoricState, in_order
from app.services.importing.interruption import IsStopped, Stopped, never, read_in_process
from app.services.importing.items import Refusal, prefixes_among, printable_name, read_or_refuse
from app.services.importing.name_collisions import Collision, NamedDocument, resolve_names
from app.services.parsing import clean_path, parse_markdown
from app.services.parsing.file_claim import Claim, read_claim


@dataclass(frozen=True, slots=True)
class RepositoryFile:
    """A Markdown file of the newest commit: its path, its place and its text."""

    lineage: Lineage
    source: str
    place: str
    text: str

    @property
    def folder(self) -> str:
        """The name of the folder it lies in; the repository's own at its root."""
        return PurePosixPath(self.place).parent.name


def path_text(path: bytes) -> str:
    """Return a path as text for display and storage, with its accents composed."""
    return clean_path(printable_name(os.fsdecode(path)))


def read_file(lineage: Lineage, name: str, blobs: Blobs) -> RepositoryFile | Refusal:
    """Read the newest edition of a file, or return a refusal; `name` is the repository's."""
    source = path_text(lineage.newest.path)
    if not is_text(os.fsdecode(lineage.newest.path)):
        return Refusal(source, NO_TEXT)
    return read_or_refuse(
        source,
        lambda: RepositoryFile(lineage, source, f"{name}/{source}", _text(lineage.newest, blobs)),
    )


def is_twin(path: bytes, paths: Container[bytes]) -> bool:
    """Return whether another path differs only in how accents are encoded."""
    composed = os.fsencode(clean_path(os.fsdecode(path))) if is_text(os.fsdecode(path)) else path
    return composed != path and composed in paths


def _text(edition: Edition, blobs: Blobs) -> str:
    return text_of_bytes(blobs.read(edition.blob, MAX_BODY_BYTES))


def read_claims(
    files: Sequence[RepositoryFile],
    kind: str | None,
    prefixes: frozenset[str],
    is_stopped: IsStopped,
) -> tuple[list[Claim], frozenset[str]]:
    """Return the claim of each file, and the accepted prefixes, theirs included."""

    def claims_of(prefixes: frozenset[str]) -> list[Claim]:
        return [
            read_in_process(is_stopped, read_claim, file.text, file.place, kind, prefixes) for file in files
        ]

    names = (PurePosixPath(file.source).stem for file in files)
    prefixes |= prefixes_among([*names, f"{kind or ''}-1"])
    claims = claims_of(prefixes)
    stated = prefixes_among(claim.identifier or "" for claim in claims)
    if stated <= prefixes:
        return claims, prefixes
    prefixes |= stated
    return claims_of(prefixes), prefixes


def read_runs(
    file: RepositoryFile,
    kind: str,
    prefixes: frozenset[str],
    blobs: Blobs,
    name: str,
    others: Others,
    is_stopped: IsStopped,
) -> list[DocumentRun]:
    """Return the documents that a file held, the present one last, from its readable editions."""
    found: list[DocumentRun] = []
    for edition in file.lineage.editions:
        try:
            text = file.text if edition is file.lineage.newest else _text(edition, blobs)
            place = f"{name}/{path_text(edition.path)}"
            document = read_in_process(
                is_stopped, parse_markdown, text, kind=kind, path=place, known_prefixes=prefixes
            )
        except TrigraphError:
            continue
        edit = Edit(edition, document.identifier, _state(edition, document, file.source))
        add_edition(found, edit, text, document, others)
    return found


def _state(edition: Edition, document: Document, source: str) -> HistoricState:
    props = {"title": document.title, "status": document.status}
    return HistoricState(source, edition.at, edition.commit, props, frozenset(_claims(document)))


def changes_among(states: Iterable[HistoricState]) -> tuple[HistoricState, ...]:
    """Return the states that changed title, status or relations."""
    changes: list[HistoricState] = []
    for state in states:
        if not changes or (state.props, state.claims) != (changes[-1].props, changes[-1].claims):
            changes.append(state)
    return tuple(changes)


def _claims(document: Document) -> list[ReferenceClaim]:
    return [
        replace(claim, count=1) for claim in document.references if claim.type is not ReferenceType.REFERENCES
    ]


_Stating: TypeAlias = Mapping[str, Sequence[RepositoryFile]]
"""The files that state an identifier now, by its key."""


@dataclass(frozen=True, slots=True)
class RepositoryDocument:
    """A document of a repository with its history and its former identifiers and paths.

    The former identifiers and paths are ordered newest first; no document uses them now. A document that
    `always_states` an identifier was never known by its path alone.
    """

    document: Document
    states: tuple[HistoricState, ...]
    changed: datetime
    former_identifiers: tuple[str, ...]
    former_sources: tuple[str, ...]
    always_states: bool


@dataclass(frozen=True, slots=True)
class Repository:
    """Everything read from a repository; the history of a shallow one is cut."""

    documents: tuple[RepositoryDocument, ...]
    refused: tuple[Refusal, ...]
    collisions: tuple[Collision, ...]
    is_shallow: bool = False


def read_repository(
    folder: Path,
    kind: str | None,
    prefixes: frozenset[str],
    now: datetime,
    is_stopped: IsStopped = never,
) -> Repository:
    """Read the Markdown below a folder at the newest commit of the main line, with its history.

    Uncommitted files are not read. Raises Invalid when the folder lies in no repository, Unavailable
    without git, and Stopped once `is_stopped` says so.
    """
    place = find_place(folder, is_stopped)
    with open_store(place, is_stopped) as git, open_blobs(git) as blobs:
        line = read_line(git, place.head, place.prefix, blobs, now)
        lineages = follow_files(line, _is_document)
        read = _RepositoryReader(place.top.name, kind, blobs, is_stopped).read(
            lineages, place.prefix, prefixes
        )
    return replace(read, is_shallow=place.is_shallow)


def _is_document(path: bytes) -> bool:
    parts = PurePosixPath(os.fsdecode(path)).parts
    return is_markdown(parts[-1]) and not any(map(is_hidden, parts))


class _RepositoryReader:
    """Reads the files and documents of one repository."""

    def __init__(self, name: str, kind: str | None, blobs: Blobs, is_stopped: IsStopped) -> None:
        self._name = name
        self._kind = kind
        self._blobs = blobs
        self._is_stopped = is_stopped

    def read(self, lineages: Lineages, prefix: bytes, prefixes: frozenset[str]) -> Repository:
        wanted = [lineage for path, lineage in sorted(lineages.living.items()) if path.startswith(prefix)]
        read = [self._file(lineage, lineages.living) for lineage in wanted]
        files = [each for each in read if isinstance(each, RepositoryFile)]
        claims, prefixes = read_claims(files, self._kind, prefixes, self._is_stopped)
        named, collisions = resolve_names(
            [
                NamedDocument(file.source, claim.identifier, file.folder)
                for file, claim in zip(files, claims, strict=True)
            ]
        )
        stating = _stating(files, claims)
        runs = [self._runs(file, claim, prefixes, stating) for file, claim in zip(files, claims, strict=True)]
        left = (each for of_file in runs for each in of_file[:-1])
        former = by_identifier([*left, *self._deleted(lineages, prefixes, stating)])
        documents = []
        for claim, given, of_file in zip(claims, named, runs, strict=True):
            is_apart = given.identifier != claim.identifier
            past = () if is_apart else former.get(identifier_key(claim.identifier or ""), ())
            documents.append(_document(given, of_file[-1].document, with_past(of_file[-1], past)))
        return Repository(
            documents=tuple(_without_taken(documents)),
            refused=tuple(each for each in read if isinstance(each, Refusal)),
            collisions=tuple(collisions),
        )

    def _file(self, lineage: Lineage, living: Container[bytes]) -> RepositoryFile | Refusal:
        path = lineage.newest.path
        if is_twin(path, living):
            return Refusal(path_text(path), A_TWIN)
        return read_file(lineage, self._name, self._blobs)

    def _runs(
        self, file: RepositoryFile, claim: Claim, prefixes: frozenset[str], stating: _Stating
    ) -> list[DocumentRun]:
        if self._is_stopped():
            raise Stopped

        def others(key: str) -> list[str]:
            return [each.text for each in stating.get(key, ()) if each is not file]

        return read_runs(file, claim.kind, prefixes, self._blobs, self._name, others, self._is_stopped)

    def _deleted(
        self, lineages: Lineages, prefixes: frozenset[str], stating: _Stating
    ) -> Iterator[DocumentRun]:
        """Yield the documents of deleted files whose last identifier another file states now."""
        for lineage in lineages.deleted.values():
            file = read_file(lineage, self._name, self._blobs)
            if isinstance(file, RepositoryFile):
                claim = read_in_process(
                    self._is_stopped, read_claim, file.text, file.place, self._kind, prefixes
                )
                if identifier_key(claim.identifier or "") in stating:
                    yield from self._runs(file, claim, prefixes, stating)


def _stating(files: Sequence[RepositoryFile], claims: Sequence[Claim]) -> _Stating:
    stating: dict[str, list[RepositoryFile]] = defaultdict(list)
    for file, claim in zip(files, claims, strict=True):
        if claim.identifier is not None:
            stating[identifier_key(claim.identifier)].append(file)
    return stating


def _document(named: NamedDocument, newest: Document, edits: Sequence[Edit]) -> RepositoryDocument:
    document = replace(
        newest,
        identifier=named.identifier,
        source_uri=named.source,
        source_commit=edits[-1].edition.commit,
    )
    states = in_order([edit.state for edit in edits])
    paths = dict.fromkeys(path_text(edit.edition.path) for edit in reversed(edits))
    stated = [edit.identifier for edit in reversed(edits) if edit.identifier]
    return RepositoryDocument(
        document=document,
        states=changes_among(states),
        changed=states[-1].at,
        former_identifiers=tuple(dict.fromkeys(stated)),
        former_sources=tuple(path for path in paths if path != named.source),
        always_states=len(stated) == len(edits),
    )


def _without_taken(documents: Sequence[RepositoryDocument]) -> list[RepositoryDocument]:
    """Drop former identifiers and paths that a document of the repository uses now."""
    keys = {identifier_key(each.document.identifier or "") for each in documents}
    sources = {each.document.source_uri for each in documents}
    return [
        replace(
            each,
            former_identifiers=tuple(
                name for name in each.former_identifiers if identifier_key(name) not in keys
            ),
            former_sources=tuple(path for path in each.former_sources if path not in sources),
        )
        for each in documents
    ]
