"""Reading a repository: its documents as they stand, and their history, ready to be brought in."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path, PurePosixPath

from app.domain.artifact import Document
from app.domain.identifier import identifier_key
from app.services.importing.claims import read_claim
from app.services.importing.collisions import Collision, Named, name_apart
from app.services.importing.files import PASSED_OVER, is_markdown
from app.services.importing.history.git_command import Blobs, ask_git, open_blobs
from app.services.importing.history.git_documents import (
    Edit,
    RepositoryFile,
    path_text,
    read_claims,
    read_edits,
    read_file,
    states_of,
)
from app.services.importing.history.git_line import is_shallow, read_line
from app.services.importing.history.git_lineage import Lineage, Lineages, follow
from app.services.importing.history.telling import HistoricState
from app.services.importing.item import Refusal
from app.services.importing.survey import Stopped


@dataclass(frozen=True, slots=True)
class RepositoryDocument:
    """A document of a repository, what it was, and what else it was called.

    `former` are identifiers and paths it went by before, the newest first, that nothing goes by now.
    """

    document: Document
    states: tuple[HistoricState, ...]
    changed: datetime
    former_identifiers: tuple[str, ...]
    former_sources: tuple[str, ...]


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
    is_stopped: Callable[[], bool] = lambda: False,
) -> Repository:
    """Read the Markdown below a folder as it stands at the end of the main line, with its history.

    What is not committed is not read. Raises Invalid when the folder lies in no repository, Unavailable
    without git, and Stopped once `is_stopped` says so.
    """
    prefix = ask_git(folder, "rev-parse", "--show-prefix").removesuffix(b"\n")
    depth = len([part for part in prefix.split(b"/") if part])
    root = folder.resolve()
    name = (root.parents[depth - 1] if depth else root).name
    lineages = follow(read_line(folder, now), _is_document)
    with open_blobs(folder) as blobs:
        read = _Reading(name, kind, blobs, is_stopped).read(lineages, prefix, prefixes)
    return replace(read, is_shallow=is_shallow(folder))


def _is_document(path: bytes) -> bool:
    parts = PurePosixPath(os.fsdecode(path)).parts
    hidden = any(part.startswith(".") or part in PASSED_OVER for part in parts)
    return is_markdown(parts[-1]) and not hidden


class _Reading:
    """One reading of a repository while it goes on."""

    def __init__(self, name: str, kind: str | None, blobs: Blobs, is_stopped: Callable[[], bool]) -> None:
        self._name = name
        self._kind = kind
        self._blobs = blobs
        self._is_stopped = is_stopped

    def read(self, lineages: Lineages, prefix: bytes, prefixes: frozenset[str]) -> Repository:
        wanted = [lineage for path, lineage in sorted(lineages.living.items()) if path.startswith(prefix)]
        read = [read_file(lineage, self._name, self._blobs) for lineage in wanted]
        files = [each for each in read if isinstance(each, RepositoryFile)]
        claims, prefixes = read_claims(files, self._kind, prefixes)
        named, collisions = name_apart(
            [
                Named(file.source, claim.identifier, file.folder)
                for file, claim in zip(files, claims, strict=True)
            ]
        )
        documents = []
        lost = self._lost(lineages, prefixes)
        for file, claim, given in zip(files, claims, named, strict=True):
            if self._is_stopped():
                raise Stopped
            if given.identifier == claim.identifier:
                _reunite(file.lineage, lost.get(identifier_key(claim.identifier or "")))
            edits = read_edits(file, claim.kind, prefixes, self._blobs, self._name)
            documents.append(_document(file, edits, given.identifier))
        return Repository(
            documents=tuple(_without_taken(documents)),
            refused=tuple(each for each in read if isinstance(each, Refusal)),
            collisions=tuple(collisions),
        )

    def _lost(self, lineages: Lineages, prefixes: frozenset[str]) -> dict[str, Lineage]:
        """Answer the deleted files by the identifier they stated last, the latest deleted of each."""
        lost = {}
        for lineage in sorted(lineages.deleted.values(), key=lambda each: each.newest.at):
            file = read_file(lineage, self._name, self._blobs)
            if isinstance(file, RepositoryFile):
                claim = read_claim(file.text, file.place, self._kind, prefixes)
                if claim.identifier is not None:
                    lost[identifier_key(claim.identifier)] = lineage
        return lost


def _reunite(lineage: Lineage, lost: Lineage | None) -> None:
    """Let a file be what a deleted one was before, of the same identifier: more was changed than a name."""
    if lost is not None and lost.newest.at <= lineage.editions[0].at:
        lineage.editions[:0] = lost.editions


def _document(file: RepositoryFile, edits: Sequence[Edit], identifier: str | None) -> RepositoryDocument:
    newest = edits[-1]
    document = replace(
        newest.document,
        identifier=identifier,
        source_uri=file.source,
        source_commit=newest.edition.commit,
    )
    former = [edit.document.identifier for edit in reversed(edits) if edit.document.identifier]
    return RepositoryDocument(
        document=document,
        states=states_of(edits, file.source),
        changed=newest.edition.at,
        former_identifiers=tuple(dict.fromkeys(former)),
        former_sources=tuple(path_text(path) for path in file.lineage.former_paths),
    )


def _without_taken(documents: Sequence[RepositoryDocument]) -> list[RepositoryDocument]:
    """Leave out former identifiers and paths by which a document of the repository goes now."""
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
