"""The documents of a repository: what stands at the end of its main line, and what each edition said."""

from __future__ import annotations

import os
from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePosixPath

from app.domain.artifact import Document, ReferenceClaim
from app.domain.entity import ReferenceType
from app.errors import TrigraphError
from app.services.filing.preparation import LARGEST_BODY
from app.services.importing.claims import prefixes_among
from app.services.importing.files import NO_TEXT, is_text, text_of_bytes
from app.services.importing.history.git_blobs import Blobs
from app.services.importing.history.git_lineage import Edition, Lineage
from app.services.importing.history.git_stretches import Edit, Others, Stretch, add_edition
from app.services.importing.history.telling import HistoricState
from app.services.importing.item import Refusal, refusing, shown
from app.services.importing.reading_aside import read_aside
from app.services.parsing import clean_path, parse_markdown
from app.services.parsing.file_claim import Claim, read_claim


@dataclass(frozen=True, slots=True)
class RepositoryFile:
    """A Markdown file that stands, where it is, and its text."""

    lineage: Lineage
    source: str
    place: str
    text: str

    @property
    def folder(self) -> str:
        """The name of the folder it lies in; the repository's own at its root."""
        return PurePosixPath(self.place).parent.name


def path_text(path: bytes) -> str:
    """Answer a path as it is shown and kept, with its accents composed."""
    return clean_path(shown(os.fsdecode(path)))


def read_file(lineage: Lineage, name: str, blobs: Blobs) -> RepositoryFile | Refusal:
    """Read the newest edition of a file, or answer why it cannot be; `name` is the repository's."""
    source = path_text(lineage.newest.path)
    if not is_text(os.fsdecode(lineage.newest.path)):
        return Refusal(source, NO_TEXT)
    return refusing(
        source,
        lambda: RepositoryFile(lineage, source, f"{name}/{source}", _text(lineage.newest, blobs)),
    )


def is_twin(path: bytes, paths: Container[bytes]) -> bool:
    """Tell whether another path is the same but for how its accents are kept."""
    composed = os.fsencode(clean_path(os.fsdecode(path))) if is_text(os.fsdecode(path)) else path
    return composed != path and composed in paths


def _text(edition: Edition, blobs: Blobs) -> str:
    return text_of_bytes(blobs.read(edition.blob, LARGEST_BODY))


def read_claims(
    files: Sequence[RepositoryFile], kind: str | None, prefixes: frozenset[str]
) -> tuple[list[Claim], frozenset[str]]:
    """Answer what each file says it is, and the prefixes that were accepted: theirs as well."""
    names = (PurePosixPath(file.source).stem for file in files)
    prefixes |= prefixes_among([*names, f"{kind or ''}-1"])
    claims = [read_aside(read_claim, file.text, file.place, kind, prefixes) for file in files]
    stated = prefixes_among(claim.identifier or "" for claim in claims)
    if stated <= prefixes:
        return claims, prefixes
    prefixes |= stated
    return [read_aside(read_claim, file.text, file.place, kind, prefixes) for file in files], prefixes


def read_stretches(
    file: RepositoryFile, kind: str, prefixes: frozenset[str], blobs: Blobs, name: str, others: Others
) -> list[Stretch]:
    """Answer the documents that a file held, the present one last, by the editions that can be read."""
    found: list[Stretch] = []
    for edition in file.lineage.editions:
        try:
            text = file.text if edition is file.lineage.newest else _text(edition, blobs)
            place = f"{name}/{path_text(edition.path)}"
            document = read_aside(parse_markdown, text, kind=kind, path=place, known_prefixes=prefixes)
        except TrigraphError:
            continue
        edit = Edit(edition, document.identifier, _state(edition, document, file.source))
        add_edition(found, edit, text, document, others)
    return found


def _state(edition: Edition, document: Document, source: str) -> HistoricState:
    props = {"title": document.title, "status": document.status}
    return HistoricState(source, edition.at, edition.commit, props, frozenset(_claims(document)))


def changes_among(told: Iterable[HistoricState]) -> tuple[HistoricState, ...]:
    """Answer those of a document's editions that changed title, status or relations."""
    changes: list[HistoricState] = []
    for state in told:
        if not changes or (state.props, state.claims) != (changes[-1].props, changes[-1].claims):
            changes.append(state)
    return tuple(changes)


def _claims(document: Document) -> list[ReferenceClaim]:
    return [
        replace(claim, count=1) for claim in document.references if claim.type is not ReferenceType.REFERENCES
    ]
