"""Reading the documents of a git repository, with their histories, for an import."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from pathlib import Path, PurePosixPath
from typing import TypeAlias

from app.domain.artifact import Document
from app.domain.entity import ReferenceType
from app.domain.identifier import identifier_key
from app.errors import TrigraphError
from app.services.filing.document_types import DOCUMENT_HEADERS
from app.services.filing.prepare import MAX_BODY_BYTES
from app.services.importing.folders import (
    A_TWIN,
    NO_TEXT,
    is_hidden,
    is_markdown,
    is_text,
    past_text_of_bytes,
)
from app.services.importing.git.blobs import Blobs, open_blobs
from app.services.importing.git.lineage import (
    DocumentRun,
    Edit,
    Edition,
    Gap,
    Lineage,
    Lineages,
    Others,
    Removal,
    add_edition,
    chain_runs,
    follow_files,
    gaps_between,
)
from app.services.importing.git.location import Place, find_place, open_store
from app.services.importing.git.log import read_line
from app.services.importing.history.model import HistoricState, PastText, StatedClaims, in_order
from app.services.importing.interruption import IsStopped, Stopped, never, read_in_process
from app.services.importing.items import Refusal, prefixes_among, printable_name, read_or_refuse
from app.services.importing.name_collisions import Collision, NamedDocument, resolve_names
from app.services.parsing import clean_path, parse_markdown
from app.services.parsing.file_claim import Claim, read_claim


@dataclass(frozen=True, slots=True)
class RepositoryFile:
    """A Markdown file of a repository: its path, its place and its newest text that can be read.

    `encoding` is the encoding of the text, where it was guessed, and `edition` the edition that has it.
    """

    lineage: Lineage
    source: str
    place: str
    text: str
    encoding: str | None
    edition: Edition

    @property
    def folder(self) -> str:
        """The name of the folder it lies in; the repository's own at its root."""
        return PurePosixPath(self.place).parent.name


def path_text(path: bytes) -> str:
    """Return a path as text for display and storage, with its accents composed."""
    return clean_path(printable_name(os.fsdecode(path)))


def read_file(lineage: Lineage, name: str, blobs: Blobs) -> tuple[RepositoryFile | None, Refusal | None]:
    """Read the newest edition of a file that can be read, and say why it is not the newest one.

    `name` is the repository's.
    """
    source, refused = path_text(lineage.newest.path), None
    if not is_text(os.fsdecode(lineage.newest.path)):
        return None, Refusal(source, NO_TEXT)
    for edition in reversed(lineage.editions):
        text = read_or_refuse(source, partial(_text, edition, blobs))
        if not isinstance(text, Refusal):
            return RepositoryFile(lineage, source, f"{name}/{source}", *text, edition), refused
        refused = refused or text
    return None, refused


def is_twin(path: bytes, paths: Container[bytes]) -> bool:
    """Return whether another path differs only in how accents are encoded."""
    composed = os.fsencode(clean_path(os.fsdecode(path))) if is_text(os.fsdecode(path)) else path
    return composed != path and composed in paths


def _text(edition: Edition, blobs: Blobs) -> tuple[str, str | None]:
    return past_text_of_bytes(blobs.read(edition.blob, MAX_BODY_BYTES))


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


class RunReader:
    """Reads the documents that files held, edition by edition; `warnings` report what was read oddly."""

    def __init__(self, name: str, blobs: Blobs, is_stopped: IsStopped) -> None:
        self._name = name
        self._blobs = blobs
        self._is_stopped = is_stopped
        self.warnings: list[tuple[str, str]] = []

    def read(
        self, file: RepositoryFile, kind: str | None, prefixes: frozenset[str], others: Others
    ) -> list[DocumentRun]:
        """Return the documents that a file held, the present one last."""
        found: list[DocumentRun] = []
        unread = 0
        for step in file.lineage.steps:
            if isinstance(step, Removal):
                if found:
                    found[-1].end(step)
                continue
            try:
                text, document = self._document(file, step, kind, prefixes)
            except TrigraphError as error:
                unread += 1
                self._warn_of_edition(file, step, error)
                continue
            edit = _edit(step, document, file.source, follows_unread=bool(unread and not found))
            add_edition(found, edit, text, document, others)
        return found

    def _warn_of_edition(self, file: RepositoryFile, edition: Edition, error: TrigraphError) -> None:
        is_refused = edition is file.lineage.steps[-1]
        if not is_refused:
            self.warnings.append((file.source, f"an edition of it was left out: {error.message}"))

    def _document(
        self, file: RepositoryFile, edition: Edition, kind: str | None, prefixes: frozenset[str]
    ) -> tuple[str, Document]:
        is_newest = edition is file.edition
        text, encoding = (file.text, file.encoding) if is_newest else _text(edition, self._blobs)
        if encoding is not None:
            self.warnings.append((file.source, f"an edition of it is not UTF-8; it was read as {encoding}"))
        source = path_text(edition.path)
        document = read_in_process(
            self._is_stopped,
            parse_markdown,
            text,
            kind=kind,
            path=f"{self._name}/{source}",
            known_prefixes=prefixes,
        )
        return text, replace(document, source_uri=source)


def _edit(edition: Edition, document: Document, source: str, *, follows_unread: bool) -> Edit:
    others = {name: value for name, value in document.props.items() if name not in DOCUMENT_HEADERS}
    props = {**others, "title": document.title, "status": document.status, "author": document.author}
    typed = [
        replace(claim, count=1) for claim in document.references if claim.type is not ReferenceType.REFERENCES
    ]
    return Edit(
        edition=edition,
        identifier=document.identifier,
        state=HistoricState(source, edition.at, edition.commit, props, frozenset(typed)),
        claims=frozenset(document.references),
        text=PastText.of(document, edition.at, edition.commit),
        kind=document.kind,
        follows_unread=follows_unread,
    )


def changes_among(states: Sequence[HistoricState]) -> tuple[HistoricState, ...]:
    """Return the states that changed properties or typed relations; each has every property."""
    names = {name for state in states for name in state.props}
    changes: list[HistoricState] = []
    for state in states:
        state = replace(state, props={name: state.props.get(name) for name in names})
        if not changes or (state.props, state.claims) != (changes[-1].props, changes[-1].claims):
            changes.append(state)
    return tuple(changes)


_Stating: TypeAlias = Mapping[str, Sequence[RepositoryFile]]
"""The files that state an identifier now, by its key."""


@dataclass(frozen=True, slots=True)
class RepositoryDocument:
    """A document of a repository with its history, its gaps, and its former identifiers and paths.

    The former identifiers and paths are ordered newest first; no document uses them now. A document that
    `always_states` an identifier was never known by its path alone; one that `goes_by_path` stated none.
    """

    document: Document
    states: tuple[HistoricState, ...]
    claims: tuple[StatedClaims, ...]
    texts: tuple[PastText, ...]
    gaps: tuple[Gap, ...]
    former_identifiers: tuple[str, ...]
    former_sources: tuple[str, ...]
    always_states: bool
    goes_by_path: bool


@dataclass(frozen=True, slots=True)
class Repository:
    """Everything read from a repository; the history of a shallow one is cut.

    `commits` are those of its main line, the oldest first. `top` is its folder, and `prefix` the path of the
    folder in it that was read. `warnings` come with the path of their file.
    """

    top: Path
    prefix: str
    commits: tuple[str, ...]
    documents: tuple[RepositoryDocument, ...]
    refused: tuple[Refusal, ...]
    collisions: tuple[Collision, ...]
    warnings: tuple[tuple[str, str], ...] = ()
    is_shallow: bool = False


def read_repository(
    folder: Path,
    kind: str | None,
    prefixes: frozenset[str],
    now: datetime,
    is_stopped: IsStopped = never,
) -> Repository:
    """Read the Markdown below a folder on the main line of its repository, with its history.

    Uncommitted files are not read. Raises Invalid when the folder lies in no repository, Unavailable
    without git, and Stopped once `is_stopped` says so.
    """
    place = find_place(folder, is_stopped)
    with open_store(place, is_stopped) as git, open_blobs(git) as blobs:
        line = read_line(git, place.head, place.prefix, blobs, now)
        lineages = follow_files(line, _is_document)
        reader = _RepositoryReader(place, tuple(commit.hash for commit in line), kind, blobs, is_stopped)
        return reader.read(lineages, prefixes)


def _is_document(path: bytes) -> bool:
    parts = PurePosixPath(os.fsdecode(path)).parts
    return is_markdown(parts[-1]) and not any(map(is_hidden, parts))


@dataclass(frozen=True, slots=True)
class _Gone:
    """A file that is not there any more, with its claim and the documents that it held."""

    file: RepositoryFile
    claim: Claim
    runs: list[DocumentRun]


class _RepositoryReader:
    """Reads the files and documents of one repository."""

    def __init__(
        self, place: Place, commits: tuple[str, ...], kind: str | None, blobs: Blobs, is_stopped: IsStopped
    ) -> None:
        self._place = place
        self._name = place.top.name
        self._commits = commits
        self._kind = kind
        self._blobs = blobs
        self._is_stopped = is_stopped
        self._runs = RunReader(self._name, blobs, is_stopped)

    def read(self, lineages: Lineages, prefixes: frozenset[str]) -> Repository:
        """Return the documents of the repository under the identifiers that they had first."""
        prefix = self._place.prefix
        wanted = [lineage for path, lineage in sorted(lineages.living.items()) if path.startswith(prefix)]
        read = [self._file(lineage, lineages.living) for lineage in wanted]
        files = [file for file, _ in read if file is not None]
        claims, prefixes = read_claims(files, self._kind, prefixes, self._is_stopped)
        stating = _stating(files, claims)
        claimed = list(zip(files, claims, strict=True))
        runs = [self._runs_of(file, claim, prefixes, stating) for file, claim in claimed]
        gone = list(self._gone(lineages, prefixes, stating))
        left = [each for of_file in runs for each in of_file[:-1]]
        past = [*left, *(run for each in gone for run in each.runs)]
        living = [
            _Held(file.source, claim.identifier, [of_file[-1]])
            for (file, claim), of_file in zip(claimed, runs, strict=True)
        ]
        held = _with_pasts(living, past)
        named, collisions = resolve_names([each.named(self._name) for each in held])
        documents = [each.document(given.identifier) for each, given in zip(held, named, strict=True)]
        return Repository(
            top=self._place.top,
            prefix=os.fsdecode(prefix),
            commits=self._commits,
            documents=tuple(_without_taken(documents)),
            refused=tuple(refusal for _, refusal in read if refusal is not None),
            collisions=tuple(_of_files(collisions, {file.source for file in files})),
            warnings=tuple(self._runs.warnings),
            is_shallow=self._place.is_shallow,
        )

    def _file(
        self, lineage: Lineage, living: Container[bytes]
    ) -> tuple[RepositoryFile | None, Refusal | None]:
        path = lineage.newest.path
        if is_twin(path, living):
            return None, Refusal(path_text(path), A_TWIN)
        return read_file(lineage, self._name, self._blobs)

    def _runs_of(
        self, file: RepositoryFile, claim: Claim, prefixes: frozenset[str], stating: _Stating
    ) -> list[DocumentRun]:
        if self._is_stopped():
            raise Stopped

        def others(key: str) -> list[str]:
            return [each.text for each in stating.get(key, ()) if each is not file]

        # Without an identifier now, each edition is of the kind that its own place and text name.
        kind = None if self._kind is None and claim.identifier is None else claim.kind
        return self._runs.read(file, kind, prefixes, others)

    def _gone(self, lineages: Lineages, prefixes: frozenset[str], stating: _Stating) -> Iterator[_Gone]:
        """Yield the files that are not below the folder any more, with the documents that they held."""
        prefix = self._place.prefix
        moved = (each for path, each in lineages.living.items() if not path.startswith(prefix))
        inside = (each.within(prefix) for each in (*lineages.deleted.values(), *moved))
        for lineage in sorted(
            (each for each in inside if each.steps), key=lambda each: (each.newest.path, each.newest.at)
        ):
            file, _ = read_file(lineage, self._name, self._blobs)
            if file is not None:
                claim = read_in_process(
                    self._is_stopped, read_claim, file.text, file.place, self._kind, prefixes
                )
                yield _Gone(file, claim, self._runs_of(file, claim, prefixes, stating))


def _stating(files: Sequence[RepositoryFile], claims: Sequence[Claim]) -> _Stating:
    stating: dict[str, list[RepositoryFile]] = defaultdict(list)
    for file, claim in zip(files, claims, strict=True):
        if claim.identifier is not None:
            stating[identifier_key(claim.identifier)].append(file)
    return stating


@dataclass(frozen=True, slots=True)
class _Held:
    """The document that a file holds, or held last, with its runs, and the identifier that it states now."""

    source: str
    identifier: str | None
    runs: Sequence[DocumentRun]

    @property
    def first(self) -> Edit:
        """The first edition with its identifier; of one that states none now, with the first one or none."""
        key = None if self.identifier is None else identifier_key(self.identifier)
        edits = [edit for run in self.runs for edit in run.edits]
        own = [each for each in edits if each.identifier and key in (None, identifier_key(each.identifier))]
        return (own or edits)[0]

    def named(self, repository: str) -> NamedDocument:
        """Return it as a document to name: one without an identifier goes by the first one, or first path."""
        edition = self.first.edition
        source = self.source if self.identifier else path_text(edition.path)
        folder = PurePosixPath(f"{repository}/{source}").parent.name
        return NamedDocument(source, self.identifier or self.first.identifier, folder, since=edition.place)

    def document(self, identifier: str | None) -> RepositoryDocument:
        """Return it under an identifier; without one of its own it is of the kind that it was first."""
        found = _document(identifier, self.source, self.runs)
        kind = found.document.kind if self.identifier else self.first.kind
        stated = None if self.identifier == identifier else self.identifier
        return replace(found, document=replace(found.document, kind=kind, stated_identifier=stated))


def _with_pasts(living: Sequence[_Held], past: Sequence[DocumentRun]) -> list[_Held]:
    """Return the documents that files hold, with what they were in other files, and those that are gone."""
    files = {id(each.runs[-1]): each for each in living}
    of_key: dict[str, list[DocumentRun]] = defaultdict(list)
    for each in living:
        if each.identifier is not None:
            of_key[identifier_key(each.identifier)].append(each.runs[-1])
    for run in past:
        for identifier in run.identifiers[:1]:
            of_key[identifier_key(identifier)].append(run)
    chains = [chain for runs in of_key.values() for chain in chain_runs(runs)]
    chained = {id(chain[-1]): chain for chain in chains}
    held = [replace(each, runs=chained.get(id(each.runs[-1]), each.runs)) for each in living]
    gone = [chain for chain in chains if id(chain[-1]) not in files]
    gone += [[run] for run in past if not run.identifiers]
    return held + [
        _Held(runs[-1].document.source_uri or "", runs[-1].edits[-1].identifier, runs) for runs in gone
    ]


def _of_files(collisions: Sequence[Collision], sources: Container[str]) -> Iterator[Collision]:
    """Yield the collisions of files that are there."""
    for each in collisions:
        if sum(file.source in sources for file in each.files) > 1:
            yield each


def _document(identifier: str | None, source: str, runs: Sequence[DocumentRun]) -> RepositoryDocument:
    edits = [edit for run in runs for edit in run.edits]
    states = in_order([edit.state for edit in edits])
    document = replace(
        runs[-1].document,
        identifier=identifier,
        source_uri=source,
        source_commit=edits[-1].edition.commit,
    )
    paths = dict.fromkeys(path_text(edit.edition.path) for edit in reversed(edits))
    stated = [edit.identifier for edit in reversed(edits) if edit.identifier]
    dated = [(edit, state.at) for edit, state in zip(edits, states, strict=True)]
    gaps = gaps_between(runs)
    return RepositoryDocument(
        document=document,
        states=changes_among(states),
        claims=_claims(dated, gaps),
        texts=tuple(_texts(dated, {gap.valid.end for gap in gaps})),
        gaps=gaps,
        former_identifiers=tuple(dict.fromkeys(stated)),
        former_sources=tuple(path for path in paths if path != source),
        always_states=len(stated) == len(edits),
        goes_by_path=not stated,
    )


def _claims(dated: Sequence[tuple[Edit, datetime]], gaps: Sequence[Gap]) -> tuple[StatedClaims, ...]:
    """Return what the texts refer to, text by text; a document that is removed refers to nothing."""
    stated = [StatedClaims(at, path_text(edit.edition.path), edit.claims) for edit, at in dated]
    ends = [StatedClaims(gap.valid.start, None, frozenset()) for gap in gaps]
    return tuple(sorted([*ends, *stated], key=lambda each: each.at))


def _texts(dated: Sequence[tuple[Edit, datetime]], returns: Container[datetime | None]) -> Iterator[PastText]:
    """Yield each text that differs from the one before it, or that is there again after a removal.

    The first takes effect at its own date if that is earlier, unless the file had other texts before.
    """
    before: Edit | None = None
    for edit, at in dated:
        if before is None:
            own = None if edit.follows_unread else edit.text.own_date
            yield replace(edit.text, at=at if own is None else min(own, at))
        elif edit.edition.blob != before.edition.blob or edit.edition.at in returns:
            yield replace(edit.text, at=at)
        before = edit


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
